package audit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sitemend/crawler/audit"
)

// A field for a password says that another page than the listed one is a login, but on a site that
// has it on most of its pages.
func TestLoginBoxes(t *testing.T) {
	const moved = `
		http://a.example/old/cup 301 /new/cup
		http://a.example/new/cup 200 title=Cup password
		http://a.example/nowhere 404
		http://a.example/old/nowhere 404
		http://a.example/new/nowhere 404`
	for name, c := range map[string]struct {
		page  string // of the pages that answer at once, %d the number
		n, of int    // of which so many have it, and how many there are
		more  string
		want  string
	}{
		"in each header":      {"title=Page%d password", 8, 8, "", "moved path | replace http://a.example/new/cup"},
		"in most":             {"title=Page%d password", 6, 10, "", "moved path | replace http://a.example/new/cup"},
		"in some":             {"title=Page%d password", 5, 10, "", "moved path | keep | gate"},
		"of few pages":        {"title=Page%d password", 4, 4, "", "moved path | keep | gate"},
		"before all of them":  {"title=Members password", 8, 8, "", "moved path | keep | gate"},
		"titled as a login":   {"title=Page%d password", 8, 8, "\nhttp://a.example/new/cup 200 title=login password", "moved path | keep | gate"},
		"a soft 404 in there": {"title=Page%d password", 8, 8, "\nhttp://a.example/new/nowhere 200 title=Cup password", "moved path | keep | target-soft-404"},
	} {
		text := moved
		for i := range c.of {
			text += fmt.Sprintf("\nhttp://a.example/p%d 200 ", i)
			if i < c.n {
				text += strings.ReplaceAll(c.page, "%d", fmt.Sprint(i))
			}
		}
		web, r := parseWeb(t, text+c.more), rules()
		r.MissingPath = "nowhere"
		entries := []audit.Entry{{Loc: "http://a.example/old/cup"}}
		for i := range c.of {
			entries = append(entries, audit.Entry{N: i + 1, Loc: fmt.Sprintf("http://a.example/p%d", i)})
		}
		var seen audit.EditedSections
		for _, e := range entries {
			row := audit.Judge(web, e, r, audit.Want{})
			seen.See(&row, r)
		}
		seen.Add(r)
		row := audit.Judge(web, entries[0], r, audit.Want{})
		if got := say(&row); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if !slices.Contains(r.Sections["http://a.example"], "new") && strings.Contains(c.want, "replace") {
			t.Errorf("%s: what no page is below /new/ is not asked: %v", name, r.Sections)
		}
	}
}

// The listed page itself, written otherwise, is no login before it for its field for a password.
func TestPasswordOfTheSamePage(t *testing.T) {
	for _, c := range []struct{ listed, end, want string }{
		{"http://a.example/cup", "https://a.example/cup", "moved scheme | replace https://a.example/cup"},
		{"http://a.example/cup", "http://a.example/cup/", "moved slash | replace http://a.example/cup/"},
		{"http://a.example/Cup", "https://www.a.example/cup", "moved path-case scheme www | replace https://www.a.example/cup"},
		{"http://a.example/cup", "http://shop.a.example/cup", "moved host | keep | gate"},
		{"http://a.example/cup", "http://a.example/cup?a=1", "moved query | keep | gate"},
		{"http://a.example/cup", "http://a.example/cup/inside", "moved path | keep | gate"},
	} {
		row := audit.Judge(parseWeb(t, c.listed+" 301 "+c.end+"\n"+c.end+" 200 password"), audit.Entry{Loc: c.listed}, rules(), audit.Want{})
		if got := say(&row); got != c.want {
			t.Errorf("%s to %s: %s, want %s", c.listed, c.end, got, c.want)
		}
	}
}
