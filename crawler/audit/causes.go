package audit

import (
	"fmt"
	"slices"
	"strings"

	"sitemend/crawler/address"
)

// maxCauses bounds how many causes are told apart; findings beyond them count
// under their verdict.
const maxCauses = 2000

// causes adds rows up by what is behind them.
type causes struct {
	byKey map[string]*cause
}

type cause struct {
	Cause
	files map[int]bool
}

func newCauses() *causes { return &causes{byKey: map[string]*cause{}} }

func (c *causes) add(r *Row) {
	group := r.Group()
	if group == Fine || group == LeftOut {
		return
	}
	rule, stop := r.rule(), r.stoppedBy()
	key := string(r.Verdict) + "|" + string(group) + "|" + string(stop) + "|" + rule
	x := c.byKey[key]
	if x == nil && len(c.byKey) >= maxCauses {
		rule, stop = "", ""
		key = string(r.Verdict) + "|" + string(group)
		x = c.byKey[key]
	}
	if x == nil {
		x = &cause{Cause: Cause{Verdict: r.Verdict, Reasons: r.Reasons, Group: group, Rule: rule, Stop: stop, Who: who(r.Verdict, stop)}, files: map[int]bool{}}
		c.byKey[key] = x
	}
	x.Count++
	x.files[r.Entry.Sitemap] = true
	if len(x.Examples) < 3 {
		x.Examples = append(x.Examples, r.Entry.Loc)
		final := r.Fix.Loc
		if final == "" {
			final = r.Final.String()
		}
		x.Finals = append(x.Finals, final)
	}
}

// list returns the causes: those that need a person first, then by count.
func (c *causes) list() []Cause {
	var all []Cause
	for _, x := range c.byKey {
		x.Sitemaps = len(x.files)
		all = append(all, x.Cause)
	}
	slices.SortFunc(all, func(a, b Cause) int {
		if a.Group != b.Group {
			return rank(a.Group) - rank(b.Group)
		}
		if a.Count != b.Count {
			return b.Count - a.Count
		}
		return strings.Compare(string(a.Verdict)+a.Rule, string(b.Verdict)+b.Rule)
	})
	return all
}

func rank(g Group) int {
	return slices.Index([]Group{NeedsYou, TakenOut, Corrected, OtherSpelling, NotChecked}, g)
}

// who says who can put a finding right at its source.
func who(v Verdict, stop Note) string {
	switch {
	case stop == Braked || stop == MergeWouldLose || stop == OtherHost:
		return "generator"
	case stop != "":
		return "server"
	}
	switch v {
	case Invalid, NotFound, Respelled, Moved:
		return "generator"
	case Noindex, Noncanonical:
		return "cms"
	case Unverified:
		return "nobody"
	}
	return "server"
}

// stoppedBy is the note of the rule that kept an entry from being edited, ""
// where none did.
func (r *Row) stoppedBy() Note {
	if r.Fix.Action != Keep {
		return ""
	}
	for _, n := range r.Notes {
		if n == Braked || Liftable(n) {
			return n
		}
	}
	return ""
}

// rule says in a few signs what leads from the listed address to its end: the
// same words for all entries that one rule of the server or the generator
// explains.
func (r *Row) rule() string {
	switch r.Verdict {
	case NotFound, Error:
		if r.Status != 0 {
			return fmt.Sprint(r.Status)
		}
		return ""
	case Unverified:
		return r.unseenBy()
	case Noindex, Disallowed, Invalid, Loop, TooManyRedirects:
		return ""
	}
	to := r.Final
	if r.Fix.Loc != "" {
		to = address.Wire(r.Fix.Loc)
	}
	parts := make([]string, 0, 4)
	for _, reason := range r.Reasons {
		parts = append(parts, part(reason, r.Address, to))
	}
	return strings.Join(parts, ", ")
}

func part(reason address.Reason, from, to address.Address) string {
	switch reason {
	case address.Scheme:
		return from.Scheme() + ":// -> " + to.Scheme() + "://"
	case address.Host, address.WWW:
		return address.ToUnicodeHost(from.Host()) + " -> " + address.ToUnicodeHost(to.Host())
	case address.Port:
		return ":" + from.EffectivePort() + " -> :" + to.EffectivePort()
	case address.Slash:
		if strings.HasSuffix(to.Path(), "/") {
			return "slash added at the end"
		}
		return "slash removed at the end"
	}
	return string(reason)
}
