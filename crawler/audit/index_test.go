package audit_test

import (
	"fmt"
	"strings"
	"testing"

	"sitemend/crawler/audit"
)

// An index names its children where they answered, and none that is gone, as far as
// --fix and the brake allow.
func TestChildren(t *testing.T) {
	type fixes = map[audit.Verdict]audit.Action
	for name, c := range map[string]struct {
		children string // of each: ok, gone, moved, session (moved to an address of one visit), secure (https, and moved to http)
		rules    func(*audit.Rules)
		want     string
	}{
		"nothing wrong":      {"ok ok", nil, ""},
		"gone and moved":     {"ok gone moved", nil, "1 drop default 2 replace default"},
		"all gone":           {"gone gone", nil, ""},
		"gone, empty and ok": {"gone empty ok", nil, "0 drop default"},
		"the brake":          {"ok" + strings.Repeat(" gone", 11), nil, ""},
		"most of them":       {"ok ok gone gone gone", nil, ""},
		"kept as told":       {"ok gone moved", func(r *audit.Rules) { r.Fix = fixes{audit.NotFound: audit.Keep} }, "2 replace default"},
		"moved to a session": {"ok session", nil, ""},
		"moved to http":      {"ok secure", nil, ""},
		"all kept":           {"ok gone moved", func(r *audit.Rules) { r.KeepAll = true }, ""},
	} {
		s := &site{web: parseWeb(t, "http://a.example/1 200")}
		s.list("http://a.example/index.xml")
		s.files[0].Kind = "index"
		for i, is := range strings.Fields(c.children) {
			locs := []string{"http://a.example/1"}
			if is == "empty" {
				locs = nil
			}
			s.list(fmt.Sprintf("http://a.example/%d.xml", i), locs...)
			f := &s.files[len(s.files)-1]
			f.Parent, f.Place, f.Status = 0, i, 200
			switch is {
			case "gone":
				f.Kind, f.Status, f.GoneTwice = "", 404, true
			case "secure":
				f.Permanent, f.URL, f.AnsweredAt = true, fmt.Sprintf("https://a.example/%d.xml", i), fmt.Sprintf("http://a.example/new/%d.xml", i)
			case "session":
				f.Permanent, f.AnsweredAt = true, fmt.Sprintf("http://a.example/%d.xml;jsessionid=1A2B", i)
			case "moved":
				f.Permanent, f.AnsweredAt = true, fmt.Sprintf("http://a.example/new/%d.xml", i)
			}
		}
		r := rules()
		if c.rules != nil {
			c.rules(r)
		}
		result := s.evaluate(t, r)
		var got []string
		for i := range strings.Fields(c.children) {
			if row, ok := result.Child(0, i); ok {
				got = append(got, fmt.Sprint(i, " ", row.Fix.Action, " ", row.Fix.Policy))
			}
		}
		if said := strings.Join(got, " "); said != c.want {
			t.Errorf("%s: %q, want %q", name, said, c.want)
		}
	}
}
