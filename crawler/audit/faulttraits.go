package audit

import "cmp"

// FaultTraits are what follows from a fault for the crawler.
type FaultTraits struct {
	// Heals is set where another try may bring another answer.
	Heals bool
	// Busy is set where it may mean that the host is asked too much.
	Busy bool
	// OfHost is set where what one address met meets each of its host.
	OfHost bool
	// Unsent is set where nothing was sent, as whatever the host answers would say nothing: the guard
	// does not let anybody request it, or there is only a build.
	Unsent bool
	// Answered is set where the host answered, though with nothing of use.
	Answered bool
	// Words says it in plain English, as a message goes on; "" where the fault's own name does.
	Words string
}

var faultTraits = map[Fault]FaultTraits{
	FaultTimeout:       {Heals: true, Busy: true, Words: "no answer in time"},
	FaultDNS:           {Heals: true, OfHost: true, Words: "the name does not resolve"},
	FaultTLS:           {Heals: true, OfHost: true, Words: "no secure connection (TLS)"},
	FaultRefused:       {Heals: true, OfHost: true, Words: "the connection was refused"},
	FaultReset:         {Heals: true, Busy: true, Words: "the connection was cut off"},
	FaultNotHTTP:       {Heals: true, Answered: true},
	FaultEncoding:      {Heals: true, Answered: true, Words: "its Content-Encoding does not unpack"},
	FaultHeader:        {Answered: true},
	FaultAddress:       {Unsent: true, OfHost: true, Words: "its address is private (--allow-private lets it)"},
	FaultRobotsAddress: {Answered: true, Words: "its robots.txt leads to an address that is not allowed"},
	FaultAbandoned:     {OfHost: true, Words: "its host was left alone: it gave no usable answer 20 times in a row, or wants to be left alone for more than 10 minutes"},
	FaultUnreachable:   {Heals: true},
	FaultOutside:       {Unsent: true, OfHost: true, Words: "its host is not that of the build"},
	FaultUnmodelled:    {Unsent: true, Answered: true, Words: "what the host answers is not modelled"},
}

// Traits returns what follows from a fault; of one that is not known, nothing does.
func (f Fault) Traits() FaultTraits { return faultTraits[f] }

// Words says in plain English what f is, as a message goes on: "the connection was refused".
func (f Fault) Words() string { return cmp.Or(f.Traits().Words, string(f)) }
