package audit_test

import (
	"fmt"
	"reflect"
	"testing"

	"sitemend/crawler/audit"
)

// report adds an export to a site: addresses, each with its reason.
func (s *site) report(name string, reported ...audit.Entry) {
	s.list(name)
	sm := &s.files[len(s.files)-1]
	sm.Kind, sm.Entries = audit.KindSearchConsole, len(reported)
	for i, e := range reported {
		e.N, e.Sitemap, e.Line, e.Reported.Is = len(s.entries), sm.N, i+2, true
		s.entries = append(s.entries, e)
	}
}

const reportedWeb = `
	http://a.example/ok 200
	http://a.example/moved 301 /new
	http://a.example/new 200
	http://a.example/temporary 302 /new
	http://a.example/home 301 /
	http://a.example/ 200
	http://a.example/away 301 http://b.example/
	http://b.example/ 200
	http://a.example/gone 404
	browser http://a.example/gone 404
	http://a.example/unsteady 404
	browser http://a.example/unsteady 200
	http://a.example/moved-gone 301 /gone
	browser http://a.example/moved-gone 301 /gone
	http://a.example/loop 301 /loop2
	http://a.example/loop2 301 /loop
	http://a.example/error 500
	http://a.example/refused 403
	http://a.example/private fault=robots-forbids forbidden=Disallow
	http://a.example/noindex 200 robots=noindex
	http://a.example/canon 200 canonical=/new
	http://a.example/login 200 password
	http://a.example/member 302 /login
	http://a.example/member-moved 301 /login
	http://a.example/member-sso 302 http://sso.example/login?continue=http://a.example/member-sso
	http://sso.example/login?continue=http://a.example/member-sso 200
	http://a.example/member-forbidden 302 /wp-login.php?redirect_to=/member-forbidden
	http://a.example/wp-login.php?redirect_to=/member-forbidden fault=robots-forbids forbidden=Disallow
	http://a.example/way 301 /private
	http://a.example/%28b%29 200
	http://a.example/(b) 301 /%28b%29
	http://a.example/%28c%29 200
	http://a.example/(c) 404
	browser http://a.example/(c) 404
	http://a.example/%28s%29 200
	http://a.example/(s) 200
	http://a.example/%28k%29 200
	http://a.example/(k) 200 canonical=/%28k%29
	http://a.example/%e3 301 /%E3
	http://a.example/%E3 200
`

// Every verdict, in a sitemap and in none, with what Google says of it, is
// sorted as a consultant would.
func TestReportedClasses(t *testing.T) {
	const redirect, notFound, crawled = audit.LabelRedirect, audit.LabelNotFound, audit.LabelCrawled
	for _, c := range []struct {
		reported string
		reason   audit.Label
		listed   string // "" for none
		want     string // class, advice, its address; how it was found
	}{
		{"ok", redirect, "ok", "fine-now fine; loc"},
		{"ok", "", "ok", "fine-now fine; loc"},
		{"ok", "Neu", "", "fine-now fine;"},
		{"ok", audit.LabelServerError, "", "fine-now fine;"},
		{"ok", crawled, "ok", "not-reproducible googles; loc"},
		{"ok", audit.LabelSoft404, "", "not-reproducible googles;"},
		{"ok", audit.LabelForbidden, "", "not-reproducible who-asks;"},
		{"ok", audit.LabelRemoved, "ok", "not-reproducible removed; loc"},
		{"ok", audit.LabelNoContent, "", "not-reproducible no-content;"},
		{"ok", audit.LabelIndexedToo, "", "fine-now indexed;"},
		{"ok", audit.LabelIndexedBlocked, "", "fine-now fine;"},
		{"ok#x", redirect, "ok", "fine-now fine; wire"},

		{"moved", redirect, "moved", "in-sitemap-corrected upload /new; loc"},
		{"moved", redirect, "", "redirects-as-it-should redirects /new;"},
		{"moved", notFound, "", "redirects-as-it-should redirects /new;"},
		{"temporary", redirect, "temporary", "in-sitemap-needs-you repair; loc"},
		{"temporary", redirect, "", "redirects-as-it-should temporary /new;"},
		{"temporary", audit.LabelSoft404, "temporary", "in-sitemap-needs-you soft-moved /new; loc"},
		{"temporary", audit.LabelSoft404, "", "not-in-sitemap-broken soft-moved /new;"},
		{"moved", audit.LabelSoft404, "", "not-in-sitemap-broken soft-moved /new;"},
		{"moved", audit.LabelSoft404, "moved", "in-sitemap-corrected upload /new; loc"},
		{"home", redirect, "home", "in-sitemap-needs-you repair; loc"},
		{"home", redirect, "", "redirects-as-it-should home /;"},
		{"home", audit.LabelSoft404, "", "not-in-sitemap-broken home /;"},
		{"away", redirect, "", "redirects-as-it-should redirects http://b.example/;"},

		{"gone", notFound, "gone", "in-sitemap-corrected upload-without; loc"},
		{"gone", notFound, "", "not-in-sitemap-broken gone;"},
		{"moved-gone", redirect, "", "not-in-sitemap-broken gone;"},
		{"loop", audit.LabelRedirectError, "loop", "in-sitemap-needs-you repair; loc"},
		{"loop", audit.LabelRedirectError, "", "not-in-sitemap-broken broken;"},
		{"error", audit.LabelServerError, "", "not-in-sitemap-broken broken;"},
		{"unsteady", notFound, "unsteady", "not-reproducible unseen; loc"},
		{"refused", redirect, "refused", "not-reproducible unseen; loc"},
		{"refused", redirect, "", "not-reproducible unseen;"},
		{"never-asked", redirect, "", "not-reproducible stopped;"},

		{"private", audit.LabelRobots, "private", "in-sitemap-needs-you repair; loc"},
		{"private", audit.LabelRobots, "", "fine-now robots;"},
		{"private", audit.LabelIndexedBlocked, "", "not-reproducible indexed-robots;"},
		{"way", audit.LabelIndexedBlocked, "", "not-reproducible forbidden-way /private;"},
		{"private", redirect, "", "not-reproducible forbidden;"},
		{"way", audit.LabelRobots, "way", "in-sitemap-needs-you repair target-disallowed; loc"},
		{"way", audit.LabelRobots, "", "fine-now forbidden-way /private;"},
		{"way", redirect, "", "not-reproducible forbidden-way /private;"},
		{"member-sso", redirect, "", "redirects-as-it-should gate http://sso.example/login?continue=http://a.example/member-sso;"},
		{"member-forbidden", redirect, "member-forbidden", "in-sitemap-needs-you repair gate; loc"},
		{"member-forbidden", redirect, "", "redirects-as-it-should gate /wp-login.php?redirect_to=/member-forbidden;"},
		{"noindex", audit.LabelNoindex, "noindex", "in-sitemap-needs-you decide; loc"},
		{"noindex", audit.LabelNoindex, "", "fine-now noindex;"},
		{"canon", audit.LabelAlternate, "canon", "in-sitemap-corrected upload /new; loc"},
		{"canon", audit.LabelAlternate, "", "fine-now canonical /new;"},

		// the seed's case, reported in the listed spelling and in the other
		{"%28b%29", redirect, "%28b%29", "in-sitemap-needs-you seed /(b); loc"},
		{"%28b%29", "", "%28b%29", "in-sitemap-needs-you seed /(b); loc"},
		{"%28b%29", notFound, "%28b%29", "fine-now fine; loc"},
		{"%28b%29", redirect, "", "fine-now fine-bounce /(b);"},
		{"(b)", redirect, "%28b%29", "in-sitemap-needs-you seed-here /%28b%29; spelling"},
		{"(b)", redirect, "", "redirects-as-it-should redirects /%28b%29;"},
		{"%28c%29", notFound, "%28c%29", "in-sitemap-needs-you other-answer /(c); loc"},
		{"%28c%29", crawled, "%28c%29", "not-reproducible googles; loc"},
		{"(c)", notFound, "%28c%29", "in-sitemap-needs-you other-answer /%28c%29; spelling"},
		{"(s)", redirect, "%28s%29", "fine-now fine-other /%28s%29; spelling"},
		{"(k)", audit.LabelAlternate, "%28k%29", "fine-now canonical /%28k%29; spelling"},
		{"%E3", redirect, "%e3", "fine-now fine-other /%e3; spelling"},
		{"%e3", redirect, "%E3", "in-sitemap-needs-you seed-here /%E3; spelling"},
	} {
		t.Run(fmt.Sprintf("%s, %s, listed %q", c.reported, c.reason, c.listed), func(t *testing.T) {
			s := &site{web: parseWeb(t, reportedWeb)}
			locs := []string{"http://a.example/new#other", "http://a.example/#other"} // so that no file loses all
			if c.listed != "" {
				locs = append(locs, "http://a.example/"+c.listed)
			}
			s.list(map1, locs...)
			s.report("x.zip", audit.Entry{Loc: "http://a.example/" + c.reported, Reported: audit.Reported{Reason: c.reason}})
			result := s.evaluate(t, rules())
			for r, err := range result.Reported(t.Context()) {
				if got := classOf(&r); err != nil || got != c.want {
					t.Errorf("got %q, %v, want %q", got, err, c.want)
				}
			}
			if result.Counts.Entries != len(locs) || len(result.Files) != 1 || result.SearchConsole.Addresses != 1 {
				t.Errorf("%d entries, %d files, %+v", result.Counts.Entries, len(result.Files), result.SearchConsole)
			}
		})
	}
}

func classOf(r *audit.ReportedRow) string {
	s := string(r.Class) + " " + string(r.Advice)
	if to := r.To; to != "" {
		const root = "http://a.example"
		if len(to) > len(root) && to[:len(root)] == root {
			to = to[len(root):]
		}
		s += " " + to
	}
	if r.Stop != "" {
		s += " " + string(r.Stop)
	}
	s += ";"
	if r.Join != "" {
		s += " " + string(r.Join)
	}
	return s
}

// What is listed twice is what needs a person most, and all files are named.
func TestReportedInSeveralSitemaps(t *testing.T) {
	s := &site{web: parseWeb(t, reportedWeb)}
	s.list(map1, "http://a.example/gone", "http://a.example/ok")
	s.list("http://a.example/2.xml", "http://a.example/gone") // would lose all: braked
	s.report("x.zip", audit.Entry{Loc: "http://a.example/gone"}, audit.Entry{Loc: "http://a.example/%6fk"})
	var got []string
	for r, err := range s.evaluate(t, rules()).Reported(t.Context()) {
		got = append(got, fmt.Sprint(classOf(&r), " ", r.Sitemaps, " ", r.Stop, err))
	}
	equal(t, got, []string{
		"in-sitemap-needs-you repair left-alone; loc [" + map1 + " http://a.example/2.xml] left-alone<nil>",
		"not-reproducible stopped; spelling [" + map1 + "] <nil>",
	})
}

// An export changes nothing of what is told of the sitemaps, and what is not
// known of the sitemaps is said.
func TestExportIsNoSitemap(t *testing.T) {
	s := &site{web: parseWeb(t, reportedWeb)}
	s.list(map1, "http://a.example/moved", "http://a.example/ok", "http://a.example/gone")
	plain := s.evaluate(t, rules())
	s.report("x.zip", audit.Entry{Loc: "http://a.example/moved"}, audit.Entry{Loc: "http://a.example/loop"}, audit.Entry{Loc: "http://c.example/", Skip: audit.SkipSite})
	result := s.evaluate(t, rules())
	equal(t, rowsOf(t, result, 0), rowsOf(t, plain, 0))
	if !reflect.DeepEqual([]any{result.Counts, result.Causes, result.Proof}, []any{plain.Counts, plain.Causes, plain.Proof}) {
		t.Errorf("got  %+v\nwant %+v", result.Counts, plain.Counts)
	}
	sc := result.SearchConsole
	if plain.SearchConsole != nil || sc.Addresses != 3 || sc.Unlisted != 2 || sc.OtherSite != 1 || sc.Upshots[audit.UpshotNothing] != 0 || sc.NoSitemap || sc.Unread != 0 {
		t.Errorf("%+v", sc)
	}
	alone := &site{web: s.web}
	alone.report("x.zip", audit.Entry{Loc: "http://a.example/moved"})
	if sc := alone.evaluate(t, rules()).SearchConsole; !sc.NoSitemap || sc.Upshots[audit.UpshotNothing] != 1 {
		t.Errorf("without a sitemap: %+v", sc)
	}
}

// Where only a part was asked no sitemap is written, and nothing is called
// corrected.
func TestReportedOfAPart(t *testing.T) {
	s := &site{web: parseWeb(t, reportedWeb)}
	s.list(map1, "http://a.example/moved", "http://a.example/ok")
	s.report("x.zip", audit.Entry{Loc: "http://a.example/moved"})
	result, err := audit.Evaluate(t.Context(), s, audit.Info{Rules: *rules(), Partial: true}, func(url string) string { return url })
	if err != nil {
		t.Fatal(err)
	}
	for r := range result.Reported(t.Context()) {
		if got := classOf(&r); got != "in-sitemap-needs-you whole; loc" {
			t.Errorf("got %q", got)
		}
	}
}
