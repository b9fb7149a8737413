package conclude

import (
	"slices"
	"strconv"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// LinkLines says what the links of pages come to, a line for each finding, in the words of w, and
// on what that rests. There are as many lines in each language. result.Linked must be there.
func LinkLines(w *messages.Catalogue, result *audit.Result) (lines []string) {
	l := result.Linked
	add := func(text string) { lines = append(lines, text) }
	if l.Pages == 0 {
		return []string{w.Text("links-no-page")}
	}
	if n := l.Kinds[audit.LinkedOld].Targets; n > 0 {
		add(w.Count("links-old", n) + w.Text("links-list", "list", strings.Join(oldLinks(w, l), " · ")))
	} else {
		add(w.Text("links-none-old"))
	}
	if n := l.Kinds[audit.LinkedUnlisted].Targets; n > 0 {
		add(w.Count("links-unlisted", n))
	}
	if n := l.Kinds[audit.Unlinked].Targets; n > 0 {
		add(strings.ReplaceAll(w.Count("links-unlinked", n), "{entries}", w.Count("entries", l.Fine)))
	}
	return append(lines, LinkBasis(w, l))
}

// oldLinks are the verdicts of old addresses that pages link to, each with how many there are, in
// the order of precedence.
func oldLinks(w *messages.Catalogue, l *audit.Linked) (parts []string) {
	for _, v := range audit.Verdicts() {
		if n := l.Old[v].Targets; n > 0 {
			name := w.Verdict(v).Many
			if n == 1 {
				name = w.Verdict(v).One
			}
			parts = append(parts, messages.Number(n)+" "+name)
		}
	}
	return parts
}

// LinkBasis says on what it rests that an address is linked to or not, in the words of w.
func LinkBasis(w *messages.Catalogue, l *audit.Linked) string {
	text := w.Count("links-basis", l.Pages)
	for _, x := range []struct {
		key string
		n   int
	}{{"links-nofollow", l.Nofollow}, {"links-shells", l.Shells}, {"links-cut", l.Cut}} {
		if x.n > 0 {
			text += " " + w.Count(x.key, x.n)
		}
	}
	return text
}

// LinkPages says how many pages link to an address, and where on the pages, in the words of w:
// "412 pages, in the footer of all".
func LinkPages(w *messages.Catalogue, r *audit.LinkRow) string {
	total := r.Pages + r.Nofollow
	if total == 0 {
		return ""
	}
	text := w.Count("links-pages", total)
	if place, all := mainPlace(r); place >= 0 {
		key := "links-mostly"
		if all {
			key = "links-all"
		}
		if total > 1 {
			text += w.Text(key, "place", w.Text("linkplace-"+audit.LinkPlaceNames[place]))
		} else {
			text += w.Text("links-place", "place", w.Text("linkplace-"+audit.LinkPlaceNames[place]))
		}
	}
	if r.Template > 0 {
		text += w.Text("links-template", "share", TemplateShare(r))
	}
	if r.Nofollow > 0 {
		text += w.Count("links-not-followed", r.Nofollow)
	}
	return text
}

// mainPlace is the place where an address is linked from nine of ten pages at least; -1 for none.
// all reports that it is there on all of them, and nowhere else.
func mainPlace(r *audit.LinkRow) (place int, all bool) {
	total := r.Pages + r.Nofollow
	at := slices.Index(r.Places[:], slices.Max(r.Places[:]))
	if at == int(audit.InBody) || 10*r.Places[at] < 9*total {
		return -1, false
	}
	all = r.Places[at] == total
	for i, n := range r.Places {
		all = all && (i == at || n == 0)
	}
	return at, all
}

// TemplateShare is the share of the pages that link to an address which have it as a part of
// their template, as "98%"; "" where no page links to it. It is 100% only where that is all.
func TemplateShare(r *audit.LinkRow) string {
	if r.Pages == 0 {
		return ""
	}
	return strconv.Itoa(100*r.Template/r.Pages) + "%"
}

// LinkAdvice says what to do about an address that pages link to, in the words of w.
func LinkAdvice(w *messages.Catalogue, r *audit.LinkRow) string {
	switch {
	case r.Kind == audit.Unlinked:
		return ""
	case r.Kind == audit.LinkedUnlisted && r.Listed == audit.OtherSpellingInSitemap:
		return w.Text("links-do-spelling")
	case r.Kind == audit.LinkedUnlisted && r.Verdict == audit.OK:
		return w.Text("links-do-list")
	case r.Kind == audit.LinkedUnlisted:
		return w.Text("links-do-ask")
	case r.LinkTo != "":
		return w.Text("links-do-replace")
	case r.Verdict == audit.Temporary:
		return w.Text("links-do-temporary")
	case r.RedirectsTo != "" && r.Verdict != audit.NotFound && r.Verdict != audit.Error:
		return w.Text("links-do-decide")
	}
	return w.Text("links-do-gone")
}
