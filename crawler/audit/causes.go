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

// Causes adds rows up by what is behind them. The zero Causes is ready. It is
// not for several goroutines.
type Causes struct {
	byKey map[causeKey]*cause
}

type cause struct {
	Cause
	files map[int]bool
}

// causeKey is what the rows of a cause have in common.
type causeKey struct {
	verdict Verdict
	group   Group
	stop    Note
	rule    string
}

// key returns the key of a row's cause; ok is false for rows without one: those
// that are fine or were not asked.
func (r *Row) key() (k causeKey, ok bool) {
	group := r.Group()
	if group == Fine || group == LeftOut {
		return k, false
	}
	return causeKey{r.Verdict, group, r.stoppedBy(), r.rule()}, true
}

// String writes k as Cause.Key.
func (k causeKey) String() string {
	return strings.Join([]string{string(k.verdict), string(k.group), string(k.stop), k.rule}, "|")
}

// wide is the key under which findings count that have no place of their own.
func (k causeKey) wide() causeKey { return causeKey{verdict: k.verdict, group: k.group} }

// Add counts a final row.
func (c *Causes) Add(r *Row) {
	key, ok := r.key()
	if !ok {
		return
	}
	if c.byKey == nil {
		c.byKey = map[causeKey]*cause{}
	}
	x := c.byKey[key]
	if x == nil && len(c.byKey) >= maxCauses {
		key = key.wide()
		x = c.byKey[key]
	}
	if x == nil {
		x = &cause{files: map[int]bool{}, Cause: Cause{Key: key.String(), Verdict: r.Verdict, Reasons: r.Reasons, Group: key.group,
			Rule: key.rule, Stop: key.stop, Who: who(r.Verdict, key.stop)}}
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

// List returns the causes: those that need a person first, then by count.
func (c *Causes) List() []Cause {
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

// CauseOf returns the index in t.Causes of the cause that a final row belongs
// to; -1 for a row without one.
func (t *Told) CauseOf(r *Row) int {
	key, ok := r.key()
	if !ok {
		return -1
	}
	if i, ok := t.causeAt[key]; ok {
		return i
	}
	if i, ok := t.causeAt[key.wide()]; ok {
		return i
	}
	return -1
}

// indexCauses prepares CauseOf.
func (t *Told) indexCauses() {
	t.causeAt = map[causeKey]int{}
	for i, c := range t.Causes {
		t.causeAt[causeKey{c.Verdict, c.Group, c.Stop, c.Rule}] = i
	}
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
