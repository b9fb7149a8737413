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
// "browser" and "proof" in front make an answer one for that purpose, "plain" before these one
// without the user's secrets. After a redirect's status stands its Location as
// received.
type web map[answers.Request]answers.Hop

func (w web) Hop(r answers.Request) (answers.Hop, bool) {
	h, ok := w[r]
	return h, ok
}

func (w web) Err() error { return nil }

var purposes = map[string]answers.Purpose{"plain": answers.WithoutSecrets, "browser": answers.AsBrowser, "proof": answers.AsProof}

func parseWeb(t testing.TB, text string) web {
	t.Helper()
	w := web{}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		h := answers.Hop{}
		for as, is := purposes[f[0]]; is; as, is = purposes[f[0]] {
			h.Purpose, f = h.Purpose|as, f[1:]
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
	p := &h.Page
	flag := map[string]*bool{"password": &p.Password, "script": &p.Script, "empty": &p.Empty, "shell": &p.Shell, "truncated": &h.Truncated}[k]
	text := map[string]*string{"forbidden": &h.Forbidden, "challenge": &h.Challenge, "canonical": &p.Canonical, "robots": &p.Robots, "title": &p.Title,
		"heading": &p.Heading, "type": &p.ContentType, "refresh": &p.Refresh, "refresh-header": &p.RefreshHeader, "script-to": &p.ScriptTo}[k]
	switch {
	case flag != nil:
		*flag = true
	case text != nil && named:
		*text = v
	case k == "fault":
		h.Fault = answers.Fault(v)
	case k == "delay":
		p.RefreshDelay, _ = strconv.ParseFloat(v, 64)
	case k == "text":
		p.Text, _ = strconv.ParseUint(v, 10, 64)
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

// list adds a sitemap; a loc followed by " +" or " links" has extension blocks.
func (s *site) list(url string, locs ...string) {
	sm := audit.Sitemap{N: len(s.files), URL: url, AnsweredAt: url, Parent: -1, Kind: "urlset", First: len(s.entries), Entries: len(locs)}
	if !strings.Contains(url, "://") {
		sm.AnsweredAt = ""
	}
	s.files = append(s.files, sm)
	for i, loc := range locs {
		loc, ext, _ := strings.Cut(loc, " ")
		e := audit.Entry{N: len(s.entries), Sitemap: sm.N, Loc: loc, Line: i + 1, Ext: uint32(len(ext)), Media: ext != "" && ext != "links"}
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
