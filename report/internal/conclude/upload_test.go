package conclude_test

import (
	"slices"
	"strings"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

// The upload comes first where only links change, whatever is wrong with the files besides.
func TestUploadComesFirstWhereOnlyLinksChange(t *testing.T) {
	for name, change := range map[string]func(*audit.Result){
		"nothing else": func(*audit.Result) {},
		"and a fault": func(a *audit.Result) {
			a.Files[0].Sitemap.Faults = []audit.SitemapFault{
				{Name: "Invalid date", Severity: "warning"}}
		},
	} {
		x := result(groups{audit.Fine: {"ok": 60}}, func(a *audit.Result) {
			a.Files[0].Changed, a.Files[0].Relinked = true, 2
		}, change)
		c := conclude.Of(x, conclude.Options{})
		if len(c.Actions) == 0 || c.Actions[0].Kind != conclude.DoUpload || c.Uploads != 1 {
			t.Errorf("%s: %d uploads, actions %v", name, c.Uploads, c.Actions)
		}
	}
}

// That there is nothing to do is said only where no action stands below it.
func TestNothingToDo(t *testing.T) {
	relinked := func(a *audit.Result) { a.Files[0].Changed, a.Files[0].Relinked = true, 1 }
	for name, tt := range map[string]struct {
		in      groups
		change  func(*audit.Result)
		nothing bool
	}{
		"clean":                       {groups{audit.Fine: {"ok": 60}}, func(*audit.Result) {}, true},
		"clean, one":                  {groups{audit.Fine: {"ok": 1}}, func(*audit.Result) {}, true},
		"clean, an image moved":       {groups{audit.Fine: {"ok": 60}}, relinked, false},
		"clean, one, its image moved": {groups{audit.Fine: {"ok": 1}}, relinked, false},
	} {
		c, en := conclude.Of(result(tt.in, tt.change), conclude.Options{}), messages.Of("en")
		said := c.Headline.In(en) + " " + c.Proof.In(en)
		if c.State != conclude.Clean {
			t.Errorf("%s: state %s", name, c.State)
		}
		if got := strings.Contains(said, "There is nothing to do."); got != tt.nothing {
			t.Errorf("%s: %q above %v", name, said, c.Actions)
		}
	}
}

// A file that was divided is as many files to upload as were written, each of them named, or the
// first and the last.
func TestPartsAreUploaded(t *testing.T) {
	part := func(n string) audit.FilePart { return audit.FilePart{Name: "www.shop.example/" + n} }
	for _, tt := range []struct {
		parts []audit.FilePart
		title string
		named string
	}{
		{nil, "Upload this file", "sitemap.xml"},
		{[]audit.FilePart{part("sitemap-1.xml"), part("sitemap-2.xml")}, "Upload these 3 files",
			"sitemap.xml, sitemap-1.xml, sitemap-2.xml"},
		{[]audit.FilePart{part("sitemap.xml"), part("sitemap-2.xml")}, "Upload these 2 files",
			"sitemap.xml, sitemap-2.xml"},
		{[]audit.FilePart{part("sitemap-1.xml"), part("sitemap-2.xml"), part("sitemap-3.xml"),
			part("sitemap-4.xml")}, "Upload these 5 files", "sitemap.xml, sitemap-1.xml, … sitemap-4.xml"},
	} {
		x := result(groups{audit.Fine: {"ok": 60}, audit.Corrected: {"moved": 3}},
			func(a *audit.Result) { a.Files[0].Parts = tt.parts })
		words := messages.Of("en")
		actions := conclude.Of(x, conclude.Options{}).Actions
		i := slices.IndexFunc(actions, func(a conclude.Action) bool { return a.Kind == conclude.DoUpload })
		if i < 0 {
			t.Fatalf("nothing is uploaded: %v", actions)
		}
		a := actions[i]
		if got := a.Title.In(words); got != tt.title {
			t.Errorf("%q, want %q", got, tt.title)
		}
		if len(a.Evidence) != 1 || a.Evidence[0].Text.In(words) != tt.named || a.Evidence[0].Count != 3 {
			t.Errorf("%v, want 3 of %q", a.Evidence, tt.named)
		}
	}
}

// Where no corrected file was written there is none to upload: it is written first.
func TestWhatWasNotWrittenIsWrittenFirst(t *testing.T) {
	x := result(groups{audit.Fine: {"ok": 60}, audit.Corrected: {"moved": 3}}, func(a *audit.Result) { a.NoFiles = true })
	c := conclude.Of(x, conclude.Options{Again: "sitemend report --store a.db"})
	first, en := c.Actions[0], messages.Of("en")
	if first.Kind != conclude.DoWrite || first.Target != "copy:sitemend report --store a.db" || len(first.Evidence) != 1 ||
		first.Evidence[0].Text.In(en) != "`sitemend report --store a.db`" {
		t.Errorf("the first action is %+v", first)
	}
	if got, want := first.Title.In(en), "Write the corrected file, then upload it"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Whether an upload fixes anything is one fact: not where only a part was crawled, nor where all
// that is edited are copies of files that were read only in part.
func TestWouldBeFixed(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*audit.Result)
		would  bool
	}{
		"an ordinary audit":     {func(*audit.Result) {}, false},
		"to standard output":    {func(a *audit.Result) { a.NoFiles = true }, false},
		"a sample":              {func(a *audit.Result) { a.Info.Partial = true }, true},
		"a file that is cut":    {cutOff, true},
		"the files are checked": {func(a *audit.Result) { a.Info.NoFetch = true }, true},
	} {
		c := conclude.Of(result(groups{audit.Fine: {"ok": 9}, audit.Corrected: {"moved": 1}}, tt.change), conclude.Options{})
		if c.Would != tt.would || tt.would && c.Uploads > 0 {
			t.Errorf("%s: would %v, %d uploads", name, c.Would, c.Uploads)
		}
	}
}

// Google reads nothing behind a parsing error, which the corrected copy has as its original has it.
func TestUploadOfABrokenFile(t *testing.T) {
	for name, want := range map[string]bool{"Parsing error": true, "Invalid URL": false} {
		c := conclude.Of(result(groups{audit.Fine: {"ok": 59}, audit.Corrected: {"moved": 1}}, func(a *audit.Result) {
			a.Files[0].Changed = true
			a.Files[0].Sitemap.Faults = []audit.SitemapFault{{Name: name, Severity: "error"}}
		}), conclude.Options{})
		if said := c.Actions[0].Text.In(messages.Of("en")); c.Broken != want || strings.Contains(said, "A parsing error stays in it") != want {
			t.Errorf("%s: %t, %q", name, c.Broken, said)
		}
	}
}

// An http sitemap that stays where it is accepts no https entries, and an https one that had http entries does.
func TestUploadOfTwins(t *testing.T) {
	for at, want := range map[string]int{"http://shop.example/sitemap.xml": 9, "https://shop.example/sitemap.xml": 0, "http://other.example/sitemap.xml": 0} {
		for _, moved := range []bool{false, true} {
			x := audit.Cause{Group: audit.Corrected, Verdict: audit.Noncanonical, Count: 9, Examples: []string{"http://shop.example/a"}, Finals: []string{"https://shop.example/a"}}
			c := conclude.Of(result(groups{audit.Fine: {"ok": 51}, audit.Corrected: {"noncanonical": 9}}, func(a *audit.Result) {
				a.Files[0].Changed, a.Files[0].Moved, a.Files[0].Sitemap.AnsweredAt, a.Causes = true, moved, at, []audit.Cause{x}
			}), conclude.Options{})
			if moved {
				want = 0
			}
			if c.Twins != want {
				t.Errorf("%s, moved %t: %d, want %d", at, moved, c.Twins, want)
			}
		}
	}
}
