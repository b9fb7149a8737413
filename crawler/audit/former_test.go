package audit_test

import (
	"strings"
	"testing"

	"sitemend/crawler/audit"
)

// What is not found stays where the address that an earlier audit replaced by it leads to a page that no sitemap
// lists.
func TestOldAddressAnswers(t *testing.T) {
	const gone = "http://a.example/new 404\nbrowser http://a.example/new 404\nhttp://a.example/fine 200\nhttp://a.example/listed 200\n"
	for name, c := range map[string]struct{ old, want string }{
		"it is back":                   {"http://a.example/old 200", "keep"},
		"it leads to a third page":     {"http://a.example/old 301 /third\nhttp://a.example/third 200", "keep"},
		"it leads to a listed page":    {"http://a.example/old 301 /listed", "drop"},
		"it leads to what is gone":     {"http://a.example/old 301 /new", "drop"},
		"it is gone, too":              {"http://a.example/old 404", "drop"},
		"it says noindex":              {"http://a.example/old 200 robots=noindex", "drop"},
		"it leads to the home page":    {"http://a.example/old 301 /\nhttp://a.example/ 200", "drop"},
		"it says that it is not found": {"http://a.example/old 200 title=404", "drop"},
	} {
		s := &site{web: parseWeb(t, gone+c.old)}
		s.list(map1, "http://a.example/new", "http://a.example/fine", "http://a.example/listed")
		s.entries[0].Former = "http://a.example/old"
		row := rowsOf(t, s.evaluate(t, rules()), 0)[0]
		if _, got, _ := strings.Cut(row, " | "); got != c.want {
			t.Errorf("%s: %s, want %s", name, row, c.want)
		}
		r := rules()
		r.Fix = map[audit.Verdict]audit.Action{audit.NotFound: audit.Drop}
		if row := rowsOf(t, s.evaluate(t, r), 0)[0]; !strings.Contains(row, "drop") {
			t.Errorf("%s, with --fix not-found=drop: %s", name, row)
		}
	}
	row := audit.Judge(parseWeb(t, gone), audit.Entry{Loc: "http://a.example/new", Former: "http://a.example/old"}, rules(), audit.Want{Recheck: true})
	if len(row.Needs) != 1 || row.Needs[0].URL != "http://a.example/old" {
		t.Errorf("%v is asked for", row.Needs)
	}
}
