package audit

// A Why says why a fix was decided: the key of a sentence and what
// stands in it. What people read of it is report/messages' part. The zero Why says nothing.
type Why struct {
	Key string
	// Args are what {1} to {4} of the sentence stand for: a number, a day, a status, a Fault or the
	// name of a bot protection. "" where the sentence has none.
	Args [4]string
}

// The keys that are neither a note nor a verdict.
const (
	whyNotToTheEnd  = "not-to-the-end"
	whyOnceGone     = "once-gone" // args: the status that came, and was not asked for again yet
	whyByFix        = "by-fix"    // what --fix says in place of the default
	whyMerged       = "merge"
	whyListedTwice  = "listed-twice"
	whyNoSitemap    = "no-sitemap"
	whySitemapMoved = "sitemap-moved"
	whyRelinked     = "relink"
	whyRedated      = "lastmod"
	whyPart         = "part"
	whyUnlinked     = "unlink"
	whyEmpty        = "empty"
	whySaysGone     = "says-gone"
	whyOurs         = "ours"
	whyAlsoKept     = "also-kept" // of what no sitemap lists
	whyAlsoPage     = "also-page"
	whyAlsoWrite    = "also-write"

	whyUnseen = "unseen" // args: UnseenBy
)

// whyVerdict is why a is done with an entry of verdict v where nothing else settles it: the verdict
// itself, where that is what its default is.
func whyVerdict(a Action, v Verdict) Why {
	if a != v.Facts().Fix {
		return Why{Key: whyByFix}
	}
	return Why{Key: string(v)}
}

// whyNote is why n keeps an entry, where it is one of Stops.
func whyNote(n Note) Why { return Why{Key: string(n)} }

// whyNotSeen says why an unverified row is kept: what came in place of the page.
func (r *Row) whyNotSeen() Why {
	return Why{whyUnseen, [4]string{r.unseenBy()}}
}
