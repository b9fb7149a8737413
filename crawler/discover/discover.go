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

// indexDepth is how deep sitemap indexes are followed. Google follows no index inside another
// ("Nested sitemap indexes"); we read on, and report a fault.
const indexDepth = 5

// Limits of one sitemap (contract, section 5 and --timeout).
const (
	sitemapRedirects = 10
	sitemapPacked    = 1 << 30 // bytes as served
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
	// AddSitemap adds the next sitemap with its entries, which become visible all at once, and
	// returns it with N, First and Entries set. It stops when ctx ends, and the sitemap is then not
	// added. PutSitemap replaces all other properties of a sitemap.
	AddSitemap(ctx context.Context, sm audit.Sitemap, entries iter.Seq2[audit.Entry, error]) (audit.Sitemap, error)
	PutSitemap(sm audit.Sitemap) error
	Sitemaps() ([]audit.Sitemap, error)
}

// Options says which sitemaps are read, and which of their entries are crawled.
type Options struct {
	Targets          []Target
	Stdin            io.Reader // for the target "-"
	Include, Exclude *regexp.Regexp
	Sample           int // entries of each sitemap; 0 for all
	NoFetch          bool
	Now              time.Time
	// Dropped are the addresses that the last audit of the same targets dropped. They are crawled
	// again, listed or not.
	Dropped []Dropped
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

// Dropped is an address that an audit dropped from a sitemap.
type Dropped struct {
	Loc     string `json:"loc"`
	Sitemap string `json:"sitemap"`
	Line    int    `json:"line"`
	Plain   bool   `json:"plain,omitempty"` // as in audit.Entry
}

// An Error says why there is nothing to audit, and what the user can do.
type Error struct {
	What, Fix string
	// Refused counts the refusals in place of a sitemap, in the form of audit.Counts.Unseen: by
	// status or by the name of the bot protection; nil where there were none. Fix does not say how
	// to be admitted.
	Refused map[string]int
}

// Error returns What.
func (e *Error) Error() string { return e.What }

// Hint returns what the user can do; "" where the client first has to be admitted.
func (e *Error) Hint() string { return e.Fix }

// Fault returns e as the fault of a target, of which it is what stands in place of a sitemap.
func (e *Error) Fault(target string) audit.SitemapFault {
	args := []string{e.What}
	for _, busy := range []string{"503", "429"} {
		if e.Refused[busy] > 0 {
			args = append(args, busy)
			break
		}
	}
	return audit.SitemapFault{Sitemap: target, Name: "HTTP error", Severity: "error", Key: audit.FaultAsSaid, Args: args}
}

// discovered is the key of the record that a discovery is complete.
const discovered = "discovered"

// Run finds the sitemaps of the targets, spools them, and adds them with their entries to the
// store. It does not fetch sitemaps that the store has already; once a discovery is complete,
// another call does nothing. It returns an *Error where no sitemap has an entry, and ctx's error
// when it was stopped.
func Run(ctx context.Context, web Web, store Store, d Options) error {
	known, err := store.Sitemaps()
	if err != nil {
		return err
	}
	w := &discovery{Options: d, web: web, store: store, seen: map[string]bool{}, within: map[string]bool{}, failedAt: map[string]bool{}, heard: map[string]bool{}, silent: map[string]bool{}, done: map[string]audit.Sitemap{}, answered: map[string]string{}}
	for _, sm := range known {
		if w.added(&sm) {
			continue
		}
		if sm.Parent >= 0 && sm.Parent < sm.N { // an index comes before what it lists
			w.within[sm.URL] = w.vouched(&known[sm.Parent], address.Wire(sm.URL))
		}
		if sm.Kind == string(sitemap.Index) {
			w.indexes++
		}
		if err := w.recover(ctx, &sm); err != nil {
			return err
		}
		w.done[sm.URL] = sm
	}
	if err := w.restore(); err != nil {
		return err
	}
	for _, sm := range known {
		w.spooled = max(w.spooled, spoolNumber(sm.Spool))
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
	if err := w.targets(ctx); err != nil {
		return err
	}
	if err := w.earlier(ctx); err != nil {
		return err
	}
	if err := w.also(ctx); err != nil {
		return err
	}
	if err := w.exported(ctx, len(d.Exports) > 0); err != nil {
		return err
	}
	if err := w.expect(ctx); err != nil {
		return err
	}
	return store.Put(discovered, []byte{1})
}

// added reports whether sm is a list that an earlier run added, not a file of the site: such a list
// is not added again.
func (w *discovery) added(sm *audit.Sitemap) bool {
	switch sm.Kind {
	case audit.KindEarlier:
		w.Dropped = nil
	case audit.KindSearchConsole:
		w.Exports = w.Exports[min(1, len(w.Exports)):]
	case audit.KindExpect:
		w.Expect = nil
	default:
		if sm.Listed() {
			return false
		}
		w.alsoAdded = append(w.alsoAdded, audit.AlsoList(sm.Kind))
	}
	return true
}

// auditedKey is the key of the record of the audited hosts. Other hosts receive no secrets, even
// where a sitemap comes from there, and after a stop the record is the only way to know them.
const auditedKey = "audited"

func (w *discovery) restore() error {
	for _, t := range w.Targets {
		for _, a := range t.written() {
			w.Audited.Add(a)
		}
	}
	text, ok, err := w.store.Get(auditedKey)
	if ok {
		w.Audited.Restore(string(text))
	}
	return err
}

func (w *discovery) remember() error {
	text := w.Audited.Text()
	if text == w.remembered {
		return nil
	}
	w.remembered = text
	return w.store.Put(auditedKey, []byte(text))
}

// reads sets for the progress what is read from now on.
func (w *discovery) reads(at string) { w.Progress.reading.Store(&at) }

// discovery is the state of one Run.
type discovery struct {
	Options
	web        Web
	store      Store
	seen       map[string]bool          // wire forms of the addresses that were begun
	done       map[string]audit.Sitemap // sitemaps that an earlier run added, by URL
	answered   map[string]string        // addresses that answered with a sitemap -> those requested
	tried      attempts                 // places that were tried and had no sitemap
	spooled    int                      // the last number in the name of a spooled file
	uncounted  int                      // requests for the current file, until it is added
	remembered string                   // the audited hosts as stored
	within     map[string]bool          // URLs with source.within
	failedAt   map[string]bool          // URLs whose fault is recorded
	heard      map[string]bool          // hosts with ports that answered a request for a sitemap
	silent     map[string]bool          // those that were asked for one and never answered
	droppedSet map[string]bool          // wire forms of Dropped, made when first needed
	indexes    int                      // sitemap index files
	followed   int                      // those of the current target
	failure    sentence                 // why the last sitemap failed
	origin     string                   // origin of the first target that answered; "" for none
	alsoAdded  []audit.AlsoList         // by an earlier run
	instead    sentence                 // why http is audited in place of https, until recorded
}

// targets reads all targets. One that cannot be read is a fault, if another has entries.
func (w *discovery) targets(ctx context.Context) error {
	var first error
	for _, t := range w.Targets {
		err := w.target(ctx, t)
		var none *Error
		switch {
		case err == nil:
			continue
		case !errors.As(err, &none):
			return err
		case first == nil:
			first = err
		}
		if _, known := w.done[t.Text]; !known && !w.failedAt[t.Text] && len(w.Targets) > 1 {
			faults := []audit.SitemapFault{none.Fault(t.Text)}
			if err := w.add(ctx, &audit.Sitemap{URL: t.Text, Parent: -1, Faults: faults}, nil); err != nil {
				return err
			}
		}
	}
	if w.store.EntryCount() > 0 {
		if len(w.Exports) > 0 {
			return nil
		}
		return w.filtered(ctx, w.store.EntryCount())
	}
	if first == nil {
		first = w.nothing()
	}
	if w.Expect != nil && (w.Expect.Absolute || w.origin != "") {
		w.Warn("%v: only the URLs of the map are crawled", first)
		return nil
	}
	if len(w.Exports) > 0 && len(w.Audited.Origins()) > 0 {
		w.Warn("%v: only the URLs of the export are crawled, and whether a sitemap lists them is not known", first)
		return nil
	}
	return first
}

// exported adds the addresses of exports, where there are any: these may be the only ones that the
// filters leave.
func (w *discovery) exported(ctx context.Context, any bool) error {
	listed := w.store.EntryCount()
	if err := w.exports(ctx); err != nil || !any || listed == 0 {
		return err
	}
	return w.filtered(ctx, listed)
}

// filtered returns an error where the filters leave nothing to crawl, neither listed entries nor an
// export: a pattern that matches nothing is a mistake, and addresses that were not crawled are not
// clean.
func (w *discovery) filtered(ctx context.Context, listed int) error {
	if w.Include == nil && w.Exclude == nil || w.Expect != nil {
		return nil
	}
	var example audit.Entry
	for e, err := range w.store.Entries(ctx, 0, w.store.EntryCount()) {
		if err != nil || e.Skip != audit.SkipFilter && e.Skip != audit.SkipSite {
			return err
		}
		if e.N == 0 {
			example = e
		}
	}
	flags := "--exclude leaves"
	switch {
	case w.Exclude == nil:
		flags = "--include leaves"
	case w.Include != nil:
		flags = "--include and --exclude leave"
	}
	return &Error{What: fmt.Sprintf("%s none of the %d URLs", flags, listed),
		Fix: "a pattern (RE2) is looked for anywhere in a URL as the sitemap lists it, as in " + shortened(address.Masked(example.Loc))}
}

func (w *discovery) target(ctx context.Context, t Target) error {
	w.instead, w.followed = sentence{}, 0
	switch t.Kind {
	case TargetStdin:
		return w.local(ctx, "-", w.Stdin)
	case TargetFile:
		return w.file(ctx, t.Text)
	case TargetSitemap:
		return w.named(ctx, t)
	}
	return w.site(ctx, t)
}

// named reads the sitemap that the user named by its URL.
func (w *discovery) named(ctx context.Context, t Target) error {
	var last error
	for i, a := range t.URLs {
		// Where the user named no scheme, https is a guess.
		w.inClear(a)
		said := w.instead
		problem, err := w.fetch(ctx, a, source{parent: -1, guess: i < len(t.URLs)-1}, 0)
		if err != nil || problem == nil {
			w.fellBack(said)
			w.origin = cmp.Or(w.origin, a.Origin())
			return err
		}
		last = problem
		if w.failure.key == "no-answer-detail" {
			w.fallBack(a, audit.Fault(w.failure.args[0]), w.failure.args[1])
		}
	}
	return last
}

// fallBack records why http is requested after https, which was tried because the user named no
// scheme. It ignores an https port at which nothing listens, which says nothing about the site; an
// untrusted certificate does.
func (w *discovery) fallBack(a address.Address, fault audit.Fault, detail string) {
	if fault == audit.FaultTLS && a.Scheme() == "https" {
		at := a.Origin()
		w.instead = say("fell-back", at, detail)
	}
}

// fellBack warns about that, once http has answered.
func (w *discovery) fellBack(said sentence) {
	if said.key != "" {
		w.Warn("%s", w.says(said))
	}
}

// site reads the sitemaps that a site's robots.txt names, else those in the usual places. Where
// only robots.txt is known not to answer, --robots decides whether these are requested.
func (w *discovery) site(ctx context.Context, t Target) error {
	var unreachable []string
	var fault audit.Fault
	var detail string
	var silent address.Address // the first whose robots.txt gave no answer though a server is there
	var silentFile *robots.Answer
	for _, root := range t.URLs {
		w.inClear(root)
		w.reads(root.Origin() + "/robots.txt")
		file, err := w.web.Robots(ctx, root.Origin())
		if err != nil {
			return err
		}
		if f := file.Fault; f == audit.FaultRobotsAddress && w.Robots == "obey" {
			return &Error{What: root.Origin() + ": " + f.Words() + " (" + file.Words() + ")", Fix: faultHint(f, "")}
		}
		if f := file.Fault; f != "" && !f.Traits().Answered {
			at := root.Origin()
			if !f.Traits().OfHost {
				at += "/robots.txt"
				if silentFile == nil {
					silent, silentFile = root, file
				}
			}
			why := f.Words()
			if file.Detail == fetch.ProxyDown {
				why = file.Detail
			}
			unreachable = append(unreachable, fmt.Sprintf("%s: %s", at, why))
			fault, detail = f, file.Detail
			w.fallBack(root, f, file.Detail)
			continue
		}
		w.fellBack(w.instead)
		return w.siteAt(ctx, root, file)
	}
	switch {
	case silentFile == nil || detail == fetch.ProxyDown && w.Robots == "obey":
		return &Error{What: "no answer from " + strings.Join(unreachable, "; "), Fix: faultHint(fault, detail)}
	case w.Robots == "obey":
		return &Error{What: "no answer from " + strings.Join(unreachable, "; "),
			Fix: "where the site answers otherwise, --robots note audits it as if robots.txt were not there; else check the name and the network"}
	}
	w.fellBack(w.instead)
	return w.siteAt(ctx, silent, silentFile)
}

// inClear warns where http is tried because https did not answer: then no secrets are sent, because
// the user did not write http.
func (w *discovery) inClear(a address.Address) {
	if w.Secrets && a.Scheme() == "http" && !w.Audited.Has(a) {
		w.Warn("https does not answer: %s is asked without --user and --header, which go over http only where TARGET begins with http://", a.Origin())
	}
}

// faultHint returns what the user can do about a target that gave no answer.
func faultHint(f audit.Fault, detail string) string {
	switch f {
	case audit.FaultTLS:
		if detail == fetch.PlainServer {
			return "plain HTTP is spoken there: look at the port, and where --map or --resolve lead https"
		}
		return "the certificate is not trusted or not valid; --ca FILE trusts the authority that signed it"
	case audit.FaultUnreachable:
		if detail == fetch.ProxyDown {
			return "look at HTTP_PROXY and HTTPS_PROXY, or at NO_PROXY, which names hosts that are asked without a proxy"
		}
	case audit.FaultAddress:
		return "--allow-private lets the audit lead to private addresses"
	case audit.FaultRobotsAddress:
		return "let robots.txt answer 200, or 404 where there is none; --allow-private lets the audit lead to private addresses, --robots note asks all the same"
	}
	return "check the name and the network; --resolve HOST:PORT:ADDR connects elsewhere"
}

// hint returns what the user can do about a sitemap that was refused.
func (f *File) hint() string {
	switch {
	case f.wrong().refusal() != "":
		return ""
	case f.Fault != "":
		return faultHint(f.Fault, f.Detail)
	case f.Status >= 500:
		return "the server is overloaded or in trouble: try again later, or more slowly (--rate 1)"
	}
	return "name the URL of the sitemap, or the site whose robots.txt names it"
}

func (w *discovery) siteAt(ctx context.Context, root address.Address, file *robots.Answer) error {
	w.origin = cmp.Or(w.origin, root.Origin())
	found, err := w.robotsLines(ctx, root, file)
	if err != nil || found {
		return err
	}
	refused := File{FileResult: fetch.FileResult{Status: file.Status, Fault: file.Fault, Challenge: file.Challenge}}
	if said := refused.wrong(); said.refusal() != "" {
		w.tried.failed(w.problem(root.Origin()+"/robots.txt", said, ""))
	}
	for _, url := range sitemap.Candidates(root.Origin()) {
		a, err := address.Parse(url)
		if err != nil {
			return err
		}
		problem, err := w.fetch(ctx, a, source{parent: -1, guess: true}, 0)
		if err != nil || problem == nil {
			return err
		}
		w.tried.failed(problem)
		if w.failure.left() { // nor is any other place
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
	w.heard[base.HostPort()] = true
	lines, dead := file.File.Sitemaps(), 0
	for i, line := range lines {
		if dead == maxDead {
			return found, w.passOver(base, line.Line, len(lines)-i)
		}
		a, err := address.Resolve(base, w.web.Mapped(line.URL, base))
		if err != nil {
			w.tried.add(line.URL)
			w.Warn("%s line %d names no sitemap: %s", base, line.Line, shortened(address.Masked(line.URL)))
			continue
		}
		_, relative := address.Parse(line.URL)
		if !file.Strange {
			w.Audited.AddNamed(a)
		}
		if w.seen[a.String()] { // a repetition
			found = true
			continue
		}
		from := source{parent: -1, robots: base.String(), line: line.Line, relative: relative != nil, plain: file.Strange}
		problem, err := w.fetch(ctx, a, from, 0)
		if err != nil {
			return found, err
		}
		if found = true; problem != nil {
			w.tried.failed(problem)
		}
		if earlier := w.done[a.String()]; problem != nil || earlier.Unread() { // read before the stop
			dead++
		} else {
			dead = 0
		}
	}
	return found, nil
}

// maxDead is how many Sitemap lines of a robots.txt in a row may fail before the rest are skipped.
const maxDead = 1_000

// passOver records that the n Sitemap lines from one on are skipped, with the last failure before
// them.
func (w *discovery) passOver(robots address.Address, from, n int) error {
	read, err := w.store.Sitemaps()
	if err != nil || len(read) == 0 {
		return err
	}
	sm := read[len(read)-1]
	said := say("dead-lines", strconv.Itoa(maxDead), strconv.Itoa(n), strconv.Itoa(from))
	if slices.ContainsFunc(sm.Faults, func(f audit.SitemapFault) bool { return f.Key == said.key }) {
		return nil
	}
	w.Warn("%s: %s", robots, w.says(said))
	sm.Faults = append(slices.Clip(sm.Faults), said.fault(&sm, source{}, "HTTP error", "error"))
	return w.store.PutSitemap(sm)
}

// nothing returns the error that no entry was found, with what was tried, or what is wrong with
// what was read.
func (w *discovery) nothing() error {
	fix := "name the sitemap itself, or check that it lists a URL"
	switch {
	case w.tried.n > 0 && w.tried.n == w.tried.refusals:
		return &Error{"no sitemap was found, for the site refuses us; tried " + w.tried.String(), "", w.tried.refused}
	case w.tried.n > 0:
		return &Error{"no sitemap with a URL was found; tried " + w.tried.String(), fix, w.tried.refused}
	}
	read, err := w.store.Sitemaps()
	if err != nil {
		return err
	}
	what := "the sitemaps have no URLs"
	for _, why := range read {
		if text := w.severe(why.Faults); text != "" {
			what += "; " + why.URL + ": " + text
			break
		}
	}
	return &Error{What: what, Fix: fix}
}

// severe returns the first three errors of a file, in words.
func (w *discovery) severe(faults []audit.SitemapFault) string {
	var texts []string
	for _, f := range faults {
		if f.Severity == "error" && len(texts) < 3 {
			texts = append(texts, w.Words(f))
		}
	}
	return strings.Join(texts, "; ")
}

// noSitemap turns an error of sitemap.Read into an error of the whole audit.
func (w *discovery) noSitemap(name string, err error) error {
	var format *sitemap.FormatError
	if errors.As(err, &format) {
		return &Error{What: fmt.Sprintf("%s: %s", name, format.What), Fix: format.Hint}
	}
	return err
}

func (w *discovery) spoolName() string {
	w.spooled++
	return fmt.Sprintf("%05d", w.spooled)
}

// spoolNumber returns the number in a name of spoolName; 0 for none. Names of files that were no
// sitemap are free again after a stop.
func spoolNumber(name string) int {
	n, _ := strconv.Atoi(name)
	return n
}
