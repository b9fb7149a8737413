package audit

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"sitemend/crawler/pattern"
)

const (
	// maxRules bounds the rules that are reported, and the places: the largest.
	maxRules = 50
	// fewSpecific is how many rules that differ only in the segments they replace are reported
	// individually.
	fewSpecific = 8
)

// List ends the adding. It returns the causes lane by lane, those of the most entries first. Rules
// of too few rows and those beyond the largest are reported as left over.
func (c *Causes) List() []Cause {
	c.settle(true)
	c.gather()
	c.locate()
	c.cut()
	c.marry()
	var out []Cause
	listed := map[string]*cause{}
	for _, x := range c.byKey {
		out = append(out, x.result())
		listed[out[len(out)-1].Key] = x
	}
	slices.SortFunc(out, func(a, b Cause) int {
		return cmp.Or(rank(a.Group)-rank(b.Group), b.Count-a.Count,
			strings.Compare(a.pattern(), b.pattern()), strings.Compare(a.Key, b.Key))
	})
	for i := range out {
		listed[out[i].Key].index = i
	}
	return out
}

// index is the place in the list of what Add returned a number for; -1 for none.
func (c *Causes) index(number int) int {
	if number < 1 || number > len(c.numbers) {
		return -1
	}
	x := c.numbers[number-1]
	for x.into != nil {
		x = x.into
	}
	return x.index
}

// merge makes causes part of the one with a key.
func (c *Causes) merge(key causeKey, parts []*cause) *cause {
	into := c.byKey[key]
	if into == nil {
		into = c.open(key)
	}
	for _, x := range parts {
		if x != into {
			delete(c.byKey, x.id)
			into.join(x)
		}
	}
	return into
}

// gather makes one cause of many rules that differ only in the segments that they replace.
func (c *Causes) gather() {
	families := map[causeKey][]*cause{}
	for _, x := range c.sorted() {
		if x.level == levelFirst && x.outer != 0 {
			key := causeKey{x.id.causeKind, x.outer}
			families[key] = append(families[key], x)
		}
	}
	for key, all := range families {
		if len(all) > fewSpecific {
			form := all[0].pair.Form(pattern.LevelAny)
			c.merge(key, all).form = form
		}
	}
}

// locate takes the places of findings that lead nowhere as wide as they say something, and counts
// as left over those that say nothing.
func (c *Causes) locate() {
	all, inner := c.unruled(), map[causeKey][]*cause{}
	for _, x := range c.sorted() {
		if x.form.IsPlace() {
			key := causeKey{x.id.causeKind, xxhash.Sum64String(pattern.Outer(x.form.Place))}
			inner[key] = append(inner[key], x)
		}
	}
	for key, parts := range inner {
		n := 0
		for _, x := range parts {
			n += x.Count
		}
		place := pattern.Outer(parts[0].form.Place)
		if len(parts) > 1 && pattern.Significant(n, all[key.causeKind]) {
			c.merge(key, parts).form.Place = place
			continue
		}
		for _, x := range parts {
			if !pattern.Significant(x.Count, all[key.causeKind]) {
				c.drop(x)
			}
		}
	}
}

// drop counts a cause as left over.
func (c *Causes) drop(x *cause) {
	delete(c.byKey, x.id)
	c.rest(x.id.causeKind).join(x)
}

// cut counts as left over what is too small, and what is beyond the largest.
func (c *Causes) cut() {
	all := c.unruled()
	rules, ways := 0, 0
	for _, x := range c.sorted() {
		enough := true
		switch rule, kind := x.form.Rule, x.id.causeKind; {
		case rule != nil:
			rules++
			// An address that is listed again and again is no rule that many pages follow to one.
			enough = rules <= maxRules && !(rule.ToOne() && x.From.One())
		case x.form.Place != "":
			ways++
			enough = ways <= maxRules && isEnough(kind, x.Count, all[kind])
		}
		if !enough {
			c.drop(x)
		}
	}
}

// marry makes one cause of those that differ in nothing but where they lead: two or more that lead
// each to one address, all from one source, with what no rule explains there.
func (c *Causes) marry() {
	type source struct {
		causeKind
		folder string
	}
	all, ones := map[source][]*cause{}, map[source]int{}
	for _, x := range c.sorted() {
		at := source{x.id.causeKind, x.From.Source()}
		toOne := x.form.Rule != nil && x.form.Rule.ToOne()
		if at.folder == "" || x.isRule() && !toOne {
			continue
		}
		all[at] = append(all[at], x)
		if toOne {
			ones[at]++
		}
	}
	for at, parts := range all {
		if ones[at] > 1 {
			key := causeKey{at.causeKind, xxhash.Sum64String("many " + at.folder)}
			c.merge(key, parts).folder = at.folder
		}
	}
}

// sorted returns the causes, the largest first.
func (c *Causes) sorted() []*cause {
	return slices.SortedFunc(maps.Values(c.byKey), func(a, b *cause) int {
		if a.Count != b.Count {
			return b.Count - a.Count
		}
		return strings.Compare(a.key(), b.key())
	})
}
