package conclude

import (
	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// LinkHeads are what the kinds of links are called, in their order.
var LinkHeads = map[audit.LinkKind]messages.Sentence{audit.LinkedOld: messages.Say("links-head-old"),
	audit.LinkedUnlisted: messages.Say("links-head-unlisted"), audit.NeverLinked: messages.Say("links-head-unlinked")}

// LinkLines says what the links of pages come to, a sentence for each finding, and on what that rests.
func LinkLines(l *audit.Linked) (lines []messages.Sentence) {
	for _, kind := range []audit.LinkKind{audit.LinkedOld, audit.LinkedUnlisted, audit.NeverLinked} {
		lines = append(lines, messages.Say("line", "what", LinkHeads[kind], "pattern", l.Kinds[kind]))
	}
	return append(lines, messages.Say("links-basis", "n", l.Pages))
}

// LinkAdvice says what to do about an address that pages link to.
func LinkAdvice(r *audit.LinkRow) messages.Sentence {
	switch {
	case r.Kind == audit.NeverLinked:
		return nil
	case r.Kind == audit.LinkedUnlisted && r.Listed == audit.OtherSpellingInSitemap:
		return messages.Say("links-do-spelling")
	case r.Kind == audit.LinkedUnlisted:
		return messages.Say("links-do-list")
	case r.LinkTo != "":
		return messages.Say("links-do-replace")
	}
	return messages.Say("links-do-temporary")
}
