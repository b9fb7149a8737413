package audit

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Info is what is known of an audit as a whole.
type Info struct {
	ID        string // its start in UTC, "20261121T101502Z"; of the second one in that second with "-2"
	Seq       uint64 // counts the audits of its store in the order in which they began; 0 where that was not kept
	Targets   []string
	Given     []string // its flags, "--name" or "--name=value" each; a secret is a placeholder; nil where they were not kept
	Identity  string   // name of --as
	Agent     string   // the User-Agent header that was sent
	Rules     Rules
	Tool      string
	Started   time.Time
	Ended     time.Time // zero while it runs
	Duration  time.Duration
	Requests  int            // sent, tries, sitemaps and robots.txt included
	Abandoned map[string]int // hosts that were left (FaultAbandoned), with the status of the last answer (0: none)
	NoFetch   bool
	Site      string   // the folder of the build that answered in place of the network; "" for none
	Part      string   // which entries are audited: the same in audits that leave out the same
	Partial   bool     // a sample, not ended, or only the files were checked (NoFetch): no sitemap is written
	RobotsBad []string // origins whose robots.txt did not answer
	// Outdated are the sitemaps, by Sitemap.N, that listed something else when they were requested once
	// more at the end of the audit. No copy of them is written.
	Outdated []int
	// Waits are the hosts, with their ports, that asked in an answer 429 or 5xx that stands to be left
	// alone for a time (Retry-After), the longest that each named.
	Waits map[string]time.Duration
}

// Stopped reports whether an audit began and has no end: what it did not see could change all that
// is said of it.
func (i *Info) Stopped() bool { return !i.Started.IsZero() && i.Ended.IsZero() }

// Before reports whether an audit began before another one of its store, by their
// numbers: the clock may have been set back in between. Those without a number are
// older than those with one, and ordered by their IDs.
func (i *Info) Before(o *Info) bool {
	return i.Seq < o.Seq || i.Seq == o.Seq && i.ID < o.ID
}

// ownAgent begins the flag that names another User-Agent than that of --as.
const ownAgent = "--header=User-Agent: "

// OwnAgent returns the User-Agent header of an audit whose agent the user named; else "".
func (i *Info) OwnAgent() string {
	if slices.ContainsFunc(i.Given, func(given string) bool { return strings.HasPrefix(given, ownAgent) }) {
		return i.Agent
	}
	return ""
}

// Credentials returns the flags whose headers and credentials were sent to the audited hosts
// ("--header", "--user"), sorted: both where it is not known which of them was given; nil for none.
// Google sends neither, so that nothing is known of what it gets.
func (i *Info) Credentials() []string {
	if len(i.Rules.Secret) == 0 {
		return nil
	}
	both := []string{"--header", "--user"}
	given := slices.DeleteFunc(slices.Clone(both), func(f string) bool {
		return !slices.ContainsFunc(i.Given, func(given string) bool {
			return strings.HasPrefix(given, f+"=") && !strings.HasPrefix(given, ownAgent) // that is no secret
		})
	})
	if len(given) == 0 {
		return both
	}
	return given
}

// Wait returns the longest time for which a host asked to be left alone (Waits), and the host: the
// first by name where two named it; "" where none did.
func (i *Info) Wait() (host string, wait time.Duration) {
	for _, h := range slices.Sorted(maps.Keys(i.Waits)) {
		if i.Waits[h] > wait {
			host, wait = h, i.Waits[h]
		}
	}
	return host, wait
}

// A Last counts what changed since the last audit of the same targets and filters, as package diff says.
type Last struct {
	At    time.Time `json:"at"`    // when that one began
	Fixed int       `json:"fixed"` // addresses with a problem then, and none now or not listed any more
	New   int       `json:"new"`   // addresses with a problem that the earlier audit did not have there
	Open  int       `json:"open"`  // addresses about which somebody had to decide, and still has to
}
