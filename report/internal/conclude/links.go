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
	for _, kind := range []audit.LinkKind{audit.LinkedOld, audit.LinkedUnlisted, audit.Unlinked} {
		line := LinkHead(w, kind) + ": " + messages.Number(l.Kinds[kind])
		if old := oldLinks(w, l); kind == audit.LinkedOld && len(old) > 0 {
			line += " (" + strings.Join(old, " · ") + ")"
		}
		lines = append(lines, line)
	}
	return append(lines, w.Count("links-basis", l.Pages))
}

// LinkHead is what a kind of links is called.
func LinkHead(w *messages.Catalogue, kind audit.LinkKind) string {
	return w.Text(map[audit.LinkKind]string{audit.LinkedOld: "links-head-old", audit.LinkedUnlisted: "links-head-unlisted", audit.Unlinked: "links-head-unlinked"}[kind])
}

// oldLinks are the verdicts of old addresses that pages link to, each with how many there are, in
// the order of precedence.
func oldLinks(w *messages.Catalogue, l *audit.Linked) (parts []string) {
	for _, v := range audit.Verdicts() {
		if n := l.Old[v]; n > 0 {
			parts = append(parts, w.Counted(string(v), n))
		}
	}
	return parts
}

// LinkAdvice says what to do about an address that pages link to, in the words of w.
func LinkAdvice(w *messages.Catalogue, r *audit.LinkRow) string {
	switch {
	case r.Kind == audit.Unlinked:
		return ""
	case r.Kind == audit.LinkedUnlisted && r.Listed == audit.OtherSpellingInSitemap:
		return w.Text("links-do-spelling")
	case r.Kind == audit.LinkedUnlisted:
		return w.Text("links-do-list")
	case r.LinkTo != "":
		return w.Text("links-do-replace")
	}
	return w.Text("links-do-temporary")
}
