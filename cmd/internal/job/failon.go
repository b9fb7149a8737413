package job

import (
	"errors"
	"fmt"
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
	var all []string
	for _, s := range items {
		name, _, _ := strings.Cut(s, ":")
		all = append(all, name)
	}
	if err := words("--fail-on", all, append(names(audit.Verdicts()), defaultFailOn, "any", "faults", unmet, "none")); err != nil {
		return nil, err
	}
	if slices.Contains(all, unmet) && !isMap {
		return nil, cli.WithHint(errors.New("--fail-on unmet counts the old URLs of --expect, and there is no map"), "name it: sitemend audit --expect FILE")
	}
	for n, s := range items {
		_, limit, limited := strings.Cut(s, ":")
		item := failItem{text: s, name: all[n], share: strings.HasSuffix(limit, "%")}
		if item.share {
			item.limit, err = percent(limit)
		} else if limited {
			var most uint64
			most, err = strconv.ParseUint(limit, 10, 32)
			item.limit = float64(most)
		}
		if err != nil {
			return nil, cli.WithHint(fmt.Errorf("--fail-on %q is not possible", s), "a limit is as in moved:1% or not-found:20")
		}
		list = append(list, item)
	}
	return list, nil
}

// A tally is what --fail-on counts.
type tally struct {
	n        map[string]int // by the name of an item
	entries  int            // of the whole audit: what a share is of
	expected int            // old addresses of a map: what a share of unmet is of
}

// count counts entries by verdict, places of errors in the sitemap files, sitemaps that could not be
// read to their end, and old addresses that do not lead where they should.
func (c *tally) count(verdicts map[audit.Verdict]int, faults, unread, bad int) {
	c.n = map[string]int{"faults": faults, unmet: bad, "any": faults + bad, defaultFailOn: unread + bad}
	for v, n := range verdicts {
		c.n[string(v)] = n
		if v.Problem() {
			c.n[defaultFailOn] += n
		}
		if v != audit.OK && v != audit.Skipped {
			c.n["any"] += n
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
	c.count(t.Counts.Verdicts, faults, unread, bad)
	return c
}

// over are the items of which there is more than they allow, and how many of each may be: 29 % of 100
// are 29, whatever the number in binary is.
func (c *tally) over(items []failItem) (list []failItem, allowed []int) {
	for _, i := range items {
		of := 1
		switch {
		case i.share && i.name == unmet:
			of = c.expected
		case i.share:
			of = c.entries
		}
		if most := int(i.limit*float64(of) + 1e-6); c.n[i.name] > most {
			list, allowed = append(list, i), append(allowed, most)
		}
	}
	return list, allowed
}

// fail notes what items do not allow. Of the default item it says nothing: the summary says that there
// are problems.
func (o *Outcome) fail(c tally, items []failItem) {
	list, allowed := c.over(items)
	o.Failed = len(list) > 0
	for n, i := range list {
		line := "--fail-on " + i.text + ": " + messages.Number(c.n[i.name]) + " found"
		if i.limit > 0 {
			line += ", " + messages.Number(allowed[n]) + " allowed"
		}
		if i.text != defaultFailOn {
			o.FailedOn = append(o.FailedOn, line)
		}
	}
}
