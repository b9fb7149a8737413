package discover

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
	"sitemend/crawler/robots"
	"sitemend/crawler/sitemap"
)

// A Store stores sitemaps as fetched, with their entries and properties.
type Store interface {
	// Entries yields the entries with from <= N < to in order, until ctx ends; EntryCount is how
	// many there are.
	Entries(ctx context.Context, from, to int) iter.Seq2[audit.Entry, error]
	EntryCount() int
	// Put and Get keep small named records.
	Put(key string, value []byte) error
	Get(key string) (value []byte, ok bool, err error)
	// SpoolWriter and OpenSpool keep the bytes of a sitemap as fetched. Reading from OpenSpool ends
	// with ctx, even while a few packed bytes unpack to many.
	SpoolWriter(name string) (io.WriteCloser, error)
	OpenSpool(ctx context.Context, name string) (io.ReadCloser, error)
	// AddSitemap adds the next sitemap with its entries, all at once, and sets its N, First and
	// Entries. The entries may set its other properties while they are yielded. It stops when ctx
	// ends, and the sitemap is then not added. PutSitemap replaces all other properties of a sitemap.
	AddSitemap(ctx context.Context, sm *audit.Sitemap, entries iter.Seq2[audit.Entry, error]) error
	PutSitemap(sm audit.Sitemap) error
	Sitemaps() ([]audit.Sitemap, error)
}

// Options says which sitemaps are read, and which of their entries are crawled.
type Options struct {
	Targets []Target
	// Open opens a file of this machine, "-" for standard input. Reading ends with ctx.
	Open             func(ctx context.Context, name string) (io.ReadCloser, error)
	Include, Exclude *regexp.Regexp
	Sample           int // entries of each sitemap; 0 for all
	NoFetch          bool
	Now              time.Time
	// Dropped are the addresses that the last audit of the same targets dropped, as it listed them.
	Dropped []string
	// Exports are the addresses of --search-console, which are crawled with the entries, even where
	// no sitemap is found.
	Exports []Export
	// Expect is the map of --expect, whose old addresses are crawled with the entries, even where
	// no sitemap is found; nil for none.
	Expect *Expect
	// Also selects further addresses, beside the entries that sitemaps list.
	Also Also
	// Audited receives the hosts that the audit is about.
	Audited *fetch.Audited
	// Secrets is set where these hosts receive headers or credentials that others do not.
	Secrets bool
	// Robots says how robots.txt is used, as in audit.Rules.
	Robots string
	// Progress is updated while sitemaps are read.
	Progress *Progress
	// Say is called with what is being read, in plain words; nil for silence.
	Say func(format string, args ...any)
	// Warn is called where less is done than the user asked for; nil for silence.
	Warn func(format string, args ...any)
	// Words returns a fault in words, for errors and warnings; nil for its key and arguments.
	Words func(audit.SitemapFault) string
}

// discovery is the state of one Run.
type discovery struct {
	Options
	web      Web
	store    Store
	seen     map[string]bool          // wire forms of the addresses that were begun
	done     map[string]audit.Sitemap // what an earlier run added, by kind of list and URL
	heard    map[string]bool          // hosts that were asked for a sitemap, and whether one answered
	silent   int                      // how many of them did not
	answered map[string]string        // addresses that answered with a sitemap -> those requested
	within   map[string]bool          // URLs with source.within
	dropped  map[string]bool          // wire forms of Dropped
	tried    []*Error                 // places that were tried and had no sitemap
	spooled  int                      // the last number in the name of a spooled file
	// uncounted are the requests for the current file, until it is added
	uncounted  int
	remembered string   // the audited hosts as stored
	files      int      // that were begun
	queue      []listed // what the indexes list that were read
	origin     string   // origin of the first target that answered; "" for none
}

// Keys of records: that a discovery is complete, and the audited hosts. Other hosts receive no
// secrets, even where a sitemap comes from there, and after a stop the record is the only way to know
// them.
const (
	discovered = "discovered"
	auditedKey = "audited"
)

// Run finds the sitemaps of the targets, spools them, and adds them with their entries to the
// store. It does not fetch sitemaps that the store has already; once a discovery is complete,
// another call does nothing. It returns an *Error where no sitemap has an entry, and ctx's error
// when it was stopped.
func Run(ctx context.Context, web Web, store Store, d Options) error {
	w := &discovery{Options: d, web: web, store: store, seen: map[string]bool{}, within: map[string]bool{}, heard: map[string]bool{},
		done: map[string]audit.Sitemap{}, answered: map[string]string{}, dropped: map[string]bool{}}
	if err := w.restore(); err != nil {
		return err
	}
	if _, ok, err := store.Get(discovered); err != nil || ok {
		return err
	}
	if d.Say == nil {
		w.Say = func(string, ...any) {}
	}
	if d.Warn == nil {
		w.Warn = func(string, ...any) {}
	}
	if d.Words == nil {
		w.Words = func(f audit.SitemapFault) string { return strings.Join(append([]string{f.Key}, f.Args...), " ") }
	}
	defer w.reads("")
	defer w.count()
	for _, step := range []func(context.Context) error{w.targets, w.also, w.exports, w.expect} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return store.Put(discovered, []byte{1})
}

// restore sets what an earlier run knew.
func (w *discovery) restore() error {
	known, err := w.store.Sitemaps()
	if err != nil {
		return err
	}
	for _, sm := range known {
		if sm.Parent >= 0 && sm.Parent < sm.N { // an index comes before what it lists
			w.within[sm.URL] = w.vouched(&known[sm.Parent], address.Wire(sm.URL))
		}
		w.done[listKey(&sm)] = sm
		n, _ := strconv.Atoi(sm.Spool) // names of files that were no sitemap are free again
		w.spooled = max(w.spooled, n)
	}
	for _, loc := range w.Dropped {
		if a, err := address.Parse(loc); err == nil {
			w.dropped[a.String()] = true
		}
	}
	for _, t := range w.Targets {
		for _, a := range t.URLs[:min(1, len(t.URLs))] { // not the http form that is tried where the scheme was left out
			w.Audited.Add(a)
		}
	}
	text, ok, err := w.store.Get(auditedKey)
	if ok {
		w.Audited.Restore(string(text))
	}
	return err
}

// reads sets for the progress what is read from now on.
func (w *discovery) reads(at string) { w.Progress.reading.Store(&at) }

// count records the requests that no sitemap of the store counts: those for a guess that had no
// sitemap, or for a file that was not added before the audit was stopped.
func (w *discovery) count() {
	w.web.Sent(w.uncounted)
	w.uncounted = 0
}

// add adds a sitemap with its entries.
func (w *discovery) add(ctx context.Context, sm *audit.Sitemap, entries iter.Seq2[audit.Entry, error]) error {
	if err := w.store.AddSitemap(ctx, sm, entries); err != nil {
		return err
	}
	w.uncounted = 0 // the sitemap counts them
	w.Progress.Files.Add(1)
	text := w.Audited.Text()
	if text == w.remembered {
		return nil
	}
	w.remembered = text
	return w.store.Put(auditedKey, []byte(text))
}

// targets reads all targets. One that cannot be read is a fault, if another has entries.
func (w *discovery) targets(ctx context.Context) error {
	var first error
	for _, t := range w.Targets {
		err := w.target(ctx, t)
		var none *Error
		if err != nil && !errors.As(err, &none) {
			return err
		}
		if none == nil {
			continue
		}
		first = cmp.Or(first, err)
		if _, known := w.done[t.Text]; !known && !w.seen[t.Text] && len(w.Targets) > 1 {
			if err := w.add(ctx, &audit.Sitemap{URL: t.Text, Parent: -1, Faults: []audit.SitemapFault{none.Fault(t.Text)}}, nil); err != nil {
				return err
			}
		}
	}
	switch {
	case w.store.EntryCount() > 0 && len(w.Exports) > 0: // these may be the only ones that the filters leave
		return nil
	case w.store.EntryCount() > 0:
		return w.filtered(ctx, w.store.EntryCount())
	case first == nil:
		first = w.nothing()
	}
	switch {
	case w.Expect != nil && w.origin != "":
		w.Warn("%v: only the URLs of the map are crawled", first)
	case len(w.Exports) > 0 && len(w.Audited.Origins()) > 0:
		w.Warn("%v: only the URLs of the export are crawled, and whether a sitemap lists them is not known", first)
	default:
		return first
	}
	return nil
}

// filtered returns an error where the filters leave nothing to crawl, neither listed entries nor an
// export: a pattern that matches nothing is a mistake, and addresses that were not crawled are not
// clean.
func (w *discovery) filtered(ctx context.Context, listed int) error {
	if w.Include == nil && w.Exclude == nil || w.Expect != nil {
		return nil
	}
	for e, err := range w.store.Entries(ctx, 0, w.store.EntryCount()) {
		if err != nil || e.Skip != audit.SkipFilter && e.Skip != audit.SkipSite {
			return err
		}
	}
	return &Error{What: fmt.Sprintf("--include and --exclude leave none of the %d URLs", listed),
		Fix: "a pattern (RE2) is looked for anywhere in a URL as the sitemap lists it"}
}

func (w *discovery) target(ctx context.Context, t Target) error {
	switch t.Kind {
	case TargetStdin, TargetFile:
		return w.local(ctx, t.Text)
	case TargetSitemap:
		return w.named(ctx, t)
	}
	return w.site(ctx, t)
}

// named reads the sitemap that the user named by its URL.
func (w *discovery) named(ctx context.Context, t Target) error {
	var problem *Error
	for i, a := range t.URLs { // where the user named no scheme, https is a guess
		before := problem
		var err error
		if problem, err = w.fetch(ctx, a, source{parent: -1, guess: i < len(t.URLs)-1}); err != nil {
			return err
		}
		if problem == nil {
			w.instead(before, a)
			w.origin = cmp.Or(w.origin, a.Origin())
			return nil
		}
	}
	return problem
}

// instead warns that http answered after https did not: it gets no secrets, because the user did
// not write http.
func (w *discovery) instead(before *Error, a address.Address) {
	if before != nil {
		without := map[bool]string{true: ", without --user and --header"}[w.Secrets && !w.Audited.Has(a)]
		w.Warn("%s; so %s is audited%s", before.What, a.Origin(), without)
	}
}

// site reads the sitemaps that a site's robots.txt names, else those in the usual places. Where only
// robots.txt is known not to answer, though a server is there, --robots decides whether these are
// requested.
func (w *discovery) site(ctx context.Context, t Target) error {
	var problem *Error
	for _, root := range t.URLs {
		w.reads(root.Origin() + "/robots.txt")
		file, err := w.web.Robots(ctx, root.Origin())
		if err != nil {
			return err
		}
		f := file.Fault
		there := !f.Traits().OfHost && file.Detail != fetch.ProxyDown
		switch {
		case f == audit.FaultRobotsAddress && w.Robots == "obey":
			return &Error{What: root.Origin() + ": " + f.Words() + " (" + file.Words() + ")", Fix: faultHint(f, "")}
		case f == "" || f.Traits().Answered || there && w.Robots != "obey":
			w.instead(problem, root)
			return w.siteAt(ctx, root, file)
		}
		said := &Error{What: "no answer from " + root.Origin() + ": " + f.Words(), Fix: faultHint(f, file.Detail)}
		switch {
		case there:
			said.What = "no answer from " + root.Origin() + "/robots.txt: " + f.Words()
			said.Fix = "where the site answers otherwise, --robots note audits it as if robots.txt were not there; else check the name and the network"
		case file.Detail == fetch.ProxyDown:
			said.What = "no answer from " + root.Origin() + ": " + file.Detail
		case f == audit.FaultTLS && file.Detail != "":
			said.What += ": " + file.Detail
		}
		if problem != nil {
			said.What = problem.What + "; " + strings.TrimPrefix(said.What, "no answer from ")
		}
		problem = said
	}
	return problem
}

func (w *discovery) siteAt(ctx context.Context, root address.Address, file *robots.Answer) error {
	w.origin = cmp.Or(w.origin, root.Origin())
	found, err := w.robotsLines(ctx, root, file)
	if err != nil || found {
		return err
	}
	refused := File{FileResult: fetch.FileResult{Status: file.Status, Fault: file.Fault, Challenge: file.Challenge}}
	if said := refused.wrong(); said.refusal() != "" {
		w.tried = append(w.tried, w.problem(root.Origin()+"/robots.txt", said, ""))
	}
	for _, url := range sitemap.Candidates(root.Origin()) {
		a, err := address.Parse(url)
		if err != nil {
			return err
		}
		problem, err := w.fetch(ctx, a, source{parent: -1, guess: true})
		if err != nil || problem == nil {
			return err
		}
		w.tried = append(w.tried, problem)
		if problem.Refused[string(audit.FaultAbandoned)] > 0 { // nor is any other place asked
			break
		}
	}
	return nil
}

// robotsLines reads the sitemaps that a robots.txt names, and reports whether it names any. Google
// requires absolute addresses; a relative one has only one possible meaning.
func (w *discovery) robotsLines(ctx context.Context, root address.Address, file *robots.Answer) (found bool, err error) {
	if file.File == nil {
		return false, nil
	}
	base := address.Wire(root.Origin() + "/robots.txt")
	for _, line := range file.File.Sitemaps {
		a, err := address.Resolve(base, w.web.Mapped(line.URL, base))
		if err != nil || len(a.String()) > address.MaxLength {
			w.tried = append(w.tried, &Error{What: line.URL})
			w.Warn("%s line %d names no sitemap: %s", base, line.Line, shortened(address.Masked(line.URL)))
			continue
		}
		found = true
		if !file.Strange {
			w.Audited.AddNamed(a)
		}
		from := source{parent: -1, in: base.String(), line: line.Line, plain: file.Strange}
		problem, err := w.fetch(ctx, a, from)
		if err != nil {
			return found, err
		}
		if problem != nil {
			w.tried = append(w.tried, problem)
		}
	}
	return found, nil
}

// nothing returns the error that no entry was found, with what was tried, or what is wrong with
// what was read.
func (w *discovery) nothing() error {
	if len(w.tried) > 0 {
		return summed(w.tried)
	}
	read, err := w.store.Sitemaps()
	if err != nil {
		return err
	}
	var faults []string
	for _, sm := range read {
		for _, f := range sm.Faults {
			if f.Severity == "error" && len(faults) < 3 {
				faults = append(faults, "; "+sm.URL+": "+w.Words(f))
			}
		}
	}
	return &Error{What: "the sitemaps have no URLs" + strings.Join(slices.Compact(faults), ""), Fix: noURL}
}

const noURL = "name the sitemap itself, or check that it lists a URL"
