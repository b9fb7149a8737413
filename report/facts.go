package report

import (
	"slices"
	"strconv"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
)

// pageOf returns the page at the end of the row's trail where it counts as 200 (200, 201, 203 and
// 206), else one of which nothing is known.
func pageOf(r *audit.Row) *answers.Page {
	if last := r.Trail.Last(); r.Trail.End == answers.EndAnswer && answers.Is200(last.Hop.Status) {
		return &last.Hop.Page
	}
	return &answers.Page{}
}

// searchConsole returns what Search Console would call what we saw, in its English words; "" where it has
// no name for it (Search Console Help 7440203).
func searchConsole(r *audit.Row) string {
	switch {
	case r.Verdict != audit.Error:
		return string(r.Verdict.Facts().Label)
	case r.Trail.End == answers.EndBadLocation:
		return string(audit.LabelRedirectError)
	case r.Status/100 == 5:
		return string(audit.LabelServerError)
	case r.Status/100 == 4:
		return string(audit.LabelOther4xx)
	}
	return ""
}

// asked reports whether anything was requested of a row.
func asked(r *audit.Row) bool { return len(r.Trail.Steps) > 0 }

// redirects is how many steps of the trail led on.
func redirects(r *audit.Row) string {
	if !asked(r) {
		return ""
	}
	return strconv.Itoa(r.Trail.Redirects())
}

// final returns where the row's trail ended, "" where nowhere.
func final(r *audit.Row) string {
	if r.Verdict == audit.Skipped {
		return ""
	}
	return r.Final.String()
}

// url returns the wire form of the listed address, or what is listed where it
// is no address.
func url(r *audit.Row) string {
	if r.Address.IsZero() {
		return r.Entry.Loc
	}
	return r.Address.String()
}

// shownTargets are the targets of an audit in one line, for people.
func shownTargets(targets []string) string {
	shown := make([]string, len(targets))
	for i, t := range targets {
		shown[i] = address.Shown(t)
	}
	return strings.Join(shown, " ")
}

// statuses returns the statuses on the way, "301 301 200".
func statuses(r *audit.Row) string {
	var all []string
	for i := range r.Trail.Steps {
		if status := r.Trail.Steps[i].Hop.Status; status != 0 {
			all = append(all, strconv.Itoa(status))
		}
	}
	return strings.Join(all, " ")
}

// redirectType says how the trail led on: permanent, temporary or mixed, then
// the ways that are no HTTP redirect ("permanent meta-refresh"); "" where
// nothing led on.
func redirectType(r *audit.Row) string {
	how, ways := "", []string{""}
	for i := range r.Trail.Steps {
		step := &r.Trail.Steps[i]
		if step.Kind == "" {
			continue
		}
		is := "temporary"
		if step.Permanent {
			is = "permanent"
		}
		if how != "" && how != is {
			is = "mixed"
		}
		if how = is; step.Kind != answers.ByHTTP && !slices.Contains(ways, string(step.Kind)) {
			ways = append(ways, string(step.Kind))
		}
	}
	return how + strings.Join(ways, " ")
}

// robotsLine returns the first robots.txt line on the way that forbids an
// address, "" for none.
func robotsLine(r *audit.Row) string {
	for i := range r.Trail.Steps {
		if line := r.Trail.Steps[i].Hop.Forbidden; line != "" {
			return line
		}
	}
	return ""
}

// indexable reports whether a search engine that saw what we saw could index the
// listed address itself: "yes", "no", or "" where that is not known; and why.
func indexable(r *audit.Row) (answer, why string) {
	f := r.Verdict.Facts()
	if f.Indexable == "yes" && robotsLine(r) != "" {
		return "no", audit.Disallowed.Facts().Indexability // asked all the same: --robots note
	}
	return f.Indexable, f.Indexability
}
