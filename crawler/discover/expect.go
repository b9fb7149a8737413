package discover

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"

	"sitemend/crawler/audit"
	"sitemend/crawler/expect"
)

// An Expect is the map of --expect.
type Expect struct {
	Name string // as the user named it
	// Lines yields the lines of the map in order, each valid by itself; it may be called again.
	Lines func() iter.Seq2[expect.Line, error]
	// Repeats reports whether the old address of a line occurs in an earlier line, which then
	// counts. Repeated is how many such lines there are, FirstRepeated the first of them and the
	// line that it repeats.
	Repeats       func(line int) bool
	Repeated      int
	FirstRepeated [2]int
	// Absolute is set where no line is a bare path, which would need the origin of a target.
	Absolute bool
	// Passed counts the lines that do not say where an address must redirect to; FirstPassed is the
	// first.
	Passed, FirstPassed int
	// Fragments counts the lines whose old address has a fragment; FirstFragment is the first.
	// Lines does not yield them.
	Fragments, FirstFragment int
}

// expect adds the old addresses of the map, in its order.
func (w *discovery) expect(ctx context.Context) error {
	if w.Expect == nil {
		return nil
	}
	origin, err := w.originOf(ctx)
	if err != nil {
		return err
	}
	if origin == "" && !w.Expect.Absolute {
		return &Error{What: w.Expect.Name + " has paths, and no TARGET says of which site", Fix: "name the site as TARGET, as in https://shop.example"}
	}
	l := expectList{w: w, x: w.Expect, origin: origin}
	sm := audit.Sitemap{URL: w.Expect.Name, Parent: -1, Kind: audit.KindExpect, FetchedAt: w.Now}
	added, err := w.store.AddSitemap(ctx, sm, l.entries())
	if err != nil {
		return err
	}
	added.Faults = l.faults()
	for _, f := range added.Faults {
		w.Warn("%s: %s", w.Expect.Name, w.Words(f))
	}
	return w.store.PutSitemap(added)
}

// originOf returns the origin of the first target: the one that answered, or that of the first
// entry of a local file; "" where neither is known.
func (w *discovery) originOf(ctx context.Context) (string, error) {
	if w.origin != "" {
		return w.origin, nil
	}
	for e, err := range w.store.Entries(ctx, 0, min(originEntries, w.store.EntryCount())) {
		if err != nil {
			return "", err
		}
		if a, err := e.Parse(); err == nil {
			return a.Origin(), nil
		}
	}
	return "", nil
}

// originEntries is how many entries are searched for one with a valid address.
const originEntries = 1_000

// expectList makes the entries of a map.
type expectList struct {
	w           *discovery
	x           *Expect
	origin      string
	patterns    expect.Patterns
	behind      int    // lines whose addresses an earlier line with * covers
	firstBehind [2]int // the first of them, and that earlier line
}

// maxPatterns limits the lines with *, which are held in memory.
const maxPatterns = 100_000

func (l *expectList) entries() iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		for line, err := range l.x.Lines() {
			if err != nil {
				yield(audit.Entry{}, err)
				return
			}
			if l.x.Repeats(line.N) {
				continue
			}
			e, err := l.entry(&line)
			if err != nil {
				yield(audit.Entry{}, &Error{What: fmt.Sprintf("%s line %d: %v", l.x.Name, line.N, err), Fix: ExpectHint})
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// ExpectHint describes the format of a map.
const ExpectHint = "a map has a line for each pair, old,new, or a line of _redirects: /old /new 301"

func (l *expectList) entry(line *expect.Line) (audit.Entry, error) {
	p, err := line.Pair(l.origin)
	if err != nil {
		return audit.Entry{}, err
	}
	text := line.Old
	if expect.IsPath(text) {
		text = l.origin + text
	}
	loc, tooLong := audit.Kept(text)
	if tooLong {
		return audit.Entry{}, fmt.Errorf("the old URL has more than %d bytes", audit.MaxAddress)
	}
	e := audit.Entry{Loc: loc, Line: line.N, Expected: audit.Expected{Is: true, To: p.To.String(), Wild: p.Wild}}
	if p.Wild {
		if l.patterns.Len() == maxPatterns {
			return e, errors.New("the map has more than 100,000 lines with *")
		}
		l.patterns.Add(p)
		e.Skip = audit.SkipPattern
		return e, nil
	}
	if first, _, falls := l.patterns.Match(p.Old); falls {
		if l.behind++; l.behind == 1 {
			l.firstBehind = [2]int{line.N, first.Line}
		}
	}
	if l.w.skip(loc, ^uint64(0)) == audit.SkipFilter { // --sample is for sitemaps
		e.Skip = audit.SkipFilter
	}
	return e, nil
}

// faults returns the faults of the map.
func (l *expectList) faults() []audit.SitemapFault {
	var out []audit.SitemapFault
	fault := func(n, line int, name string, s sentence) {
		if n > 0 {
			out = append(out, audit.SitemapFault{Sitemap: l.x.Name, Line: line, Name: name, Severity: "warning", Count: n, Key: s.key, Args: s.args})
		}
	}
	count := strconv.Itoa
	x := l.x
	fault(x.Passed, x.FirstPassed, passedLines, say("expect-passed", count(x.Passed), count(x.FirstPassed)))
	fault(x.Fragments, x.FirstFragment, fragmentLines, say("expect-fragment", count(x.Fragments), count(x.FirstFragment)))
	fault(x.Repeated, x.FirstRepeated[0], repeatedLines, say("expect-repeated", count(x.Repeated), count(x.FirstRepeated[0]), count(x.FirstRepeated[1])))
	fault(l.behind, l.firstBehind[0], lateLines, say("expect-behind", count(l.behind), count(l.firstBehind[0]), count(l.firstBehind[1])))
	return out
}

// The names of the faults of a map.
const passedLines = "Lines that are no redirect of a URL"
const fragmentLines = "Old URLs with a fragment"
const repeatedLines = "Repeated lines"
const lateLines = "Lines that are never reached"
