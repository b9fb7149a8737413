package html

import (
	"cmp"
	"slices"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// A serverView is the section of the server: what to change there where entries are right as
// listed and answered otherwise in another spelling.
type serverView struct{ Configs []configView }

// A configView is a part of a server's configuration that the page hands out.
type configView struct{ Name, Text string }

// newServerView returns nil where no other spelling is answered otherwise.
func newServerView(result *audit.Result) *serverView {
	if result.Counts.Total(audit.OtherSpelling) == 0 {
		return nil
	}
	v := &serverView{}
	page := configured(result)
	for _, c := range []configView{{"nginx", NginxRule(page)}, {"Apache", serverRule("apache.conf", page)}} {
		if c.Text != "" {
			v.Configs = append(v.Configs, c)
		}
	}
	return v
}

// configured is the page that configurations are shown for, in wire form: the shortest that is right
// as listed and redirected to from another spelling; "" for none.
func configured(result *audit.Result) string {
	var to []string
	for i := range result.Causes {
		c := &result.Causes[i]
		if c.Verdict != audit.SpellingBounce {
			continue
		}
		for _, loc := range c.Examples {
			if a, err := address.Parse(loc); err == nil {
				to = append(to, a.String())
			}
		}
	}
	if len(to) == 0 {
		return ""
	}
	return slices.MinFunc(to, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
}
