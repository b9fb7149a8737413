package audit_test

import (
	"testing"

	"sitemend/crawler/audit"
)

// What was answered without the user's secrets decides nothing where the answer may be
// another with them: nothing is taken out, replaced or merged for it. Without secrets the
// same answers decide.
func TestAnswersWithoutSecretsDecideNothing(t *testing.T) {
	const web = `
		https://a.example/gone 404
		browser https://a.example/gone 404
		https://a.example/half 404
		browser https://a.example/half 301 https://b.example/half
		browser https://b.example/half 301 https://a.example/other-half
		plain browser https://a.example/other-half 404
		browser https://a.example/other-half 404
		http://a.example/gone 404
		browser http://a.example/gone 404
		https://a.example/via-gone 301 https://b.example/on
		https://b.example/on 301 https://a.example/there
		plain https://a.example/there 404
		https://a.example/there 404
		browser https://a.example/via-gone 301 https://b.example/on
		browser https://b.example/on 301 https://a.example/there
		plain browser https://a.example/there 404
		browser https://a.example/there 404
		https://a.example/via-new 301 https://b.example/new
		https://b.example/new 301 https://a.example/new
		plain https://a.example/new 200
		https://a.example/new 200
		https://a.example/down 301 http://a.example/hidden
		http://a.example/hidden 404
		browser https://a.example/down 301 http://a.example/hidden
		browser http://a.example/hidden 404
		http://a.example/moved 301 https://a.example/moved
		https://a.example/moved 200
		http://a.example/else 301 https://a.example/new
		http://a.example/noindex 200 robots=noindex
		http://a.example/canonical 200 canonical=https://a.example/new
		https://a.example/canonical 200 canonical=http://a.example/page
		http://a.example/page 200
		https://a.example/stranger 301 https://shop.a.example/gone
		https://shop.a.example/gone 404
		browser https://a.example/stranger 301 https://shop.a.example/gone
		browser https://shop.a.example/gone 404
		https://a.example/soft 200 title=Soft
		https://a.example/nowhere 301 https://b.example/nowhere
		https://b.example/nowhere 301 https://a.example/none
		plain https://a.example/none 200 title=Soft
		https://a.example/none 200 title=Soft`
	cases := []struct {
		loc           string
		verdict       audit.Verdict
		without, with audit.Action
	}{
		{"https://a.example/gone", audit.NotFound, audit.Drop, audit.Drop},
		{"https://a.example/half", audit.NotFound, audit.Drop, audit.Keep},
		{"http://a.example/gone", audit.NotFound, audit.Drop, audit.Keep},
		{"https://a.example/via-gone", audit.NotFound, audit.Drop, audit.Keep},
		{"https://a.example/via-new", audit.Moved, audit.Replace, audit.Keep},
		{"https://a.example/down", audit.NotFound, audit.Drop, audit.Keep},
		{"http://a.example/moved", audit.Moved, audit.Replace, audit.Replace},
		{"http://a.example/else", audit.Moved, audit.Replace, audit.Keep},
		{"http://a.example/noindex", audit.Noindex, audit.Drop, audit.Keep},
		{"http://a.example/canonical", audit.Noncanonical, audit.Replace, audit.Keep},
		{"https://a.example/stranger", audit.NotFound, audit.Drop, audit.Drop},
		{"https://a.example/soft", audit.Soft404, audit.Drop, audit.Keep},
		{"nonsense", audit.Invalid, audit.Drop, audit.Drop},
	}
	for _, c := range cases {
		for _, secret := range [][]string{nil, {"https://a.example", "https://www.a.example"}} {
			r := rules()
			r.Secret, r.MissingPath, r.Spelling = secret, "nowhere", ""
			r.Fix = map[audit.Verdict]audit.Action{audit.Soft404: audit.Drop}
			if c.verdict != audit.Soft404 {
				r.MissingPath = ""
			}
			row := new(audit.Row).Judge(audit.NewAnswerCache(parseWeb(t, web), 1, true), audit.Entry{Loc: c.loc}, r, audit.Want{Recheck: true})
			want := c.without
			if secret != nil {
				want = c.with
			}
			held := secret != nil && c.with != c.without
			if row.Verdict != c.verdict || row.Fix.Action != want || (row.Fix.Stop == "secrets-withheld") != held {
				t.Errorf("%s with secrets for %v: %s, stopped by %q, needs %v", c.loc, secret, say(row), row.Fix.Stop, row.Needs)
			}
		}
	}
}
