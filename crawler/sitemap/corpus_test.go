package sitemap

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"sitemend/crawler/address"
)

type crawlerCommonsCase struct {
	Test         string   `json:"test"`
	Content      string   `json:"content"`
	Resource     []string `json:"resource"`
	URL          string   `json:"sitemap_url"`
	Counts       []int    `json:"expected_counts_in_order"`
	Locs         []string `json:"expected_locs"`
	ExpectsError bool     `json:"expects_error"`
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
	path := filepath.Join(cmp.Or(os.Getenv("SITEMEND_CORPUS"), "../../../shared/corpus"), "crawler-commons", "sitemap_cases.json")
	data, err := os.ReadFile(path)
	if err != nil && os.Getenv("SITEMEND_NO_SKIP") == "" {
		t.Skipf("set SITEMEND_CORPUS: %v", err)
	}
	must(t, err)
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
		must(t, err)
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
