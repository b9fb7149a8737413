package serve

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"sync"
	"time"

	"sitemend/report/internal/page"
	"sitemend/report/messages"
)

var (
	//go:embed page/pages.tmpl
	pagesTemplate string
	//go:embed page/pages.css
	pagesStyle string
	//go:embed page/pages.js
	pagesJS string
)

var script = sync.OnceValue(func() string { return page.Script(pagesJS) })

// styles is the report's style with what our pages have besides.
var styles = sync.OnceValue(func() string { return page.Style() + page.EachLanguage(pagesStyle) })

// frame is the templates of pages that open in a language.
func frame(lang string) (*template.Template, error) {
	t, err := page.Templates(lang, "")
	if err != nil {
		return nil, err
	}
	return t.Parse(pagesTemplate)
}

// A layout is what every page has.
type layout struct {
	Lang, Root, Query string // Root leads to the list: "./", "../", ...
	Nav               []page.Link
	Other             string // this page in the other language
	Title             messages.Sentence
	Sub               string
	Style             template.CSS
	Script            template.JS
	Refresh           int // seconds after which the page is asked for again, 0 for never
	Notes             []note
}

// A note stands above the rest of a page.
type note struct {
	Text messages.Sentence
	More string // what the system said, shown as it is
}

// newLayout begins the page of a visit.
func (s *Site) newLayout(v *visit, title messages.Sentence) layout {
	depth := strings.Count(strings.TrimPrefix(v.r.URL.Path, s.Path()), "/")
	query, other := v.r.URL.Query(), v.r.URL.Query()
	other.Set("lang", messages.Next(v.lang))
	p := layout{
		Lang: v.lang, Root: "./" + strings.Repeat("../", depth), Query: query.Get("q"), Other: "?" + other.Encode(), Title: title,
		Style: template.CSS(styles()), Script: template.JS(script()),
	}
	p.Nav = []page.Link{{Href: p.Root, Text: messages.Say("audits"), Here: v.r.URL.Path == s.Path()}}
	return p
}

// ofAudit makes it a page of an audit, here ("files", "diff") among its others.
func (p *layout) ofAudit(a *Audit, all []Audit, here string) {
	p.Sub = name(a)
	p.Nav = append(p.Nav, page.Link{Href: "./", Text: messages.Say("brief-step-report")})
	if len(siblings(a, all)) > 0 {
		p.Nav = append(p.Nav, page.Link{Href: "diff", Text: messages.Say("diff"), Here: here == "diff"})
	}
	p.Nav = append(p.Nav, page.Link{Href: "files", Text: messages.Say("downloads"), Here: here == "files"})
}

// send writes a page. It renders the whole page first, so that an error leaves no half of one.
func (s *Site) send(v *visit, status int, name string, data any) error {
	t, err := frame(v.lang)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, name, data); err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.Header().Set("Content-Security-Policy", pagePolicy())
	v.w.WriteHeader(status)
	_, _ = v.w.Write(b.Bytes()) // whoever asked has gone
	return nil
}

// failed shows an error as a page with its status.
func (s *Site) failed(v *visit, err error) {
	status, text, said := http.StatusInternalServerError, "wrong", note{More: page.Visible(err.Error())}
	wait, refresh := pending(0), 0
	switch {
	case errors.As(err, &wait):
		status, text, refresh = http.StatusAccepted, "pending", 1
		said = note{Text: messages.Verbatim(time.Duration(wait).Truncate(time.Second).String())}
	case errors.Is(err, ErrBusy):
		status, text = http.StatusServiceUnavailable, "busy"
		v.w.Header().Set("Retry-After", "5")
	case errors.Is(err, ErrNone):
		status, text, said = http.StatusNotFound, "no-audit", note{}
	}
	p := s.newLayout(v, messages.Say(text))
	p.Refresh, p.Notes = refresh, []note{said}
	v.w.Header().Del("Content-Disposition") // a page, and not the file that was to be saved
	if err := s.send(v, status, "notice", p); err != nil {
		http.Error(v.w, fmt.Sprintf("The page cannot be shown: %v", err), http.StatusInternalServerError)
	}
}
