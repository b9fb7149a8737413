package html

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/internal/page"
)

const (
	// flowShown is how many of each column of the flow stand by name; what
	// follows is "other".
	flowShown = 8
	// flowKinds bounds how many patterns and destinations are told apart while
	// rows are counted; what comes later is "other".
	flowKinds = 2000
	// flowWays bounds how many ways between them are: what comes later leads from
	// other ones to other ones.
	flowWays = 20_000
)

// A flowing counts where the rows that are not fine lead: from a pattern of the
// listed addresses over the verdict to where the trail ends.
type flowing struct {
	counts map[flowKey]int
	names  [2]map[string]int // patterns and destinations, with their counts
}

// A flowKey is one way; "" as pattern or destination stands for other ones. A
// destination that is no address begins with flowWord.
type flowKey struct {
	from    string
	verdict audit.Verdict
	group   audit.Group
	to      string
}

const flowWord = "\x00"

func newFlowing() *flowing {
	return &flowing{counts: map[flowKey]int{}, names: [2]map[string]int{{}, {}}}
}

func (f *flowing) add(r *audit.Row) {
	g := r.Group()
	if g == audit.Fine || g == audit.LeftOut || r.Address.IsZero() {
		return
	}
	k := flowKey{f.name(0, firstSection(r.Address)), r.Verdict, g, f.name(1, flowEnd(r))}
	if _, ok := f.counts[k]; !ok && len(f.counts) >= flowWays {
		k.from, k.to = "", ""
	}
	f.counts[k]++
}

// name counts a name of a column; beyond flowKinds it is an other one.
func (f *flowing) name(column int, s string) string {
	names := f.names[column]
	if _, ok := names[s]; !ok && len(names) >= flowKinds {
		s = ""
	}
	names[s]++
	return s
}

// firstSection is the origin of an address with the first segment of its path, where
// another follows: https://shop.example/blog/*.
func firstSection(a address.Address) string {
	path := a.Path()
	first, rest, deeper := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch {
	case path == "/":
		return a.Origin() + "/"
	case deeper && rest != "":
		return a.Origin() + "/" + first + "/*"
	case strings.Contains(a.Target(), "?"):
		return a.Origin() + path + "?*"
	}
	return a.Origin() + "/*"
}

// flowEnd is where a row leads: a pattern of addresses, or a word.
func flowEnd(r *audit.Row) string {
	switch {
	case r.Verdict == audit.Loop || r.Verdict == audit.TooManyRedirects:
		return flowWord + "flow-never"
	case r.Verdict == audit.Unverified:
		return flowWord + "flow-unseen"
	case r.Verdict == audit.Disallowed:
		return flowWord + "flow-robots"
	case r.Verdict == audit.NotFound || r.Verdict == audit.Error:
		return flowWord + strconv.Itoa(r.Trail.Last().Hop.Status)
	case r.Verdict == audit.Noncanonical:
		return flowWord + "flow-canonical"
	case len(r.Trail.Steps) > 1 && !r.Final.IsZero():
		return firstSection(r.Final)
	}
	return flowWord + "flow-itself"
}

// A flow is the picture: three columns of bars with bands between them, and the
// same as a table.
type flow struct {
	Height int
	Nodes  []flowNode
	Bands  []flowBand
	Rows   []flowRow
	Total  int
	lang   string
	Title  string // for screen readers
}

type flowNode struct {
	X, Y, H  float64
	Group    audit.Group // "" for the columns of addresses
	Label    page.Phrase
	LabelX   float64
	LabelY   float64
	Count    int
	LeftSide bool
}

type flowBand struct {
	Group audit.Group
	Path  string
	Title string
}

// A flowRow is one way of the table.
type flowRow struct {
	From, To page.Phrase
	Verdict  audit.Verdict
	Group    audit.Group
	Count    int
}

// picture lays the flow out; nil where there is none worth a
// picture. What is said aloud of it is in lang.
func (f *flowing) picture(lang string) *flow {
	short := [2]map[string]bool{first(f.names[0]), first(f.names[1])}
	counts := map[flowKey]int{}
	total := 0
	for k, n := range f.counts {
		if !short[0][k.from] {
			k.from = ""
		}
		if !short[1][k.to] {
			k.to = ""
		}
		counts[k] += n
		total += n
	}
	if total == 0 {
		return nil
	}
	keys := make([]flowKey, 0, len(counts))
	for k := range counts {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b flowKey) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a.from, b.from), strings.Compare(string(a.verdict), string(b.verdict)),
			strings.Compare(string(a.group), string(b.group)), strings.Compare(a.to, b.to))
	})
	p := &flow{Total: total, Title: say("flow-title", "n", total).In(lang), lang: lang}
	label := newFlowLabels(keys)
	for _, k := range keys {
		p.Rows = append(p.Rows, flowRow{label.of(k.from), label.of(k.to), k.verdict, k.group, counts[k]})
	}
	p.draw(keys, counts, label)
	return p
}

// first returns the names of a column that stand by themselves: the most
// frequent ones.
func first(names map[string]int) map[string]bool {
	var list []string
	for s := range names {
		if s != "" {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(names[b]-names[a], strings.Compare(a, b)) })
	out := map[string]bool{}
	for _, s := range list[:min(flowShown, len(list))] {
		out[s] = true
	}
	return out
}

// flowLabels write a name for people: without its origin, where there is one
// alone.
type flowLabels struct {
	origin string
	groups map[audit.Verdict]map[audit.Group]bool
}

func newFlowLabels(keys []flowKey) flowLabels {
	l := flowLabels{groups: map[audit.Verdict]map[audit.Group]bool{}}
	for _, k := range keys {
		if l.groups[k.verdict] == nil {
			l.groups[k.verdict] = map[audit.Group]bool{}
		}
		l.groups[k.verdict][k.group] = true
	}
	l.origin = oneOrigin(keys)
	return l
}

// oneOrigin is the origin of all addresses of a flow; "" where they have several.
func oneOrigin(keys []flowKey) string {
	origin := ""
	for _, k := range keys {
		for _, s := range []string{k.from, k.to} {
			if s == "" || strings.HasPrefix(s, flowWord) {
				continue
			}
			o := address.Wire(strings.TrimSuffix(s, "*")).Origin()
			if origin != "" && o != origin {
				return ""
			}
			origin = o
		}
	}
	return origin
}

// verdict names a bar of the middle column: one verdict may stand there twice,
// corrected and not.
func (l flowLabels) verdict(k flowKey) page.Phrase {
	switch {
	case k.verdict == audit.Unverified:
		return page.ShortGroup(audit.NotChecked)
	case len(l.groups[k.verdict]) > 1:
		return say("flow-split", "verdict", page.VerdictText(k.verdict, "name"), "group", page.ShortGroup(k.group))
	}
	return page.VerdictText(k.verdict, "name")
}

func (l flowLabels) of(s string) page.Phrase {
	if s == "" {
		return say("flow-other")
	}
	if word, ok := strings.CutPrefix(s, flowWord); ok {
		if _, err := strconv.Atoi(word); err == nil {
			return page.Raw(word)
		}
		return say(word)
	}
	return page.Raw(page.Middle(page.Visible(strings.TrimPrefix(s, l.origin)), 40))
}
