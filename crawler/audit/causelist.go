package audit

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"sitemend/crawler/pattern"
)

// List returns the causes lane by lane, those of the most entries first. Rules of too
// few rows and those beyond the largest are reported as left over.
func (c *Causes) List() []Cause {
	c.end()
	kept := map[causeKey]*cause{}
	for k, x := range c.byKey {
		if k.rule == 0 && k.place == "" {
			copied := *x
			kept[k] = &copied
		}
	}
	rules, places := 0, 0
	enough := c.enough()
	var few, left []*cause
	for _, x := range c.largest() {
		n := &rules
		if x.id.place != "" {
			n = &places
		}
		switch {
		case !enough(x):
			few = append(few, x)
		case *n < maxRules:
			*n++
			copied := *x
			kept[x.id] = &copied
		default:
			left = append(left, x)
		}
	}
	for _, x := range append(left, c.widen(few, kept, enough, maxRules-places)...) {
		rest := kept[x.id.rest()]
		if rest == nil {
			rest = newCause(c, x.id.rest())
			kept[x.id.rest()] = rest
		}
		rest.join(x)
	}
	c.marry(kept)
	all := make([]Cause, 0, len(kept))
	for _, x := range kept {
		all = append(all, x.result())
	}
	slices.SortFunc(all, func(a, b Cause) int {
		return cmp.Or(rank(a.Group)-rank(b.Group), b.Count-a.Count, strings.Compare(a.pattern(), b.pattern()), strings.Compare(a.Key, b.Key))
	})
	return all
}

// widen adds to kept what causes of few rows come to together on a wider way on which all of them
// lie, so many new causes at most, and returns those that come to nothing there. So redirects into
// several folders, few into each, are one cause: from and to the folder above.
func (c *Causes) widen(few []*cause, kept map[causeKey]*cause, enough func(*cause) bool, most int) (left []*cause) {
	on := map[causeKey][]*cause{} // each way
	for _, x := range few {
		for k := x.id; k.place != ""; k.place = k.place.Wider() {
			on[k] = append(on[k], x)
		}
	}
	ways := slices.SortedFunc(maps.Keys(on), func(a, b causeKey) int { // the narrow ones first
		return cmp.Or(len(b.place)-len(a.place), strings.Compare(keyText(a, nil), keyText(b, nil)))
	})
	done := map[*cause]bool{}
	for _, k := range ways {
		all := newCause(c, k)
		on[k] = slices.DeleteFunc(on[k], func(x *cause) bool { return done[x] })
		for _, x := range on[k] {
			all.join(x)
		}
		switch at := kept[k]; {
		case at != nil:
			at.join(all)
		case most > 0 && enough(all):
			kept[k] = all
			most--
		default:
			continue
		}
		for _, x := range on[k] {
			done[x] = true
		}
	}
	return slices.DeleteFunc(few, func(x *cause) bool { return done[x] })
}

// enough says whether a rule or place has rows enough for a cause of its own: a few; but of
// a place MinMembers, unless the upload corrects them, for then the place is all there is to
// say, and they are a tenth of what follows no rule. One address that is listed again and again
// is no rule that many pages follow to one.
func (c *Causes) enough() func(*cause) bool {
	all := map[causeKey]int{}
	for k, x := range c.byKey {
		if k.rule == 0 {
			all[k.rest()] += x.Count
		}
	}
	return func(x *cause) bool {
		alone := x.rewrite != nil && x.rewrite.ToOne() && x.From.One()
		return !alone && isEnough(x.id, x.Count, all[x.id.rest()])
	}
}

// isEnough is enough for n rows of all that follow no rule.
func isEnough(k causeKey, n, all int) bool {
	return n >= pattern.FewMembers && (k.rule != 0 || n >= pattern.MinMembers || k.group == Corrected && n*10 >= all)
}

// marry makes one cause of those that differ in nothing but where they lead.
func (c *Causes) marry(kept map[causeKey]*cause) {
	one := siblings(kept, func(x *cause) (bool, string) { return x.rewrite != nil && x.rewrite.ToOne(), x.From.Source() })
	for _, from := range one.order {
		to := one.of[from]
		if kept[to] == nil {
			kept[to] = newCause(c, to)
		}
		kept[to].join(kept[from])
		delete(kept, from)
	}
}

// A family says which causes are reported as one: by the key of each that of the one.
type family struct {
	of    map[causeKey]causeKey
	order []causeKey // the keys of `of`, in an order of their own
}

// siblings finds causes that lead each to one address, and all from one source, with
// what no rule explains there. oneFrom reports whether a cause is such a one, and its
// source; causes without one have no siblings.
func siblings[X any](kept map[causeKey]X, oneFrom func(X) (leadsToOne bool, source string)) family {
	groups, beside := map[causeKey][]causeKey{}, map[causeKey][]causeKey{}
	for k, x := range kept {
		one, source := oneFrom(x)
		if source == "" {
			continue
		}
		at := k.rest()
		at.folder = source
		switch {
		case one && k.rule != 0:
			groups[at] = append(groups[at], k)
		case k.rule == 0:
			beside[at] = append(beside[at], k)
		}
	}
	f := family{of: map[causeKey]causeKey{}}
	for at, keys := range groups {
		if len(keys) < 2 {
			continue
		}
		for _, k := range slices.Concat(keys, beside[at]) {
			f.of[k] = at
			f.order = append(f.order, k)
		}
	}
	slices.SortFunc(f.order, func(a, b causeKey) int {
		return cmp.Or(cmp.Compare(a.rule, b.rule), cmp.Compare(a.place, b.place))
	})
	return f
}

// largest returns the causes with a rule or place, the largest first.
func (c *Causes) largest() []*cause {
	var all []*cause
	for k, x := range c.byKey {
		if k.rule != 0 || k.place != "" {
			all = append(all, x)
		}
	}
	slices.SortFunc(all, func(a, b *cause) int {
		return cmp.Or(b.Count-a.Count, strings.Compare(a.key(), b.key()))
	})
	return all
}

// join adds the rows of o to x.
func (x *cause) join(o *cause) {
	x.Count += o.Count
	files := make(map[int]int, len(x.files)+len(o.files))
	for _, from := range []*cause{x, o} {
		for f, n := range from.files {
			files[f] += n
		}
	}
	x.files = files
	x.targets = maps.Clone(x.targets)
	for t := range o.targets {
		if len(x.targets) < ManyTargets {
			x.targets[t] = true
		}
	}
	x.Answers = maps.Clone(x.Answers)
	for status, n := range o.Answers {
		x.Answers[status] += n
	}
	x.From.Join(&o.From)
	x.To.Join(&o.To)
	x.ids = slices.Concat(x.ids, o.ids)
	if x.MostHops = max(x.MostHops, o.MostHops); x.LeastHops == 0 || o.LeastHops > 0 && o.LeastHops < x.LeastHops {
		x.LeastHops = o.LeastHops
	}
	x.Reasons = slices.Concat(x.Reasons, o.Reasons)
	slices.Sort(x.Reasons)
	x.Reasons = slices.Compact(x.Reasons)
	x.Examples, x.Finals = firstOf(x.Examples, o.Examples), firstOf(x.Finals, o.Finals)
	x.Places, x.Others = firstOf(x.Places, o.Places), firstOf(x.Others, o.Others)
}

// firstOf returns the first examples of two lists.
func firstOf[X any](one, two []X) []X {
	all := slices.Concat(one, two)
	return all[:min(3, len(all))]
}

// key writes what Cause.Key is.
func (x *cause) key() string { return keyText(x.id, x.rewrite) }

// pattern is what a cause's entries look like, and where they lead, as text to sort by.
func (c *Cause) pattern() string {
	from, head, tail := c.From.Parts()
	to, toHead, toTail := c.To.Parts()
	return from + head + "*" + tail + " " + to + toHead + "*" + toTail
}

// told returns the cause as it is reported.
func (x *cause) result() Cause {
	out := x.Cause
	out.Key, out.Sitemaps, out.Targets = x.key(), len(x.files), len(x.targets)
	for f, n := range x.files {
		out.files = append(out.files, f)
		out.Most = append(out.Most, FileCount{f, n})
	}
	slices.Sort(out.files)
	slices.SortFunc(out.Most, func(a, b FileCount) int { return cmp.Or(b.Count-a.Count, a.Sitemap-b.Sitemap) })
	out.Most = slices.Clone(out.Most[:min(MostFiles, len(out.Most))])
	out.Terms = termsOf(x.id, x.rewrite, &x.lead)
	if x.id.place != "" {
		out.Of = x.from.places.Entries(x.id.place)
	}
	out.Rule = pattern.Text(out.Terms)
	return out
}
