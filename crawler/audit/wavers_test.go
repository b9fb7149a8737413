package audit_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"sitemend/crawler/audit"
)

// Where two edits of a kind vary, and one in ten, none of that kind is made: the others may have
// answered alike by chance. A single one says nothing of the others.
func TestEditsLikeThoseThatVary(t *testing.T) {
	const moved, gone = "L 301 /newN\nhttp://a.example/newN 200", "L 404\nbrowser L 404"
	for name, c := range map[string]struct {
		web, other string // the answers at an address, and those at one that varies
		vary, all  int
		lift       bool
		want       string // of an edit that does not vary itself
	}{
		"one page redirects by language":    {moved, "foreign L 200", 1, 12, false, "replace http://a.example/new"},
		"one of twelve, and another":        {moved, "foreign L 200", 2, 12, false, "keep | varies"},
		"fewer than one in ten":             {moved, "foreign L 200", 2, 30, false, "replace http://a.example/new"},
		"with --fix varies=replace":         {moved, "foreign L 200", 2, 12, true, "replace http://a.example/new"},
		"one of two servers lacks pages":    {gone, "browser L 200", 2, 12, false, "keep | varies"},
		"one page was put back meanwhile":   {gone, "browser L 200", 1, 12, false, "drop"},
		"pages are refused to a browser":    {gone, "browser L 403", 3, 12, false, "drop"},
		"some are found in other languages": {gone, "foreign L 200", 2, 12, false, "keep | varies"},
	} {
		s := &site{web: web{}}
		locs := many(c.all, "http://a.example/p%d")
		for i, l := range locs {
			maps.Copy(s.web, parseWeb(t, strings.NewReplacer("L", l, "N", fmt.Sprint(i)).Replace(c.web)))
			if i < c.vary {
				maps.Copy(s.web, parseWeb(t, strings.ReplaceAll(c.other, "L", l)))
			}
		}
		s.list(map1, append(locs, many(200, "http://a.example/fine%d")...)...)
		for _, l := range many(200, "http://a.example/fine%d") {
			maps.Copy(s.web, parseWeb(t, l+" 200"))
		}
		r := rules()
		r.MaxDrop = 0.5
		if c.lift {
			r.Lift = map[audit.Note]bool{audit.Varies: true}
		}
		rows := rowsOf(t, s.evaluate(t, r), 0)
		if _, got, _ := strings.Cut(rows[c.all-1], " | "); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, want %s", name, rows[c.all-1], c.want)
		}
	}
}
