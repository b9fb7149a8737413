package job

import (
	"testing"

	"sitemend/crawler/audit"
)

// A sitemap that a fault of ours kept from being read, or an entry from being judged, makes
// the exit status 2, also where the outputs are written again.
func TestWhatWeCouldNotReadOrJudgeIsReported(t *testing.T) {
	for key, want := range map[string]string{
		audit.NotReadByUs:   "it was not read: lost",
		audit.NotJudgedByUs: `lost of its URLs could not be judged, a fault of sitemend; the first is "a": panic`,
	} {
		result := &audit.Result{Files: []audit.File{{}, {Sitemap: audit.Sitemap{Faults: []audit.SitemapFault{{Sitemap: "http://a.example/s.xml", Key: key, Args: []string{"lost", `"a"`, "panic"}}}}}}}
		out := &Outcome{Result: result}
		if err := out.faults(); err == nil || err.Error() != "http://a.example/s.xml: "+want {
			t.Errorf("%s: told %v", key, err)
		}
		result.Files = result.Files[:1]
		if err := out.faults(); err != nil {
			t.Errorf("told %v of nothing", err)
		}
	}
}
