package robots_test

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"sitemend/crawler/robots"
)

// unmet lists the cases of google/robotstxt that this package does not pass, with the reason.
var unmet = map[string]string{
	"ID_Encoding FooBot http://foo.bar/foo/bar/ツ": "what is requested is in wire form, and has no such byte",
}

type googleCase struct {
	Test    string
	Text    *string `json:"robotstxt_text"`
	Base64  string  `json:"robotstxt_base64"`
	Agent   string  `json:"user_agent"`
	URL     string
	Allowed bool
}

func (c googleCase) body(t *testing.T) []byte {
	t.Helper()
	if c.Text != nil {
		return []byte(*c.Text)
	}
	b, err := base64.StdEncoding.DecodeString(c.Base64)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestGooglesCases(t *testing.T) {
	var cases struct {
		Allowed []googleCase
	}
	mustRead(t, "google-robotstxt/robots_cases.json", &cases)
	for _, c := range cases.Allowed {
		key := c.Test + " " + c.Agent + " " + c.URL
		got, line, n := robots.Parse(c.body(t)).Check(c.Agent, c.URL)
		_, listed := unmet[key]
		switch {
		case got == c.Allowed && listed:
			t.Errorf("%s: is met now; take it off the list", key)
		case got != c.Allowed && !listed:
			t.Errorf("%s: got %v by line %d %q, want %v, file %q", key, got, n, line, c.Allowed, c.body(t))
		}
	}
}

// mustRead reads a file of SITEMEND_CORPUS, else of ../shared/corpus beside the project, or skips the
// test where there is none.
func mustRead(t *testing.T, name string, into any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(cmp.Or(os.Getenv("SITEMEND_CORPUS"), "../../../shared/corpus"), name))
	switch {
	case err == nil:
		err = json.Unmarshal(b, into)
	case os.Getenv("SITEMEND_NO_SKIP") == "":
		t.Skipf("set SITEMEND_CORPUS: %v", err)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}
