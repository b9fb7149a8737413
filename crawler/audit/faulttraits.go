package audit

// FaultTraits are what follows from a fault for who asks.
type FaultTraits struct {
	// Heals is set where another try may bring another answer.
	Heals bool
	// Busy is set where it may mean that the host is asked too much.
	Busy bool
	// OfHost is set where what one address met meets each of its host.
	OfHost bool
	// Answered is set where the host answered, though with nothing of use.
	Answered bool
}

var faultTraits = map[Fault]FaultTraits{
	FaultTimeout:       {Heals: true, Busy: true},
	FaultDNS:           {Heals: true, OfHost: true},
	FaultTLS:           {Heals: true, OfHost: true},
	FaultRefused:       {Heals: true, OfHost: true},
	FaultReset:         {Heals: true, Busy: true},
	FaultNotHTTP:       {Heals: true, Answered: true},
	FaultHeader:        {Answered: true},
	FaultAddress:       {OfHost: true},
	FaultRobots:        {},
	FaultRobotsAddress: {Answered: true},
	FaultAbandoned:     {OfHost: true},
	FaultForbidden:     {},
	FaultUnreachable:   {Heals: true},
	FaultOurs:          {},
}

// Traits returns what follows from a fault; of one that is not known, nothing does.
func (f Fault) Traits() FaultTraits { return faultTraits[f] }
