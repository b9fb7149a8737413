package audit

import (
	"maps"
	"slices"
	"strconv"
)

// A Why says why a fix was decided: the key of a sentence (Whys has all of them) and what
// stands in it. What people read of it is report/messages' part. The zero Why says nothing.
type Why struct {
	Key string
	// Args are what {1} to {4} of the sentence stand for: a number, a day, a status, a Fault or the
	// name of a bot protection. "" where the sentence has none.
	Args [4]string
}

// The keys that are neither a note nor a verdict with its action.
const (
	whyNotToTheEnd  = "not-to-the-end"
	whyOnceGone     = "once-gone" // args: the status that came, and was not asked for again yet
	whyDropped      = "drop"      // by --fix, whatever the verdict
	whyMerged       = "merge"
	whyListedTwice  = "listed-twice"
	whyAuditBraked  = "braked-audit"
	whyLoops        = "loops" // another spelling, not the listed one
	whyNoSitemap    = "no-sitemap"
	whySitemapMoved = "sitemap-moved"
	whyRepeated     = "named-before" // an index names the sitemap already
	whyRelinked     = "relink"
	whyRedated      = "lastmod"
	whyRedatedEntry = "lastmod-entry"
	whyPart         = "part"
	whyUnlinked     = "unlink"
	whyToMissing    = "drop-to-missing"
	whyEmpty        = "empty"
	whySaysGone     = "says-gone"
	whyOurs         = "ours"

	whyProtected = "unseen-protected"
	whyCaptcha   = "unseen-captcha"
	whyUnsteady  = "unseen-unsteady"
	whyUnsure    = "unseen-unsure" // no second answer
	whyNotAgain  = "unseen-not-again"
	whyRefused   = "unseen-refused"
	whyNoAnswer  = "unseen-no-answer"
)

// Whys returns every key that a Why can have, sorted. The caller owns the slice.
func Whys() []string {
	all := []string{whyNotToTheEnd, whyOnceGone, whyDropped, whyMerged, whyListedTwice, whyAuditBraked, whyLoops, whyNoSitemap, whySitemapMoved, whyRepeated,
		whyRelinked, whyUnlinked, whyToMissing, whyRedated, whyRedatedEntry, whyPart, whyEmpty, whySaysGone, whyOurs, whyProtected, whyCaptcha, whyUnsteady, whyUnsure, whyNotAgain, whyRefused, whyNoAnswer, whyAlsoKept, whyAlsoPage, whyAlsoWrite}
	all = slices.AppendSeq(all, maps.Values(whyDecided))
	for _, n := range Stops() {
		all = append(all, string(n))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// decided is what is done with the entries of a verdict where nothing else settles it.
type decided struct {
	action  Action
	verdict Verdict
}

// whyDecided has a key for each: "keep-moved", "replace-moved", and "drop" where only --fix
// takes the entry out. An unverified entry has the Why of whyNotSeen.
var whyDecided = func() map[decided]string {
	m := map[decided]string{}
	for _, f := range verdicts {
		m[decided{Drop, f.Verdict}] = whyDropped
		if f.Fix == Drop {
			m[decided{Drop, f.Verdict}] += "-" + string(f.Verdict)
		}
		if f.Verdict != Unverified {
			m[decided{Keep, f.Verdict}] = "keep-" + string(f.Verdict)
		}
		if f.Replaceable {
			m[decided{Replace, f.Verdict}] = "replace-" + string(f.Verdict)
		}
	}
	return m
}()

// whyVerdict is why a is done with an entry of verdict v.
func whyVerdict(a Action, v Verdict) Why { return Why{Key: whyDecided[decided{a, v}]} }

// whyDrop is why an entry is dropped.
func (r *Row) whyDrop() Why {
	if r.Verdict == NotFound && r.Trail.Redirects() > 0 {
		return Why{Key: whyToMissing}
	}
	return whyVerdict(Drop, r.Verdict)
}

// whyNote is why n keeps an entry, where it is one of Stops.
func whyNote(n Note) Why { return Why{Key: string(n)} }

// whyNotSeen says why an unverified row is kept: what came in place of the page.
func (r *Row) whyNotSeen() Why {
	last := &r.Trail.last().Hop
	key := whyRefused
	switch {
	case r.unsure == FaultNotAgain:
		return Why{whyNotAgain, [4]string{strconv.Itoa(r.Status)}}
	case r.unsure != "":
		key = whyUnsure
	case r.Has(Unsteady):
		return Why{Key: whyUnsteady}
	case last.Challenge == "captcha":
		return Why{Key: whyCaptcha}
	case last.Challenge != "":
		key = whyProtected
	case last.Fault != "":
		key = whyNoAnswer
	}
	return Why{key, [4]string{r.unseenBy()}}
}
