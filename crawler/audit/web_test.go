package audit_test

import (
	"context"
	"iter"
	"strconv"
	"strings"
	"testing"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
	"sitemend/crawler/ground"
)

// web is a remembered web, written in lines such as
//
//	http://a.example/old 301 /new
//	http://a.example/new 200 canonical=/ robots=noindex
//	http://a.example/x   fault=timeout
//	browser http://a.example/gone 200
//
// "browser", "proof" and "image" in front make an answer one for that purpose, "plain"
// before these one without the user's secrets. After a redirect's status stands its Location as
// received.
type web map[answers.Request]answers.Hop

func (w web) Hop(r answers.Request) (answers.Hop, bool) {
	h, ok := w[r]
	return h, ok
}

func (w web) Err() error { return nil }

func parseWeb(t testing.TB, text string) web {
	t.Helper()
	w := web{}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		h := answers.Hop{}
		for more := true; more; {
			switch f[0] {
			case "plain":
				h.Purpose, f = h.Purpose|answers.WithoutSecrets, f[1:]
			case "browser":
				h.Purpose, f = h.Purpose|answers.AsBrowser, f[1:]
			case "proof":
				h.Purpose, f = h.Purpose|answers.AsProof, f[1:]
			case "image":
				h.Purpose, f = h.Purpose|answers.AsImage, f[1:]
			case "video":
				h.Purpose, f = h.Purpose|answers.AsVideo, f[1:]
			default:
				more = false
			}
		}
		a, err := address.Parse(f[0])
		if err != nil {
			t.Fatal(err)
		}
		h.URL = a.String()
		for i, x := range f[1:] {
			word(t, &h, i, x)
		}
		w[h.Request] = h
	}
	return w
}

func word(t testing.TB, h *answers.Hop, i int, x string) {
	t.Helper()
	k, v, named := strings.Cut(x, "=")
	if i == 0 && k != "fault" {
		h.Status, _ = strconv.Atoi(x)
		return
	}
	if i == 1 && h.Status >= 300 && h.Status < 400 {
		h.Location = x
		return
	}
	if !named && k != "password" && k != "script" && k != "truncated" && k != "empty" && k != "shell" {
		t.Fatalf("unknown word %q", x)
	}
	switch k {
	case "fault":
		h.Fault = answers.Fault(v)
	case "forbidden":
		h.Forbidden = v
	case "challenge":
		h.Challenge = v
	case "canonical":
		h.Page.Canonical = v
	case "robots":
		h.Page.Robots = v
	case "title":
		h.Page.Title = v
	case "refresh":
		h.Page.Refresh = v
	case "delay":
		h.Page.RefreshDelay, _ = strconv.ParseFloat(v, 64)
	case "refresh-header":
		h.Page.RefreshHeader = v
	case "type":
		h.Page.ContentType = v
	case "attachment":
		h.Page.Attachment = true
	case "password":
		h.Page.Password = true
	case "script":
		h.Page.Script = true
	case "script-to":
		h.Page.ScriptTo = v
	case "text":
		h.Page.Text, _ = strconv.ParseUint(v, 10, 64)
	case "heading":
		h.Page.Heading = v
	case "empty":
		h.Page.Empty = true
	case "shell":
		h.Page.Shell = true
	case "truncated":
		h.Truncated = true
	default:
		t.Fatalf("unknown word %q", x)
	}
}

func rules() *audit.Rules {
	return &audit.Rules{MaxHops: 10, Spelling: address.Googlebot, Robots: "obey", MaxDrop: 0.1}
}

// say writes a row in a line: verdict, reasons, action, written address, notes.
func say(r *audit.Row) string {
	var s strings.Builder
	s.WriteString(string(r.Verdict))
	for _, x := range r.Reasons {
		s.WriteString(" " + string(x))
	}
	s.WriteString(" | " + string(r.Fix.Action))
	if r.Fix.Loc != "" {
		s.WriteString(" " + r.Fix.Loc)
	}
	if len(r.Notes) > 0 {
		s.WriteString(" |")
		for _, n := range r.Notes {
			s.WriteString(" " + string(n))
		}
	}
	return s.String()
}

// site is a source for Tell: sitemaps in order, each with its listed addresses.
type site struct {
	web
	files   []audit.Sitemap
	entries []audit.Entry
}

func (s *site) Sitemaps() ([]audit.Sitemap, error) { return s.files, nil }

func (s *site) Entries(ctx context.Context, from, to int) iter.Seq2[audit.Entry, error] {
	return ground.Until(ctx, func(yield func(audit.Entry, error) bool) {
		for _, e := range s.entries[from:to] {
			if !yield(e, nil) {
				return
			}
		}
	})
}

// list adds a sitemap; a loc followed by " +" has extension blocks.
func (s *site) list(url string, locs ...string) {
	sm := audit.Sitemap{N: len(s.files), URL: url, AnsweredAt: url, Parent: -1, Kind: "urlset", First: len(s.entries), Entries: len(locs)}
	if !strings.Contains(url, "://") {
		sm.AnsweredAt = ""
	}
	s.files = append(s.files, sm)
	for i, loc := range locs {
		loc, ext, _ := strings.Cut(loc, " ")
		e := audit.Entry{N: len(s.entries), Sitemap: sm.N, Loc: loc, Line: i + 1, Ext: uint32(len(ext)), Media: ext != ""}
		s.entries = append(s.entries, e)
	}
}

func (s *site) evaluate(t testing.TB, r *audit.Rules) *audit.Result {
	t.Helper()
	result, err := audit.Evaluate(t.Context(), steady{s}, audit.Info{Rules: *r}, nil, func(url string) string { return url }, nil)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// rowsOf says all rows of a file.
func rowsOf(t testing.TB, result *audit.Result, file int) []string {
	t.Helper()
	var out []string
	for r, err := range result.Rows(t.Context(), file) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, say(r))
	}
	return out
}
