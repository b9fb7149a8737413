package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/internal/page"
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
	Seen        []foundEntry
}

// A foundEntry is one entry of one audit; or that the audit did not list the address.
type foundEntry struct {
	ID, At, Report string
	Missing        bool
	Listed         bool // by a sitemap; an export of Search Console lists nothing
	Targets        string
	Changed        *page.Phrase // since the audit before, nil where nothing changed
	Place          string
	Row            page.Row
	Final          string
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
}

// A search walks the audits, the newest first.
type search struct {
	site  *Site
	match *matcher
	at    map[string]*found // by wire form, or loc where it has none
	list  []*found
	cut   bool
}

// search searches for an address in all audits.
func (s *Site) search(v *visit) error {
	query := strings.TrimSpace(v.r.URL.Query().Get("q"))
	p := searchPage{layout: s.newLayout(v, say("find-title")), Asked: query != ""}
	if len(query) > maxQuery {
		query, p.Asked = "", false
		p.Notes = append(p.Notes, note{say("query-long", "n", maxQuery), ""})
	}
	if !p.Asked {
		return s.send(v, http.StatusOK, "search", p)
	}
	all, err := s.listed()
	if err != nil {
		return err
	}
	w := &search{site: s, match: newMatcher(query), at: map[string]*found{}}
	if err := w.walk(v, &p, all); err != nil {
		return err
	}
	w.compare()
	p.Found, p.Cut = w.list, w.cut
	return s.send(v, http.StatusOK, "search", p)
}

// walk searches one audit after another, from the one that the visit names, until the time is up.
func (w *search) walk(v *visit, p *searchPage, all []Audit) error {
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
		err := w.site.o.Library.Read(v.r.Context(), a.Info.ID, func(src audit.Source) error { return w.read(v.r.Context(), &a, src) })
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
func (w *search) read(ctx context.Context, a *Audit, src audit.Source) error {
	sitemaps, err := src.Sitemaps()
	if err != nil {
		return err
	}
	places := map[*found]int{}
	var buf []byte
	for i := range sitemaps {
		sm := &sitemaps[i]
		if sm.Kind == audit.KindEarlier {
			continue // no file: what an earlier audit took out
		}
		for e, err := range src.Entries(ctx, sm.First, sm.First+sm.Entries) {
			if err != nil {
				return err
			}
			if !w.match.match(e.Loc, &buf) {
				continue
			}
			f := w.address(e.Loc)
			if f == nil || places[f] == maxPlaces {
				continue
			}
			places[f]++
			row := audit.Judge(src, e, &a.Info.Rules, audit.Want{Recheck: true})
			if err := src.Err(); err != nil {
				return err
			}
			f.Seen = append(f.Seen, newSight(a, sitemaps, i, &row))
		}
	}
	if readWhole(a, sitemaps) {
		w.missing(a, places)
	}
	return nil
}

// readWhole reports whether an audit read all of its sitemaps: what it does not have was
// not listed.
func readWhole(a *Audit, sitemaps []audit.Sitemap) bool {
	unread := func(s audit.Sitemap) bool {
		return s.Listed() && (s.Cut || s.Kind == "" && s.Status != http.StatusNotFound && s.Status != http.StatusGone)
	}
	return !a.Info.Ended.IsZero() && !slices.ContainsFunc(sitemaps, unread)
}

// address is the found address that a loc belongs to, nil where there are too
// many. The query itself always has a place.
func (w *search) address(loc string) *found {
	key := loc
	if a, err := address.Parse(loc); err == nil {
		key = a.String()
	}
	if f := w.at[key]; f != nil {
		return f
	}
	whole := w.match.whole(key)
	if len(w.list) >= maxAddresses && !whole {
		w.cut = true
		return nil
	}
	shown := page.Readable(key)
	if shown == "" {
		shown = page.Visible(key)
	}
	f := &found{Wire: page.Middle(page.Visible(key), maxShown), Shown: page.Middle(shown, maxShown), Whole: whole}
	w.at[key] = f
	w.list = append(w.list, f)
	return f
}

// missing notes which of the addresses that later audits of the same targets list this
// one, which read all of its sitemaps, does not.
func (w *search) missing(a *Audit, places map[*found]int) {
	targets := page.Visible(strings.Join(a.Info.Targets, " "))
	for _, f := range w.list {
		same := slices.ContainsFunc(f.Seen, func(s foundEntry) bool { return s.Listed && s.Targets == targets })
		if places[f] == 0 && same {
			f.Seen = append(f.Seen, foundEntry{ID: a.Info.ID, At: minute(a.Info.Started), Report: reportOf(a, ""), Missing: true, Targets: targets})
		}
	}
}

// newSight returns an entry of the sitemap at i as it is shown.
func newSight(a *Audit, sitemaps []audit.Sitemap, i int, row *audit.Row) foundEntry {
	sm, place := &sitemaps[i], placeOf(sitemaps, i, &row.Entry)
	s := foundEntry{ID: a.Info.ID, At: minute(a.Info.Started), Report: reportOf(a, row.Entry.Loc), Targets: page.Visible(strings.Join(a.Info.Targets, " ")), Place: place, Listed: sm.Listed(), Row: page.NewRow(place, row)}
	if !row.Final.IsZero() && row.Final != row.Address {
		s.Final = page.Middle(row.Final.String(), maxShown)
	}
	return s
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
	to := "audits/" + a.Info.ID + "/"
	if loc == "" {
		return to
	}
	return to + "#entries&" + url.Values{"q": {page.Visible(loc)}}.Encode()
}

// compare puts the address of the query itself first, and adds to each entry what changed since the
// audit before of the same targets.
func (w *search) compare() {
	slices.SortStableFunc(w.list, func(a, b *found) int {
		if a.Whole != b.Whole {
			return map[bool]int{true: -1, false: 1}[a.Whole]
		}
		return 0
	})
	for _, f := range w.list {
		// An audit that is older than the first that listed it says nothing.
		for len(f.Seen) > 0 && f.Seen[len(f.Seen)-1].Missing {
			f.Seen = f.Seen[:len(f.Seen)-1]
		}
		before := map[string]*foundEntry{}
		for i := range slices.Backward(f.Seen) {
			s := &f.Seen[i]
			if b := before[s.Targets]; b != nil && b.ID != s.ID {
				s.Changed = changed(b, s)
			}
			before[s.Targets] = s
		}
	}
}

// changed returns what differs from before, nil for nothing.
func changed(before, now *foundEntry) *page.Phrase {
	var p page.Phrase
	switch {
	case before.Missing && now.Missing, before.Missing && !now.Listed, now.Missing && !before.Listed:
		return nil
	case now.Missing:
		p = say("gone")
	case before.Missing:
		p = say("listed-again")
	case before.Row.Verdict != now.Row.Verdict:
		p = say("was", "what", page.VerdictText(before.Row.Verdict, "name"))
	case before.Row.Statuses != now.Row.Statuses:
		p = say("was", "what", before.Row.Statuses)
	case before.Final != now.Final:
		p = say("other-end")
	default:
		return nil
	}
	return &p
}

// Mixed reports whether audits of different targets saw the address, and so have
// to name them.
func (f *found) Mixed() bool {
	return slices.ContainsFunc(f.Seen, func(s foundEntry) bool { return s.Targets != f.Seen[0].Targets })
}
