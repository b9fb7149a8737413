package hreflang_test

import (
	"encoding/xml"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A urlset is parsed by a second validator, which holds everything in memory and uses another XML
// parser.
type urlset struct {
	URLs []struct {
		Loc   string `xml:"loc"`
		Links []struct {
			Lang string `xml:"hreflang,attr"`
			Href string `xml:"href,attr"`
		} `xml:"http://www.w3.org/1999/xhtml link"`
	} `xml:"url"`
}

// missing counts the pairs of a page and an alternate that does not name the page back, and the
// pages with alternates that do not name themselves.
func (s site) missing(t *rapid.T) (returns, selves int) {
	names := map[string]map[string]bool{}
	for n := range s {
		var set urlset
		if err := xml.Unmarshal([]byte(s.file(n)), &set); err != nil {
			t.Fatal(err)
		}
		for _, u := range set.URLs {
			if names[u.Loc] == nil {
				names[u.Loc] = map[string]bool{}
			}
			for _, l := range u.Links {
				names[u.Loc][l.Href] = true
			}
		}
	}
	for page, named := range names {
		for to := range named {
			if to != page && !names[to][page] {
				returns++
			}
		}
		if len(named) > 0 && !named[page] {
			selves++
		}
	}
	return returns, selves
}

// Joining by sorting finds the same as a look at all pairs, and the same each time.
func TestMissingLinksLaw(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := make(site, rapid.IntRange(1, 3).Draw(rt, "files"))
		pages := rapid.IntRange(1, 9).Draw(rt, "pages")
		for page := range pages {
			line := fmt.Sprintf("/p%d", page)
			for to := range pages {
				if rapid.IntRange(0, 3).Draw(rt, "named") > 0 {
					line += fmt.Sprintf(" a%c=/p%d", 'a'+to, to)
				}
			}
			n := rapid.IntRange(0, len(s)-1).Draw(rt, "file")
			s[n] = append(s[n], line)
		}
		s = slices.DeleteFunc(s, func(lines []string) bool { return len(lines) == 0 })
		returns, selves := s.missing(rt)
		gotReturns, gotSelves := 0, 0
		for _, said := range s.faults(t, s.result()) {
			var n, line int
			var key string
			if _, err := fmt.Sscanf(said, "%d:%d %s", &n, &line, &key); err == nil {
				gotReturns += b2i(key == "hreflang-no-return")
				gotSelves += b2i(key == "hreflang-no-self")
				continue
			}
			var more int
			if _, err := fmt.Sscanf(said, "%d No return tags +%d", &n, &more); err == nil {
				gotReturns += more
			}
			if _, err := fmt.Sscanf(said, "%d Alternates without the page itself +%d", &n, &more); err == nil {
				gotSelves += more
			}
		}
		if gotReturns != returns || gotSelves != selves {
			rt.Fatalf("%v: %d missing return links and %d sets without the page, want %d and %d", s, gotReturns, gotSelves, returns, selves)
		}
		if again := s.faults(t, s.result()); !slices.Equal(again, s.faults(t, s.result())) {
			rt.Fatalf("it says another thing each time")
		}
	})
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
