package audit_test

import (
	"fmt"
	"reflect"
	"strings"
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
func TestReportedAdvice(t *testing.T) {
	const redirect, notFound, crawled = audit.LabelRedirect, audit.LabelNotFound, audit.LabelCrawled
	for _, c := range []struct {
		reported string
		reason   audit.Label
		listed   string // "" for none
		want     string // upshot, advice, its address; how it was found
	}{
		{"ok", redirect, "ok", "nothing; listed"},
		{"ok", "Neu", "", "nothing;"},
		{"ok", crawled, "ok", "answers; listed"},
		{"ok", audit.LabelForbidden, "", "answers;"},
		{"ok", "Blocked by page removal tool", "ok", "answers; listed"},
		{"ok", "Indexed, not submitted in sitemap", "", "nothing;"},
		{"ok#x", redirect, "ok", "nothing; listed"},

		{"moved", redirect, "moved", "fixed /new; listed"},
		{"moved", redirect, "", "nothing /new;"},
		{"temporary", redirect, "temporary", "decide; listed"},
		{"temporary", audit.LabelSoft404, "temporary", "decide; listed"},
		{"temporary", audit.LabelSoft404, "", "broken /new;"},
		{"moved", audit.LabelSoft404, "moved", "fixed /new; listed"},
		{"home", redirect, "", "nothing /;"},

		{"gone", notFound, "gone", "fixed; listed"},
		{"gone", notFound, "", "broken;"},
		{"loop", audit.LabelRedirectError, "loop", "decide; listed"},
		{"refused", redirect, "refused", "not-checked; listed"},
		{"never-asked", redirect, "", "not-checked;"},

		{"private", audit.LabelRobots, "private", "decide; listed"},
		{"private", audit.LabelRobots, "", "nothing;"},
		{"private", "Indexed, though blocked by robots.txt", "", "not-checked;"},
		{"private", redirect, "", "not-checked;"},
		{"way", audit.LabelRobots, "way", "decide; listed"},
		{"member-sso", redirect, "", "nothing http://sso.example/login?continue=http://a.example/member-sso;"},
		{"member-forbidden", redirect, "", "not-checked;"},
		{"noindex", audit.LabelNoindex, "noindex", "fixed; listed"},
		{"noindex", audit.LabelNoindex, "", "nothing;"},
		{"canon", "Alternate page with proper canonical tag", "", "nothing;"},

		// the seed's case, reported in the listed spelling and in the other
		{"%28b%29", redirect, "%28b%29", "server /(b); listed"},
		{"%28b%29", notFound, "%28b%29", "nothing; listed"},
		{"%28b%29", redirect, "", "nothing;"},
		{"(b)", redirect, "%28b%29", "server /%28b%29; spelling"},
		{"(b)", redirect, "", "nothing /%28b%29;"},
		{"%28c%29", notFound, "%28c%29", "server /(c); listed"},
		{"%28c%29", crawled, "%28c%29", "answers; listed"},
		{"(c)", notFound, "%28c%29", "server /%28c%29; spelling"},
		{"(s)", redirect, "%28s%29", "nothing; spelling"},
		{"(k)", "Alternate page with proper canonical tag", "%28k%29", "nothing; spelling"},
		{"%E3", redirect, "%e3", "nothing; spelling"},
		{"%e3", redirect, "%E3", "server /%E3; spelling"},
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
			for r, err := range result.SearchConsole.Rows(t.Context()) {
				if got := adviceOf(&r); err != nil || got != c.want {
					t.Errorf("got %q, %v, want %q", got, err, c.want)
				}
			}
			if result.Counts.Entries != len(locs) || len(result.Files) != 1 || result.SearchConsole.Addresses != 1 {
				t.Errorf("%d entries, %d files, %+v", result.Counts.Entries, len(result.Files), result.SearchConsole)
			}
		})
	}
}

func adviceOf(r *audit.ReportedRow) string {
	s := string(r.Upshot)
	if to := r.To; to != "" {
		s += " " + strings.TrimPrefix(to, "http://a.example")
	}
	if r.Stop != "" {
		s += " " + string(r.Stop)
	}
	s += ";"
	switch r.Listed {
	case "":
	case r.Address.String():
		s += " listed"
	default:
		s += " spelling"
	}
	return s
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
	if !reflect.DeepEqual([]any{result.Counts, keysOf(result)}, []any{plain.Counts, keysOf(plain)}) {
		t.Errorf("got  %+v\nwant %+v", result.Counts, plain.Counts)
	}
	sc := result.SearchConsole
	if plain.SearchConsole != nil || sc.Addresses != 3 || sc.OtherSite != 1 || sc.Upshots[audit.UpshotNothing] != 0 || sc.NoSitemap || sc.Unread != 0 {
		t.Errorf("%+v", sc)
	}
	alone := &site{web: s.web}
	alone.report("x.zip", audit.Entry{Loc: "http://a.example/moved"})
	if sc := alone.evaluate(t, rules()).SearchConsole; !sc.NoSitemap || sc.Upshots[audit.UpshotNothing] != 1 {
		t.Errorf("without a sitemap: %+v", sc)
	}
}

func keysOf(t *audit.Result) (out []string) {
	for i := range t.Causes {
		out = append(out, fmt.Sprint(t.Causes[i].Key, " ", t.Causes[i].Count))
	}
	return out
}
