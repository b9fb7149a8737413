package serve

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report"
	"sitemend/report/html"
	"sitemend/report/internal/page"
	"sitemend/report/messages"
)

// sitemapsDir is where the corrected sitemaps lie among the outputs (contract,
// section 2); viewName is the page that is shown.
const (
	sitemapsDir = "sitemaps/"
	viewName    = "report.html"
)

// always are the files that are written whatever the formats; the tables only where the
// audit has what is in them.
var always = append([]string{"changes.csv", "summary.json"}, report.Tables()...)

// key returns the key of an audit's report in the cache: it changes with everything that the report
// contains, including the earlier audits that it is compared with.
func key(a *Audit, all []Audit) string {
	text := fmt.Sprintf("%+v %d", a.Info, a.Active.UnixMilli()) // fmt prints maps in the order of their keys
	for _, b := range all {
		if b.Info.Before(&a.Info) && address.SameTargets(b.Info.Targets, a.Info.Targets) {
			text += fmt.Sprint(" ", b.Info.ID, b.Info.Ended)
		}
	}
	return text
}

// report shows the report of an audit.
func (s *Site) report(v *visit) error {
	_, b, err := s.outputs(v, "")
	if err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.Header().Set("Content-Security-Policy", html.Policy()+"; frame-ancestors 'none'")
	return sendFile(v, b, viewName)
}

// outputs returns the audit that a visit names, and its outputs as report.WriteAll
// writes them: one format; or, for "", the report with its way back to the list, the
// corrected sitemaps and what else is always written.
func (s *Site) outputs(v *visit, format string) (Audit, *cacheEntry, error) {
	a, all, err := s.find(v.r.PathValue("id"))
	if err != nil {
		return a, nil, err
	}
	o, formats := html.Options{Lang: v.lang}, []string{format}
	if format == "" {
		formats = []string{"html"}
		o.Served = "files/"
		o.Nav = []page.Link{{Href: "../../", Text: messages.Say("audits")}, {Href: "files", Text: messages.Say("downloads")}}
		if len(siblings(&a, all)) > 0 {
			o.Nav = append(o.Nav, page.Link{Href: "diff", Text: messages.Say("diff")})
		}
	}
	write := func(ctx context.Context, dir string) (names []string, err error) {
		err = s.o.Library.Evaluate(ctx, a.Info.ID, func(t Evaluated) error {
			o.Again = t.Again
			done, err := report.WriteAll(ctx, t.Result, report.Options{Dir: dir, Formats: formats, Lang: v.lang, Again: t.Again, Open: t.Open, HTML: func(ctx context.Context, w io.Writer, result *audit.Result) (report.Page, error) {
				return html.New(ctx, w, result, o)
			}})
			names = done.Files
			return err
		})
		if format != "" {
			// These are in the other entry.
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, "sitemaps")), os.RemoveAll(filepath.Join(dir, "originals")))
		}
		return names, err
	}
	b, err := s.cache.take(v.r.Context(), fmt.Sprint(key(&a, all), " ", format, " ", v.lang, " ", len(o.Nav)), write)
	return a, b, err
}

// A filesPage lists the outputs of an audit.
type filesPage struct {
	layout
	Formats, Always, Sitemaps []fileLink
}

// A fileLink is one file to download.
type fileLink struct{ Href, Name string }

// files shows what can be downloaded. The corrected sitemaps are written for it,
// the formats only when they are asked for.
func (s *Site) files(v *visit) error {
	a, b, err := s.outputs(v, "")
	if err != nil {
		return err
	}
	p := filesPage{layout: s.newLayout(v, messages.Say("downloads"))}
	all, err := s.listed()
	if err != nil {
		return err
	}
	p.ofAudit(&a, all, "files")
	for _, f := range report.Formats() {
		p.Formats = append(p.Formats, fileLink{"files/" + f, f})
	}
	for _, f := range always {
		if slices.Contains(b.files, f) {
			p.Always = append(p.Always, fileLink{"files/" + f, f})
		}
	}
	for _, f := range sitemaps(b.files) {
		p.Sitemaps = append(p.Sitemaps, fileLink{"files/" + (&url.URL{Path: f}).EscapedPath(), page.Visible(strings.TrimPrefix(f, sitemapsDir))})
	}
	return s.send(v, http.StatusOK, "files", p)
}

// sitemaps are the corrected ones among the names of outputs, sorted.
func sitemaps(files []string) (out []string) {
	for _, f := range files {
		if strings.HasPrefix(f, sitemapsDir) {
			out = append(out, f)
		}
	}
	slices.Sort(out)
	return out
}

// file sends one output: a format by its name, what is always written, sitemaps.zip,
// or a corrected sitemap.
func (s *Site) file(v *visit) error {
	name, format := v.r.PathValue("name"), ""
	if slices.Contains(report.Formats(), name) {
		format = name
	}
	a, b, err := s.outputs(v, format)
	if err != nil {
		return err
	}
	switch {
	case name == "sitemaps.zip":
		return sendZip(v, b, &a)
	case format != "": // the one file that it added to what is always written
		at := slices.IndexFunc(b.files, func(f string) bool { return !strings.Contains(f, "/") && !slices.Contains(always, f) })
		if at < 0 {
			return ErrNone
		}
		name = b.files[at]
	case !slices.Contains(always, name) && !strings.HasPrefix(name, sitemapsDir): // the report with its way back, the originals
		return ErrNone
	}
	v.w.Header().Set("Content-Type", mediaTypes[path.Ext(name)])
	v.w.Header().Set("Content-Disposition", attachment(&a, name))
	return sendFile(v, b, name)
}

// attachment makes a browser save a file instead of showing it: a sitemap may name a stylesheet
// with scripts.
func attachment(a *Audit, name string) string {
	base := path.Base(name)
	if !strings.HasPrefix(name, sitemapsDir) {
		base = a.Info.ID + "-" + base
	}
	return mime.FormatMediaType("attachment", map[string]string{"filename": base})
}

// mediaTypes are those of outputs by the ends of their names.
var mediaTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".csv": "text/csv; charset=utf-8", ".json": "application/json", ".sarif": "application/json", ".xml": "application/xml",
	".md": "text/plain; charset=utf-8", ".txt": "text/plain; charset=utf-8", ".jsonl": "text/plain; charset=utf-8",
	".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".gz": "application/octet-stream",
}

// sendFile sends a file of an entry, or the part of it that is asked for.
func sendFile(v *visit, b *cacheEntry, name string) error {
	f, err := b.open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	http.ServeContent(v.w, v.r, "", time.Time{}, f)
	return nil
}

// sendZip sends the corrected sitemaps packed. An error after the first byte can
// only break the answer off, so that nobody takes half of it for the whole.
func sendZip(v *visit, b *cacheEntry, a *Audit) error {
	if len(sitemaps(b.files)) == 0 {
		return ErrNone
	}
	v.w.Header().Set("Content-Type", "application/zip")
	v.w.Header().Set("Content-Disposition", attachment(a, "sitemaps.zip"))
	if v.r.Method == http.MethodHead {
		return nil
	}
	z := zip.NewWriter(v.w)
	if errors.Join(z.AddFS(os.DirFS(filepath.Join(b.dir, sitemapsDir))), z.Close()) != nil {
		panic(http.ErrAbortHandler)
	}
	return nil
}
