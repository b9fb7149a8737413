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
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
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
	// Say is called with what is being read, in plain words, and Warn where less is done than the
	// user asked for.
	Say, Warn func(format string, args ...any)
	// Words returns a fault in words, for errors and warnings.
	Words func(audit.SitemapFault) string
}

// discovery is the state of one Run.
type discovery struct {
	Options
	web      Web
	store    Store
	seen     map[string]bool          // wire forms of the addresses that were begun
	done     map[string]audit.Sitemap // what an earlier run added: by URL; of a list by its kind and name
	heard    map[string]bool          // hosts that were asked for a sitemap, and whether one answered
	silent   int                      // how many of them did not
	answered map[string]string        // addresses that answered with a sitemap -> those requested
	dropped  map[string]bool          // wire forms of Dropped
	tried    []*Error                 // places that were tried and had no sitemap
	files    int                      // that were begun, or that an index names and nobody can ask for
	queue    []source                 // what the indexes list that were read
	origin   string                   // origin of the first target that answered; "" for none
}

// discovered is the key of the record of a complete discovery: the audited hosts. Other hosts receive
// no secrets, even where a sitemap comes from there, and later the record is the only way to know them.
const discovered = "discovered"

// Run finds the sitemaps of the targets, spools them, and adds them with their entries to the
// store. It does not fetch sitemaps that the store has already; once a discovery is complete,
// another call does nothing. It returns an *Error where no sitemap has an entry, and ctx's error
// when it was stopped.
func Run(ctx context.Context, web Web, store Store, d Options) error {
	w := &discovery{Options: d, web: web, store: store, seen: map[string]bool{}, heard: map[string]bool{},
		done: map[string]audit.Sitemap{}, answered: map[string]string{}, dropped: map[string]bool{}}
	if audited, ok, err := store.Get(discovered); err != nil || ok {
		d.Audited.Restore(string(audited))
		return err
	}
	known, err := store.Sitemaps()
	if err != nil {
		return err
	}
	for _, sm := range known {
		key := sm.URL
		if !sm.Listed() {
			key = sm.Kind + " " + key
		}
		w.done[key] = sm
	}
	for _, loc := range d.Dropped {
		if a, err := address.Parse(loc); err == nil {
			w.dropped[a.String()] = true
		}
	}
	for _, step := range []func(context.Context) error{w.targets, w.also, w.exports, w.expect, w.filtered} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return store.Put(discovered, []byte(d.Audited.Text()))
}

// add adds a sitemap with its entries.
func (w *discovery) add(ctx context.Context, sm *audit.Sitemap, entries iter.Seq2[audit.Entry, error]) error {
	err := w.store.AddSitemap(ctx, sm, entries)
	if err == nil {
		w.Progress.Files.Add(1)
	}
	return err
}

// targets reads all targets. One that cannot be read is a fault, if another has entries.
func (w *discovery) targets(ctx context.Context) error {
	for _, t := range w.Targets {
		if len(t.URLs) > 0 { // not the http form that is tried where the scheme was left out
			w.Audited.Add(t.URLs[0])
		}
	}
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
			sm := &audit.Sitemap{URL: t.Text, Parent: -1}
			nowhere.fault(sm, sitemap.NewFault(audit.FaultAsSaid, none.What))
			if err := w.add(ctx, sm, nil); err != nil {
				return err
			}
		}
	}
	switch {
	case w.store.EntryCount() > 0:
		return nil
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

// filtered returns an error where the filters leave nothing to crawl: a pattern that matches nothing
// is a mistake, and addresses that were not crawled are not clean.
func (w *discovery) filtered(ctx context.Context) error {
	all := w.store.EntryCount()
	for e, err := range w.store.Entries(ctx, 0, all) {
		if err != nil || e.Skip != audit.SkipFilter && e.Skip != audit.SkipSite {
			return err
		}
	}
	return &Error{What: fmt.Sprintf("none of the %d URLs is left to crawl", all),
		Fix: "--include and --exclude are patterns (RE2) that are looked for anywhere in a URL as the sitemap lists it"}
}

func (w *discovery) target(ctx context.Context, t Target) error {
	switch {
	case len(t.URLs) == 0:
		return w.local(ctx, t.Text)
	case t.Site:
		return w.site(ctx, t)
	}
	return w.named(ctx, t)
}

// named reads the sitemap that the user named by its URL.
func (w *discovery) named(ctx context.Context, t Target) (err error) {
	var problem *Error
	for i, a := range t.URLs { // where the user named no scheme, https is a guess
		before, from, base := problem, source{at: a, parent: -1, guess: i < len(t.URLs)-1}, address.Wire(a.Origin()+"/robots.txt")
		if file, err := w.web.Robots(ctx, a.Origin()); err == nil && file.File != nil && slices.ContainsFunc(file.File.Sitemaps, func(line robots.Sitemap) bool {
			at, err := address.Resolve(base, w.web.Mapped(line.URL, base))
			return err == nil && at.SameTwin(a) && at.Target() == a.Target()
		}) { // it may list URLs of every folder
			from.robots = base.String()
		}
		if problem, err = w.fetch(ctx, from); err != nil {
			return err
		}
		if problem == nil {
			w.instead(before, a)
			return nil
		}
	}
	return problem
}

// instead notes the address of a target that answered, and warns where that is http, and https did
// not: it gets no secrets, because the user did not write http.
func (w *discovery) instead(before *Error, a address.Address) {
	w.origin = cmp.Or(w.origin, a.Origin())
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
		file, err := w.web.Robots(ctx, root.Origin())
		if err != nil {
			return err
		}
		got := File{FileResult: fetch.FileResult{Status: file.Status, Fault: file.Fault, Detail: file.Detail, Challenge: file.Challenge}}
		said := w.problem(root.Origin()+"/robots.txt", &got)
		there, answered := !file.Fault.Traits().OfHost, file.Fault.Traits().Answered && file.Fault != answers.FaultRobotsAddress
		if file.Fault == "" || answered || there && w.Robots != "obey" {
			w.instead(problem, root)
			if said.Refused != "" {
				w.tried = append(w.tried, said)
			}
			found, err := w.robotsLines(ctx, root, file)
			if err != nil || found {
				return err
			}
			return w.usual(ctx, root)
		}
		if there {
			said.Fix = "if the site itself answers, --robots note audits it without robots.txt; else " + said.Fix
		}
		if problem != nil {
			said.What = problem.What + "; " + said.What
		}
		problem = said
	}
	return problem
}

// usual reads the sitemap of a site that is in one of the usual places.
func (w *discovery) usual(ctx context.Context, root address.Address) error {
	for _, path := range sitemap.Candidates {
		problem, err := w.fetch(ctx, source{at: address.Wire(root.Origin() + path), parent: -1, guess: true})
		if err != nil || problem == nil {
			return err
		}
		w.tried = append(w.tried, problem)
		if problem.Refused == string(answers.FaultAbandoned) { // nor is any other place asked
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
			w.Warn("%s line %d names no sitemap: %.300s", base, line.Line, line.URL)
			continue
		}
		found = true
		if !file.Strange {
			w.Audited.AddNamed(a)
		}
		from := source{at: a, parent: -1, in: base.String(), robots: base.String(), line: line.Line, plain: file.Strange}
		if _, err := w.fetch(ctx, from); err != nil {
			return found, err
		}
	}
	return found, nil
}
