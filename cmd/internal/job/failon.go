package job

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// failItem is one item of --fail-on: what is counted, and how many are still
// well.
type failItem struct {
	text  string // as it was given
	name  string
	limit float64
	share bool // limit is a share of all entries
}

// What --fail-on counts beside verdicts. defaultFailOn is it where it is not given.
const (
	defaultFailOn = "problem"
	unmet         = "unmet"
)

// parseFailOn reads --fail-on. Without a map nothing can be unmet.
func parseFailOn(items []string, isMap bool) (list []failItem, err error) {
	if len(items) == 0 { // a variable that is not set, most likely
		return nil, cli.WithHint(errors.New("--fail-on names nothing"), "--fail-on none never fails for what was found")
	}
	var c tally
	c.fill(nil, 0, 0, 0)
	for _, s := range items {
		name, limit, limited := strings.Cut(s, ":")
		item := failItem{text: s, name: name, share: strings.HasSuffix(limit, "%")}
		switch {
		case item.share:
			item.limit, err = percent(limit)
		case limited:
			var n uint64
			n, err = strconv.ParseUint(limit, 10, 32)
			item.limit = float64(n)
		}
		if _, known := c.n[name]; err != nil || !known {
			return nil, cli.WithHint(fmt.Errorf("--fail-on %q is not possible", s), cli.DidYouMean(name, slices.Sorted(maps.Keys(c.n)))+"--fail-on takes verdicts, problem, any, faults, unmet or none, each with an optional limit as moved:1% or not-found:20; sitemend help fix lists them")
		}
		if name == unmet && !isMap {
			return nil, cli.WithHint(errors.New("--fail-on unmet counts the old URLs of --expect, and there is no map"),
				"name it: sitemend audit --expect FILE; problem counts them, too, where there is one")
		}
		list = append(list, item)
	}
	return list, nil
}

// names are words as texts.
func names[T ~string](words []T) (list []string) {
	for _, w := range words {
		list = append(list, string(w))
	}
	return list
}

// A tally is what --fail-on counts.
type tally struct {
	n        map[string]int // by the name of an item
	entries  int            // of the whole audit: what a share is of
	expected int            // old addresses of a map: what a share of unmet is of
}

// fill counts entries by verdict, places of errors in the sitemap files, sitemaps that could not be
// read to their end, and old addresses that do not lead where they should.
func (c *tally) fill(verdicts map[audit.Verdict]int, faults, unread, bad int) {
	c.n = map[string]int{"faults": faults, unmet: bad, "none": 0, "any": faults + bad, defaultFailOn: unread + bad}
	for _, v := range audit.Verdicts() {
		c.n[string(v)] = verdicts[v]
		if v.Problem() {
			c.n[defaultFailOn] += verdicts[v]
		}
		if v != audit.OK && v != audit.Skipped {
			c.n["any"] += verdicts[v]
		}
	}
}

// tallyOf counts in a whole audit.
func tallyOf(t *audit.Result) tally {
	c := tally{entries: t.Counts.Entries}
	faults, unread, bad := t.Build.Errors(), 0, 0
	if x := t.Expected; x != nil {
		c.expected, bad = x.Addresses, x.Unmet()
	}
	for i := range t.Files {
		s := &t.Files[i].Sitemap
		if !s.Whole() {
			unread++
		}
		for _, f := range s.Faults {
			if f.Severity == "error" {
				faults += f.Places()
			}
		}
	}
	c.fill(t.Counts.Verdicts, faults, unread, bad)
	return c
}

// allowed is how many an item allows: 29 % of 100 are 29, whatever the number in binary is.
func (i failItem) allowed(c *tally) int {
	of := 1
	switch {
	case i.share && i.name == unmet:
		of = c.expected
	case i.share:
		of = c.entries
	}
	return int(i.limit*float64(of) + 1e-6)
}

// fails reports whether there is more than an item allows.
func (i failItem) fails(c *tally) bool { return c.n[i.name] > i.allowed(c) }

// fails reports whether there is more than items allow, and lists of each item that makes it so what
// was found and what it allows. It lists nothing of the default item: the summary says that there
// are problems.
func fails(c tally, items []failItem) (failed bool, list []string) {
	for _, i := range items {
		if !i.fails(&c) {
			continue
		}
		failed = true
		found := "--fail-on " + i.text + ": " + messages.Number(c.n[i.name]) + " found"
		switch {
		case i.limit > 0:
			list = append(list, found+", "+messages.Number(i.allowed(&c))+" allowed")
		case i.text != defaultFailOn:
			list = append(list, found)
		}
	}
	return failed, list
}
