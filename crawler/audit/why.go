package audit

import (
	"maps"
	"slices"
	"strings"
)

// One sentence for each decision, as it stands in fix.why. report/words has them in
// the other languages.

const (
	whyNotToTheEnd   = "not asked to the end"
	whyDroppedAsTold = "taken out as --fix says"
	whyHome          = "kept: it leads to a home page, which is hardly in place of this page"
	whyShaken        = "kept: the address it leads to answered 200 at first, and otherwise when it was asked again before it was written"
	whyMerged        = "its replacement is listed already, in this sitemap or another"
	whyBraked        = "kept: %d of %d entries of this file would be taken out; is that meant? then --max-drop 100%%"
	whyAllBraked     = "kept: all entries of this file would be taken out, and an empty sitemap is never written"
	whyLoops         = "the sitemap is right: this address answers 200; another spelling of it is redirected in a loop"
	whyNoSitemap     = "this sitemap is not there (404 or 410)"
	whyRelinked      = "the link follows its entry, which is listed under this address now"
	whyUnlinked      = "the link leads to an entry that was taken out: not found (404 or 410), asked twice"
	whySitemapMoved  = "permanent redirect to where this sitemap answers"

	whyEmpty    = "answers 200 with an empty page: answer 404, or give the page its content"
	whySaysGone = "answers 200, but its title or heading says that there is no such page: answer 404, or give the page its content"

	whyProtected = whyUnseen + ": %s, a bot protection, answered in place of the page"
	whyCaptcha   = whyUnseen + ": a captcha stood in place of the page"
	whyUnsteady  = whyUnseen + ": not found at first, and then another answer"
	whyUnsure    = whyUnseen + ": not found at first, and no answer when it was to be asked again (%s)"
	whyRefused   = whyUnseen + ": the answer was %s"
	whyNoAnswer  = whyUnseen + " (%s)"
	whyOurs      = "kept: this entry could not be judged, a fault of sitemend"
	whyUnseen    = "we could not see what Google sees"
)

// whyNotSeen says why an unverified row is kept: what came in place of the page.
func (r *Row) whyNotSeen() string {
	last := &r.Trail.last().Hop
	form, what := whyRefused, r.unseenBy()
	switch {
	case r.unsure != "":
		form = whyUnsure
	case r.Has(Unsteady):
		return whyUnsteady
	case last.Challenge == "captcha":
		return whyCaptcha
	case last.Challenge != "":
		form = whyProtected
	case last.Fault != "":
		form = whyNoAnswer
	}
	return strings.Replace(form, "%s", what, 1)
}

// Whys returns every sentence that can stand in Fix.Why, sorted; %d stands for a
// number and %% for a percent sign; %s for a status, a Fault or the name of a bot
// protection.
func Whys() []string {
	all := []string{whyNotToTheEnd, whyDroppedAsTold, whyHome, whyShaken, whyMerged, whyBraked, whyAllBraked,
		whyLoops, whyNoSitemap, whyRelinked, whyUnlinked, whySitemapMoved, whyEmpty, whySaysGone,
		whyProtected, whyCaptcha, whyUnsteady, whyUnsure, whyRefused, whyNoAnswer, whyOurs}
	for _, m := range []map[Verdict]string{whyReplaced, whyDropped, whyKept} {
		all = slices.AppendSeq(all, maps.Values(m))
	}
	all = slices.AppendSeq(all, maps.Values(stopped))
	all = slices.AppendSeq(all, maps.Values(held))
	slices.Sort(all)
	return slices.Compact(all)
}

var whyReplaced = map[Verdict]string{
	Respelled:    "permanent redirect to the same address in another spelling, which answers 200",
	Moved:        "permanent redirect to a page that answers 200",
	Noncanonical: "the page names this address as its canonical, and it answers 200",
	Temporary:    "written as --fix says: the redirect is temporary, its target answers 200",
	Homepage:     "written as --fix says: the redirect leads to the home page",
	Offsite:      "written as --fix says: the redirect leads to another site",
}

var whyDropped = map[Verdict]string{
	Invalid:  "no absolute http(s) URL: no crawler can ask for it",
	NotFound: "not found (404 or 410), asked twice",
	Noindex:  "the page says noindex: listing it asks for what it forbids",
}

var whyKept = map[Verdict]string{
	Skipped:          "not asked",
	Invalid:          "no absolute http(s) URL; kept as --fix says",
	Disallowed:       "robots.txt forbids it: either the rule or the entry is wrong, only you know which",
	Unverified:       whyUnseen,
	Loop:             "the redirects lead back to an address already asked: repair them on the server",
	TooManyRedirects: "redirects on and on: repair them on the server",
	NotFound:         "not found; kept as --fix says",
	Error:            "the server answers with an error: repair it on the server, then audit again",
	Offsite:          "redirects to another site: decide whether the entry still belongs in this sitemap",
	Homepage:         "redirects to a home page, which Google may read as a soft 404: decide whether the page is gone",
	Temporary:        "the redirect says that it is temporary: make it permanent or remove it",
	Respelled:        "permanent redirect to another spelling; kept as --fix says",
	Moved:            "permanent redirect; kept as --fix says",
	Soft404:          "answers 200 with what the host also gives for addresses that do not exist: answer 404, or give the page its content",
	Noindex:          "the page says noindex; kept as --fix says",
	Noncanonical:     "the page names another canonical; kept as --fix says",
	SpellingBounce:   "the sitemap is right: this address answers 200; another spelling of it is redirected back here",
	SpellingConflict: "the sitemap is right: this address answers 200; another spelling of it leads elsewhere",
	OK:               "answers 200",
}

// stopped holds the rules of what may be written, each with its sentence.
var stopped = map[Note]string{
	TargetNot200:       "kept: the address it leads to does not answer 200 itself",
	TargetOffsite:      "kept: the address it leads to is on another site",
	TargetNoindex:      "kept: the page it leads to says noindex",
	TargetDisallowed:   "kept: robots.txt forbids the address it leads to",
	TargetSoft404:      "kept: the page it leads to looks like the site's answer for pages that do not exist",
	TargetNoncanonical: "kept: the page it leads to names yet another address as its canonical",
	TargetNotPage:      "kept: what it leads to is no page, but an image, a video, a style, a script or an archive",
	ToHTTP:             "kept: the address it leads to is http, and this one https",
	Collapsed:          "kept: many entries end on that one page, so it is hardly in place of each of them",
	Gate:               "kept: the page it leads to stands before the real page (a login, an age check, a consent)",
	Session:            "kept: the address it leads to holds a session or campaign parameter",
	Locale:             "kept: the address it leads to differs only in language or country, which depends on who asks",
	OtherHost:          "kept: an address of that host may not stand in this sitemap file",
	MergeWouldLose:     "kept: images, videos, news or languages that stand with this entry would be lost, or stand with another page",
}
