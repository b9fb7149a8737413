package serve

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"sitemend/report"
	"sitemend/report/internal/page"
)

// A filesPage lists the outputs of an audit.
type filesPage struct {
	layout
	Formats  []fileLink
	Always   []fileLink
	Sitemaps []fileLink
	Partial  bool
}

// A fileLink is one file to download.
type fileLink struct {
	Href, Name string
	What       page.Phrase
}

// always are the files that are written whatever the formats; the tables only where the
// audit has what is in them.
var always = append([]string{"changes.csv", "summary.json"}, report.Tables()...)

// files shows what can be downloaded. The corrected sitemaps are written for it,
// the formats only when they are asked for.
func (s *Site) files(v *visit) error {
	a, b, err := s.outputs(v, "")
	if err != nil {
		return err
	}
	p := filesPage{layout: s.newLayout(v, say("downloads")), Partial: a.Info.Partial || a.Info.Ended.IsZero()}
	all, err := s.listed()
	if err != nil && all == nil {
		return err
	}
	p.ofAudit(&a, all, "files")
	for _, f := range report.Formats() {
		p.Formats = append(p.Formats, fileLink{"files/" + f, f, say("format-" + f)})
	}
	for _, f := range always {
		if slices.Contains(b.files, f) {
			p.Always = append(p.Always, fileLink{"files/" + f, f, say("file-" + f)})
		}
	}
	for _, f := range sitemaps(b.files) {
		p.Sitemaps = append(p.Sitemaps, fileLink{"files/" + escaped(f), page.Visible(strings.TrimPrefix(f, sitemapsDir)), page.Phrase{}})
	}
	return s.send(v, http.StatusOK, "files", p)
}

// escaped is a name with slashes as the path of a link.
func escaped(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return strings.Join(parts, "/")
}
