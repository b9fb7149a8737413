package conclude_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sitemend/crawler/accesslog"
	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/pattern"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

type groups = map[audit.Group]map[string]int

// told is an audit of entries by group and verdict, of one sitemap that is written where
// something is corrected.
func result(in groups, change ...func(*audit.Result)) *audit.Result {
	c := audit.Counts{Groups: in, Verdicts: map[audit.Verdict]int{}, Notes: map[audit.Note]int{}, Unseen: map[string]int{}, Actions: map[audit.Action]int{}}
	for g, parts := range in {
		for v, n := range parts {
			c.Entries += n
			c.Verdicts[audit.Verdict(v)] += n
			if g == audit.Corrected {
				c.Actions[audit.Replace] += n
			}
		}
	}
	x := audit.Result{Info: audit.Info{Targets: []string{"https://www.shop.example"}, Ended: time.Unix(1, 0)}, Counts: c}
	x.Files = []audit.File{{Name: "www.shop.example/sitemap.xml", Counts: c, Changed: c.Total(audit.Corrected)+c.Total(audit.TakenOut) > 0,
		BelongsAt: "https://www.shop.example/sitemap.xml", Sitemap: audit.Sitemap{Kind: "urlset", Parent: -1, URL: "https://www.shop.example/sitemap.xml"}}}
	for _, g := range []audit.Group{audit.Corrected, audit.TakenOut, audit.NeedsDecision, audit.OtherSpelling, audit.NotChecked} {
		for v, n := range in[g] {
			x.Causes = append(x.Causes, audit.Cause{Verdict: audit.Verdict(v), Group: g, Count: n, Key: v})
		}
	}
	x.Proof = audit.Proof{Entries: c.Entries - c.Total(audit.TakenOut), Direct: c.Total(audit.Fine) + c.Total(audit.OtherSpelling) + c.Total(audit.Corrected),
		NeedDecision: c.Total(audit.NeedsDecision), NotChecked: c.Total(audit.NotChecked), LeftOut: c.Total(audit.LeftOut)}
	for _, f := range change {
		f(&x)
	}
	return audit.MakeResult(x, nil, nil)
}

var shop = groups{audit.Fine: {"ok": 1307}, audit.Corrected: {"moved": 1123, "noncanonical": 25}, audit.TakenOut: {"not-found": 6},
	audit.NeedsDecision: {"not-found": 90, "temporary": 75, "homepage": 15, "moved": 40, "loop": 4, "noindex": 12, "error": 5, "disallowed": 5}}

// redirectedBack adds a log in which Googlebot asked three times for another spelling.
func redirectedBack(a *audit.Result) {
	logged(a, 3, time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC).Unix(), accesslog.Ours{Status: 301, Back: true})
}

// logged adds a log of n requests of another spelling, redirected, and what we saw of it.
func logged(a *audit.Result, n, last int64, ours accesslog.Ours) {
	a.Info.Ended = time.Date(2026, 11, 22, 13, 0, 0, 0, time.UTC)
	a.Logs = &audit.Logs{Files: 1}
	a.Logs.Sum.Add(&accesslog.Finding{URL: "https://www.shop.example/a%28", Asked: "/a(", DiffersIn: []string{"("}, Class: accesslog.OtherSpelling,
		Seen: accesslog.Asked{Requests: n, First: last, Last: last, LastStatus: 301, Statuses: map[int]int64{301: n}}}, ours)
}

// What another audit needs to see more is a flag and a command, and no word of a sentence.
func TestWhatAnotherAuditNeeds(t *testing.T) {
	for why, want := range map[string]string{
		"403": "--rate 1", "Cloudflare": "--rate 1", "429": "--rate 1", "timeout": "--rate 1", "401": "--user NAME:PASS", "407": "", "dns": "", "unsteady": "",
	} {
		c := conclude.Of(result(groups{audit.NotChecked: {"unverified": 6}}, func(a *audit.Result) {
			a.Counts.Unseen[why] = 6
			a.Info.Given = []string{"--rate=9", "--map=a=b"}
			a.Causes[0].Terms = []pattern.Term{{Name: "unseen", From: why}}
		}), conclude.Options{})
		x, retry := &c.Lanes[0].Causes[0], ""
		if want == "--rate 1" {
			retry = "sitemend audit --rate 1 --map a=b https://www.shop.example"
		} else if want != "" {
			retry = "sitemend audit " + want + " --rate 9 --map a=b https://www.shop.example"
		}
		if x.Flag != want || x.Retry != retry {
			t.Errorf("%s: flag %q and command %q, want %q and %q", why, x.Flag, x.Retry, want, retry)
		}
	}
}

// A command beside a cause says itself what it does, and none stands where no answer to the question
// is what it does: to redirect each page to its successor writes no home page in its place.
func TestWhatACommandDoes(t *testing.T) {
	for stop, want := range map[audit.Note]string{
		audit.Braked:    "Take them out, without another crawl: sitemend report --max-drop 100%",
		audit.Locale:    "Write the new addresses all the same, without another crawl: sitemend report --fix locale=replace",
		audit.Varies:    "Write the new addresses all the same, without another crawl: sitemend report --fix varies=replace",
		audit.Collapsed: " ", audit.Session: " ", audit.Gate: " ",
	} {
		a := result(groups{audit.NeedsDecision: {"moved": 2}}, func(a *audit.Result) {
			a.Causes[0].Stop = stop
			if stop == audit.Braked {
				a.Causes[0].Verdict, a.Files[0].Braked = audit.NotFound, map[audit.Verdict]int{audit.NotFound: 2}
			}
		})
		x := &conclude.Of(a, conclude.Options{}).Lanes[0].Causes[0]
		if got := x.Lift.In(messages.Of("en")) + " " + x.Command; got != want {
			t.Errorf("%s: %q, want %q", stop, got, want)
		}
	}
}

// A login before a few pages is one thing; before most of them, or before those that were clean last time, it is
// to let crawlers pass.
func TestLoginBeforeAll(t *testing.T) {
	for _, x := range []struct {
		gated, clean, before int // clean in the last audit, where that is not 0
		want                 string
	}{
		{5, 95, 0, "Take them out of the sitemap."}, {5, 95, 95, "Take them out of the sitemap."},
		{5, 95, 100, "Let crawlers pass it"}, {60, 40, 0, "Let crawlers pass it"},
	} {
		a := result(groups{audit.Fine: {"ok": x.clean}, audit.NeedsDecision: {"temporary": x.gated}}, func(a *audit.Result) {
			a.Causes[0].Stop, a.Counts.Notes = audit.Gate, map[audit.Note]int{audit.Gate: x.gated}
			if x.before > 0 {
				a.Last = &audit.Last{Groups: map[audit.Group]int{audit.Fine: x.before}, Since: &audit.Since{}}
			}
		})
		if got := conclude.Of(a, conclude.Options{}).Lanes[0].Causes[0].Do[0].In(messages.Of("en")); !strings.HasPrefix(got, x.want) {
			t.Errorf("%d of %d, %d clean before: %q", x.gated, x.gated+x.clean, x.before, got)
		}
	}
}

// What a redirect leads to is corrected where that is said, and no command lets an audit of a public
// site go to a private address that the site names.
func TestHostsThatTheSiteNames(t *testing.T) {
	for _, x := range []struct{ why, listed, final, who, title, command string }{
		{"dns", "https://www.shop.example/a", "https://typo.example/a", "Server admin", "Correct the redirects to typo.example", ""},
		{"tls", "https://www.shop.example/a", "https://cdn.example/a", "Server admin", "Repair the certificate of cdn.example", ""},
		{"dns", "https://www.shop.example/a", "https://www.shop.example/a", "Developer", "Check www.shop.example", ""},
		{"address-not-allowed", "https://intern.example/a", "https://intern.example/a", "Developer", "Correct what names intern.example", ""},
		{"address-not-allowed", "https://www.shop.example/a", "https://www.shop.example/a", "Developer", "Check where www.shop.example leads", "--allow-private"},
	} {
		c := conclude.Of(result(groups{audit.NotChecked: {"unverified": 6}}, func(a *audit.Result) {
			a.Counts.Unseen[x.why] = 6
			a.Causes[0].Terms = []pattern.Term{{Name: "unseen", From: x.why}}
			a.Causes[0].Examples, a.Causes[0].Finals = []string{x.listed}, []string{x.final}
		}), conclude.Options{})
		cause, en := &c.Lanes[0].Causes[0], messages.Of("en")
		if got := cause.Who.In(en); got != x.who || cause.Flag != x.command {
			t.Errorf("%s: %s does it, with %q", x.final, got, cause.Flag)
		}
		if a := c.Actions[0]; a.Title.In(en) != x.title || strings.Contains(a.Target, "--allow-private") != (x.command != "") {
			t.Errorf("%s: %q, with %q", x.final, a.Title.In(en), a.Target)
		}
	}
}

// What a canonical or a home page does to an edit is not told as what others do.
func TestWordsOfWhatIsHeldBack(t *testing.T) {
	for _, x := range []struct {
		verdict   audit.Verdict
		stop      audit.Note
		title, do string
	}{
		{audit.Moved, audit.MergeWouldLose, "Listed already, but with other images", "Move these to the entry of the page they describe."},
		{audit.Noncanonical, audit.MergeWouldLose, "Names another canonical, but has images here",
			"List the canonical with those that are its own, or let the page name itself."},
		{audit.Noncanonical, audit.TargetNote(audit.Noncanonical), "Canonical names another canonical",
			"Name a canonical that names itself; where they name each other, settle on one."},
		{audit.Noncanonical, audit.Collapsed, "Canonical is a page that many name", "Yes: take them out of the sitemap."},
		{audit.Moved, audit.Collapsed, "Redirect to a page that is hardly in its place", "Yes: redirect each to its own."},
	} {
		c := conclude.Of(result(groups{audit.NeedsDecision: {string(x.verdict): 1}}, func(a *audit.Result) {
			a.Causes = []audit.Cause{{Verdict: x.verdict, Group: audit.NeedsDecision, Stop: x.stop, Count: 1}}
		}), conclude.Options{})
		cause, en, do := &c.Lanes[0].Causes[0], messages.Of("en"), ""
		if len(cause.Do) > 0 {
			do = cause.Do[0].In(en)
		}
		if title := cause.Title.In(en); title != x.title || do != x.do {
			t.Errorf("%s, %s: %q, %q", x.verdict, x.stop, title, do)
		}
	}
}

// Many that lead to several pages are not told as if they led to one.
func TestManyThatCollapse(t *testing.T) {
	for _, x := range []struct {
		verdict audit.Verdict
		targets int
		want    string
	}{
		{audit.Noncanonical, 1, "200 pages name one page as canonical"}, {audit.Noncanonical, 10, "Many pages name 10 pages as canonical"},
		{audit.Noncanonical, audit.ManyTargets, "Canonical is a page that many name"},
		{audit.Moved, 10, "Many pages redirect to 10 pages"}, {audit.Moved, 200, "Redirect to a page that is hardly in its place"},
	} {
		a := result(groups{audit.NeedsDecision: {string(x.verdict): 200}}, func(a *audit.Result) {
			a.Causes[0].Stop, a.Causes[0].Targets = audit.Collapsed, x.targets
		})
		if got := conclude.Of(a, conclude.Options{}).Lanes[0].Causes[0].Title.In(messages.Of("en")); got != x.want {
			t.Errorf("%s to %d pages: %q, want %q", x.verdict, x.targets, got, x.want)
		}
	}
}

// No sentence of the catalogue names a flag: what a client reads has none.
func TestNoSentenceNamesAFlag(t *testing.T) {
	for lang, texts := range messages.Conclude() {
		for key, text := range texts {
			if strings.Contains(text, "--") {
				t.Errorf("%s: %s names a flag: %s", lang, key, text)
			}
		}
	}
}

// Once a log shows that Googlebot is affected, the server comes first, with what was seen;
// a redirect that we did not see lead back is no reason to.
func TestServerFirstWhereALogShowsIt(t *testing.T) {
	day := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	back := accesslog.Ours{Status: 301, Back: true}
	for _, c := range []struct {
		n, last int64
		ours    accesslog.Ours
		en, ja  string
	}{
		{3, day.Unix(), back, "In another spelling Googlebot requested 1 of the 5 addresses concerned 3 times, last on 22 November, and was redirected each time.", "Googlebotは該当する5件のうち1件を別表記で3回取得し(最後は11月22日)、毎回リダイレクトされました。"},
		{1, day.Unix(), back, "In another spelling Googlebot requested 1 of the 5 addresses concerned once, on 22 November, and was redirected.", "Googlebotは11月22日に該当する5件のうち1件を別表記で1回取得し、リダイレクトされました。"},
		{3, day.AddDate(-1, 0, 0).Unix(), back, "In another spelling Googlebot requested 1 of the 5 addresses concerned 3 times, last on 22 November 2025, and was redirected each time.", "Googlebotは該当する5件のうち1件を別表記で3回取得し(最後は2025年11月22日)、毎回リダイレクトされました。"},
		{3, 0, back, "In another spelling Googlebot requested 1 of the 5 addresses concerned 3 times, and was redirected each time.", "Googlebotは該当する5件のうち1件を別表記で3回取得し、毎回リダイレクトされました。"},
		{3, day.Unix(), accesslog.Ours{Status: 301}, "Your addresses answer 200. Listing the other spelling would list real redirects.", "記載のURLは200を返します。別表記を載せると、本当のリダイレクトを載せることになります。"},
	} {
		got := conclude.Of(result(groups{audit.OtherSpelling: {"spelling-bounce": 5}}, func(a *audit.Result) { logged(a, c.n, c.last, c.ours) }), conclude.Options{})
		first := got.Actions[0]
		if en, ja := first.Text.In(messages.Of("en")), first.Text.In(messages.Of("ja")); en != c.en || ja != c.ja || got.Asked != c.ours.Back {
			t.Errorf("%d requests: first %q, %q, asked %v; want %q, %q", c.n, en, ja, got.Asked, c.en, c.ja)
		}
		for _, a := range got.Actions {
			if c.ours.Back && (strings.Contains(a.Note.In(messages.Of("en")), "20") || a.Kind == conclude.DoLook) {
				t.Errorf("%d requests: %s says %q", c.n, a.Kind, a.Note.In(messages.Of("en")))
			}
		}
	}
}

// Where four things are to be done, the upload says that the files are to be submitted again: a
// tenth of the entries in another spelling are explained, too, whether a log shows them or not.
func TestUploadLeadsToResubmitting(t *testing.T) {
	const then = "Then submit the same address again in Search Console."
	for name, c := range map[string]struct {
		change func(*audit.Result)
		fine   int
		last   conclude.ActionKind
	}{
		"few in another spelling":  {func(*audit.Result) {}, 300, conclude.DoResubmit},
		"many in another spelling": {func(*audit.Result) {}, 4, conclude.DoLeave},
		"a log":                    {redirectedBack, 300, conclude.DoServer},
	} {
		in := groups{audit.Fine: {"ok": c.fine}, audit.Corrected: {"moved": 2}, audit.NeedsDecision: {"not-found": 1}, audit.OtherSpelling: {"spelling-bounce": 3}}
		all := conclude.Of(result(in, c.change), conclude.Options{})
		got := all.Actions
		upload, last := got[0], got[len(got)-1].Kind
		if says := strings.HasSuffix(upload.Note.In(messages.Of("en")), then); len(got) != 3 || last != c.last || says != (last != conclude.DoResubmit) || len(all.Submit) != 1 {
			t.Errorf("%s: the last of %d is %s, and the upload says %q", name, len(got), last, upload.Note.In(messages.Of("en")))
		}
	}
}

// Each state has its own sentence, and says no more than was seen.
func TestStates(t *testing.T) {
	seen := map[conclude.State]bool{}
	for name, c := range map[string]struct {
		result          *audit.Result
		o               conclude.Options
		state           conclude.State
		headline, proof string
		title           string
		bars            []string
		actions         []conclude.ActionKind
	}{
		"mixed": {result: result(shop), state: conclude.Mixed,
			headline: "52 % of your sitemap does not lead straight to a page Google can index.",
			proof:    "1,257 entries redirect, 96 are gone, 47 have other faults.",
			title:    "Sitemap audit of www.shop.example: 48 % clean, 91 % after one upload",
			bars:     []string{"Today 48 % clean", "After the upload 91 % clean"},
			actions:  []conclude.ActionKind{conclude.DoUpload, conclude.DoDecide, conclude.DoResubmit}},
		"redirects that one upload fixes": {result: result(groups{audit.Fine: {"ok": 90}, audit.Corrected: {"moved": 10}}), state: conclude.Redirects,
			headline: "10 % of your sitemap sends Google to another address.", proof: "10 of 100 entries redirect. One upload fixes them all.",
			title: "Sitemap audit of www.shop.example: 90 % clean, 100 % after one upload",
			bars:  []string{"Today 90 % clean", "After the upload 100 % clean"}, actions: []conclude.ActionKind{conclude.DoUpload, conclude.DoResubmit}},
		"redirects, some to decide": {result: result(groups{audit.Fine: {"ok": 90}, audit.Corrected: {"moved": 4}, audit.NeedsDecision: {"temporary": 6}}),
			state: conclude.Redirects, headline: "10 % of your sitemap sends Google to another address.",
			proof: "10 of 100 entries redirect. One upload fixes 4 of them.", title: "Sitemap audit of www.shop.example: 90 % clean, 94 % after one upload",
			bars:    []string{"Today 90 % clean", "After the upload 94 % clean"},
			actions: []conclude.ActionKind{conclude.DoUpload, conclude.DoDecide, conclude.DoResubmit}},
		"three of many": {result: result(groups{audit.Fine: {"ok": 11997}, audit.NeedsDecision: {"temporary": 3}}), state: conclude.Redirects,
			headline: "3 of your 12,000 addresses send Google to another address.", proof: "3 of 12,000 entries redirect.",
			title: "Sitemap audit of www.shop.example: 99.9 % clean", bars: []string{"Today 99.9 % clean"}, actions: []conclude.ActionKind{conclude.DoDecide}},
		"one of three": {result: result(groups{audit.Fine: {"ok": 2}, audit.NeedsDecision: {"noindex": 1}}), state: conclude.Mixed,
			headline: "1 of your 3 addresses does not lead straight to a page Google can index.", proof: "1 entry has another fault.",
			title: "Sitemap audit of www.shop.example: 67 % clean", bars: []string{"Today 67 % clean"}, actions: []conclude.ActionKind{conclude.DoDecide}},
		"some not checked": {result: result(groups{audit.Fine: {"ok": 21}, audit.Corrected: {"moved": 19}, audit.NeedsDecision: {"error": 12}, audit.NotChecked: {"unverified": 4}}),
			state: conclude.Mixed, headline: "60 % of the 52 entries checked do not lead straight to a page Google can index.",
			proof: "19 entries redirect, 12 have other faults. 4 could not be checked; Google may still reach them.",
			title: "Sitemap audit of www.shop.example: 40 % clean, 77 % after one upload", bars: []string{"Today 40 % clean of the 52 checked", "After the upload 77 % clean of the 52 checked"},
			actions: []conclude.ActionKind{conclude.DoUpload, conclude.DoDecide, conclude.DoResubmit}},
		"since the last audit": {result: result(groups{audit.Fine: {"ok": 90}, audit.NeedsDecision: {"not-found": 10}}, func(a *audit.Result) {
			a.Last = &audit.Last{At: time.Date(2026, 11, 22, 1, 35, 0, 0, time.UTC), Since: &audit.Since{Fixed: 1154, Open: 10},
				Groups: map[audit.Group]int{audit.Fine: 48, audit.Corrected: 42, audit.NeedsDecision: 10}}
		}), state: conclude.Mixed,
			headline: "10 % of your sitemap does not lead straight to a page Google can index.",
			proof:    "Since 2026-11-22 01:35: 1,154 corrected, 0 new. The 10 decisions are still open.",
			title:    "Sitemap audit of www.shop.example: 90 % clean", bars: []string{"2026-11-22 01:35 48 % clean", "Today 90 % clean"},
			actions: []conclude.ActionKind{conclude.DoDecide}},
		"a whole move": {result: result(groups{audit.Corrected: {"moved": 10}}, func(a *audit.Result) {
			a.Files[0].Moved, a.Files[0].BelongsAt = true, "https://new.example/sitemap.xml"
		}), state: conclude.Redirects, headline: "100 % of your sitemap sends Google to another address.",
			proof: "All its pages moved: the file now belongs at https://new.example/sitemap.xml.",
			title: "Sitemap audit of www.shop.example: 0 % clean, 100 % after one upload",
			bars:  []string{"Today 0 % clean", "After the upload 100 % clean"}, actions: []conclude.ActionKind{conclude.DoUpload, conclude.DoResubmit}},
		"refused, and the rest not tried": {result: result(groups{audit.NotChecked: {"unverified": 100}}, func(a *audit.Result) {
			a.Counts.Unseen = map[string]int{"Cloudflare": 23, string(audit.FaultAbandoned): 77}
		}), state: conclude.NotSeen, headline: "This audit could not see your site.",
			proof: "Cloudflare refused this computer for 23 addresses, so the other 77 of your 100 were not tried. Google may still reach them.",
			title: "Sitemap audit of www.shop.example: could not be checked", bars: []string{"Today unknown"},
			actions: []conclude.ActionKind{conclude.DoLetIn, conclude.DoBrowser, conclude.DoLook}},
		"a password": {result: result(groups{audit.Fine: {"ok": 4}, audit.NotChecked: {"unverified": 6}}, func(a *audit.Result) {
			a.Counts.Unseen = map[string]int{"401": 6}
		}), state: conclude.NotSeen, headline: "This audit could not see your site.",
			proof: "The server (401) asked for a password for 6 of your 10 addresses. Google likely cannot reach them either.",
			title: "Sitemap audit of www.shop.example: could not be checked", bars: []string{"Today 4 clean of 4 checked"},
			actions: []conclude.ActionKind{conclude.DoLetIn, conclude.DoLook}},
		"no answer": {result: result(groups{audit.NotChecked: {"unverified": 6}}, func(a *audit.Result) {
			a.Counts.Unseen = map[string]int{string(audit.FaultTimeout): 6}
		}), state: conclude.NotSeen, headline: "This audit could not see your site.",
			proof: "6 of your 6 addresses gave no usable answer (no whole answer in time). Google may still reach them.",
			title: "Sitemap audit of www.shop.example: could not be checked", bars: []string{"Today unknown"},
			actions: []conclude.ActionKind{conclude.DoLetIn, conclude.DoLook}},
		"clean": {result: result(groups{audit.Fine: {"ok": 60}}), state: conclude.Clean, headline: "Your sitemap is clean.",
			proof: "All 60 addresses answer 200 and can be indexed. There is nothing to do.", title: "Sitemap audit of www.shop.example: clean"},
		"clean, of one": {result: result(groups{audit.Fine: {"ok": 1}}), state: conclude.Clean, headline: "Your sitemap is clean.",
			proof: "The one address answers 200 and can be indexed. There is nothing to do.", title: "Sitemap audit of www.shop.example: clean"},
		"faults in the file": {result: result(groups{audit.Fine: {"ok": 60}}, func(a *audit.Result) {
			a.Files[0].Sitemap.Faults = []audit.SitemapFault{{Name: "Invalid date", Severity: "warning"}}
		}), state: conclude.FileFaults, headline: "Your sitemap is clean.", title: "Sitemap audit of www.shop.example: clean",
			proof:   "All 60 entries answer 200 and can be indexed. 1 fault in the files remains, below.",
			actions: []conclude.ActionKind{conclude.DoFiles}},
		"faults that may hide an entry": {result: result(groups{audit.Fine: {"ok": 60}}, func(a *audit.Result) {
			a.Files[0].Sitemap.Faults = []audit.SitemapFault{{Name: "Parsing error", Severity: "error"}}
		}), state: conclude.FileFaults, headline: "Every entry that was read is clean, but the files have errors that may hide others.",
			title:   "Sitemap audit of www.shop.example: no fault in what was checked",
			proof:   "All 60 entries answer 200 and can be indexed. 1 fault in the files remains, below.",
			actions: []conclude.ActionKind{conclude.DoFiles}},
		"entries on another host": {result: result(groups{audit.Fine: {"ok": 60}}, func(a *audit.Result) {
			a.Files[0].Sitemap.Elsewhere = 60
			a.Files[0].Sitemap.Faults = []audit.SitemapFault{{Name: "URL not allowed", Severity: "warning", Count: 60}}
		}), state: conclude.FileFaults, headline: "None of your 60 entries is on the host of its sitemap.",
			title: "Sitemap audit of www.shop.example: no fault in what was checked",
			proof: "Google takes such addresses only where the robots.txt of their host names this sitemap, or where one owner has verified both hosts in Search Console. " +
				"All 60 entries answer 200 and can be indexed. 60 faults in the files remain, below.",
			actions: []conclude.ActionKind{conclude.DoFiles}},
		"some entries of another site": {result: result(groups{audit.Fine: {"ok": 60}}, func(a *audit.Result) {
			a.Files[0].Sitemap.Elsewhere = 7
			a.Files[0].Sitemap.Faults = []audit.SitemapFault{{Name: "URL not allowed", Severity: "error", Count: 7}}
		}), state: conclude.FileFaults, headline: "Every entry answers 200, but the files have errors for which Google may ignore entries.",
			title:   "Sitemap audit of www.shop.example: no fault in what was checked",
			proof:   "All 60 entries answer 200 and can be indexed. 7 faults in the files remain, below.",
			actions: []conclude.ActionKind{conclude.DoFiles}},
		"faults that are counted, not listed": {result: result(groups{audit.Fine: {"ok": 60}}, func(a *audit.Result) {
			a.Files[0].Sitemap.Faults = []audit.SitemapFault{{Name: "Invalid date", Severity: "warning"}, {Name: "Invalid date", Severity: "warning", Count: 25}}
		}), state: conclude.FileFaults, headline: "Your sitemap is clean.", title: "Sitemap audit of www.shop.example: clean",
			proof:   "All 60 entries answer 200 and can be indexed. 26 faults in the files remain, below.",
			actions: []conclude.ActionKind{conclude.DoFiles}},
		"faults of which the upload corrects some": {result: result(groups{audit.Fine: {"ok": 60}}, func(a *audit.Result) {
			a.Files[0].Changed, a.Files[0].Relinked = true, 20
			a.Files[0].Sitemap.Faults = []audit.SitemapFault{{Name: "Invalid date", Severity: "warning"}, {Name: "Alternate redirects", Severity: "warning", Count: 25, Mended: 20}}
		}), state: conclude.FileFaults, headline: "Your sitemap is clean.", title: "Sitemap audit of www.shop.example: clean",
			proof:   "All 60 entries answer 200 and can be indexed. Of 26 faults in the files the upload corrects 20; what remains is below.",
			actions: []conclude.ActionKind{conclude.DoUpload, conclude.DoFiles, conclude.DoResubmit}},
		"faults that the upload corrects": {result: result(groups{audit.Fine: {"ok": 60}}, func(a *audit.Result) {
			a.Files[0].Changed, a.Files[0].Relinked = true, 20
			a.Files[0].Sitemap.Faults = []audit.SitemapFault{{Name: "Alternate redirects", Severity: "warning", Count: 20, Mended: 20}}
		}), state: conclude.FileFaults, headline: "Your sitemap is clean.", title: "Sitemap audit of www.shop.example: clean",
			proof:   "All 60 entries answer 200 and can be indexed. The upload corrects what is wrong with the files (20 faults).",
			actions: []conclude.ActionKind{conclude.DoUpload, conclude.DoResubmit}},
		"fine, and something open": {result: result(groups{audit.Fine: {"ok": 60}}, func(a *audit.Result) { a.Counts.Notes[audit.Truncated] = 1 }),
			state: conclude.Fine, headline: "Every address answers 200.", proof: "What could not be judged all the same stands below.",
			title: "Sitemap audit of www.shop.example: no fault in what was checked"},
		"fine, and something clean again": {result: result(groups{audit.Fine: {"ok": 60}}, func(a *audit.Result) { a.Back.Unlisted = 3 }),
			state: conclude.Fine, headline: "Every address answers 200.", proof: "3 more that were removed are clean again, and in no sitemap.",
			title: "Sitemap audit of www.shop.example: no fault in what was checked", actions: []conclude.ActionKind{conclude.DoList}},
		"other spelling": {result: result(groups{audit.Fine: {"ok": 232}, audit.OtherSpelling: {"spelling-bounce": 63}}), state: conclude.OtherSpelling,
			headline: "Your sitemap is right.", proof: "The server redirects if Googlebot asks for another spelling of 63 of your 295 addresses.",
			title:   "Sitemap audit of www.shop.example: right as it is",
			actions: []conclude.ActionKind{conclude.DoLeave, conclude.DoLook, conclude.DoServer}},
		"other spelling, which a log shows": {result: result(groups{audit.Fine: {"ok": 232}, audit.OtherSpelling: {"spelling-bounce": 63}}, redirectedBack), state: conclude.OtherSpelling,
			headline: "Your sitemap is right.", proof: "The server redirects if Googlebot asks for another spelling of 63 of your 295 addresses.",
			title:   "Sitemap audit of www.shop.example: right as it is",
			actions: []conclude.ActionKind{conclude.DoServer, conclude.DoLeave}},
		"other spelling, which Search Console reports": {result: result(groups{audit.Fine: {"ok": 232}, audit.OtherSpelling: {"spelling-bounce": 63}}, func(a *audit.Result) {
			a.SearchConsole = &audit.SearchConsole{Addresses: 63, Upshots: map[audit.Upshot]int{audit.UpshotServer: 63}}
		}), state: conclude.OtherSpelling,
			headline: "Your sitemap is right.", proof: "The server redirects if Googlebot asks for another spelling of 63 of your 295 addresses.",
			title:   "Sitemap audit of www.shop.example: right as it is",
			actions: []conclude.ActionKind{conclude.DoServer, conclude.DoLeave}},
		"redirects, and another spelling that a log shows": {result: result(groups{audit.Fine: {"ok": 5}, audit.Corrected: {"moved": 2}, audit.OtherSpelling: {"spelling-bounce": 3}}, redirectedBack),
			state: conclude.Redirects, headline: "20 % of your sitemap sends Google to another address.", proof: "2 of 10 entries redirect. One upload fixes them all. 3 are right as listed: the server redirects only another spelling of them.",
			title: "Sitemap audit of www.shop.example: 80 % clean, 100 % after one upload", bars: []string{"Today 80 % clean", "After the upload 100 % clean"},
			actions: []conclude.ActionKind{conclude.DoUpload, conclude.DoServer, conclude.DoResubmit}},
		"decisions, and another spelling that a log shows": {result: result(groups{audit.Fine: {"ok": 4}, audit.Corrected: {"moved": 2}, audit.NeedsDecision: {"not-found": 1}, audit.OtherSpelling: {"spelling-bounce": 3}}, redirectedBack),
			state: conclude.Mixed, headline: "30 % of your sitemap does not lead straight to a page Google can index.", proof: "2 entries redirect, 1 is gone. 3 are right as listed: the server redirects only another spelling of them.",
			title: "Sitemap audit of www.shop.example: 70 % clean, 90 % after one upload", bars: []string{"Today 70 % clean", "After the upload 90 % clean"},
			actions: []conclude.ActionKind{conclude.DoUpload, conclude.DoDecide, conclude.DoServer}},
		"a log, and nothing answered otherwise": {result: result(groups{audit.Fine: {"ok": 90}, audit.NeedsDecision: {"temporary": 10}}, redirectedBack), state: conclude.Redirects,
			headline: "10 % of your sitemap sends Google to another address.", proof: "10 of 100 entries redirect.",
			title: "Sitemap audit of www.shop.example: 90 % clean", bars: []string{"Today 90 % clean"}, actions: []conclude.ActionKind{conclude.DoDecide}},
		"clean as far as could be checked": {result: result(groups{audit.Fine: {"ok": 56}, audit.NotChecked: {"unverified": 4}}), state: conclude.Partly,
			headline: "No fault was found in what could be checked.",
			proof:    "56 of your 60 addresses answer 200. 4 could not be checked; Google may still reach them.",
			title:    "Sitemap audit of www.shop.example: no fault in what was checked", bars: []string{"Today 100 % clean of the 56 checked"},
			actions: []conclude.ActionKind{conclude.DoLetIn}},
		"a sample": {result: result(groups{audit.Fine: {"ok": 10}, audit.Corrected: {"moved": 10}, audit.LeftOut: {"skipped": 980}}, func(a *audit.Result) {
			a.Info.Partial, a.Files[0].Changed = true, false
		}), state: conclude.Part, headline: "50 % of the 20 entries checked do not lead straight to a page Google can index.",
			proof: "Only 20 of 1,000 entries were crawled, so no file was written.",
			title: "Sitemap audit of www.shop.example: 50 % of 20 checked entries clean", bars: []string{"Today 50 % clean of the 20 checked"},
			actions: []conclude.ActionKind{conclude.DoWhole}},
		"--include": {result: result(groups{audit.Fine: {"ok": 20}, audit.LeftOut: {"skipped": 980}}), state: conclude.Part,
			headline: "All 20 entries crawled answer 200.", proof: "Only 20 of 1,000 entries were crawled; the others stay as they are.",
			title: "Sitemap audit of www.shop.example: 100 % of 20 checked entries clean", bars: []string{"Today 100 % clean of the 20 checked"}},
		"--no-fetch": {result: result(groups{audit.LeftOut: {"skipped": 20}}, func(a *audit.Result) {
			a.Info.Partial, a.Info.NoFetch = true, true
		}), state: conclude.FilesOnly, headline: "Your sitemap files have no faults.", proof: "Only the files were checked; none of the 20 entries was crawled.",
			title: "Sitemap audit of www.shop.example: the files alone", actions: []conclude.ActionKind{conclude.DoWhole}},
		"filled by a script": {result: result(groups{audit.Fine: {"ok": 20}}, func(a *audit.Result) { a.Counts.Notes[audit.NeedsJavaScript] = 20 }),
			state: conclude.Script, headline: "This audit cannot judge your site.",
			proof: "All 20 addresses answer with a page that JavaScript fills. Google runs it, this audit does not.",
			title: "Sitemap audit of www.shop.example: could not be judged", actions: []conclude.ActionKind{conclude.DoLook}},
		"not read": {result: result(groups{}, func(a *audit.Result) {
			a.Files[0].Sitemap.Kind, a.Files[0].Sitemap.Status, a.Files[0].Sitemap.Faults = "", 404, []audit.SitemapFault{{Severity: "error"}}
		}), state: conclude.Unread, headline: "Your sitemap could not be read.", proof: "https://www.shop.example/sitemap.xml answers 404.",
			title: "Sitemap audit of www.shop.example: could not be read", actions: []conclude.ActionKind{conclude.DoRepair}},
		"the new addresses redirect in another spelling": {result: result(groups{audit.Fine: {"ok": 12}, audit.Corrected: {"moved": 8}}, func(a *audit.Result) { a.Counts.Notes[audit.Bounces] = 3 }),
			state: conclude.Redirects, headline: "40 % of your sitemap sends Google to another address.", proof: "8 of 20 entries redirect. One upload fixes them all.",
			title: "Sitemap audit of www.shop.example: 60 % clean, 100 % after one upload", bars: []string{"Today 60 % clean", "After the upload 100 % clean"},
			actions: []conclude.ActionKind{conclude.DoUpload, conclude.DoResubmit}},
		"one of two not read": {result: result(groups{audit.Fine: {"ok": 9}, audit.Corrected: {"moved": 1}}, func(a *audit.Result) {
			a.Files = append(a.Files, audit.File{Sitemap: audit.Sitemap{URL: "https://www.shop.example/b.xml", Faults: []audit.SitemapFault{{Severity: "error", Key: "our-fault", Args: []string{"x"}}}}})
		}), state: conclude.Unread, headline: "1 of your 2 sitemaps could not be read.",
			proof: "https://www.shop.example/b.xml: it was not read: x. Of the 10 entries of the others, 9 are clean.",
			title: "Sitemap audit of www.shop.example: 1 of 2 sitemaps could not be read", bars: []string{"Today 90 % clean of what could be read", "After the upload 100 % clean"},
			actions: []conclude.ActionKind{conclude.DoRepair, conclude.DoUpload, conclude.DoResubmit}},
		"one of two not read, and nothing crawled": {result: result(groups{audit.NotChecked: {string(audit.FaultAbandoned): 44}}, func(a *audit.Result) {
			a.Counts.Unseen = map[string]int{string(audit.FaultAbandoned): 44}
			a.Files = append(a.Files, audit.File{Sitemap: audit.Sitemap{URL: "https://www.shop.example/b.xml", Status: 503, Faults: []audit.SitemapFault{{Severity: "error"}}}})
			a.Info.Waits = map[string]time.Duration{"www.shop.example": 400 * 24 * time.Hour}
		}), state: conclude.Unread, headline: "1 of your 2 sitemaps could not be read.",
			proof: "https://www.shop.example/b.xml answers 503. www.shop.example asked to wait longer than 30 days. None of the 44 entries of the others was crawled.",
			title: "Sitemap audit of www.shop.example: 1 of 2 sitemaps could not be read", bars: []string{"Today unknown"},
			actions: []conclude.ActionKind{conclude.DoLetIn}},
		"one of two not read, and nothing seen": {result: result(groups{audit.NotChecked: {"403": 2}}, func(a *audit.Result) {
			a.Counts.Unseen = map[string]int{"403": 2}
			a.Files = append(a.Files, audit.File{Sitemap: audit.Sitemap{URL: "https://www.shop.example/b.xml", Status: 404, Faults: []audit.SitemapFault{{Severity: "error"}}}})
		}), state: conclude.Unread, headline: "1 of your 2 sitemaps could not be read.",
			proof: "https://www.shop.example/b.xml answers 404. None of the 2 entries of the others could be checked.",
			title: "Sitemap audit of www.shop.example: 1 of 2 sitemaps could not be read", bars: []string{"Today unknown"},
			actions: []conclude.ActionKind{conclude.DoRepair, conclude.DoLetIn}},
		"empty": {result: result(groups{}, func(a *audit.Result) {
			a.Files[0].Sitemap.Faults = []audit.SitemapFault{{Name: "Empty sitemap", Severity: "error"}}
		}), state: conclude.FilesOnly, headline: "Your sitemap lists no address.",
			proof: "It was read to the end and has no entry, so nothing was crawled.",
			title: "Sitemap audit of www.shop.example: the files alone", actions: []conclude.ActionKind{conclude.DoFiles}},
		"cut off": {result: result(groups{audit.Fine: {"ok": 7}}, cutOff), state: conclude.InPart, headline: "Your sitemap could be read only in part.",
			proof: "What stands behind line 10 of https://www.shop.example/sitemap.xml was not seen. Of the 7 entries checked, 7 are clean.",
			title: "Sitemap audit of www.shop.example: read only in part", bars: []string{"Today 100 % clean of what could be read"}, actions: []conclude.ActionKind{conclude.DoRepair}},
		"cut off, with a redirect": {result: result(groups{audit.Fine: {"ok": 9}, audit.Corrected: {"moved": 1}}, cutOff), state: conclude.InPart, headline: "Your sitemap could be read only in part.",
			proof: "What stands behind line 10 of https://www.shop.example/sitemap.xml was not seen. Of the 10 entries checked, 9 are clean.",
			title: "Sitemap audit of www.shop.example: read only in part", bars: []string{"Today 90 % clean of what could be read"}, actions: []conclude.ActionKind{conclude.DoRepair}},
		"a fault that is a sentence": {result: result(groups{}, func(a *audit.Result) {
			a.Files[0].Sitemap.Kind, a.Files[0].Sitemap.Faults = "", []audit.SitemapFault{{Severity: "error", Key: audit.FaultAsSaid, Args: []string{"This is a page of HTML."}}}
		}), state: conclude.Unread, headline: "Your sitemap could not be read.", proof: "https://www.shop.example/sitemap.xml: This is a page of HTML.",
			title: "Sitemap audit of www.shop.example: could not be read", actions: []conclude.ActionKind{conclude.DoRepair}},
		"an export alone": {result: result(groups{}, func(a *audit.Result) {
			a.Files = nil
			a.SearchConsole = &audit.SearchConsole{NoSitemap: true, Addresses: 336, Upshots: map[audit.Upshot]int{audit.UpshotNothing: 12, audit.UpshotBroken: 324}}
		}), state: conclude.ReportedOnly, headline: "12 of the 336 addresses Google reports need nothing.", proof: "No sitemap of www.shop.example was found.",
			title: "Sitemap audit of www.shop.example: 336 addresses that Google reports", actions: []conclude.ActionKind{conclude.DoReported, conclude.DoName}},
		"an export alone, of which nothing was seen": {result: result(groups{}, func(a *audit.Result) {
			a.Files = nil
			a.SearchConsole = &audit.SearchConsole{NoSitemap: true, Addresses: 60, Upshots: map[audit.Upshot]int{audit.UpshotUnseen: 60}}
		}), state: conclude.ReportedOnly, headline: "This audit could not see the addresses that Google reports.", proof: "No sitemap of www.shop.example was found.",
			title: "Sitemap audit of www.shop.example: 60 addresses that Google reports", actions: []conclude.ActionKind{conclude.DoReported, conclude.DoName}},
		"a map alone": {result: mapAlone(5000, map[audit.Unmet]int{audit.UnmetTarget: 61, audit.UnmetHops: 22}), state: conclude.ExpectedOnly,
			headline: "83 of 5,000 old addresses do not lead where they should.", proof: "No sitemap of www.shop.example was found: only the map was checked.",
			title: "Sitemap audit of www.shop.example: 4,917 of 5,000 old addresses lead where they should", actions: []conclude.ActionKind{conclude.DoExpected}},
		"a map alone, met": {result: mapAlone(40, nil), state: conclude.ExpectedOnly, headline: "All 40 old addresses lead where they should.",
			proof: "No sitemap of www.shop.example was found: only the map was checked.", title: "Sitemap audit of www.shop.example: 40 of 40 old addresses lead where they should"},
		"a map alone, of which nothing was seen": {result: mapAlone(3, map[audit.Unmet]int{audit.UnmetUnverified: 3}), state: conclude.ExpectedOnly,
			headline: "This audit could not see where your old addresses lead.", proof: "3 of your 3 old addresses gave no answer that says what Google sees. Google may still reach them.",
			title: "Sitemap audit of www.shop.example: 0 of 3 old addresses lead where they should", actions: []conclude.ActionKind{conclude.DoExpected}},
		"a clean sitemap, and a map that is not met": {result: result(groups{audit.Fine: {"ok": 20}}, func(a *audit.Result) {
			a.Expected = &audit.ExpectedList{Addresses: 9, Met: 7, Why: map[audit.Unmet]int{audit.UnmetNotFound: 2}}
		}), state: conclude.Clean, headline: "2 of 9 old addresses do not lead where they should.",
			proof: "The sitemap itself is clean: 20 addresses answer 200 and can be indexed.",
			title: "Sitemap audit of www.shop.example: clean", actions: []conclude.ActionKind{conclude.DoExpected}},
		"clean to who has the password": {result: result(groups{audit.Fine: {"ok": 20}}, func(a *audit.Result) {
			a.Info.Rules.Secret, a.Info.Given = []string{"https://www.shop.example"}, []string{"--user=NAME:PASS", "--rate=5"}
		}), state: conclude.Clean, headline: "Your sitemap is clean. Seen with a password, which Google does not have.",
			proof: "So all 20 addresses answer 200; what Google gets was not asked.",
			title: "Sitemap audit of www.shop.example: clean", actions: []conclude.ActionKind{conclude.DoWithout}},
		"clean to who has the password of a staging server": {result: result(groups{audit.Fine: {"ok": 20}}, func(a *audit.Result) {
			a.Info.Rules.Secret, a.Info.Given = []string{"https://www.shop.example"}, []string{"--header=X-Door: VALUE", "--map=www.shop.example=staging.example"}
		}), state: conclude.Clean, headline: "Your sitemap is clean. Seen with headers of its own, which Google does not send.",
			proof: "So all 20 addresses answer 200; what Google gets was not asked.", title: "Sitemap audit of www.shop.example: clean"},
		"one page of several wants a password": {result: result(groups{audit.Fine: {"ok": 20}, audit.NotChecked: {"unverified": 3}}, func(a *audit.Result) {
			a.Counts.Unseen = map[string]int{"401": 1, "timeout": 2}
		}), state: conclude.Partly, headline: "No fault was found in what could be checked.",
			proof: "20 of your 23 addresses answer 200. 3 could not be checked. 1 of them Google likely cannot reach either; it may still reach the others.",
			title: "Sitemap audit of www.shop.example: no fault in what was checked", bars: []string{"Today 100 % clean of the 20 checked"}, actions: []conclude.ActionKind{conclude.DoLetIn}},
		"an export, and a sitemap that is not there": {result: result(groups{}, func(a *audit.Result) {
			a.Files[0].Sitemap.Kind, a.Files[0].Sitemap.Status = "", 404
			a.Files[0].Sitemap.Faults = []audit.SitemapFault{{Severity: "error", Key: "status", Args: []string{"404"}}}
			a.SearchConsole = &audit.SearchConsole{NoSitemap: true, Unread: 1, Addresses: 336, Upshots: map[audit.Upshot]int{audit.UpshotNothing: 12}}
		}), state: conclude.Unread, headline: "Your sitemap could not be read.", proof: "https://www.shop.example/sitemap.xml answers 404.",
			title: "Sitemap audit of www.shop.example: could not be read", actions: []conclude.ActionKind{conclude.DoRepair}},
	} {
		got := conclude.Of(c.result, c.o)
		seen[got.State] = true
		if got.State != c.state {
			t.Errorf("%s: state %s, want %s", name, got.State, c.state)
		}
		en := messages.Of("en")
		for what, x := range map[string][2]string{"headline": {got.Headline.In(en), c.headline}, "proof": {got.Proof.In(en), c.proof}, "title": {got.Title.In(en), c.title}} {
			if x[0] != x[1] {
				t.Errorf("%s: %s\n got %s\nwant %s", name, what, x[0], x[1])
			}
		}
		var bars []string
		for _, b := range got.Bars {
			bars = append(bars, b.Name.In(en)+" "+b.Figure.In(en))
		}
		if !slices.Equal(bars, c.bars) {
			t.Errorf("%s: bars %q, want %q", name, bars, c.bars)
		}
		for _, lang := range messages.Langs() { // a line may end before each part
			for _, part := range got.Proof.Parts(messages.Of(lang)) {
				if strings.HasPrefix(part, "。") || strings.HasPrefix(part, ".") {
					t.Errorf("%s: a line of the proof could begin with %q", name, part)
				}
			}
		}
		var kinds []conclude.ActionKind
		for _, a := range got.Actions {
			kinds = append(kinds, a.Kind)
		}
		if !slices.Equal(kinds, c.actions) {
			t.Errorf("%s: actions %q, want %q", name, kinds, c.actions)
		}
	}
	for _, s := range []conclude.State{
		conclude.ExpectedOnly, conclude.ReportedOnly, conclude.Unread, conclude.InPart, conclude.FilesOnly, conclude.NotSeen, conclude.Part,
		conclude.Script, conclude.Redirects, conclude.Mixed, conclude.OtherSpelling,
		conclude.Partly, conclude.Fine, conclude.FileFaults, conclude.Clean,
	} {
		if !seen[s] {
			t.Errorf("no audit here is in state %s", s)
		}
	}
}

// mapAlone is an audit of n old addresses without a sitemap.
func mapAlone(n int, why map[audit.Unmet]int) *audit.Result {
	return result(groups{}, func(a *audit.Result) {
		a.Files, a.Expected = nil, &audit.ExpectedList{Addresses: n, Met: n, Why: why}
		for _, k := range why {
			a.Expected.Met -= k
		}
	})
}

// Each action says who does it: a decision those whom its causes ask, those of most entries first.
func TestWhoActs(t *testing.T) {
	mixed := result(groups{audit.Fine: {"ok": 50}, audit.Corrected: {"moved": 20}, audit.NeedsDecision: {"temporary": 5, "loop": 9, "invalid": 2}}, func(a *audit.Result) {
		for v, n := range map[audit.Verdict]int{audit.Loop: 9, audit.Temporary: 5, audit.Invalid: 2} {
			a.Causes = append(a.Causes, audit.Cause{Verdict: v, Group: audit.NeedsDecision, Count: n})
		}
	})
	for want, c := range map[string]struct {
		result *audit.Result
		lang   string
	}{
		"upload: Webmaster · decide: Server admin, site owner, developer · resubmit: Webmaster": {mixed, "en"},
		"upload: ウェブ担当者 · decide: サーバー管理者、サイト運営者、開発者 · resubmit: ウェブ担当者":                        {mixed, "ja"},
		"expected: Server admin": {mapAlone(9, map[audit.Unmet]int{audit.UnmetHops: 2}), "en"},
		"expected: Auditor":      {mapAlone(9, map[audit.Unmet]int{audit.UnmetUnverified: 9}), "en"},
		"leave: Webmaster · look: Webmaster · server: Server admin": {result(groups{audit.OtherSpelling: {"spelling-bounce": 63}}), "en"},
	} {
		var got []string
		for _, a := range conclude.Of(c.result, conclude.Options{}).Actions {
			got = append(got, string(a.Kind)+": "+a.Who.In(messages.Of(c.lang)))
		}
		if text := strings.Join(got, " · "); text != want {
			t.Errorf("%s, want %s", text, want)
		}
	}
}

// What stands under an action has at most four lines: the last adds up the others.
func TestFewReasonsUnderAnAction(t *testing.T) {
	a := mapAlone(100, map[audit.Unmet]int{audit.UnmetTarget: 9, audit.UnmetHops: 7, audit.UnmetTemporary: 5, audit.UnmetNotFound: 3, audit.UnmetSpelling: 2})
	var got []string
	for _, e := range conclude.Of(a, conclude.Options{}).Actions[0].Evidence {
		got = append(got, fmt.Sprint(e.Count, " ", e.Text.In(messages.Of("en"))))
	}
	if want := []string{"9 Lead elsewhere", "7 Take two hops or more", "5 Redirect temporarily", "5 for 2 other reasons"}; !slices.Equal(got, want) {
		t.Errorf("under it stands %q, want %q", got, want)
	}
}

// cutOff ends the first sitemap of an audit in its tenth line.
func cutOff(a *audit.Result) {
	s := &a.Files[0].Sitemap
	s.Kind, s.Faults = "urlset", []audit.SitemapFault{{Severity: "error", Line: 10, Key: "cut-off", Args: []string{"3"}}}
}

// What a sitemap needs that could not be read is said by how the server answered.
func TestRepairSaysWhatTheServerAnswered(t *testing.T) {
	for status, want := range map[int]string{
		404: "Put it where its address says, or correct the line that names it; then audit again.",
		500: "Repair the server's answer for it (500), then audit again.",
	} {
		a := result(groups{}, func(a *audit.Result) {
			s := &a.Files[0].Sitemap
			s.Kind, s.Status, s.Faults = "", status, []audit.SitemapFault{{Severity: "error", Key: "answered"}}
		})
		if got := conclude.Of(a, conclude.Options{}).Actions[0].Text.In(messages.Of("en")); got != want {
			t.Errorf("%d: %q, want %q", status, got, want)
		}
	}
}

// What a cause says of any verdict, stop and lane has words in every language, and what a
// site sent cannot end a span of code in them.
func TestEveryCauseHasWords(t *testing.T) {
	var causes []audit.Cause
	for _, v := range audit.Verdicts() {
		for _, g := range []audit.Group{audit.Corrected, audit.TakenOut, audit.NeedsDecision, audit.OtherSpelling, audit.NotChecked} {
			for _, stop := range append([]audit.Note{""}, audit.Stops()...) {
				if spelling := v == audit.SpellingBounce || v == audit.SpellingConflict; spelling != (g == audit.OtherSpelling) || (v == audit.Unverified) != (g == audit.NotChecked) ||
					stop != "" && g != audit.NeedsDecision || v == audit.OK || v == audit.Skipped {
					continue
				}
				for _, name := range append(pattern.TermNames(), "") {
					for _, label := range []string{"`404`", "401", "407", "429", "403", "500", "Cloudflare", "timeout", "unsteady", string(audit.FaultAbandoned)} {
						causes = append(causes, audit.Cause{Verdict: v, Group: g, Stop: stop, Count: 2, Terms: []pattern.Term{{Name: name, From: label, To: "/x"}}})
					}
				}
			}
		}
	}
	a := audit.Result{Causes: causes, Counts: audit.Counts{Entries: 2, Verdicts: map[audit.Verdict]int{}}}
	for _, l := range conclude.Of(&a, conclude.Options{}).Lanes {
		for _, x := range l.Causes {
			for _, lang := range messages.Langs() {
				c := messages.Of(lang)
				for _, s := range append([]conclude.Sentence{l.Title, l.Lead, x.Title, x.Who}, x.Do...) {
					text := s.In(c)
					if known := messages.Conclude()[lang][text]; text == "" || known != "" || missing(text) {
						t.Fatalf("%s: cause %+v: says %q", lang, causes[x.Index], text)
					}
				}
			}
		}
	}
}

// What is said to be removed is said otherwise where no sitemap is written.
func TestWhatWouldBeRemoved(t *testing.T) {
	for lang, texts := range messages.Conclude() {
		for key := range texts {
			if kind, is := strings.CutPrefix(key, "title-removed"); is && texts["title-would-removed"+kind] == "" {
				t.Errorf("%s: no words for title-would-removed%s", lang, kind)
			}
		}
	}
}

// A page that names a canonical does not redirect, and no cause of such pages says that it does,
// whatever keeps the canonical from being written.
func TestCanonicalIsNoRedirect(t *testing.T) {
	for _, stop := range append([]audit.Note{""}, audit.Stops()...) {
		named := conclude.Named(&audit.Cause{Verdict: audit.Noncanonical, Group: audit.NeedsDecision, Stop: stop, Count: 2})
		for lang, word := range map[string]string{"en": "edirect", "ja": "リダイレクト"} {
			if text := named.Title.In(messages.Of(lang)); strings.Contains(text, word) {
				t.Errorf("%s, %s: a canonical is called %q", stop, lang, text)
			}
		}
	}
}

// missing reports whether a text is the key of one, or has a place that nothing filled.
func missing(text string) bool {
	for _, begin := range []string{"title-", "term-", "do-", "ask-", "yes-", "no-", "stay-", "role-", "lane-", "lead-"} {
		if len(text) > len(begin) && text[:len(begin)] == begin {
			return true
		}
	}
	return slices.ContainsFunc([]rune(text), func(r rune) bool { return r == '{' })
}

// A sitemap that was refused is let in, one that is not there is repaired, and one that was read
// too fast is read more slowly, as an entry is.
func TestUnreadSitemapsByTheirAnswer(t *testing.T) {
	for status, want := range map[int]string{404: "Make the sitemap readable", 401: "Open what asks for a password", 407: "Give the proxy its password", 403: "Let this computer through",
		429: "Crawl more slowly", 500: "Make the sitemap readable", 503: "Audit again later, more slowly"} {
		c := conclude.Of(result(groups{}, func(a *audit.Result) {
			a.Files[0].Sitemap.Kind, a.Files[0].Sitemap.Status = "", status
			a.Files[0].Sitemap.Faults = []audit.SitemapFault{{Name: "HTTP error", Severity: "error"}}
		}), conclude.Options{})
		if got := c.Actions[0].Title.In(messages.Of("en")); c.State != conclude.Unread || got != want {
			t.Errorf("%d: state %s, first %q, want %q", status, c.State, got, want)
		}
		slower := strings.Contains(c.Actions[0].Target, "--rate 1 ")
		if slower != (status == 429 || status == 503) || status != 401 && status != 407 && len(c.Actions[0].Evidence) != 1 {
			t.Errorf("%d: %q under %v", status, c.Actions[0].Target, c.Actions[0].Evidence)
		}
	}
}

// Of a site whose name does not resolve, that is what is to be checked, and its address is said
// once.
func TestSiteThatDoesNotResolve(t *testing.T) {
	c := conclude.Of(result(groups{}, func(a *audit.Result) {
		s := &a.Files[0].Sitemap
		s.Kind, s.URL, s.Parent = "", "http://nosuch.invalid", -1
		s.Faults = []audit.SitemapFault{{Severity: "error", Key: audit.FaultAsSaid, Args: []string{"no answer from http://nosuch.invalid: the name does not resolve"}}}
	}), conclude.Options{})
	if got, want := c.Proof.In(messages.Of("en")), "http://nosuch.invalid: the name does not resolve."; got != want {
		t.Errorf("the proof is %q, want %q", got, want)
	}
	if got, want := c.Actions[0].Title.In(messages.Of("en")), "Check nosuch.invalid"; got != want {
		t.Errorf("the first action is %q, want %q", got, want)
	}
}

// All bars have one scale, the entries of the audit: what is removed has a segment, too, and
// what is answered otherwise in another spelling one beside the other clean ones.
func TestBarsAddUp(t *testing.T) {
	in := maps.Clone(shop)
	in[audit.OtherSpelling] = map[string]int{"spelling-bounce": 2}
	for _, b := range conclude.Of(result(in), conclude.Options{}).Bars {
		sum, by := 0, map[string]int{}
		for _, s := range b.Segments {
			sum += s.Count
			by[s.Kind] += s.Count
		}
		if sum != 2709 || sum-by["removed"] != b.Shares.Entries || by["clean"]+by["spelt"] != b.Shares.Clean || by["spelt"] != 2 || (by["removed"] == 6) != b.After {
			t.Errorf("%s: the segments make %d of %d: %v", b.Name.In(messages.Of("en")), sum, b.Shares.Entries, by)
		}
	}
}

// What was not tried stays apart from what was refused after the upload, as today.
func TestUploadAfterRefusals(t *testing.T) {
	a := result(groups{audit.Corrected: {"moved": 10}, audit.NotChecked: {"unverified": 100}})
	a.Counts.Unseen = map[string]int{"403": 23, string(audit.FaultAbandoned): 77}
	bars := conclude.Of(a, conclude.Options{}).Bars
	if len(bars) != 2 {
		t.Fatalf("%d bars", len(bars))
	}
	for _, b := range bars {
		if got := b.Segments[1:]; len(got) != 2 || got[0].Count != 23 || got[1].Count != 77 {
			t.Errorf("%s: not checked are %+v", b.Name.In(messages.Of("en")), got)
		}
	}
	if got := bars[0].Figure.In(messages.Of("en")) + ", " + bars[1].Figure.In(messages.Of("en")); got != "0 clean of 10 checked, 10 clean of 10 checked" {
		t.Error(got)
	}
}

// Of a part, nothing is promised for what was not crawled: it stands in both bars, and the
// upload fixes some of what was.
func TestUploadOfAPart(t *testing.T) {
	for left, want := range map[int]string{
		17: "Fixes all 8 entries that are not clean. 17 were not crawled and stay as they are.",
		1:  "Fixes all 8 entries that are not clean. 1 was not crawled and stays as it is.",
	} {
		c := conclude.Of(result(groups{audit.Corrected: {"moved": 8}, audit.Fine: {"ok": 1}, audit.LeftOut: {"skipped": left}}), conclude.Options{})
		if got := c.Actions[0].Text.In(messages.Of("en")); got != want {
			t.Errorf("%d left out: %q, want %q", left, got, want)
		}
		for i, figure := range []string{"11 % clean of the 9 checked", "100 % clean of the 9 checked"} {
			b := c.Bars[i]
			last := b.Segments[len(b.Segments)-1]
			if got := b.Figure.In(messages.Of("en")); got != figure || last.Kind != "untried" || last.Count != left || b.Total() != 9+left {
				t.Errorf("%d left out: bar %q ends with %+v, of %d", left, got, last, b.Total())
			}
		}
	}
}

// What the upload removes is asked about; only without that there is nothing to decide.
func TestUploadAsksAboutWhatItRemoves(t *testing.T) {
	for _, c := range []struct {
		in     groups
		change func(*audit.Result)
		en, ja string
	}{
		{groups{audit.Corrected: {"moved": 3}, audit.Fine: {"ok": 9}}, nil, "Fixes all 3 entries that are not clean. There is nothing to decide.", "問題のある3件すべてを修正します。判断は不要です。"},
		{groups{audit.Corrected: {"moved": 3}, audit.TakenOut: {"noindex": 1}, audit.Fine: {"ok": 9}}, nil, "Fixes 3 of the 4 entries that are not clean. 1 entry is removed: check under Causes that it should not stay. Of the entries removed, 1 says noindex: is that meant?", "問題のある4件のうち3件を修正します。1件を除外します。残すべきものがないか、「原因」で確かめてください。除外する1件は、ページがnoindexを指定しています。意図どおりか確かめてください。"},
		{groups{audit.Corrected: {"moved": 3}, audit.NeedsDecision: {"temporary": 2}, audit.Fine: {"ok": 9}}, nil, "Fixes 3 of the 5 entries that are not clean. None of these edits needs a decision.", "問題のある5件のうち3件を修正します。この修正に判断は不要です。"},
		{groups{audit.TakenOut: {"not-found": 2}, audit.Fine: {"ok": 9}}, func(a *audit.Result) { a.Info.Rules.MaxDrop = 1 }, "Fixes all 2 entries that are not clean. 2 are removed, as was decided.", "問題のある2件すべてを修正します。2件は、決定どおり除外します。"},
		{groups{audit.Fine: {"ok": 9}}, func(a *audit.Result) {
			f := &a.Files[0]
			f.Changed, f.Relinked = true, 2
		}, "Only other addresses inside the file (alternates) and entries of an index change. There is nothing to decide.", "ファイル内のほかのURL(代替ページ)とインデックスの記載だけが変わります。判断は不要です。"},
	} {
		a := conclude.Of(result(c.in, func(a *audit.Result) {
			if c.change != nil {
				c.change(a)
			}
		}), conclude.Options{}).Actions[0]
		if en, ja := a.Text.In(messages.Of("en")), a.Text.In(messages.Of("ja")); en != c.en || ja != c.ja {
			t.Errorf("%v: %q, %q", c.in, en, ja)
		}
	}
}

// What is removed because its right address is listed already is not said to be rewritten,
// whatever rule explains it, and the sentences count it as the bars do.
func TestRemovedAsListedAlready(t *testing.T) {
	en, ja := messages.Of("en"), messages.Of("ja")
	for _, c := range []struct {
		in                   groups
		merged               int
		action, lead, leadJA string
	}{
		{groups{audit.Corrected: {"moved": 5}, audit.Fine: {"ok": 9}}, 5,
			"Fixes all 5 entries that are not clean. 5 entries are removed: each page is listed once. There is nothing to decide.",
			"Nothing to decide: the right addresses are listed already, so these entries are removed.",
			"判断は不要です。正しいURLは記載済みのため、これらの記載を除外します。"},
		{groups{audit.Corrected: {"moved": 5}, audit.Fine: {"ok": 9}}, 1,
			"Fixes all 5 entries that are not clean. 1 entry is removed: each page is listed once. There is nothing to decide.",
			"Nothing to decide: each new address answers 200 and can be indexed. 1 entry is removed: each page is listed once.",
			"判断は不要です。新しいURLは200を返し、インデックスできます。1件は、各ページの記載が1件で足りるため除外します。"},
		{groups{audit.Corrected: {"moved": 5}, audit.TakenOut: {"not-found": 2}, audit.Fine: {"ok": 9}}, 5,
			"Fixes all 7 entries that are not clean. 5 entries are removed: each page is listed once. 2 more are removed: check under Causes that none of them should stay.",
			"2 are removed; no address is replaced. 5 more are removed: each page is listed once.",
			"2件を除外します。置き換えるURLはありません。ほかに5件を、各ページの記載が1件で足りるため除外します。"},
	} {
		got := conclude.Of(result(c.in, func(a *audit.Result) { a.Counts.Actions[audit.Merge] = c.merged }), conclude.Options{})
		action, lead, leadJA := got.Actions[0].Text.In(en), got.Lanes[0].Lead.In(en), got.Lanes[0].Lead.In(ja)
		if action != c.action || lead != c.lead || leadJA != c.leadJA {
			t.Errorf("%d of %v:\n%s\n%s\n%s", c.merged, c.in, action, lead, leadJA)
		}
	}
}

// The title, the line and the advice of a cause whose entries are removed as listed already.
func TestCauseRemovedAsListedAlready(t *testing.T) {
	en := messages.Of("en")
	for _, c := range []struct {
		verdict           audit.Verdict
		trait             audit.Trait
		title, line, stay string
	}{
		{audit.Moved, "", "Moved from /old/ to /p/", "/old/* -> /p/*", "List these pages under their new path."},
		{audit.Moved, audit.Repeated, "Removed, listed already", "Removed, listed already: /old/* -> /p/*", "List each page once, by the address that answers 200."},
		{audit.Noncanonical, audit.Repeated, "Removed, its canonical is listed already",
			"Removed, its canonical is listed already: /old/* -> /p/*", "Stop listing these addresses."},
	} {
		x := audit.Cause{Verdict: c.verdict, Group: audit.Corrected, Trait: c.trait, Count: 2, Targets: 2,
			Terms: []pattern.Term{{Name: "path", From: "/old/*", To: "/p/*"}}}
		for _, end := range []string{"1", "2"} {
			x.From.See(address.Wire("https://www.shop.example/old/" + end))
			x.To.See(address.Wire("https://www.shop.example/p/" + end))
		}
		got := conclude.Of(result(nil, func(a *audit.Result) { a.Causes = []audit.Cause{x} }), conclude.Options{}).Lanes[0].Causes[0]
		if title, line, stay := got.Title.In(en), got.Line().In(en), got.Do[0].In(en); title != c.title || line != c.line || stay != c.stay {
			t.Errorf("%s %s: %q, %q, %q", c.verdict, c.trait, title, line, stay)
		}
	}
}

// "Page with redirect" is spoken of where the upload corrects redirects; an address that moved
// is submitted as it is now.
func TestResubmitSpeaksOfWhatWasFixed(t *testing.T) {
	of := func(in groups, change ...func(*audit.Result)) []conclude.Action {
		return conclude.Of(result(in, change...), conclude.Options{}).Actions
	}
	note := func(as []conclude.Action) string {
		for _, a := range as {
			if a.Kind == conclude.DoResubmit {
				return a.Note.In(messages.Of("en"))
			}
		}
		return "no such action"
	}
	if got := note(of(groups{audit.Fine: {"ok": 9}, audit.TakenOut: {"not-found": 2}, audit.NeedsDecision: {"temporary": 1}})); got != "" {
		t.Errorf("of removed entries it says %q", got)
	}
	if got := note(of(groups{audit.Fine: {"ok": 9}, audit.Corrected: {"moved": 2}})); !strings.Contains(got, "Page with redirect") {
		t.Errorf("of redirects it says %q", got)
	}
	whole := func(a *audit.Result) {
		a.Files[0].Moved, a.Files[0].BelongsAt = true, "https://new.shop.example/sitemap.xml"
	}
	in := groups{audit.Corrected: {"moved": 9}, audit.NeedsDecision: {"temporary": 1}, audit.OtherSpelling: {"spelling-bounce": 3}}
	if got := of(in, whole, redirectedBack)[0].Note.In(messages.Of("en")); !strings.HasSuffix(got, "Then submit its new address in Search Console.") {
		t.Errorf("of a file that moved it says %q", got)
	}
	some := func(a *audit.Result) {
		whole(a)
		stays := a.Files[0]
		stays.Moved, stays.BelongsAt = false, stays.Sitemap.URL
		a.Files = append(a.Files, stays)
	}
	if got := of(in, some, redirectedBack)[0].Note.In(messages.Of("en")); !strings.Contains(got, "what now belongs at another address") {
		t.Errorf("of two files, one of which moved, it says %q", got)
	}
}

// What kept an audit from seeing a site is said in numbers that add up, whoever answered
// before; and errors are called so where there is nothing else.
func TestRefusalsAddUp(t *testing.T) {
	for _, c := range []struct {
		in     groups
		unseen map[string]int
		want   string
	}{
		{groups{audit.NotChecked: {"unverified": 72}, audit.Fine: {"ok": 8}}, map[string]int{"403": 24, string(audit.FaultAbandoned): 48}, "The server (403) refused this computer for 24 addresses, so 48 more of your 80 were not tried. Google may still reach them."},
		{groups{audit.NotChecked: {"unverified": 80}}, map[string]int{"403": 32, string(audit.FaultAbandoned): 48}, "The server (403) refused this computer for 32 addresses, so the other 48 of your 80 were not tried. Google may still reach them."},
		{groups{audit.NotChecked: {"unverified": 71}, audit.Fine: {"ok": 29}}, map[string]int{"403": 20, string(audit.FaultNotAgain): 3, string(audit.FaultAbandoned): 48}, "The server (403) refused this computer for 20 addresses, so 48 more of your 100 were not tried. 3 more could not be checked for other reasons, below. Google may still reach them."},
		{groups{audit.NotChecked: {"unverified": 20}}, map[string]int{"403": 19, string(audit.FaultTimeout): 1}, "The server (403) refused this computer for 19 of your 20 addresses. 1 more could not be checked for another reason, below. Google may still reach them."},
		{groups{audit.NotChecked: {"unverified": 5}, audit.Fine: {"ok": 15}}, map[string]int{string(audit.FaultPrivate): 5}, "15 of your 20 addresses answer 200. 5 could not be checked. Google cannot reach them either: they redirect into a private network."},
		{groups{audit.NotChecked: {"unverified": 5}, audit.Fine: {"ok": 15}}, map[string]int{string(audit.FaultPrivate): 1, "403": 4}, "15 of your 20 addresses answer 200. 5 could not be checked. 1 of them redirects into a private network, where Google cannot reach it either; it may still reach the others."},
		{groups{audit.NotChecked: {"unverified": 20}}, map[string]int{"401": 20}, "The server (401) asked for a password for all 20 addresses. Google likely cannot reach them either."},
		{groups{audit.NotChecked: {"unverified": 20}, audit.Fine: {"ok": 1}}, map[string]int{"403": 20}, "The server (403) refused this computer for 20 of your 21 addresses. Google may still reach them."},
		{groups{audit.NeedsDecision: {"error": 20}}, nil, "20 entries answer with an error."},
	} {
		got := conclude.Of(result(c.in, func(a *audit.Result) { a.Counts.Unseen = c.unseen }), conclude.Options{}).Proof.In(messages.Of("en"))
		if got != c.want {
			t.Errorf("%v: got\n%s\nwant\n%s", c.in, got, c.want)
		}
	}
}

// A clean audit, too, says what became of the last one's findings.
func TestCleanSaysWhatChanged(t *testing.T) {
	c := conclude.Of(result(groups{audit.Fine: {"ok": 60}}, func(a *audit.Result) {
		a.Last = &audit.Last{At: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC), Since: &audit.Since{Fixed: 12}}
	}), conclude.Options{})
	if got := c.Proof.In(messages.Of("en")); c.State != conclude.Clean || got != "All 60 addresses answer 200 and can be indexed. There is nothing to do. Since 2026-11-20 09:00: 12 corrected, 0 new." {
		t.Errorf("state %s says %q", c.State, got)
	}
}

// A copy of a file that was read only in part is not to be uploaded: nothing says that an
// upload fixes what stands in it.
func TestCopiesFixNothing(t *testing.T) {
	c := conclude.Of(result(groups{audit.Fine: {"ok": 60}, audit.Corrected: {"moved": 1}}, func(a *audit.Result) {
		a.Files[0].Sitemap.Faults = []audit.SitemapFault{{Name: "Parsing error", Severity: "error", Key: "cut-off", Args: []string{"3"}, Line: 9}}
	}), conclude.Options{})
	said := c.Lanes[0].Title.In(messages.Of("en"))
	for _, b := range c.Bars {
		for _, s := range b.Segments {
			said += "; " + s.Label.In(messages.Of("en"))
		}
	}
	if want := "Could be fixed once the file is whole; 60 clean; 1 could be fixed"; c.State != conclude.InPart || said != want || c.Uploads != 0 {
		t.Errorf("state %s, %d uploads: %q, want %q", c.State, c.Uploads, said, want)
	}
}

// Causes with one title and pattern show where they are, or the first of their addresses.
func TestCausesAreToldApart(t *testing.T) {
	cause := func(key string, urls ...string) audit.Cause {
		x := audit.Cause{Key: key, Verdict: audit.NotFound, Group: audit.TakenOut, Count: len(urls), Answers: map[int]int{404: len(urls)}, Examples: urls}
		for _, u := range urls {
			x.From.See(address.Wire(u))
		}
		return x
	}
	for name, c := range map[string]struct {
		causes []audit.Cause
		want   []string
	}{
		"of two hosts":   {[]audit.Cause{cause("1", "https://a.example/x/1.html", "https://a.example/y/2.html"), cause("2", "https://b.example/x/1.html", "https://b.example/y/2.html")}, []string{"https://a.example/*.html", "https://b.example/*.html"}},
		"of two folders": {[]audit.Cause{cause("1", "https://a.example/1.html", "https://a.example/2.html"), cause("2", "https://a.example/x/1.html", "https://a.example/y/2.html")}, []string{"/1.html, /2.html", "/x/1.html, /y/2.html"}},
		"that differ":    {[]audit.Cause{cause("1", "https://a.example/x/1.html", "https://a.example/x/2.html"), cause("2", "https://b.example/y/1.html", "https://b.example/y/2.html")}, []string{"/x/*.html", "/y/*.html"}},
	} {
		a := result(groups{audit.Fine: {"ok": 9}, audit.TakenOut: {"not-found": 4}}, func(a *audit.Result) { a.Causes = c.causes })
		var got, lines []string
		for _, x := range conclude.Of(a, conclude.Options{}).Lanes[0].Causes {
			got, lines = append(got, x.Pattern.Text()), append(lines, x.Line().In(messages.Of("en")))
		}
		if !slices.Equal(got, c.want) || !strings.HasSuffix(lines[0], got[0]) {
			t.Errorf("%s: %q in %q, want %q", name, got, lines, c.want)
		}
	}
}

// What the last audit removed for its noindex is told from what it fixed, as it is of this one.
func TestBarOfTheLastAuditHasItsNoindex(t *testing.T) {
	c := conclude.Of(result(groups{audit.Fine: {"ok": 60}, audit.NeedsDecision: {"loop": 1}}, func(a *audit.Result) {
		a.Last = &audit.Last{At: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC), Groups: map[audit.Group]int{audit.Fine: 50, audit.TakenOut: 11}, Noindex: 8}
	}), conclude.Options{})
	var got []string
	for _, s := range c.Bars[0].Segments {
		got = append(got, s.Label.In(messages.Of("en")))
	}
	if want := []string{"50 clean", "3 fixed by the upload", "8 removed: noindex, meant?"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Entries whose host was left alone are told from those that were tried.
func TestBarOfWhatWasNotTried(t *testing.T) {
	a := &audit.Result{Counts: audit.Counts{Entries: 100, Verdicts: map[audit.Verdict]int{audit.Unverified: 100},
		Groups: map[audit.Group]map[string]int{audit.NotChecked: {"unverified": 100}}, Unseen: map[string]int{"403": 23, "host-left": 77}}}
	var got []string
	for _, s := range conclude.Of(a, conclude.Options{}).Bars[0].Segments {
		got = append(got, s.Label.In(messages.Of("en")))
	}
	if want := []string{"23 tried, without a usable answer", "77 not tried"}; !slices.Equal(got, want) {
		t.Errorf("the segments are %q, want %q", got, want)
	}
}

// A lane shows fixes until 95 % are covered, and never folds up to 12 decisions.
func TestFolds(t *testing.T) {
	for name, c := range map[string]struct {
		group audit.Group
		sizes []int
		open  int
		more  string
	}{
		"the tail of what the upload fixes": {audit.Corrected, []int{400, 220, 200, 200, 60, 25, 20, 13, 10, 6}, 6, "4 more causes, 49 entries"},
		"one more":                          {audit.Corrected, []int{96, 4}, 2, ""},
		"the one":                           {audit.Corrected, []int{7}, 1, ""},
		"decisions":                         {audit.NeedsDecision, []int{90, 60, 40, 15, 12, 10, 5, 5, 5, 4, 1, 1}, 12, ""},
		"many decisions":                    {audit.NeedsDecision, slices.Repeat([]int{2}, 14), 12, "2 more causes, 4 entries"},
	} {
		var a audit.Result
		for _, n := range c.sizes {
			a.Causes = append(a.Causes, audit.Cause{Verdict: audit.Temporary, Group: c.group, Count: n})
		}
		l := conclude.Of(&a, conclude.Options{}).Lanes[0]
		if more := l.More.In(messages.Of("en")); l.Open != c.open || more != c.more {
			t.Errorf("%s: %d open, %q; want %d, %q", name, l.Open, more, c.open, c.more)
		}
	}
}

// A home page that leads to that of a language is not gone: nobody is told to answer 410 there.
func TestHomePageOfALanguage(t *testing.T) {
	for loc, want := range map[string]string{"https://www.shop.example/": "Home page redirects to that of a language", "https://www.shop.example/old": "Redirect to the home page"} {
		c := conclude.Of(result(groups{audit.NeedsDecision: {"homepage": 1}}, func(a *audit.Result) {
			a.Causes[0].Examples, a.Causes[0].Finals = []string{loc}, []string{"https://www.shop.example/en/"}
		}), conclude.Options{})
		if got := c.Lanes[0].Causes[0].Title.In(messages.Of("en")); got != want {
			t.Errorf("%s: %q, want %q", loc, got, want)
		}
	}
}

// Entries that only repeat others lead where they should, and nothing else is said of them.
func TestEntriesListedTwice(t *testing.T) {
	en := messages.Of("en")
	for want, in := range map[string]groups{
		"3 of your 20 entries repeat others of the same file. 3 entries are listed twice.":                                {audit.Fine: {"ok": 17}, audit.Corrected: {"ok": 3}},
		"25 % of your sitemap does not lead straight to a page Google can index. 2 entries redirect, 3 are listed twice.": {audit.Fine: {"ok": 15}, audit.Corrected: {"ok": 3, "moved": 2}},
	} {
		c := conclude.Of(result(in), conclude.Options{})
		if got := c.Headline.In(en) + " " + c.Proof.In(en); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// That new addresses are redirected in another spelling is said in the lane and under the upload,
// and nothing of it where none is, or none is written.
func TestNewAddressesThatBounce(t *testing.T) {
	const want = " In another spelling, 3 of the new addresses redirect: that is the server, no fault of the sitemap."
	words := messages.Of("en")
	for name, c := range map[string]struct {
		n       int
		partial bool
		want    string
	}{"three": {3, false, want}, "none": {0, false, ""}, "nothing is written": {3, true, ""}} {
		x := conclude.Of(result(groups{audit.Fine: {"ok": 12}, audit.Corrected: {"moved": 8}}, func(a *audit.Result) {
			a.Counts.Notes[audit.Bounces], a.Info.Partial = c.n, c.partial
		}), conclude.Options{})
		lane := x.Lanes[0]
		if got := lane.Bounces.In(words); got != c.want {
			t.Errorf("%s: the lane says %q", name, got)
		}
		if lead := lane.Lead.In(words); strings.HasSuffix(lead, want) != (c.want != "") {
			t.Errorf("%s: the lead is %q", name, lead)
		}
		if text := x.Actions[0].Text.In(words); strings.HasSuffix(text, want) != (c.want != "") {
			t.Errorf("%s: the action says %q", name, text)
		}
	}
}

// What is to be done first is what helps with the cause.
func TestFirstActionsFitTheCause(t *testing.T) {
	for why, want := range map[string]string{"dns": "Check the host", "robots-unreachable": "Check the host",
		"redirects-to-private": "Correct the redirects to the host", "tls": "Repair the certificate of the host", "address-not-allowed": "Check where the host leads", "robots-not-allowed": "Correct robots.txt of the host",
		"robots-500": "Repair robots.txt", "robots-429": "Crawl more slowly",
		"timeout": "Crawl more slowly", "403": "Let this computer through"} {
		c := conclude.Of(result(groups{audit.NotChecked: {"unverified": 20}}, func(a *audit.Result) { a.Counts.Unseen[why] = 20 }), conclude.Options{})
		if got := c.Actions[0].Title.Plain(messages.Of("en")); got != want {
			t.Errorf("%s: the first action is %q, want %q", why, got, want)
		}
	}
	// What depends on the host names it, even where little was not seen and nothing else is to be
	// done.
	lost := conclude.Of(result(groups{audit.Fine: {"ok": 200}, audit.NotChecked: {"unverified": 1}}, func(a *audit.Result) {
		a.Counts.Unseen["dns"] = 1
		a.Causes = []audit.Cause{{Verdict: audit.Unverified, Group: audit.NotChecked, Count: 1, Terms: []pattern.Term{{Name: "unseen", From: "dns"}},
			Examples: []string{"https://shop.example/a"}, Finals: []string{"https://shopp.example/a"}}}
	}), conclude.Options{})
	if len(lost.Actions) != 1 || lost.Actions[0].Title.Plain(messages.Of("en")) != "Correct the redirects to shopp.example" {
		t.Errorf("a redirect to a host that does not resolve: %+v", lost.Actions)
	}
	other := conclude.Of(result(groups{audit.Fine: {"ok": 20}, audit.NotChecked: {"unverified": 5}}, func(a *audit.Result) {
		a.Counts.Unseen["dns"] = 5
		a.Files[0].Sitemap.Faults = []audit.SitemapFault{{Severity: "error", Count: 5}}
		var from pattern.Shape
		from.See(address.Wire("http://gone.invalid/a/1"))
		from.See(address.Wire("http://gone.invalid/a/2"))
		a.Causes = []audit.Cause{{Verdict: audit.Unverified, Group: audit.NotChecked, Count: 5, From: from, Terms: []pattern.Term{{Name: "unseen", From: "dns"}},
			Examples: []string{"HTTP://gone.invalid:80/a/1"}, Finals: []string{"http://gone.invalid/a/1"}}}
	}), conclude.Options{})
	if got := other.Actions[0].Title.Plain(messages.Of("en")); got != "Correct the entries of gone.invalid" {
		t.Errorf("entries of another host that does not resolve: the action is %q", got)
	}
	if got := other.Lanes[0].Causes[0].Pattern.Text(); got != "http://gone.invalid/a/*" {
		t.Errorf("entries of another host that does not resolve: the pattern is %q", got)
	}
	if got := other.Headline.In(messages.Of("en")) + other.Proof.In(messages.Of("en")); !strings.Contains(got, "in the addresses that could be checked") || !strings.HasSuffix(got, " 5 faults in the files remain, below.") {
		t.Errorf("beside faults of the files: %q", got)
	}
	partly := groups{audit.Fine: {"ok": 20}, audit.Corrected: {"moved": 20}, audit.NotChecked: {"unverified": 10}}
	c := conclude.Of(result(partly, func(a *audit.Result) { a.Counts.Unseen["403"] = 10 }), conclude.Options{})
	if !slices.ContainsFunc(c.Actions, func(a conclude.Action) bool { return a.Kind == conclude.DoLetIn }) {
		t.Error("partly refused: no action says to let this computer through")
	}
}

// Redirects that never arrive send nobody to another address.
func TestLoopsAlone(t *testing.T) {
	c := conclude.Of(result(groups{audit.Fine: {"ok": 60}, audit.NeedsDecision: {"loop": 20}}), conclude.Options{})
	if got, want := c.Headline.Plain(messages.Of("en")), "25 % of your sitemap redirects and never arrives at a page."; got != want {
		t.Errorf("the headline is %q, want %q", got, want)
	}
}

// What changed since the last audit is told in one line.
func TestSince(t *testing.T) {
	for _, c := range []struct {
		since audit.Since
		want  string
	}{
		{audit.Since{Fixed: 5, Open: 10}, "5 corrected, 0 new. The 10 decisions are still open."},
		{audit.Since{Fixed: 1, New: 3, Open: 1}, "1 corrected, 3 new. The 1 decision is still open."},
		{audit.Since{New: 10}, "0 corrected, 10 new."},
	} {
		got := conclude.Of(result(groups{audit.Fine: {"ok": 90}, audit.NeedsDecision: {"not-found": 10}}, func(a *audit.Result) {
			a.Last = &audit.Last{At: time.Date(2026, 11, 22, 1, 35, 0, 0, time.UTC), Since: &c.since}
		}), conclude.Options{}).Since.In(messages.Of("en"))
		if want := "Since 2026-11-22 01:35: " + c.want; got != want {
			t.Errorf("%+v:\n got %s\nwant %s", c.since, got, want)
		}
	}
}

// The action is named after what its causes ask for: a decision, a repair, or both.
func TestDecideOrRepair(t *testing.T) {
	server := audit.Cause{Group: audit.NeedsDecision, Verdict: audit.Error, Count: 20, Terms: []pattern.Term{{Name: "status", From: "500"}}}
	loop := audit.Cause{Group: audit.NeedsDecision, Verdict: audit.Loop, Count: 3}
	gone := audit.Cause{Group: audit.NeedsDecision, Verdict: audit.NotFound, Count: 2}
	for want, causes := range map[string][]audit.Cause{
		"Repair the server for 20 entries": {server},
		"Repair 23 entries":                {server, loop},
		"Decide on or repair 22 entries":   {server, gone},
		"Decide on 2 entries":              {gone},
	} {
		n := 0
		for _, x := range causes {
			n += x.Count
		}
		got := conclude.Of(result(groups{audit.NeedsDecision: {"error": n}}, func(a *audit.Result) { a.Causes = causes }), conclude.Options{})
		if len(got.Actions) != 1 || got.Actions[0].Title.In(messages.Of("en")) != want {
			t.Errorf("actions %+v, want %q", got.Actions, want)
		}
	}
}

// A site whose host asked to be left alone before a sitemap was found is there: it is audited again
// later, and nobody is sent to look whether its name is right.
func TestASiteThatIsOverloadedIsAuditedLater(t *testing.T) {
	const said = 1000 // not left alone: one of the usual places, or robots.txt, answered so
	for status, want := range map[int]string{503: "Audit again later, more slowly", 429: "Crawl more slowly",
		said + 503: "Audit again later, more slowly", said + 429: "Crawl more slowly", 0: "Check shop.example"} {
		a := result(groups{}, func(a *audit.Result) {
			a.Info.Targets, a.Info.Abandoned = []string{"http://shop.example/"}, map[string]int{"shop.example": status}
			fault := audit.SitemapFault{Sitemap: "http://shop.example/", Severity: "error", Key: audit.FaultAsSaid, Args: []string{"no sitemap was found"}}
			if status > said {
				fault.Args = append(fault.Args, strconv.Itoa(status-said))
			}
			a.Files = []audit.File{{Sitemap: audit.Sitemap{Parent: -1, URL: "http://shop.example/", Faults: []audit.SitemapFault{fault}}}}
		})
		if got := conclude.Of(a, conclude.Options{}).Actions[0].Title.In(messages.Of("en")); got != want {
			t.Errorf("status %d: %q, want %q", status, got, want)
		}
	}
}

// Of several files that were read only in part, those are named that are not to be uploaded: the
// ones of which there is a corrected copy.
func TestCopiesNotToUploadAreNamed(t *testing.T) {
	a := result(groups{audit.Corrected: {"moved": 3}, audit.Fine: {"ok": 9}}, func(a *audit.Result) {
		cut := audit.SitemapFault{Severity: "error", Key: "cut-off", Line: 9}
		a.Files = nil
		for i, name := range []string{"copied", "left"} {
			a.Files = append(a.Files, audit.File{Changed: i == 0, Sitemap: audit.Sitemap{N: i, Parent: -1, Kind: "urlset",
				URL: "https://shop.example/" + name + ".xml", Cut: i == 1, Faults: []audit.SitemapFault{cut}}})
		}
	})
	text := conclude.Of(a, conclude.Options{}).Actions[0].Text.In(messages.Of("en"))
	if !strings.HasPrefix(text, "The corrected copy of copied.xml lacks what was not read, too: do not upload it.") {
		t.Errorf("%q", text)
	}
}

// What is wrong in an answer itself, a slower audit does not mend, and no command lets an audit of a public site into a
// private network to which that site leads.
func TestNoCommandForWhatItCannotMend(t *testing.T) {
	for fault, want := range map[audit.Fault]string{audit.FaultNotHTTP: "Correct the answers of shop.example", audit.FaultEncoding: "Correct the answers of shop.example",
		audit.FaultHeader: "Correct the answers of shop.example", audit.FaultRobotsAddress: "Correct robots.txt of shop.example"} {
		c := conclude.Of(result(groups{audit.Fine: {"ok": 20}, audit.NotChecked: {"unverified": 5}}, func(a *audit.Result) {
			a.Counts.Unseen[string(fault)] = 5
			a.Causes = []audit.Cause{{Verdict: audit.Unverified, Group: audit.NotChecked, Count: 5, Terms: []pattern.Term{{Name: "unseen", From: string(fault)}},
				Examples: []string{"https://shop.example/a"}, Finals: []string{"https://shop.example/a"}}}
		}), conclude.Options{})
		first, cause := c.Actions[0], c.Lanes[0].Causes[0]
		if got := first.Title.Plain(messages.Of("en")); got != want || first.Target != "" || cause.Retry != "" {
			t.Errorf("%s: %q with %q, and beside the cause %q; want %q without a command", fault, got, first.Target, cause.Retry, want)
		}
	}
}

// A local file has no host that could be looked for; a site has one, however it was named, and may have no sitemap.
func TestLocalFileThatIsNone(t *testing.T) {
	none := "; tried https://a.example/sitemap.xml: it answers 404"
	for url, want := range map[string]string{
		"https://a.example":             "Name your sitemap: The site answers, but its robots.txt names no sitemap that can be read, and none is at the usual addresses: name it there, or audit its own address.",
		"a.example":                     "Name your sitemap: The site answers, but its robots.txt names no sitemap that can be read, and none is at the usual addresses: name it there, or audit its own address.",
		"b.example":                     "Check b.example: No address that was tried gave a sitemap: see for each what came (no name, no connection, a certificate, an error), correct that, then audit again.",
		"-":                             "Make the sitemap readable: See what writes this file: no sitemap with an address stands in it. Then audit again.",
		"https://a.example/sitemap.xml": "Check a.example: No address that was tried gave a sitemap: see for each what came (no name, no connection, a certificate, an error), correct that, then audit again.",
	} {
		said := url + ": an empty file"
		switch url {
		case "https://a.example", "a.example":
			said = "no sitemap with an entry was found" + none
		case "b.example":
			said = "no sitemap with an entry was found; tried https://b.example/sitemap.xml: certificate has expired"
		}
		a := &audit.Result{Files: []audit.File{{Sitemap: audit.Sitemap{URL: url, Parent: -1, Faults: []audit.SitemapFault{{Severity: "error", Key: audit.FaultAsSaid, Args: []string{said}}}}}}}
		x := conclude.Of(a, conclude.Options{}).Actions[0]
		if got := x.Title.Plain(messages.Of("en")) + ": " + x.Text.Plain(messages.Of("en")); got != want {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
}
