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

// parseFailOn reads --fail-on.
func parseFailOn(items []string) ([]failItem, error) {
	if len(items) == 0 { // a variable that is not set, most likely
		return nil, cli.WithHint(errors.New("--fail-on names nothing"), "--fail-on none never fails for what was found")
	}
	known := []string{"problem", "any", "faults", "unmet", "none"}
	for _, v := range audit.Verdicts() {
		known = append(known, string(v))
	}
	var list []failItem
	for _, s := range items {
		name, limit, limited := strings.Cut(s, ":")
		item := failItem{text: s, name: name}
		isKnown := slices.Contains(known, name)
		err := error(nil)
		if limited {
			item.share = strings.HasSuffix(limit, "%")
			if item.share {
				item.limit, err = percent(limit)
			} else {
				var n uint64
				n, err = strconv.ParseUint(limit, 10, 32)
				item.limit = float64(n)
			}
		}
		if !isKnown || err != nil {
			like := ""
			if !isKnown {
				like = cli.DidYouMean(name, known)
			}
			return nil, cli.WithHint(fmt.Errorf("--fail-on %q is not possible", s), like+"--fail-on takes verdicts, problem, any, faults, unmet or none, each with an optional limit as moved:1% or not-found:20; sitemend help fix lists them")
		}
		list = append(list, item)
	}
	return list, nil
}

// noMap refuses to count the old addresses of a map, where there is none: nothing could fail.
func noMap(items []failItem) error {
	if !slices.ContainsFunc(items, func(i failItem) bool { return i.name == "unmet" }) {
		return nil
	}
	return cli.WithHint(errors.New("--fail-on unmet counts the old URLs of --expect, and there is no map"),
		"name it: sitemend audit --expect FILE; problem counts them, too, where there is one")
}

// failCounts is what --fail-on counts in.
type failCounts struct {
	entries  int // of the whole audit: what a share is of
	verdicts map[audit.Verdict]int
	faults   int // places of errors in the sitemap files
	expected int // old addresses of a map: what a share of unmet is of
	unmet    int // those that do not lead where they should
	unread   int // sitemaps that could not be read, or only in part: what they list is not known
}

// countsOf are the counts of a whole audit.
func countsOf(t *audit.Result) failCounts {
	c := failCounts{entries: t.Counts.Entries, verdicts: t.Counts.Verdicts, faults: faultErrors(t)}
	if x := t.Expected; x != nil {
		c.expected, c.unmet = x.Addresses, x.Unmet()
	}
	for i := range t.Files {
		if unread(&t.Files[i].Sitemap) {
			c.unread++
		}
	}
	return c
}

// unread reports whether there is something in a sitemap that nobody could look at.
func unread(s *audit.Sitemap) bool {
	return s.Unread() || s.Cut || s.InPart()
}

// allowed is how many an item allows: 29 % of 100 are 29, whatever the number in binary is.
func (i failItem) allowed(c *failCounts) int {
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
func (i failItem) fails(c *failCounts) bool { return i.count(c) > i.allowed(c) }

func (i failItem) wantsFaults() bool { return i.name == "faults" || i.name == "any" }

// covers reports whether entries of a verdict are counted.
func (i failItem) covers(v audit.Verdict) bool {
	switch i.name {
	case "none", "faults", "unmet":
		return false
	case "problem":
		return v.Problem()
	case "any":
		return v != audit.OK && v != audit.Skipped
	}
	return v == audit.Verdict(i.name)
}

func (i failItem) count(c *failCounts) int {
	n := 0
	for v, m := range c.verdicts {
		if i.covers(v) {
			n += m
		}
	}
	switch {
	case i.name == "any":
		n += c.faults + c.unmet // what could not be read is among the faults
	case i.wantsFaults():
		n += c.faults
	case i.name == "problem":
		n += c.unread + c.unmet
	case i.name == "unmet":
		n = c.unmet
	}
	return n
}

func faultErrors(t *audit.Result) int {
	n := 0
	for i := range t.Files {
		for _, f := range t.Files[i].Sitemap.Faults {
			if f.Severity == "error" {
				n += f.Places()
			}
		}
	}
	return n + t.Build.Errors()
}

// fails reports whether there is more than items allow, and lists of each item that makes it so what
// was found and what it allows. It lists nothing of the default item: the summary says that there
// are problems.
func fails(counts failCounts, items []failItem) (failed bool, list []string) {
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
