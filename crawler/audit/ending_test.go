package audit_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"sitemend/crawler/audit"
)

// An outage at the end of an audit takes nothing out: pages that were fine are requested once more, then some of
// what was not there at the end. What is gone for good is taken out all the same.
func TestOutageAtTheEnd(t *testing.T) {
	const gone = "L 404\nbrowser L 404\nforeign L 404"
	const hidden = "L 200 robots=noindex\nbrowser L 200 robots=noindex\nforeign L 200 robots=noindex"
	for name, c := range map[string]struct {
		dead     string
		at       int    // the first of 5 that are dead, of 100, 10 in a second
		controls string // what these answer
		later    string // what the dead answer later
		want     string
		asked    bool // controls are
	}{
		"it is over":                      {gone, 95, "L 200", "L 200", "keep", true},
		"it lasts":                        {gone, 95, "L 404", "L 404", "keep", true},
		"maintenance lasts":               {hidden, 95, "L 200 robots=noindex", "L 200 robots=noindex", "keep", true},
		"maintenance is over":             {hidden, 95, "L 200", "L 200", "keep", true},
		"nothing is answered any more":    {gone, 95, "L fault=timeout", "L fault=timeout", "keep", true},
		"they are gone":                   {gone, 95, "L 200", "L 404", "drop", true},
		"what is gone stands at the end":  {hidden, 95, "L 200", hidden, "drop", true},
		"what is gone stands amid others": {gone, 40, "", "", "drop", false},
	} {
		s, locs := &site{web: web{}}, many(100, "http://a.example/p%d")
		s.list(map1, locs...)
		began := time.Date(2026, 11, 24, 2, 0, 0, 0, time.UTC)
		at := func(lines, loc string, i int) {
			for r, h := range parseWeb(t, strings.ReplaceAll(lines, "L", loc)) {
				h.At = began.Add(time.Duration(i) * 100 * time.Millisecond)
				s.web[r] = h
			}
		}
		for i, l := range locs {
			if at("L 200", l, i); i >= c.at && i < c.at+5 {
				at(c.dead, l, i)
			}
		}
		rows, asked := s.proved(t, rules(), func(r audit.Request) {
			line := c.controls
			if slices.Contains(locs[c.at:c.at+5], r.URL) {
				line, _, _ = strings.Cut(c.later, "\n")
			}
			at("proof "+line, r.URL, 200)
		})
		if _, got, _ := strings.Cut(rows[c.at], " | "); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, want %s", name, rows[c.at], c.want)
		}
		if (asked > 0) != c.asked || asked > 20 {
			t.Errorf("%s: %d are requested once more", name, asked)
		}
	}
}

// proved proves an evaluation with answers, and says all rows of the first file, and how many were requested of
// the robot.
func (s *site) proved(t *testing.T, rules *audit.Rules, answer func(audit.Request)) (rows []string, asked int) {
	t.Helper()
	result := s.evaluate(t, rules)
	for range 9 {
		if err := result.Prove(t.Context()); err != nil {
			t.Fatal(err)
		}
		if result.Failed() {
			result = s.evaluate(t, rules)
			continue
		}
		rs, err := result.ProofRequests()
		if err != nil {
			t.Fatal(err)
		}
		if len(rs) == 0 {
			return rowsOf(t, result, 0), asked
		}
		for _, r := range rs {
			if answer(r); r.Purpose == audit.AsProof {
				asked++
			}
		}
	}
	t.Fatal("the proof does not end")
	return nil, 0
}
