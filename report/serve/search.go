package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/internal/page"
	"sitemend/report/messages"
)

// maxAddresses is how many addresses a search shows; maxPlaces how many entries
// of one address in one audit.
const (
	maxAddresses = 20
	maxPlaces    = 3
	maxQuery     = 8192 // bytes
	maxShown     = 300  // characters of an address; its trail shows all of it
)

// searchFor is how long a search goes on before it shows what it has; the rest
// is behind a link.
const searchFor = 4 * time.Second

// A found address with what each audit saw, the newest first.
type found struct {
	Wire, Shown string
	Whole       bool // the query itself
	seen        []sight
}

// A sight is one entry of one audit.
type sight struct {
	at, report, targets string
	facts               []page.Cell
}

// Table has what each audit saw side by side; where these are of different targets, it names them.
func (f *found) Table() page.Table {
	t := page.Table{Name: messages.Verbatim(f.Shown), Class: "sights", Columns: append(page.Texts(messages.Say("col-started")), page.FactColumns()...)}
	mixed := slices.ContainsFunc(f.seen, func(s sight) bool { return s.targets != f.seen[0].targets })
	for _, s := range f.seen {
		audit := page.Cell{Links: []page.Link{{Href: s.report, Text: messages.Verbatim(s.at)}}}
		if mixed {
			audit.Small = []messages.Sentence{messages.Code(s.targets)}
		}
		t.Add(append([]page.Cell{audit}, s.facts...)...)
	}
	return t
}

// A searchPage is what was found.
type searchPage struct {
	layout
	Found   []*found
	Asked   bool
	Cut     bool   // more addresses match than are shown
	Audits  int    // how many were searched
	Older   string // where the search goes on
	OlderAt string
	match   *matcher
}

// search searches for an address in all audits.
func (s *Site) search(v *visit) error {
	query := strings.TrimSpace(v.r.URL.Query().Get("q"))
	p := &searchPage{layout: s.newLayout(v, messages.Say("find-do")), Asked: query != "", match: newMatcher(query)}
	if len(query) > maxQuery {
		p.Asked = false
		p.Notes = append(p.Notes, note{messages.Say("query-long", "n", maxQuery), ""})
	}
	if p.Asked {
		if err := p.walk(v, s); err != nil {
			return err
		}
	}
	return s.send(v, http.StatusOK, "search", p)
}

// walk searches one audit after another, the newest first, from the one that the visit names, until
// the time is up.
func (p *searchPage) walk(v *visit, s *Site) error {
	all, err := s.listed()
	if err != nil {
		return err
	}
	until := time.Now().Add(searchFor)
	if at := slices.IndexFunc(all, func(a Audit) bool { return a.Info.ID == v.r.URL.Query().Get("from") }); at >= 0 {
		all = all[:at+1]
	}
	for _, a := range slices.Backward(all) {
		if p.Audits > 0 && time.Now().After(until) {
			p.Older = "?" + url.Values{"q": {p.Query}, "from": {a.Info.ID}}.Encode()
			p.OlderAt = minute(a.Info.Started)
			return nil
		}
		err := s.o.Library.Read(v.r.Context(), a.Info.ID, func(src audit.Source, rules *audit.Rules) error {
			return p.read(v.r.Context(), &a, src, rules)
		})
		if errors.Is(err, ErrNone) {
			continue // removed meanwhile
		}
		if err != nil {
			return err
		}
		p.Audits++
	}
	return nil
}

// read searches one audit.
func (p *searchPage) read(ctx context.Context, a *Audit, src audit.Source, rules *audit.Rules) error {
	sitemaps, err := src.Sitemaps()
	if err != nil {
		return err
	}
	places := map[*found]int{}
	for i := range sitemaps {
		sm := &sitemaps[i]
		for e, err := range src.Entries(ctx, sm.First, sm.First+sm.Entries) {
			if err != nil {
				return err
			}
			if !p.match.match(e.Loc) {
				continue
			}
			f := p.address(e.Loc)
			if f == nil || places[f] == maxPlaces {
				continue
			}
			places[f]++
			row := new(audit.Row).Judge(audit.NewAnswerCache(src, 1, true), e, rules, audit.Want{Recheck: true})
			if err := src.Err(); err != nil {
				return err
			}
			f.seen = append(f.seen, sight{minute(a.Info.Started), reportOf(a, e.Loc), page.Visible(strings.Join(a.Info.Targets, " ")), page.Facts(row, placeOf(sitemaps, i, &e))})
		}
	}
	return nil
}

// address is the found address that a loc belongs to, nil where there are too
// many. The query itself always has a place, the first.
func (p *searchPage) address(loc string) *found {
	key := loc
	if a, err := address.Parse(loc); err == nil {
		key = a.String()
	}
	wire := messages.Middle(page.Visible(key), maxShown)
	if at := slices.IndexFunc(p.Found, func(f *found) bool { return f.Wire == wire }); at >= 0 {
		return p.Found[at]
	}
	f := &found{Wire: wire, Shown: wire, Whole: key == p.match.wire}
	if read := page.Readable(key); read != "" {
		f.Shown = messages.Middle(read, maxShown)
	}
	switch {
	case f.Whole:
		p.Found = slices.Insert(p.Found, 0, f)
	case len(p.Found) >= maxAddresses:
		p.Cut = true
		return nil
	default:
		p.Found = append(p.Found, f)
	}
	return f
}

// placeOf is where an entry of the sitemap at i stands: file and line. What sitemaps name beside
// what they list stands where it is named first; what has no line, as in a list of addresses that
// is no file of the site, is placed by the name of its list alone.
func placeOf(sitemaps []audit.Sitemap, i int, e *audit.Entry) string {
	line := e.Line
	if e.Also != nil && len(e.Also.By) > 0 && e.Also.By[0].Sitemap < len(sitemaps) {
		i, line = e.Also.By[0].Sitemap, e.Also.By[0].Line
	}
	if line == 0 {
		return page.Visible(sitemaps[i].URL)
	}
	return fmt.Sprintf("%s:%d", page.Visible(sitemaps[i].URL), line)
}

// reportOf leads to an address in the report of an audit.
func reportOf(a *Audit, loc string) string {
	return "audits/" + a.Info.ID + "/#entries&" + url.Values{"q": {page.Visible(loc)}}.Encode()
}

// A matcher reports whether an address contains the query: as listed, in wire form or as people
// read it, ignoring letter case and escapes.
type matcher struct {
	wire   string // wire form of the query, where that is a whole address
	folded []byte
	text   string // the query in lower case, for text in other charsets
	buf    []byte // of the latest loc
}

func newMatcher(query string) *matcher {
	m := &matcher{folded: fold(nil, query), text: strings.ToLower(query)}
	if a, err := address.Parse(query); err == nil {
		m.wire = a.String()
	}
	return m
}

// match reports whether one loc matches.
func (m *matcher) match(loc string) bool {
	m.buf = fold(m.buf[:0], loc)
	if bytes.Contains(m.buf, m.folded) {
		return true
	}
	ascii := strings.IndexFunc(loc, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
	if utf8.Valid(m.buf) && ascii {
		return false
	}
	// The escapes are of another charset, or the host is no ASCII: both forms.
	a, err := address.Parse(loc)
	if err != nil {
		return false
	}
	w := a.String()
	return w == m.wire || strings.Contains(strings.ToLower(w), m.text) || strings.Contains(strings.ToLower(address.Readable(w).Text), m.text)
}

// fold appends s to b with its escapes as bytes and ASCII letters in lower case,
// so that %E3, %e3 and the letter itself are the same.
func fold(b []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' && i+2 < len(s) {
			if hi, lo := address.Unhex(s[i+1]), address.Unhex(s[i+2]); hi >= 0 && lo >= 0 {
				c = byte(hi<<4 | lo)
				i += 2
			}
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		b = append(b, c)
	}
	return b
}
