package robots_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"sitemend/crawler/robots"
)

// unmet lists the cases of google/robotstxt that this package does not pass, with the reason.
var unmet = map[string]string{}

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
		Path    []struct{ URL, Path string } `json:"path_params_query"`
	}
	mustRead(t, "google-robotstxt/robots_cases.json", &cases)
	met := 0
	for _, c := range cases.Allowed {
		key := c.Test + " " + c.Agent + " " + c.URL
		got, line, n := robots.Parse(c.body(t)).Check(c.Agent, c.URL)
		_, listed := unmet[key]
		switch {
		case got == c.Allowed && listed:
			t.Errorf("%s: is met now; take it off the list", key)
		case got == c.Allowed:
			met++
		case !listed:
			t.Errorf("%s: got %v by line %d %q, want %v, file %q", key, got, n, line, c.Allowed, c.body(t))
		}
	}
	t.Logf("%d of %d cases met", met, len(cases.Allowed))
	for _, c := range cases.Path {
		if got := robots.PathOf(c.URL); got != c.Path {
			t.Errorf("path of %q: got %q, want %q", c.URL, got, c.Path)
		}
	}
}

// mustRead reads a file of the corpus, or skips the test where there is none.
func mustRead(t *testing.T, name string, into any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(corpus(t), name))
	if err != nil {
		if os.Getenv("SITEMEND_NO_SKIP") != "" {
			t.Fatalf("corpus file missing: %v", err)
		}
		t.Skipf("corpus file missing: %v (set SITEMEND_CORPUS)", err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// corpus returns the folder of the cases: SITEMEND_CORPUS, else one beside the project.
func corpus(t *testing.T) string {
	if dir := os.Getenv("SITEMEND_CORPUS"); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "..", "shared", "corpus")
		}
	}
	t.Fatal("no go.mod above the test's folder")
	return ""
}
