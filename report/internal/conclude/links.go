package conclude

import (
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
	basis := w.Count("links-basis", l.Pages)
	for _, x := range []struct {
		key string
		n   int
	}{{"links-nofollow", l.Nofollow}, {"links-shells", l.Shells}, {"links-cut", l.Cut}} {
		if x.n > 0 {
			basis += " " + w.Count(x.key, x.n)
		}
	}
	return append(lines, basis)
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

// LinkPages says how many pages link to an address, in the words of w.
func LinkPages(w *messages.Catalogue, r *audit.LinkRow) string {
	if r.Pages+r.Nofollow == 0 {
		return ""
	}
	text := w.Count("links-pages", r.Pages+r.Nofollow)
	if r.Nofollow > 0 {
		text += w.Count("links-not-followed", r.Nofollow)
	}
	return text
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
