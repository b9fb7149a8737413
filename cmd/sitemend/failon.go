package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sitemend/crawler/audit"
)

// failItem is one item of --fail-on: what is counted, and how many are still
// well.
type failItem struct {
	name  string
	limit float64
	share bool // limit is a share of all entries
}

// parseFailOn reads --fail-on.
func parseFailOn(items []string) ([]failItem, error) {
	var list []failItem
	for _, s := range items {
		name, limit, limited := strings.Cut(s, ":")
		item := failItem{name: name}
		known := slices.Contains([]string{"problem", "any", "faults", "none"}, name) || slices.Contains(audit.Verdicts(), audit.Verdict(name))
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
		if !known || err != nil {
			return nil, withHint(fmt.Errorf("--fail-on %q is not possible", s), "--fail-on takes verdicts, problem, any, faults or none, each with an optional limit as moved:1% or not-found:20")
		}
		list = append(list, item)
	}
	return list, nil
}

// fails tells whether an audit has what an item names.
func (i failItem) fails(t *audit.Told) bool {
	limit := i.limit
	if i.share {
		limit *= float64(t.Counts.Entries)
	}
	return float64(i.count(t)) > limit
}

func (i failItem) count(t *audit.Told) int {
	switch i.name {
	case "none":
		return 0
	case "problem":
		n := 0
		for v, c := range t.Counts.Verdicts {
			if v.Problem() {
				n += c
			}
		}
		return n
	case "any":
		v := t.Counts.Verdicts
		return t.Counts.Entries - v[audit.OK] - v[audit.Skipped] + faultErrors(t)
	case "faults":
		return faultErrors(t)
	}
	return t.Counts.Verdicts[audit.Verdict(i.name)]
}

func faultErrors(t *audit.Told) int {
	n := 0
	for i := range t.Files {
		for _, f := range t.Files[i].Sitemap.Faults {
			if f.Severity == "error" {
				n += f.Places()
			}
		}
	}
	return n
}

// status is the exit status of an audit that was told. A corrected sitemap that
// did not pass its proof counts like a problem, unless the user asked for none.
func status(t *audit.Told, items []failItem) error {
	none := len(items) == 1 && items[0].name == "none"
	if !t.Proof.Clean() && !none {
		return exit(exitFound)
	}
	for _, i := range items {
		if i.fails(t) {
			return exit(exitFound)
		}
	}
	return nil
}
