package sitemap

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sitemend/crawler/address"
)

// corpus returns the path of conformance data: below SITEMEND_CORPUS, else
// ../shared/corpus from the project's root.
func corpus(t *testing.T, name string) string {
	t.Helper()
	root := os.Getenv("SITEMEND_CORPUS")
	if root == "" {
		dir, err := os.Getwd()
		for err == nil {
			if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
				break
			}
			if dir == filepath.Dir(dir) {
				break
			}
			dir = filepath.Dir(dir)
		}
		root = filepath.Join(dir, "..", "shared", "corpus")
	}
	path := filepath.Join(root, filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("SITEMEND_NO_SKIP") != "" {
			t.Fatalf("conformance data is missing: %v", err)
		}
		t.Skipf("conformance data is missing (set SITEMEND_CORPUS): %v", err)
	}
	return path
}

type crawlerCommonsCase struct {
	Test          string   `json:"test"`
	Content       string   `json:"content"`
	Resource      []string `json:"resource"`
	URL           string   `json:"sitemap_url"`
	Counts        []int    `json:"expected_counts_in_order"`
	Locs          []string `json:"expected_locs"`
	Assertions    []string `json:"assertions"`
	ExpectsError  bool     `json:"expects_error"`
	StrictCounted bool     `json:"strict_namespace"`
}

// notMet are the cases that this package reads differently, with the result that it has instead.
var notMet = map[string]struct {
	count int
	why   string
}{
	"testUrlLocUrl":                  {0, "a <url> within a <loc> is no URL"},
	"testSitemapXXE":                 {1, "a DTD is passed over, not refused: the URL that is there counts"},
	"testSitemapWithWrongNamespace":  {2, "a wrong namespace is a fault, and the URLs are read all the same"},
	"testSitemapTXTfilterUrls":       {1, "www.example.com/... without a scheme is a URL that is no absolute URL; crawler-commons adds http://"},
	"testSitemapParserBrokenXml":     {1, "what can be read of broken XML is read, with a fault"},
	"testMissingLocSitemapIndexFile": {0, "a URL without <loc> is none for Google (Missing XML tag)"},
	"testLenientParser":              {1, "a URL above the sitemap's directory is read, with a fault (URL not allowed)"},
	"testPartialSitemapsAllowed":     {0, "a URL counts when its </loc> was read; the URL here may be cut off"},
	"testRSSFormat":                  {3, "a guid with isPermaLink=false is no URL (RSS 2.0); Google names link alone"},
}

func TestCrawlerCommons(t *testing.T) {
	path := corpus(t, "crawler-commons/sitemap_cases.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Cases []crawlerCommonsCase `json:"cases"`
	}
	if err := json.Unmarshal(data, &all); err != nil || len(all.Cases) != 33 {
		t.Fatalf("%d cases, %v", len(all.Cases), err)
	}
	for _, c := range all.Cases {
		t.Run(c.Test, func(t *testing.T) { c.check(t, filepath.Dir(path)) })
	}
}

func (c *crawlerCommonsCase) check(t *testing.T, dir string) {
	files := [][]byte{[]byte(c.Content)}
	if c.Content == "" {
		files = nil
	}
	for _, name := range c.Resource {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, data)
	}
	for i, file := range files {
		c.checkFile(t, file, i)
	}
}

func (c *crawlerCommonsCase) checkFile(t *testing.T, file []byte, i int) {
	var got []string
	info, err := Read(bytes.NewReader(file), Options{URL: c.URL}, func(e Entry) error {
		if _, err := address.Parse(e.Loc); err == nil {
			got = append(got, e.Loc)
		}
		return nil
	})
	want, special := -1, notMet[c.Test]
	switch {
	case special.why != "":
		want = special.count
	case c.ExpectsError:
		var format *FormatError
		if !errors.As(err, &format) {
			t.Errorf("%s is read: %v %v", c.Test, got, err)
		}
		return
	case len(c.Counts) > 0:
		want = c.Counts[min(i, len(c.Counts)-1)]
	}
	if err != nil || want >= 0 && len(got) != want {
		t.Errorf("%d addresses (%v), want %d: %q\n%v", len(got), err, want, got, info.Faults)
	}
	if c.Locs != nil && !slices.Equal(got, c.Locs) {
		t.Errorf("addresses are %q, want %q", got, c.Locs)
	}
	var out bytes.Buffer
	if _, err := Rewrite(bytes.NewReader(file), &out, unedited); err != nil || !info.Gzip && !bytes.Equal(out.Bytes(), file) {
		t.Errorf("without edits the file is not the same: %v", err)
	}
}

func TestRealFiles(t *testing.T) {
	index, err := os.Open(corpus(t, "real/index-of-gz.xml"))
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	children, info := mustRead(t, index, Options{URL: "https://github-wiki-see.page/sitemap.xml"})
	if info.Kind != Index || len(children) == 0 || len(info.Faults) > 0 {
		t.Errorf("the index is %+v", info)
	}
	for _, c := range children {
		if !strings.HasPrefix(c.Loc, "https://github-wiki-see.page/") || !strings.HasSuffix(c.Loc, ".xml.gz") {
			t.Errorf("a child is %q", c.Loc)
		}
	}
	file, err := os.ReadFile(corpus(t, "real/50000-urls.xml.gz"))
	if err != nil {
		t.Fatal(err)
	}
	entries, info := mustRead(t, bytes.NewReader(file), Options{})
	if len(entries) != 50_000 || !info.Gzip || info.Size != 4_768_817 || len(info.Faults) > 0 {
		t.Errorf("%d entries, %+v", len(entries), info)
	}
	out, res := mustRewrite(t, file, edits("x, -"))
	again, _ := mustRead(t, bytes.NewReader(out), Options{})
	if res.Dropped != 1 || len(again) != 49_999 || again[0].Loc != entries[1].Loc || len(again) > 0 && again[0].Line != entries[0].Line {
		t.Errorf("without the first, %d entries are left from %+v", len(again), again[0])
	}
}
