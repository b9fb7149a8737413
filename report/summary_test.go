package report

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/pattern"
	"sitemend/report/messages"
)

func summaryOf(t *testing.T, result *audit.Result, o Summary) string {
	t.Helper()
	var b strings.Builder
	if err := WriteSummary(&b, result, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The last line is what to do next, however wide the terminal, and only that; before it stands
// where to read more, or at its side. A command that does it stands alone, to be pasted.
func TestTheLastLineIsWhatToDo(t *testing.T) {
	clean := large()
	*clean = audit.Result{Info: clean.Info, Counts: audit.Counts{Entries: 60, Verdicts: map[audit.Verdict]int{audit.OK: 60}, Groups: map[audit.Group]map[string]int{audit.Fine: {"ok": 60}}}}
	undecided := large()
	undecided.Files[1].Changed, undecided.Files[2].Changed, undecided.Causes = false, false, undecided.Causes[5:7]
	part := large()
	part.Info.Partial, part.Info.Given = true, []string{"--sample=9", "--rate=2"}
	part.Counts.Groups[audit.LeftOut] = map[string]int{"skipped": 9}
	for _, c := range []struct {
		name   string
		result *audit.Result
		width  int
		want   string
	}{
		{"an upload, in a wide terminal", large(), 140, "Next      Upload the 2 files, then resubmit https://www.example.com/sitemap.xml in Search Console   report: out/report.html"},
		{"an upload", large(), 100, "Report    out/report.html\nNext      Upload the 2 files, then resubmit https://www.example.com/sitemap.xml in Search Console"},
		{"an upload, in a narrow terminal", large(), 80, "Report    out/report.html\nNext      Upload the 2 files, then resubmit https://www.example.com/sitemap.xml"},
		{"a decision", undecided, 80, "Next      Decide on or repair 31 entries   report: out/report.html"},
		{"a command", part, 80, "Report     out/report.html\nNext       Audit the whole sitemap: Corrected files are written once every entry\n           was crawled.\n           sitemend audit --rate 2 https://www.example.com"},
		{"nothing", clean, 80, "Report    out/report.html\nNext      Keep it so, from cron or CI:\n          sitemend audit -q --new https://www.example.com"},
	} {
		out := Written{Dir: "out", Files: []string{"report.html"}}
		if got := summaryOf(t, c.result, Summary{Written: out, Lang: "en", Width: c.width}); !strings.HasSuffix(got, "\n"+c.want+"\n") {
			t.Errorf("%s: it does not end with\n%s\nbut\n%s", c.name, c.want, got)
		}
	}
}

// large is the audit of the contract's example.
func large() *audit.Result {
	c := audit.Counts{Entries: 5000, Verdicts: map[audit.Verdict]int{audit.OK: 3898, audit.Moved: 951, audit.Respelled: 61, audit.NotFound: 41, audit.Noindex: 14,
		audit.Temporary: 18, audit.Loop: 13, audit.Unverified: 4}, Actions: map[audit.Action]int{audit.Merge: 43, audit.Drop: 55}, Unseen: map[string]int{"403": 4}, Notes: map[audit.Note]int{},
		Groups: map[audit.Group]map[string]int{
			audit.Fine:          {"ok": 3898},
			audit.Corrected:     {"moved": 908, "respelled": 61, "merged": 43},
			audit.TakenOut:      {"not-found": 41, "noindex": 14},
			audit.NeedsDecision: {"temporary": 18, "loop": 13},
			audit.NotChecked:    {"unverified": 4}}}
	stock := audit.Cause{Verdict: audit.Temporary, Group: audit.NeedsDecision, Count: 18, Answers: map[int]int{302: 18}}
	for _, p := range []string{"https://www.example.com/stock/1 https://www.example.com/sale", "https://www.example.com/stock/2 https://www.example.com/sale"} {
		from, to, _ := strings.Cut(p, " ")
		stock.From.See(address.Wire(from))
		stock.To.See(address.Wire(to))
	}
	return audit.MakeResult(audit.Result{
		Info: audit.Info{Targets: []string{"https://www.example.com"}, Identity: "googlebot", Started: checked, Ended: checked.Add(14 * time.Minute), Duration: 13*time.Minute + 40*time.Second, Requests: 6204,
			Agent: "Mozilla/5.0 (compatible; Googlebot/2.1)"},
		Counts: c,
		Files:  []audit.File{{Sitemap: audit.Sitemap{Kind: "index"}}, {Changed: true, BelongsAt: "https://www.example.com/sitemap.xml"}, {Changed: true, BelongsAt: "https://www.example.com/sitemap.xml"}, {}},
		Causes: []audit.Cause{
			{Verdict: audit.Moved, Group: audit.Corrected, Count: 908, Rule: "http:// -> https://", Terms: []pattern.Term{{Name: "scheme", From: "http://", To: "https://"}}},
			{Verdict: audit.Respelled, Group: audit.Corrected, Count: 61, Terms: []pattern.Term{{Name: "decoded", From: "%7E", To: "~"}}},
			{Verdict: audit.Moved, Group: audit.Corrected, Count: 43, Trait: audit.Repeated},
			{Verdict: audit.NotFound, Group: audit.TakenOut, Count: 41, Answers: map[int]int{404: 41}},
			{Verdict: audit.Noindex, Group: audit.TakenOut, Count: 14},
			stock, {Verdict: audit.Loop, Group: audit.NeedsDecision, Count: 13, Rule: "/a/*"},
			{Verdict: audit.Unverified, Group: audit.NotChecked, Count: 4, Terms: []pattern.Term{{Name: "unseen", From: "403"}}}},
		Proof: audit.Proof{Entries: 4902, Direct: 4867, NeedDecision: 31, NotChecked: 4},
	}, nil, nil)
}

func TestSummaryOfTheContract(t *testing.T) {
	const want = `https://www.example.com    3 sitemaps, 5,000 entries, crawled as Googlebot (smartphone) on 2026-11-21 10:02, 14 min, 6,204 requests

Clean     78 % today -> 99 % after the upload: 4,867 of the 4,898 checked that are left
Upload    2 files in sitemend-out/sitemaps/ fix 1,053; the 2 largest of 5 causes:
            908  http:// -> https://
             61  other encoding: %7E -> ~
          43 removed, listed already · 41 removed, not found · 14 removed, noindex (meant?)
Decide    31 entries in 2 causes
            18  302: /stock/* -> /sale   Site owner: Will these pages come back?
            13  Redirect loop: /a/*      Server admin: Remove the rule that closes the circle.
Unseen    4 entries, which Google may still reach: Refused (403)   Server admin: If this is a login area, take it out of the sitemap.
Report    sitemend-out/report.html
Next      Upload the 2 files, then resubmit https://www.example.com/sitemap.xml in Search Console
`
	got := summaryOf(t, large(), Summary{Written: Written{Dir: "sitemend-out", Files: []string{"report.html"}}})
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestSummarySays(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*audit.Result)
		want   string
	}{
		"the brake's question and its command": {func(a *audit.Result) {
			a.Files[1].Braked, a.Files[1].Counts.Entries = map[audit.Verdict]int{audit.Noindex: 1204}, 3010
			a.Files[1].Sitemap.N, a.Files[1].Sitemap.URL = 7, "https://www.example.com/tags.xml"
			a.Causes = []audit.Cause{{Verdict: audit.Noindex, Group: audit.NeedsDecision, Stop: audit.Braked, Count: 1204}}
		}, "requests\n\n22 % of your sitemap does not lead straight to a page Google can index.\n1. Decide on 1,204 entries. In tags.xml, 1,204 of 3,010 entries say noindex: is that meant? " +
			"Their removal was held back. If it is: sitemend report --max-drop 100%\n2. Upload the 2 files, then resubmit https://www.example.com/sitemap.xml in Search Console\n\nClean"},
		"no command where it would empty a file": {func(a *audit.Result) {
			a.Files = a.Files[1:2]
			a.Files[0].Braked, a.Files[0].AllBraked = map[audit.Verdict]int{audit.Noindex: 1204}, true
			a.Files[0].Counts.Entries = 1204
			a.Causes = []audit.Cause{{Verdict: audit.Noindex, Group: audit.NeedsDecision, Stop: audit.HeldAlone, Count: 1204}}
		}, "\n1. Decide on 1,204 entries. 1,204 of 1,204 entries say noindex: is that meant? They stay listed: an empty sitemap is never written.\n2. Upload"},
		"the sitemaps that could not be read": {func(a *audit.Result) {
			a.Files[3].Sitemap.URL = "https://www.example.com/c.xml"
			a.Files[3].Sitemap.Faults = []audit.SitemapFault{{Name: "HTTP error", Severity: "error", Key: audit.FaultAsSaid, Args: []string{"it answers 404"}}}
		}, "\n1 of your 3 sitemaps could not be read. https://www.example.com/c.xml: it answers 404. Of the 5,000 entries of the others, 3,898 are clean.\n"},
		"that none was read, in the first line": {func(a *audit.Result) {
			a.Files, a.Counts, a.Causes = a.Files[3:], audit.Counts{}, nil
			a.Files[0].Sitemap.Kind, a.Files[0].Sitemap.Faults = "", []audit.SitemapFault{{Name: "HTTP error", Severity: "error", Key: audit.FaultAsSaid, Args: []string{"it answers 404"}}}
		}, "    1 sitemap that could not be read, 0 entries, crawled as Googlebot"},
		"what names a sitemap that could not be read": {func(a *audit.Result) {
			a.Files[3].Sitemap.URL = "https://www.example.com/c.xml"
			a.Files[3].Sitemap.Faults = []audit.SitemapFault{{Name: "HTTP error", Severity: "error", Key: audit.FaultAsSaid, Args: []string{"it answers 404"}, NamedIn: "https://www.example.com/robots.txt", NamedAt: 3}}
		}, "sitemaps could not be read. https://www.example.com/c.xml: it answers 404 (https://www.example.com/robots.txt line 3 names it). Of the 5,000 "},
		"the sitemaps of several that could not be read": {func(a *audit.Result) {
			for _, i := range []int{2, 3} {
				a.Files[i].Sitemap.URL = "https://www.example.com/c.xml"
				a.Files[i].Sitemap.Faults = []audit.SitemapFault{{Name: "HTTP error", Severity: "error", Key: audit.FaultAsSaid, Args: []string{"it answers 404"}}}
			}
		}, "Not read  2 of 3 sitemaps could not be read: what they list was not crawled\n          https://www.example.com/c.xml: it answers 404\n          https://www.example.com/c.xml: it answers 404\n"},
		"an index that is edited, too": {func(a *audit.Result) { a.Files[0].Changed = true }, "Upload    3 files fix 1,053; the 2 largest of 5 causes:\n"},
		"links alone": {func(a *audit.Result) {
			a.Counts.Groups = map[audit.Group]map[string]int{audit.Fine: {"ok": 9}, audit.NeedsDecision: {"loop": 31}}
			a.Causes, a.Files[1].Relinked = a.Causes[5:], 3
		}, "Upload    2 files: only other addresses (alternates) and entries of an index change · 3 other tags corrected\n"},
		"a whole move": {func(a *audit.Result) {
			a.Files[1].Moved, a.Files[1].Sitemap.AnsweredAt, a.Files[1].BelongsAt = true, "http://old.example/s.xml", "http://new.example/s.xml"
		}, "Moved     http://old.example/s.xml now belongs at http://new.example/s.xml\n          put it there"},
		"a host left alone": {func(a *audit.Result) {
			a.Info.Abandoned = map[string]int{"b.example": 0, "a.example": 403}
			a.Counts.Unseen = map[string]int{string(audit.FaultAbandoned): 4}
		}, "Left alone  a.example was left alone, for it refused, was overloaded or did not answer (status 403); its other entries were not crawled\n            b.example was left alone, for it refused, was overloaded or did not answer (no answer); its other entries were not crawled\n            403 or a bot check: allow this machine's IP address in the firewall or bot protection while the audit runs\n            many sites refuse whoever says Googlebot (smartphone) and does not come from its addresses: --as browser or --as sitemend shows whether that is all\n            no answer: crawl more slowly (--rate 1)"},
		"a host left alone after its last entry": {func(a *audit.Result) {
			a.Info.Abandoned = map[string]int{"a.example": 403}
		}, "Left alone  a.example was left alone, for it refused, was overloaded or did not answer (status 403)\n"},
		"a bot protection": {func(a *audit.Result) {
			a.Counts.Unseen = map[string]int{"Cloudflare": 3, "403": 1}
		}, "Refused   403 or a bot check: allow this machine's IP address in Cloudflare while the audit runs\n"},
		"a password": {func(a *audit.Result) {
			a.Counts.Unseen, a.Counts.Verdicts[audit.Unverified] = map[string]int{"401": 500}, 500
		}, "Refused   401: Google has no password either: open these pages, or take them out of the sitemap; for a site that is not public yet, --user NAME:PASS\n"},
		"a password that was sent": {func(a *audit.Result) {
			a.Info.Rules.Secret, a.Info.Given = []string{"https://www.example.com"}, []string{"--user=NAME:PASS"}
		}, "crawled as Googlebot (smartphone) with --user on 2026"},
		"an agent of one's own": {func(a *audit.Result) {
			a.Info.Agent, a.Info.Rules.Secret = "MyBot/1", []string{"https://www.example.com"}
		}, "crawled as MyBot/1 with --header and --user on 2026"},
		"a password that is wrong": {func(a *audit.Result) {
			a.Counts.Unseen, a.Counts.Verdicts[audit.Unverified] = map[string]int{"401": 500}, 500
			a.Info.Rules.Secret = []string{"www.example.com:443"}
		}, "Refused   401: what --user or --header sends is not accepted; check name and password\n"},
		"robots.txt that does not answer": {func(a *audit.Result) {
			a.Info.RobotsBad = []string{"https://a.example"}
		}, "robots.txt  https://a.example/robots.txt could not be read from here, so nothing of that host was crawled; whether"},
		"robots.txt that answers 5xx": {func(a *audit.Result) {
			a.Info.RobotsBad, a.Info.RobotsDown = []string{"https://a.example"}, []string{"https://a.example"}
		}, "robots.txt  https://a.example/robots.txt answered with a server error, so nothing of that host was crawled (Google stops, too)"},
		"more than a few": {func(a *audit.Result) {
			a.Info.RobotsBad = []string{"1", "2", "3", "4", "5", "6", "7"}
		}, "            and 2 more, see summary.json"},
		"a proxy": {func(a *audit.Result) { a.Info.Proxy = true }, "Proxy     requests went through a proxy: only literal addresses"},
		"faults of the files": {func(a *audit.Result) {
			a.Files[1].Sitemap.Faults = []audit.SitemapFault{{Name: "Invalid date", Severity: "warning"}, {Name: "Too many URLs", Severity: "error"}, {Name: "Invalid date", Severity: "warning"}}
		}, "Faults    today 1 error, 2 warnings in the sitemap files: Invalid date (2) · Too many URLs (1);"},
		"faults of more kinds than are named": {func(a *audit.Result) {
			for i, name := range []string{"A", "B", "C", "D", "E", "F", "G"} {
				a.Files[1].Sitemap.Faults = append(a.Files[1].Sitemap.Faults, audit.SitemapFault{Name: name, Severity: "warning", Count: 9 - i})
			}
		}, "A (9) · B (8) · C (7) · D (6) · E (5) · and 7 more in 2 kinds;"},
		"a sample writes no sitemap": {func(a *audit.Result) { a.Info.Partial = true }, "Would fix  1,053 entries could be fixed (no file was written); the 2 largest of 5 causes:\n"},
		"what to do then":            {func(a *audit.Result) { a.Info.Partial = true }, "Next       Audit the whole sitemap: Corrected files are written once every entry was crawled.\n"},
		"only the files": {func(a *audit.Result) {
			a.Info.NoFetch, a.Info.Partial = true, true
			a.Counts.Groups = map[audit.Group]map[string]int{audit.LeftOut: {"skipped": 5000}}
			a.Causes = nil
		}, "5,000 entries, only the files were checked, on 2026-11-21 10:02\n\nYour sitemap files have no faults. Only the files were checked; none of the 5,000 entries was crawled.\n"},
		"nothing to change": {func(a *audit.Result) {
			a.Files[1].Changed, a.Files[2].Changed = false, false
			a.Counts.Groups = map[audit.Group]map[string]int{audit.Fine: {"ok": 9}, audit.NeedsDecision: {"loop": 31}}
			a.Causes = a.Causes[5:7]
		}, "Clean     23 % today\nDecide    31 entries in 2 causes\n"},
		"a clean sitemap": {func(a *audit.Result) {
			*a = audit.Result{Info: a.Info, Counts: audit.Counts{Entries: 60, Verdicts: map[audit.Verdict]int{audit.OK: 60}, Groups: map[audit.Group]map[string]int{audit.Fine: {"ok": 60}}}}
		}, "\nYour sitemap is clean. All 60 addresses answer 200 and can be indexed. There is nothing to do.\n\nNext      Keep it so, from cron or CI:\n          sitemend audit -q --new https://www.example.com\n"},
		"what to make of another spelling": {func(a *audit.Result) {
			a.Causes = append(a.Causes, audit.Cause{Verdict: audit.SpellingBounce, Group: audit.OtherSpelling, Count: 2})
		}, "Spelling  2 entries right as listed, and answered otherwise in another spelling\n            2  Redirected in another spelling\n          leave the sitemap as it is; only if"},
		"why, where most could not be seen": {func(a *audit.Result) {
			a.Counts = audit.Counts{Entries: 9, Verdicts: map[audit.Verdict]int{audit.Unverified: 9}, Unseen: map[string]int{"403": 9}, Groups: map[audit.Group]map[string]int{audit.NotChecked: {"unverified": 9}}}
			a.Causes = []audit.Cause{{Verdict: audit.Unverified, Group: audit.NotChecked, Count: 9, Terms: []pattern.Term{{Name: "unseen", From: "403"}}}}
		}, "Unseen    9 entries, which Google may still reach, in 1 cause\n            9  Refused (403)   Server admin: Let this computer's IP address through.\n"},
		"what another audit needs": {func(a *audit.Result) {
			a.Counts = audit.Counts{Entries: 9, Verdicts: map[audit.Verdict]int{audit.Unverified: 9}, Unseen: map[string]int{"429": 9}, Groups: map[audit.Group]map[string]int{audit.NotChecked: {"unverified": 9}}}
			a.Causes = []audit.Cause{{Verdict: audit.Unverified, Group: audit.NotChecked, Count: 9, Terms: []pattern.Term{{Name: "unseen", From: "429"}}}}
		}, "            9  Too fast (429)   Auditor: Crawl more slowly. --rate 1\n"},
		"why a rule keeps entries": {func(a *audit.Result) {
			a.Causes = []audit.Cause{{Verdict: audit.Moved, Group: audit.NeedsDecision, Count: 2, Stop: audit.Locale}}
		}, "            2  Redirect by language or country   Server admin: List each language under its own address.\n"},
		"a folder that may have been renamed": {func(a *audit.Result) {
			a.Causes = []audit.Cause{{Verdict: audit.Moved, Group: audit.NeedsDecision, Count: 1, Stop: audit.Locale, Answers: map[int]int{301: 1},
				Examples: []string{"http://a.example/jp/x"}, Finals: []string{"http://a.example/ja/x"}}}
		}, "            1  Redirect to another language or country: http://a.example/jp/x   Server admin: Look at one in a browser of another language: where"},
		"the largest causes of a lane, and how many there are": {func(a *audit.Result) {
			a.Causes = slices.Repeat([]audit.Cause{{Verdict: audit.Loop, Group: audit.NeedsDecision, Count: 1}}, 10)
		}, "Decide    10 entries; the 6 largest of 10 causes:\n" + strings.Repeat("            1  Redirect loop   Server admin: Remove the rule that closes the circle.\n", 6) + "Next"},
		"a redirect that is no answer of HTTP": {func(a *audit.Result) {
			i := slices.IndexFunc(a.Causes, func(x audit.Cause) bool { return x.Verdict == audit.Temporary })
			a.Causes[i].Answers = map[int]int{200: 1, 302: 17}
		}, "            18  Temporary redirect: /stock/* -> /sale   "},
		"what came back": {func(a *audit.Result) {
			a.Back = audit.CameBackList{Unlisted: 7, Listed: 1, Addresses: slices.Repeat([]audit.CameBackAt{{Loc: "https://www.example.com/x", Sitemap: "https://www.example.com/s.xml"}}, 7)}
		}, "Back      7 addresses that earlier audits removed are clean again, and no sitemap lists them: list them again\n          https://www.example.com/x (was in https://www.example.com/s.xml)\n"},
		"how to write what a rule kept out": {func(a *audit.Result) {
			a.Counts.Liftable = map[audit.Note]int{audit.Locale: 2, audit.OtherHost: 1}
			a.Counts.Notes = map[audit.Note]int{audit.Locale: 2, audit.OtherHost: 1, audit.Collapsed: 4, audit.TargetNote(audit.Noindex): 4}
		}, "Held back  if the addresses that the rules kept out are right all the same, this writes them, without a new audit: sitemend report --fix locale=replace,other-host=replace\n"},
		"a long audit":  {func(a *audit.Result) { a.Info.Duration = 125 * time.Minute }, "10:02, 2 h 5 min,"},
		"a short audit": {func(a *audit.Result) { a.Info.Duration = 40 * time.Millisecond }, "10:02, 1 s,"},
	} {
		result := large()
		c.change(result)
		got := summaryOf(t, result, Summary{})
		want, first := strings.CutPrefix(c.want, "^")
		if !strings.Contains(got, want) || first && !strings.HasPrefix(got, want) {
			t.Errorf("%s:\n%s\ndoes not say\n%s", name, got, want)
		}
	}
}

// On a terminal of 80 columns no line is longer, but where a command or an address stands
// that would break, and an ordinary site takes 12 lines at most, and those that go on with one that
// is too long; each thing to know is there all the same.
func TestSummaryFitsTheTerminal(t *testing.T) {
	stuck := regexp.MustCompile(`^ *(sitemend|https?:)[^ ]*|sitemend report `)
	labels := regexp.MustCompile(`(?m)^\S+(?: \S+)*  `)
	for name, c := range map[string]struct {
		change func(*audit.Result)
		most   int // lines
	}{
		"an ordinary site": {func(*audit.Result) {}, 12},
		"with faults":      {func(a *audit.Result) { a.Files[0].Sitemap.Faults = manyFaults }, 14}, // a line more: three lanes, a wide label
		"all at once": {func(a *audit.Result) {
			a.Causes[5].Examples = []string{"https://www.example.com/a/very/long/path/that/goes/on/and/on/and/leads/nowhere/at/all"}
			a.Counts.Liftable = map[audit.Note]int{audit.Locale: 2, audit.OtherHost: 1}
			a.Counts.Unseen = map[string]int{"403": 2, "401": 2}
			a.Info.Proxy = true
			a.Files[0].Sitemap.Faults = manyFaults
		}, 19},
	} {
		for _, lang := range messages.Langs() {
			result := large()
			c.change(result)
			written := Written{Dir: "sitemend-out", Files: []string{"report.html"}}
			wide, narrow := summaryOf(t, result, Summary{Lang: lang, Written: written}), summaryOf(t, result, Summary{Lang: lang, Written: written, Width: 80})
			for line := range strings.Lines(narrow) {
				if line = strings.TrimSuffix(line, "\n"); cellsOf(line) > 80 && !stuck.MatchString(line) {
					t.Errorf("%s, %s: %d cells: %s", name, lang, cellsOf(line), line)
				}
			}
			if n := strings.Count(narrow, "\n"); n > c.most {
				t.Errorf("%s, %s: %d lines, want %d at most:\n%s", name, lang, n, c.most, narrow)
			}
			if got, want := labels.FindAllString(narrow, -1), labels.FindAllString(wide, -1); !slices.Equal(got, want) {
				t.Errorf("%s, %s: labels %q, in a wide one %q", name, lang, got, want)
			}
		}
	}
}

// manyFaults are more than one line has room for.
var manyFaults = []audit.SitemapFault{{Name: "Sitemap contains URLs which are blocked by robots.txt", Severity: "error", Count: 9},
	{Name: "URL not allowed", Severity: "warning", Count: 3}, {Name: "Invalid date", Severity: "warning", Count: 3}}

// Lines end at spaces, in Japanese between letters but before no stop; a command stays whole.
func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		cells int
		want  []string
	}{
		{"one two three", 0, []string{"one two three"}}, {"one two three", 13, []string{"one two three"}},
		{"one two three", 8, []string{"one two", "three"}}, {"unbreakable/and/long word", 8, []string{"unbreakable/and/long", "word"}},
		{"日本語の文章です。次の文。", 16, []string{"日本語の文章で", "す。次の文。"}},
		{"run this: sitemend report --out dir", 20, []string{"run this:", "sitemend report --out dir"}},
		{"  12  a title that is long", 14, []string{"  12  a title", "that is long"}},
	} {
		if got := wrap(c.text, c.cells, c.cells); !slices.Equal(got, c.want) {
			t.Errorf("%q in %d cells: %q, want %q", c.text, c.cells, got, c.want)
		}
	}
}

// Nothing that a site, a file or a user gave reaches the terminal as a control.
func TestSummaryCannotSteerTheTerminal(t *testing.T) {
	const evil = "x\x1b]0;owned\a\u009b2J\u202e\xff\r\n"
	result := large()
	result.Info.Targets = []string{"http://" + evil}
	result.Info.Agent, result.Info.Identity = evil, evil
	result.Info.RobotsBad, result.Info.Abandoned = []string{evil}, map[string]int{evil: 403}
	result.Counts.Unseen = map[string]int{evil: 1}
	result.Causes = []audit.Cause{{Group: audit.NeedsDecision, Rule: evil + "->", Terms: []pattern.Term{{Name: "host", From: evil}}, Count: 1}, {Group: audit.NeedsDecision, Verdict: evil}}
	result.Files[1].Sitemap = audit.Sitemap{AnsweredAt: evil, Faults: []audit.SitemapFault{{Name: evil, Severity: "error"}}}
	result.Files[1].Moved, result.Files[1].BelongsAt = true, evil
	for _, line := range strings.Split(summaryOf(t, result, Summary{Written: Written{Dir: evil, Files: []string{"report.html"}}}), "\n") {
		if strings.IndexFunc(line, hidden) >= 0 {
			t.Errorf("line %q holds a control", line)
		}
	}
}

func TestSummaryColors(t *testing.T) {
	plain, colored := summaryOf(t, large(), Summary{}), summaryOf(t, large(), Summary{Color: true})
	if strings.Contains(plain, "\x1b") {
		t.Errorf("colours that nobody asked for: %q", plain)
	}
	if !strings.Contains(colored, "  \x1b[33m18\x1b[0m  302: /stock/*") {
		t.Errorf("no colour for what needs a decision: %q", colored)
	}
	if got := strings.NewReplacer("\x1b[31m", "", "\x1b[32m", "", "\x1b[33m", "", "\x1b[34m", "", "\x1b[0m", "").Replace(colored); got != plain {
		t.Errorf("colours move the text:\n%s", got)
	}
}

func TestSummaryJSONOfHostileBytes(t *testing.T) {
	result := shop()
	result.Files[0].Sitemap.URL = "http://\xff\x1b\u2028/"
	result.Files[0].Sitemap.Faults = []audit.SitemapFault{{Name: "Invalid date", Severity: "warning", Line: 3}}
	result.Files[1].Braked = map[audit.Verdict]int{audit.Noindex: 12}
	result.Info.Abandoned = map[string]int{"b.example": 403, "a.example": 0}
	result.Causes = []audit.Cause{{Verdict: audit.Loop, Group: audit.NeedsDecision, Examples: []string{"\xff"}}}
	var b bytes.Buffer
	if err := WriteSummaryJSON(t.Context(), &b, result); err != nil {
		t.Fatal(err)
	}
	var s struct {
		Brake  struct{ Held bool }
		Faults map[string]int
		Left   []struct{ Host string }
		Causes []struct{ Reasons, Finals []string }
	}
	if err := json.Unmarshal(b.Bytes(), &s); err != nil {
		t.Fatal(err)
	}
	if !s.Brake.Held || s.Faults["warnings"] != 1 || s.Left[0].Host != "a.example" || s.Causes[0].Reasons == nil || s.Causes[0].Finals == nil {
		t.Errorf("got %+v", s)
	}
}

// Each note that keeps a sitemap from being called clean has a line of its own, in every language.
func TestOpenNotesAreSaid(t *testing.T) {
	for _, note := range audit.OpenNotes() {
		for _, lang := range messages.Langs() {
			result := &audit.Result{Counts: audit.Counts{Entries: 30, Verdicts: map[audit.Verdict]int{audit.OK: 30}, Notes: map[audit.Note]int{note: 2},
				Groups: map[audit.Group]map[string]int{audit.Fine: {"ok": 30}}}}
			var out strings.Builder
			if err := WriteSummary(&out, result, Summary{Lang: lang}); err != nil {
				t.Fatal(err)
			}
			c := messages.Of(lang)
			for _, want := range []string{messages.Conclude().Of(lang, "p-fine"), c.Text("open-"+string(note), "n", "2"), c.Text(openLabels[note])} {
				if !strings.Contains(strings.Join(strings.Fields(out.String()), " "), strings.Join(strings.Fields(want), " ")) {
					t.Errorf("%s, %s: no %q in\n%s", note, lang, want, out.String())
				}
			}
		}
	}
}

// Where the last audit was compared with, the terminal and summary.md say what became of it in
// the same words.
func TestSummarySinceTheLastAudit(t *testing.T) {
	result := large()
	result.Last = &audit.Last{At: checked.AddDate(0, 0, -3), Since: &audit.Since{Fixed: 12, New: 3, Open: 31}, Groups: map[audit.Group]int{audit.Fine: 3000, audit.Corrected: 2000}}
	want := "Since " + result.Last.At.UTC().Format("2006-01-02 15:04") + ": 12 corrected, 3 new. The 31 decisions are still open."
	if got := summaryOf(t, result, Summary{}); !strings.Contains(got, "\nChanged   "+want+"\n") || !strings.Contains(got, "78 % today") {
		t.Errorf("the terminal:\n%s", got)
	}
	var b strings.Builder
	if err := Write(t.Context(), &b, "md", result, Options{}); err != nil || !strings.Contains(b.String(), want) {
		t.Errorf("%v, summary.md:\n%s", err, b.String())
	}
}

// The error rate counts no entry that robots.txt blocks, and says so where there is one.
func TestErrorRateNamesWhatItLeavesOut(t *testing.T) {
	for blocked, want := range map[int]string{0: "| Error rate |", 2: "| Error rate, without robots.txt |"} {
		result := large()
		result.Counts.Verdicts[audit.Disallowed] = blocked
		var b strings.Builder
		if err := Write(t.Context(), &b, "md", result, Options{}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), want) {
			t.Errorf("%d blocked by robots.txt: no %q in\n%s", blocked, want, b.String())
		}
	}
}

// However narrow a terminal is, it names as many causes as a wide one, each with where its entries
// lead.
func TestSummaryOfANarrowTerminalSaysWhereEntriesLead(t *testing.T) {
	count := regexp.MustCompile(`(?m)^ {10,}\d+  `)
	for _, lang := range messages.Langs() {
		wide := summaryOf(t, large(), Summary{Lang: lang})
		for _, width := range []int{30, 40, 50, 60, 80, 100} {
			narrow := summaryOf(t, large(), Summary{Lang: lang, Width: width})
			causes, lead := len(count.FindAllString(wide, -1)), strings.Count(narrow, "* ->")
			if got := len(count.FindAllString(narrow, -1)); got != causes || causes < 4 {
				t.Errorf("%s, %d cells: %d causes, in a wide one %d:\n%s", lang, width, got, causes, narrow)
			}
			if lead == 0 || lead < strings.Count(wide, "* ->") {
				t.Errorf("%s, %d cells: %d causes say where they lead, in a wide one %d:\n%s", lang, width, lead, strings.Count(wide, "* ->"), narrow)
			}
		}
	}
}
