package html

import (
	"bytes"
	"strings"
	"testing"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/internal/page"
)

// A host that reads like another one is shown as xn--, whatever form lists it.
func TestAHomographIsShownAsItGoesOverTheWire(t *testing.T) {
	const listed, wire = "http://аррӏе.example/a", "http://xn--80ak6aa92e.example/a"
	a, err := address.Parse(listed)
	if err != nil || a.String() != wire {
		t.Fatalf("%s, %v", a, err)
	}
	row := audit.Row{Entry: audit.Entry{Loc: listed}, Address: a, Verdict: audit.OK}
	if v := page.NewRow("s.xml:1", &row); strings.Contains(v.Short+v.Loc, "р") || v.Short != wire {
		t.Errorf("the row is shown as %q, %q", v.Short, v.Loc)
	}
	c := columns{text: map[string]*bytes.Buffer{}}
	for _, name := range texts {
		c.text[name] = &bytes.Buffer{}
	}
	c.addTexts(&row)
	if got := c.text["readable"].String(); got != wire+"\n" {
		t.Errorf("the list shows %q", got)
	}
	if page.Shown("http://bücher.example/") != "http://bücher.example/" {
		t.Error("a host in its own script is not shown in it")
	}
}
