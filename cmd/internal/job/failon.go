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

// defaultFailOn is --fail-on where it is not given.
const defaultFailOn = "problem"

// parseFailOn reads --fail-on. Without a map nothing can be unmet.
func parseFailOn(items []string, isMap bool) (list []failItem, err error) {
	if len(items) == 0 { // a variable that is not set, most likely
		return nil, cli.WithHint(errors.New("--fail-on names nothing"), "--fail-on none never fails for what was found")
	}
	known := append(names(audit.Verdicts()), defaultFailOn, "any", "faults", "unmet", "none")
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
		if err != nil || !slices.Contains(known, name) {
			return nil, cli.WithHint(fmt.Errorf("--fail-on %q is not possible", s), cli.DidYouMean(name, known)+"--fail-on takes verdicts, problem, any, faults, unmet or none, each with an optional limit as moved:1% or not-found:20; sitemend help fix lists them")
		}
		if name == "unmet" && !isMap {
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

// A tally is what --fail-on counts in.
type tally struct {
	entries  int // of the whole audit: what a share is of
	verdicts map[audit.Verdict]int
	faults   int // places of errors in the sitemap files
	expected int // old addresses of a map: what a share of unmet is of
	unmet    int // those that do not lead where they should
	unread   int // sitemaps that could not be read, or only in part: what they list is not known
}

// tallyOf counts in a whole audit.
func tallyOf(t *audit.Result) tally {
	c := tally{entries: t.Counts.Entries, verdicts: t.Counts.Verdicts, faults: t.Build.Errors()}
	if x := t.Expected; x != nil {
		c.expected, c.unmet = x.Addresses, x.Unmet()
	}
	for i := range t.Files {
		s := &t.Files[i].Sitemap
		if s.Unread() || s.InPart() {
			c.unread++
		}
		for _, f := range s.Faults {
			if f.Severity == "error" {
				c.faults += f.Places()
			}
		}
	}
	return c
}

// allowed is how many an item allows: 29 % of 100 are 29, whatever the number in binary is.
func (i failItem) allowed(c *tally) int {
	of := 1
	switch {
	case i.share && i.name == "unmet":
		of = c.expected
	case i.share:
		of = c.entries
	}
	return int(i.limit*float64(of) + 1e-6)
}

// fails reports whether there is more than an item allows.
func (i failItem) fails(c *tally) bool { return i.count(c) > i.allowed(c) }

// covers reports whether entries of a verdict are counted.
func (i failItem) covers(v audit.Verdict) bool {
	switch i.name {
	case defaultFailOn:
		return v.Problem()
	case "any":
		return v != audit.OK && v != audit.Skipped
	}
	return v == audit.Verdict(i.name)
}

func (i failItem) count(c *tally) (n int) {
	for v, m := range c.verdicts {
		if i.covers(v) {
			n += m
		}
	}
	switch i.name {
	case "any":
		n += c.faults + c.unmet // what could not be read is among the faults
	case "faults":
		n = c.faults
	case defaultFailOn:
		n += c.unread + c.unmet
	case "unmet":
		n = c.unmet
	}
	return n
}

// fails reports whether there is more than items allow, and lists of each item that makes it so what
// was found and what it allows. It lists nothing of the default item: the summary says that there
// are problems.
func fails(counts tally, items []failItem) (failed bool, list []string) {
	for _, i := range items {
		if !i.fails(&counts) {
			continue
		}
		failed = true
		found := "--fail-on " + i.text + ": " + messages.Number(i.count(&counts)) + " found"
		switch {
		case i.limit > 0:
			list = append(list, found+", "+messages.Number(i.allowed(&counts))+" allowed")
		case i.text != defaultFailOn:
			list = append(list, found)
		}
	}
	return failed, list
}
