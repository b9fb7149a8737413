package audit_test

import (
	"slices"
	"strings"
	"testing"

	"sitemend/crawler/audit"
)

const seed = "http://h.example/wiki/wiki.cgi?mod_cache%A4%C7Wiki%A4%F2%B9%E2%C2%AE%B2%BD%284%29"
const seedLiteral = "http://h.example/wiki/wiki.cgi?mod_cache%A4%C7Wiki%A4%F2%B9%E2%C2%AE%B2%BD(4)"

func TestJudge(t *testing.T) {
	long := "http://a.example/" + strings.Repeat("x", 2040)
	cases := []struct{ name, loc, web, want string }{
		{"fine", "http://a.example/a", "http://a.example/a 200", "ok | keep"},
		{"fragment is not sent", "http://a.example/a#b", "http://a.example/a 200", "ok | keep"},
		{"invalid", "/a", "", "invalid | drop"},
		{"not http", "ftp://a.example/a", "", "invalid | drop"},
		{"long", long, long + " 200", "ok | keep | long"},

		{"forbidden", "http://a.example/a", "http://a.example/a fault=robots-forbids forbidden=Disallow", "disallowed | keep"},
		{"forbidden hop", "http://a.example/a", "http://a.example/a 301 /b\nhttp://a.example/b fault=robots-forbids", "disallowed | keep"},
		{"login, and then what is forbidden", "http://a.example/a", "http://a.example/a 302 /login\nhttp://a.example/login 302 /b\nhttp://a.example/b fault=robots-forbids", "disallowed | keep | hops-2"},

		{"timeout", "http://a.example/a", "http://a.example/a fault=timeout", "unverified | keep"},
		{"refused", "http://a.example/a", "http://a.example/a 403", "unverified | keep"},
		{"challenge", "http://a.example/a", "http://a.example/a 200 challenge=Cloudflare", "unverified | keep"},
		{"silent after redirect", "http://a.example/a", "http://a.example/a 301 /b\nhttp://a.example/b fault=reset", "unverified | keep"},

		{"loop", "http://a.example/a", "http://a.example/a 301 /b\nhttp://a.example/b 302 /a", "loop | keep | hops-2"},
		{"loop on itself", "http://a.example/a", "http://a.example/a 301 #top", "loop | keep"},

		{"gone", "http://a.example/a", "http://a.example/a 410\nbrowser http://a.example/a 404", "not-found | drop"},
		{"gone after redirect", "http://a.example/a", "http://a.example/a 301 /b\nhttp://a.example/b 404\nbrowser http://a.example/a 301 /b\nbrowser http://a.example/b 404", "not-found path | drop"},
		{"gone for robots only", "http://a.example/a", "http://a.example/a 404\nbrowser http://a.example/a 200", "unverified | keep | unsteady"},

		{"server error", "http://a.example/a", "http://a.example/a 500", "error | keep"},
		{"204", "http://a.example/a", "http://a.example/a 204", "error | keep"},
		{"304 is no redirect", "http://a.example/a", "http://a.example/a 304 /b", "error | keep"},
		{"no location", "http://a.example/a", "http://a.example/a 301", "error | keep"},
		{"location is no http", "http://a.example/a", "http://a.example/a 301 mailto:a@b", "error | keep"},
		{"grows too long", "http://a.example/a", "http://a.example/a 301 /" + strings.Repeat("y", 8100), "error | keep"},

		{"offsite", "http://a.example/a", "http://a.example/a 301 http://b.example/a\nhttp://b.example/a 200", "offsite host | keep"},
		{"home page", "http://a.example/a", "http://a.example/a 301 /\nhttp://a.example/ 200", "homepage path | keep"},
		{"root to its language", "http://a.example/", "http://a.example/ 302 /ja/\nhttp://a.example/ja/ 200", "homepage path | keep"},
		{"index.html to the root", "http://a.example/index.html", "http://a.example/index.html 301 /\nhttp://a.example/ 200", "moved index | replace http://a.example/"},

		{"temporary", "http://a.example/a", "http://a.example/a 302 /b\nhttp://a.example/b 200", "temporary path | keep"},
		{"delayed refresh", "http://a.example/a", "http://a.example/a 200 refresh=/b delay=5\nhttp://a.example/b 200", "temporary path | keep"},

		{"respelled", "http://a.example/%e3%82%ab", "http://a.example/%e3%82%ab 301 /%E3%82%AB\nhttp://a.example/%E3%82%AB 200", "respelled hex-case | replace http://a.example/%E3%82%AB"},
		{"moved", "http://a.example/a", "http://a.example/a 301 /b\nhttp://a.example/b 200", "moved path | replace http://a.example/b"},
		{"moved twice", "http://a.example/a", "http://a.example/a 301 /b\nhttp://a.example/b 301 https://www.a.example/c\nhttps://www.a.example/c 200", "moved path scheme www | replace https://www.a.example/c | hops-2"},
		{"meta refresh", "http://a.example/a", "http://a.example/a 200 refresh=b\nhttp://a.example/b 200", "moved path | replace http://a.example/b"},
		{"refresh header", "http://a.example/a", "http://a.example/a 200 refresh-header=/b\nhttp://a.example/b 200", "moved path | replace http://a.example/b"},
		{"refresh on a 404 does not count", "http://a.example/a", "http://a.example/a 404 refresh=/b\nbrowser http://a.example/a 404", "not-found | drop"},
		{"a script leads on", "http://a.example/a", "http://a.example/a 200 script-to=/b\nhttp://a.example/b 200", "moved path | replace http://a.example/b"},
		{"a script to itself", "http://a.example/a", "http://a.example/a 200 script-to=#top shell", "ok | keep | needs-javascript"},
		{"script is seen, not followed", "http://a.example/a", "http://a.example/a 200 script", "ok | keep | script-redirect"},
		{"truncated", "http://a.example/a", "http://a.example/a 200 truncated", "ok | keep | truncated"},

		{"noindex", "http://a.example/a", "http://a.example/a 200 robots=noindex,follow", "noindex | drop"},
		{"unavailable_after is no noindex", "http://a.example/a", "http://a.example/a 200 robots=unavailable_after:noindexday", "ok | keep"},
		{"too long for a sitemap", "http://a.example/a", "http://a.example/a 301 " + long + "\n" + long + " 200", "moved path | keep | target-error"},
		{"canonical to itself", "http://a.example/a", "http://a.example/a 200 canonical=/a", "ok | keep"},
		{"canonical elsewhere", "http://a.example/a?s=1", "http://a.example/a?s=1 200 canonical=/a\nhttp://a.example/a 200 canonical=/a", "noncanonical query | replace http://a.example/a"},
		{"canonical is the root", "http://a.example/a", "http://a.example/a 200 canonical=/\nhttp://a.example/ 200", "noncanonical path | replace http://a.example/"},
		{"canonical gone", "http://a.example/a", "http://a.example/a 200 canonical=/b\nhttp://a.example/b 404", "noncanonical path | keep | target-not-found"},
		{"canonical offsite is not asked", "http://a.example/a", "http://a.example/a 200 canonical=http://b.example/", "noncanonical host path | keep | target-offsite"},

		{"target noindex", "http://a.example/a", "http://a.example/a 301 /b\nhttp://a.example/b 200 robots=noindex", "moved path | keep | target-noindex"},
		{"target disallowed", "http://a.example/a", "http://a.example/a 200 canonical=/b\nhttp://a.example/b fault=robots-forbids", "noncanonical path | keep | target-disallowed"},
		{"target forbidden but asked", "http://a.example/a", "http://a.example/a 301 /b\nhttp://a.example/b 200 forbidden=Disallow:/b", "moved path | keep | robots-ignored target-disallowed"},
		{"login", "http://a.example/account", "http://a.example/account 301 /login?next=%2Faccount\nhttp://a.example/login?next=%2Faccount 200", "moved path query | keep | gate"},
		{"age check of the root", "http://a.example/", "http://a.example/ 301 https://a.example/age?back=https://a.example/\nhttps://a.example/age?back=https://a.example/ 200", "moved path query scheme | keep | gate"},
		{"path without its slash", "http://a.example/node/12", "http://a.example/node/12 301 /user/enter?destination=node/12\nhttp://a.example/user/enter?destination=node/12 200", "moved path query | keep | gate"},
		{"written, its second spelling gone", "http://h.example/w", "http://h.example/w 301 " + seed + "\n" + seed + " 200 title=Wiki\n" + seedLiteral + " 404", "moved path query | replace " + seed},
		{"the home page is no soft 404", "http://a.example/", "http://a.example/ 200 title=Shop\nhttp://a.example/nowhere 302 /", "ok | keep"},
		{"nor is that of a language, though no other is listed", "http://a.example/it/", "http://a.example/it/ 200 title=Negozio\nhttp://a.example/nowhere 302 /it/", "ok | keep"},
		{"country and language", "http://a.example/page", "http://a.example/page 301 /us-en/page\nhttp://a.example/us-en/page 200", "moved path | keep | locale"},
		{"another site by a parameter that was listed", "http://a.example/x?u=//b.example/", "http://a.example/x?u=//b.example/ 301 /out?u=//b.example/\nhttp://a.example/out?u=//b.example/ 200", "moved path | replace http://a.example/out?u=//b.example/"},
		{"a password by parameter", "http://a.example/x", "http://a.example/x 301 /y?u=http://me:secret@a.example/z\nhttp://a.example/y?u=http://me:secret@a.example/z 200", "moved path query | keep | session"},
		{"password", "http://a.example/account", "http://a.example/account 301 /signin\nhttp://a.example/signin 200 password", "moved path | replace http://a.example/signin"},
		{"consent with the whole address", "http://a.example/a/b", "http://a.example/a/b 301 https://a.example/ok?u=http%253A%252F%252Fa.example%252Fa%252Fb\nhttps://a.example/ok?u=http%253A%252F%252Fa.example%252Fa%252Fb 200", "moved path query scheme | keep | gate"},
		{"an @ in another spelling", "http://a.example/a?u=x%40y", "http://a.example/a?u=x%40y 301 /a?u=x@y\nhttp://a.example/a?u=x@y 200", "respelled reserved | replace http://a.example/a?u=x@y"},
		{"session", "http://a.example/a", "http://a.example/a 301 /a;jsessionid=1F\nhttp://a.example/a;jsessionid=1F 200", "moved path | keep | session"},
		{"matrix parameters that were listed", "http://a.example/Car;a=1%3Bb=2", "http://a.example/Car;a=1%3Bb=2 301 /car;a=1;b=2/\nhttp://a.example/car;a=1;b=2/ 200", "moved path-case reserved slash | replace http://a.example/car;a=1;b=2/"},
		{"campaign", "http://a.example/a", "http://a.example/a 301 /a?utm_source=x\nhttp://a.example/a?utm_source=x 200", "moved query | keep | session"},
		{"session that was listed", "http://a.example/a?sid=1", "http://a.example/a?sid=1 301 /b?sid=1\nhttp://a.example/b?sid=1 200", "moved path | replace http://a.example/b?sid=1"},
		{"language", "http://a.example/page", "http://a.example/page 301 /ja/page\nhttp://a.example/ja/page 200", "moved path | keep | locale"},
		{"other words above it", "http://a.example/p/1", "http://a.example/p/1 301 /shop/p/1\nhttp://a.example/shop/p/1 200", "moved path | replace http://a.example/shop/p/1"},
		{"language and https", "http://a.example/page", "http://a.example/page 301 https://www.a.example/ja/page/\nhttps://www.a.example/ja/page/ 200", "moved path scheme www | keep | locale"},
		{"language by host", "http://www.a.example/page", "http://www.a.example/page 301 http://de.a.example/page\nhttp://de.a.example/page 200", "moved host | keep | locale"},
		{"canonical in another language", "http://a.example/de/tee", "http://a.example/de/tee 200 canonical=/en/tea\nhttp://a.example/en/tea 200", "noncanonical path | keep | locale"},
		{"https alone is no language", "http://a.example/de/page", "http://a.example/de/page 301 https://a.example/de/page/\nhttps://a.example/de/page/ 200", "moved scheme slash | replace https://a.example/de/page/"},

		{"soft 404 by title", "http://a.example/a", "http://a.example/a 200 title=Oops\nhttp://a.example/nowhere 200 title=Oops", "soft-404 | keep"},
		{"soft 404, empty", "http://a.example/a", "http://a.example/a 200 empty title=Shop", "soft-404 | keep"},
		{"soft 404 by its title", "http://a.example/a", "http://a.example/a 200 title=404 canonical=/b", "soft-404 | keep"},
		{"soft 404 by its heading", "http://a.example/a", "http://a.example/a 200 title=Shop heading=404", "soft-404 | keep"},
		{"an empty page that is gone", "http://a.example/a", "http://a.example/a 404 empty\nbrowser http://a.example/a 404 empty", "not-found | drop"},
		{"an empty target", "http://a.example/a", "http://a.example/a 301 /b\nhttp://a.example/b 200 empty", "moved path | keep | target-soft-404"},
		{"a target that says 404", "http://a.example/a", "http://a.example/a 301 /b\nhttp://a.example/b 200 heading=404", "moved path | keep | target-soft-404"},
		{"filled by a script", "http://a.example/a", "http://a.example/a 200 title=404 shell\nhttp://a.example/nowhere 200 title=404 shell", "ok | keep | needs-javascript"},
		{"filled by a script, noindex", "http://a.example/a", "http://a.example/a 200 shell robots=noindex", "noindex | drop | needs-javascript"},
		{"filled by a script, another canonical", "http://a.example/a", "http://a.example/a 200 shell canonical=/b\nhttp://a.example/b 200 shell", "noncanonical path | replace http://a.example/b | needs-javascript"},
		{"redirected to what a script fills", "http://a.example/a", "http://a.example/a 301 /b\nhttp://a.example/b 200 shell title=App\nhttp://a.example/nowhere 200 shell title=App", "moved path | replace http://a.example/b | needs-javascript"},
		{"the home page with the title of all", "http://a.example/", "http://a.example/ 200 title=Shop\nhttp://a.example/nowhere 200 title=Shop", "ok | keep"},
		{"soft 404 by end", "http://a.example/oops", "http://a.example/oops 200\nhttp://a.example/nowhere 302 /oops", "soft-404 | keep"},
		{"same title, other canonical", "http://a.example/a", "http://a.example/a 200 title=Oops canonical=/a\nhttp://a.example/nowhere 200 title=Oops canonical=/nowhere", "ok | keep"},
		{"no title is no sign", "http://a.example/a", "http://a.example/a 200\nhttp://a.example/nowhere 200", "ok | keep"},
		{"target soft 404", "http://a.example/a", "http://a.example/a 301 /b\nhttp://a.example/b 200 title=Oops\nhttp://a.example/nowhere 200 title=Oops", "moved path | keep | target-soft-404"},
		{"a soft 404 that says noindex", "http://a.example/a", "http://a.example/a 200 title=Oops robots=noindex\nhttp://a.example/nowhere 200 title=Oops robots=noindex", "soft-404 | keep"},

		{"the seed", seed, seed + " 200\n" + seedLiteral + " 301 " + seed, "spelling-bounce reserved | keep"},
		{"second spelling gone", seed, seed + " 200\n" + seedLiteral + " 404", "spelling-conflict reserved | keep"},
		{"second spelling elsewhere", seed, seed + " 200\n" + seedLiteral + " 301 /\nhttp://h.example/ 200", "spelling-conflict reserved | keep"},
		{"second spelling fine", seed, seed + " 200\n" + seedLiteral + " 200", "ok | keep"},
		{"the seed turned round", seedLiteral, seed + " 200\n" + seedLiteral + " 301 " + seed, "respelled reserved | replace " + seed + " | bounces"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			memory, rules := parseWeb(t, c.web), rules()
			if strings.Contains(c.web, "/nowhere") {
				rules.MissingPath = "nowhere"
			}
			row := new(audit.Row).Judge(audit.NewAnswerCache(memory, 1, true), audit.Entry{Loc: c.loc}, rules, audit.Want{Recheck: true})
			if got := say(row); got != c.want {
				t.Errorf("%s\n%s\ngot  %s\nwant %s", c.loc, c.web, got, c.want)
			}
			if len(row.Needs) > 0 {
				t.Errorf("needs %v", row.Needs)
			}
			if row.Fix.Why.Key == "" || row.Fix.Policy == "" {
				t.Errorf("fix without why or policy: %+v", row.Fix)
			}
		})
	}
}

func TestJudgeMaxHops(t *testing.T) {
	var chain strings.Builder
	for i := range 11 {
		chain.WriteString("http://a.example/" + string(rune('a'+i)) + " 301 /" + string(rune('b'+i)) + "\n")
	}
	chain.WriteString("http://a.example/l 200")
	for loc, want := range map[string]string{
		"http://a.example/a": "too-many-redirects | keep | hops-11",
		"http://a.example/b": "moved path | replace http://a.example/l | hops-10",
	} {
		row := new(audit.Row).Judge(audit.NewAnswerCache(parseWeb(t, chain.String()), 1, true), audit.Entry{Loc: loc}, rules(), audit.Want{})
		if got := say(row); got != want {
			t.Errorf("%s: got %s, want %s", loc, got, want)
		}
	}
}

// Judge asks for one answer after the other, and is decided when it needs none.
func TestJudgeNeeds(t *testing.T) {
	cases := []struct {
		name, loc, web string
		want           audit.Want
		needs          string
	}{
		{"the address", "http://a.example/a", "", audit.Want{}, "http://a.example/a"},
		{"the next hop", "http://a.example/a", "http://a.example/a 301 b", audit.Want{}, "http://a.example/b"},
		{"the canonical", "http://a.example/a", "http://a.example/a 200 canonical=/b", audit.Want{}, "http://a.example/b"},
		{"the second spelling", seed, seed + " 200", audit.Want{AltSpelling: true}, seedLiteral},
		{"the second spelling's hop", seed, seed + " 200\n" + seedLiteral + " 301 /x", audit.Want{AltSpelling: true}, "http://h.example/x"},
		{"no second spelling", seed, seed + " 200", audit.Want{}, ""},
		{"no second spelling of a redirect", seed, seed + " 302 /x\nhttp://h.example/x 200", audit.Want{AltSpelling: true}, ""},
		{"the second look", "http://a.example/a", "http://a.example/a 404", audit.Want{Recheck: true}, "http://a.example/a"},
		{"no second look yet", "http://a.example/a", "http://a.example/a 404", audit.Want{}, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			row := new(audit.Row).Judge(audit.NewAnswerCache(parseWeb(t, c.web), 1, true), audit.Entry{Loc: c.loc}, rules(), c.want)
			var got strings.Builder
			for _, n := range row.Needs {
				got.WriteString(n.URL)
			}
			if got.String() != c.needs {
				t.Errorf("needs %q, want %q", got.String(), c.needs)
			}
			if c.needs != "" && (row.Verdict != audit.Skipped || row.Fix.Action != audit.Keep) {
				t.Errorf("an undecided row is told as %s, %s", row.Verdict, row.Fix.Action)
			}
		})
	}
}

func TestFixOverrides(t *testing.T) {
	r := rules()
	r.Fix = map[audit.Verdict]audit.Action{audit.Temporary: audit.Replace, audit.Noindex: audit.Keep}
	r.Lift = map[audit.Note]bool{audit.Locale: true, "not-page": true}
	cases := []struct{ loc, web, want, policy string }{
		{"http://a.example/a", "http://a.example/a 302 /b\nhttp://a.example/b 200", "temporary path | replace http://a.example/b", "temporary=replace"},
		{"http://a.example/a", "http://a.example/a 200 robots=noindex", "noindex | keep", "noindex=keep"},
		{"http://a.example/a", "http://a.example/a 301 /en/a\nhttp://a.example/en/a 200", "moved path | replace http://a.example/en/a", "locale=replace"},
		{"http://a.example/a", "http://a.example/a 301 /a?s=1\nhttp://a.example/a?s=1 200 type=application/zip", "moved query | keep | session", "default"},
	}
	for _, c := range cases {
		row := new(audit.Row).Judge(audit.NewAnswerCache(parseWeb(t, c.web), 1, true), audit.Entry{Loc: c.loc}, r, audit.Want{})
		if got := say(row); got != c.want || row.Fix.Policy != c.policy {
			t.Errorf("%s: got %s (%s), want %s (%s)", c.web, got, row.Fix.Policy, c.want, c.policy)
		}
	}
	r.KeepAll = true
	row := new(audit.Row).Judge(audit.NewAnswerCache(parseWeb(t, "http://a.example/a 301 /b\nhttp://a.example/b 200"), 1, true), audit.Entry{Loc: "http://a.example/a"}, r, audit.Want{})
	if row.Fix.Action != audit.Keep || row.Fix.Policy != "all=keep" {
		t.Errorf("all=keep: %+v", row.Fix)
	}
}

// What got no second answer is not told as one that answered otherwise.
func TestSecondLookWithoutAnAnswer(t *testing.T) {
	for second, want := range map[string][2]string{
		"200":             {"unsteady", "unseen unsteady"},
		"fault=timeout":   {"timeout", "unseen timeout"},
		"fault=host-left": {"host-left", "unseen host-left"},
	} {
		mem := parseWeb(t, "http://a.example/a 404\nbrowser http://a.example/a "+second)
		r := new(audit.Row).Judge(audit.NewAnswerCache(mem, 1, true), audit.Entry{Loc: "http://a.example/a"}, rules(), audit.Want{Recheck: true})
		if r.Verdict != audit.Unverified || r.UnseenBy() != want[0] || strings.TrimSpace(r.Fix.Why.Key+" "+r.Fix.Why.Args[0]) != want[1] {
			t.Errorf("%s: %s, %s, %q", second, r.Verdict, r.UnseenBy(), r.Fix.Why)
		}
		if made := second != "fault=host-left"; slices.Contains(r.Notes, audit.Unsteady) != made || r.Status != 404 {
			t.Errorf("%s: %d, notes %q", second, r.Status, r.Notes)
		}
	}
}
