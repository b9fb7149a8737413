package discover

import (
	"cmp"
	"container/heap"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
	"sitemend/crawler/sitemap"
)

// source is where a sitemap is named.
type source struct {
	parent int    // number of the index; -1 for none
	index  string // its URL
	place  int    // which of the index's addresses it is, from 0
	at     int    // its line in the index, from 1
	bound  bool   // the index cannot be edited so that it no longer lists the sitemap
	robots string // the robots.txt that names it; "" for none
	line   int    // line in the robots.txt
	within bool   // a robots.txt names its index, which is on the same host
	guess  bool   // one of the usual places, not named anywhere
	// relative is set where robots names it by a relative address.
	relative bool
	plain    bool // it is named by a host that is not audited, and requested without secrets
}

// as returns the purpose with which a file is requested.
func (s *source) as(purpose audit.Purpose) audit.Purpose {
	if s.plain {
		return purpose | audit.WithoutSecrets
	}
	return purpose
}

// named returns the robots.txt or index that names the sitemap, and the line; "" for none.
func (s source) named() (in string, at int) {
	if s.robots != "" {
		return s.robots, s.line
	}
	return s.index, s.at
}

// fetch fetches and reads one sitemap, and the children of an index. problem says why it is not a
// sitemap; err is set only where the audit cannot go on.
func (w *discovery) fetch(ctx context.Context, a address.Address, from source, depth int) (problem, err error) {
	if w.seen[a.String()] {
		return nil, nil
	}
	w.seen[a.String()] = true
	if sm, ok := w.done[a.String()]; ok {
		w.hear(a, &sm)
		w.Progress.Files.Add(1)
		w.Progress.Listed.Add(int64(sm.Entries))
		if sm.Kind != "" {
			w.answered[sm.AnsweredAt], w.instead = sm.URL, sentence{}
		}
		return nil, w.children(ctx, &sm, depth)
	}
	if from.guess {
		if g, ok, err := w.guessed(a); ok || err != nil {
			return w.problem(a.String(), w.failure, g.Fix), err
		}
	}
	if len(a.String()) > audit.MaxAddress {
		return w.tooLong(ctx, a.String(), from)
	}
	sm := audit.Sitemap{URL: a.String(), Parent: from.parent, Place: from.place, Line: from.at, Bound: from.bound, NamedBy: from.robots, FetchedAt: w.Now}
	if from.relative {
		said := say("relative-line", sm.URL)
		sm.Faults = append(sm.Faults, said.fault(&sm, from, "Invalid URL", "warning"))
	}
	w.within[sm.URL] = from.within
	if other, ok := w.answered[sm.URL]; ok {
		return nil, w.again(ctx, &sm, from, say("read-already", other))
	}
	if named, _ := from.named(); named != "" && w.deaf(a) {
		return w.failed(ctx, &sm, from, "HTTP error", say("silent-hosts", strconv.Itoa(maxSilent)), "take sitemaps on hosts that are gone out of "+named)
	}
	sm.Spool = w.spoolName()
	w.Say("reading %s", a)
	w.reads(sm.URL)
	spool := func() (io.WriteCloser, error) {
		f, err := w.store.SpoolWriter(sm.Spool)
		return counted{f, &w.Progress.Bytes}, err
	}
	got, err := w.web.File(ctx, fetch.File{URL: a, Redirects: sitemapRedirects, Limit: sitemapPacked, Purpose: from.as(audit.AsRobot)}, spool)
	if err != nil {
		return nil, err
	}
	sm.AnsweredAt, sm.Requests = got.Final.String(), got.Requests
	w.uncounted = got.Requests
	sm.Status, sm.Permanent, sm.Strange = got.Status, got.permanent(), got.Strange
	w.hear(a, &sm)
	if said := got.wrong(); said.key != "" {
		if from.index != "" && (got.Status == http.StatusNotFound || got.Status == http.StatusGone) {
			if said, err = w.lookAgain(ctx, a, &sm, from, said); err != nil {
				return nil, err
			}
		}
		return w.failed(ctx, &sm, from, "HTTP error", said, got.hint())
	}
	return w.arrived(ctx, &sm, from, &got, depth)
}

// maxSilent is how many hosts may leave the request for a sitemap without an answer before no further
// host is asked that an index or a robots.txt names. Each takes a minute and a half, and an index may name 50,000.
const maxSilent = 10

// hear remembers whether the host of a answered a request for the sitemap sm.
func (w *discovery) hear(a address.Address, sm *audit.Sitemap) {
	switch host := a.HostPort(); {
	case sm.Status != 0:
		w.heard[host], w.heard[address.Wire(sm.AnsweredAt).HostPort()] = true, true
		delete(w.silent, host)
	case sm.Requests > 0 && !w.heard[host]:
		w.silent[host] = true
	}
}

// deaf reports whether a is not to be requested: too many hosts were silent, and its own never answered.
func (w *discovery) deaf(a address.Address) bool {
	return len(w.silent) >= maxSilent && !w.heard[a.HostPort()]
}

// tooLong records a sitemap whose address is too long to be requested.
func (w *discovery) tooLong(ctx context.Context, url string, from source) (problem, err error) {
	kept, _ := audit.Kept(address.Masked(url))
	if _, ok := w.done[kept]; ok {
		return nil, nil
	}
	sm := audit.Sitemap{URL: kept, Parent: from.parent, Place: from.place, Line: from.at, Bound: true, NamedBy: from.robots, FetchedAt: w.Now}
	said := say("sitemap-too-long", strconv.Itoa(len(url)), strconv.Itoa(audit.MaxAddress))
	return w.failed(ctx, &sm, from, "Invalid URL", said, "name it by a shorter URL")
}

// arrived reads a sitemap that was received, as far as it was received.
func (w *discovery) arrived(ctx context.Context, sm *audit.Sitemap, from source, got *File, depth int) (problem, err error) {
	if got.Fault != "" || got.Truncated {
		sm.Cut = true
		sm.Faults = append(sm.Faults, got.cut().fault(sm, source{}, "HTTP error", "error"))
	}
	if err := w.robotsFault(ctx, sm); err != nil {
		return nil, err
	}
	if _, ok := w.answered[sm.AnsweredAt]; ok {
		return nil, w.again(ctx, sm, from, say("redirects-to-read", sm.AnsweredAt))
	}
	w.answered[sm.AnsweredAt] = sm.URL
	w.warnStrange(sm)
	if sm.AnsweredAt != sm.URL {
		said := say("sitemap-redirects", sm.AnsweredAt)
		sm.Faults = append(sm.Faults, said.fault(sm, from, "HTTP error", "warning"))
	}
	if sm.Charset, err = servedCharset(ctx, w.store, sm.Spool, got); err != nil {
		return nil, err
	}
	problem, err = w.read(ctx, sm, from, depth)
	var format *sitemap.FormatError
	if errors.As(err, &format) {
		delete(w.answered, sm.AnsweredAt)
		if name := w.protection(ctx, sm, got); name != "" {
			return w.failed(ctx, sm, from, "HTTP error", say("sitemap-protected", name), "")
		}
		if got.Fault != "" {
			return w.cutShort(ctx, sm, from, got)
		}
		return w.failed(ctx, sm, from, "Unsupported format", say("no-sitemap", format.What), format.Hint)
	}
	return problem, err
}

// servedCharset returns the charset to read a spooled file in that was received as got; "" where the
// file decides.
func servedCharset(ctx context.Context, store Store, spool string, got *File) (string, error) {
	r, err := store.OpenSpool(ctx, spool)
	if err != nil {
		return "", err
	}
	defer r.Close()
	return sitemap.ServedCharset(r, got.ContentType)
}

// cutShort records a sitemap of which too little was received to recognize it: its fault is that it
// was cut off, whatever its first bytes look like.
func (w *discovery) cutShort(ctx context.Context, sm *audit.Sitemap, from source, got *File) (problem, err error) {
	cut := got.cut().key
	sm.Faults = slices.DeleteFunc(sm.Faults, func(f audit.SitemapFault) bool { return f.Key == cut })
	sm.Cut = false
	said := say("first-came-nothing", strconv.FormatInt(got.Bytes, 10), string(got.Fault))
	return w.failed(ctx, sm, from, "HTTP error", said,
		"have the server send the whole file: within 10 minutes, without a pause of --timeout (30s)")
}

// warnStrange warns that the addresses which a sitemap lists are requested without the user's
// secrets, and says why.
func (w *discovery) warnStrange(sm *audit.Sitemap) {
	if !sm.Strange || !w.Secrets {
		return
	}
	why := "comes from a host that is not audited, or one led to it: what it lists is asked without --user and --header (name its host as a TARGET, too, to trust it)"
	for _, at := range []string{sm.URL, sm.AnsweredAt} {
		if a := address.Wire(at); a.Scheme() == "http" && !w.Audited.Has(a) {
			why = "came over http, or a redirect of http led to it, and anybody on the way may have written that: what it lists is asked without --user and --header (let https name it by its https address)"
		}
	}
	w.Warn("%s %s", sm.AnsweredAt, why)
}

// protection returns the name of the bot protection whose page came with status 200 in place of a
// sitemap, or that redirected to that page; "" for none that is known.
func (w *discovery) protection(ctx context.Context, sm *audit.Sitemap, got *File) string {
	var head []byte
	if r, err := w.store.OpenSpool(ctx, sm.Spool); err == nil {
		defer r.Close()
		if head, err = io.ReadAll(io.LimitReader(r, 64<<10)); err != nil {
			head = nil
		}
	}
	return fetch.Protection(got.Trail, head)
}

// lookAgain requests a file that an index names and that is missing once more, as an ordinary
// browser: a file that is missing for robots only stays in the index. It returns what to say about
// the file.
func (w *discovery) lookAgain(ctx context.Context, a address.Address, sm *audit.Sitemap, from source, said sentence) (sentence, error) {
	nowhere := func() (io.WriteCloser, error) { return unkept{}, nil }
	got, err := w.web.File(ctx, fetch.File{URL: a, Redirects: sitemapRedirects, Limit: 1, Purpose: from.as(audit.AsBrowser)}, nowhere)
	if err != nil {
		return said, err // the web has counted what was sent for it
	}
	sm.Requests += got.Requests
	w.uncounted += got.Requests
	sm.GoneTwice = got.Status == http.StatusNotFound || got.Status == http.StatusGone
	if sm.GoneTwice {
		return said, nil
	}
	status := strconv.Itoa(sm.Status)
	if got.Status == 0 {
		return say("status-unsure", status), nil
	}
	return say("status-for-robots", status), nil
}

// counted counts the bytes of a file for the progress.
type counted struct {
	io.WriteCloser
	n *atomic.Int64
}

func (c counted) Write(b []byte) (int, error) {
	c.n.Add(int64(len(b)))
	return c.WriteCloser.Write(b)
}

// unkept is a writer that discards a file.
type unkept struct{}

func (unkept) Write(b []byte) (int, error) { return len(b), nil }
func (unkept) Close() error                { return nil }

// A guess is the record of a place that has no sitemap.
type guess struct {
	Fix  string
	Key  string   `json:",omitempty"` // of the sentence with the reason
	Args []string `json:",omitempty"`
}

func (w *discovery) missed(url string, g guess) error {
	text, err := json.Marshal(g)
	if err != nil {
		return err
	}
	return w.store.Put("guess/"+url, text)
}

// guessed reports whether an earlier run tried a place and found no sitemap.
func (w *discovery) guessed(a address.Address) (g guess, ok bool, err error) {
	text, ok, err := w.store.Get("guess/" + a.String())
	if !ok || err != nil {
		return g, false, err
	}
	err = audit.Damaged("the record of "+a.String(), json.Unmarshal(text, &g))
	w.failure = say(g.Key, g.Args...)
	return g, true, err
}

// again records another name of a sitemap that was read already: its entries count once.
func (w *discovery) again(ctx context.Context, sm *audit.Sitemap, from source, said sentence) error {
	sm.Kind, sm.Spool = "", ""
	sm.Faults = append(sm.Faults, said.fault(sm, from, audit.DuplicateSitemap, "warning"))
	return w.add(ctx, sm, nil)
}

// robotsFault adds a fault where the robots.txt of a sitemap's host does not answer: Google then
// stops crawling the host (Google's robots.txt specification).
func (w *discovery) robotsFault(ctx context.Context, sm *audit.Sitemap) error {
	if w.Robots == "ignore" {
		return nil
	}
	origin := address.Wire(sm.AnsweredAt).Origin()
	file, err := w.web.Robots(ctx, origin)
	if err != nil {
		return err
	}
	var said sentence
	switch at := origin + "/robots.txt"; file.Stopped() {
	case audit.FaultRobots:
		said = say("robots-unread", at)
		if file.Down() {
			said = say("robots-down", at)
		}
	case audit.FaultRobotsAddress:
		said = say("robots-not-allowed", at, file.Words())
	}
	if said.key != "" {
		sm.Faults = append(sm.Faults, said.fault(sm, source{}, audit.RobotsUnreachable, "error"))
	}
	return nil
}

// failed records a sitemap that could not be read, with its fault. A wrong guess is no fault of the
// site.
func (w *discovery) failed(ctx context.Context, sm *audit.Sitemap, from source, name string, said sentence, hint string) (problem, err error) {
	problem, w.failure = w.problem(sm.URL, said, hint), said
	if from.guess {
		w.count()
		return problem, w.missed(sm.URL, guess{hint, said.key, said.args})
	}
	sm.Faults = append(sm.Faults, said.fault(sm, from, name, "error"))
	sm.Kind, sm.Spool = "", ""
	w.failedAt[sm.URL] = true
	return problem, w.add(ctx, sm, nil)
}

// add adds a sitemap with its entries, and then the properties of its file.
func (w *discovery) add(ctx context.Context, sm *audit.Sitemap, entries iter.Seq2[audit.Entry, error]) error {
	added, err := w.store.AddSitemap(ctx, *sm, entries)
	if err != nil {
		return err
	}
	w.uncounted = 0 // the sitemap counts them
	sm.N, sm.First, sm.Entries = added.N, added.First, added.Entries
	w.Progress.Files.Add(1)
	return errors.Join(w.store.PutSitemap(*sm), w.remember())
}

// count records the requests that no sitemap of the store counts: those for a guess that had no
// sitemap, or for a file that was not added before the audit was stopped.
func (w *discovery) count() {
	w.web.Sent(w.uncounted)
	w.uncounted = 0
}

// recover reads a sitemap's file again where the audit was stopped after its entries were added and
// before the properties of the file were.
func (w *discovery) recover(ctx context.Context, sm *audit.Sitemap) error {
	if sm.Kind != "" || sm.Spool == "" {
		return nil
	}
	kind, err := w.kind(ctx, sm)
	if err != nil {
		return err
	}
	if err := w.describe(ctx, sm, kind); err != nil {
		return err
	}
	return w.store.PutSitemap(*sm)
}

// read reads a spooled sitemap into the store, and the children of an index. Its error may be a
// *sitemap.FormatError for what is no sitemap. A bug of ours in the reading is a fault of that
// sitemap alone.
func (w *discovery) read(ctx context.Context, sm *audit.Sitemap, from source, depth int) (problem, err error) {
	kind, err := w.kind(ctx, sm)
	if err == nil && kind == sitemap.Index {
		err = w.add(ctx, sm, w.index(ctx, sm))
	} else if err == nil {
		err = w.add(ctx, sm, w.entries(ctx, sm))
	}
	if errors.Is(err, audit.ErrOurs) {
		from.guess = false // the place had something
		return w.failed(ctx, sm, from, "Not read", say(audit.NotReadByUs, err.Error()), "please report this, with the file")
	}
	if err != nil || kind != sitemap.Index {
		return nil, err
	}
	return nil, w.children(ctx, sm, depth)
}

var errEnough = errors.New("enough was read")

// scan reads a spooled sitemap and sets the properties that the file determines.
func (w *discovery) scan(ctx context.Context, sm *audit.Sitemap, visit func(sitemap.Entry) error) (sitemap.Info, error) {
	return w.scanWith(ctx, sm, false, visit)
}

// scanWith is scan that reads the lastmods, too, where these are wanted.
func (w *discovery) scanWith(ctx context.Context, sm *audit.Sitemap, lastmods bool, visit func(sitemap.Entry) error) (sitemap.Info, error) {
	r, err := w.store.OpenSpool(ctx, sm.Spool)
	if err != nil {
		return sitemap.Info{}, err
	}
	defer r.Close()
	return readSitemap(r, sitemap.Options{URL: sm.AnsweredAt, Charset: sm.Charset, NamedBy: sm.NamedBy, Anywhere: w.within[sm.URL], Now: w.Now, Lastmods: lastmods}, visit)
}

// readSitemap is sitemap.Read, with an audit.ErrOurs in place of a panic in it: one file must not
// affect the others. A panic in visit is not recovered.
func readSitemap(r io.Reader, o sitemap.Options, visit func(sitemap.Entry) error) (info sitemap.Info, err error) {
	visiting := false
	err = audit.Guard(func() (err error) {
		info, err = sitemap.Read(r, o, func(e sitemap.Entry) error {
			visiting = true
			err := visit(e)
			visiting = false
			return err
		})
		return err
	})
	if visiting {
		panic(err)
	}
	return info, err
}

// kind reads a sitemap as far as its first entry.
func (w *discovery) kind(ctx context.Context, sm *audit.Sitemap) (sitemap.Kind, error) {
	info, err := w.scan(ctx, sm, func(sitemap.Entry) error { return errEnough })
	if err != nil && !errors.Is(err, errEnough) {
		return "", err
	}
	return info.Kind, nil
}

// index yields nothing: it sets the properties that the file determines.
func (w *discovery) index(ctx context.Context, sm *audit.Sitemap) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		if err := w.describe(ctx, sm, sitemap.Index); err != nil {
			yield(audit.Entry{}, err)
		}
	}
}

// describe reads a file to its end and sets the properties that it determines.
func (w *discovery) describe(ctx context.Context, sm *audit.Sitemap, kind sitemap.Kind) error {
	var naming indexNaming
	info, err := w.scanWith(ctx, sm, kind == sitemap.Index, func(e sitemap.Entry) error {
		if a, err := childOf(sm, e); kind == sitemap.Index && err == nil && !e.TooLong {
			naming.see(sm, a, &e)
		}
		return nil
	})
	if err != nil {
		return err
	}
	w.fill(sm, info)
	naming.faults(sm)
	return nil
}

// nestedIndex is Search Console's name for an index in an index.
const nestedIndex = "Incorrect sitemap index format: Nested sitemap indexes"

// maxIndexes is how many sitemap index files Search Console accepts for a site (Search Central,
// "Manage your sitemaps with a sitemap index file").
const maxIndexes = 500

// tooManyIndexes adds a fault to the first index beyond the limit.
func (w *discovery) tooManyIndexes(sm *audit.Sitemap) {
	if w.indexes++; w.indexes != maxIndexes+1 {
		return
	}
	said := say("many-indexes", strconv.Itoa(maxIndexes))
	sm.Faults = append(sm.Faults, said.fault(sm, source{}, "Too many sitemaps", "warning"))
}

// maxFollowed is how many sitemap index files of one target are followed at most. Search Console
// accepts 500 (maxIndexes), and none inside another. A server can generate indexes that list
// indexes without end.
const maxFollowed = 2 * maxIndexes

// children fetches the sitemaps that an index lists. Their parent in the store is the index.
func (w *discovery) children(ctx context.Context, sm *audit.Sitemap, depth int) error {
	if sm.Kind != string(sitemap.Index) {
		return nil
	}
	w.followed++
	if depth >= indexDepth {
		return w.notFollowed(sm, say("index-deep", strconv.Itoa(indexDepth)))
	}
	var urls []sitemap.Entry
	if _, err := w.scan(ctx, sm, func(e sitemap.Entry) error { urls = append(urls, e); return nil }); err != nil {
		return err
	}
	for n, e := range urls {
		// The children of the first index are read in any case: Google reads 50,000 of these.
		if depth > 0 && w.followed > maxFollowed {
			return w.notFollowed(sm, say("index-bound", strconv.Itoa(maxFollowed)))
		}
		if err := w.child(ctx, sm, n, e, depth); err != nil {
			return err
		}
	}
	return nil
}

// notFollowed adds to an index the fault why its children are not read.
func (w *discovery) notFollowed(sm *audit.Sitemap, said sentence) error {
	if slices.ContainsFunc(sm.Faults, func(f audit.SitemapFault) bool { return f.Key == said.key }) {
		return nil // an earlier run has added it
	}
	sm.Cut = true
	sm.Faults = append(sm.Faults, said.fault(sm, source{}, nestedIndex, "error"))
	return w.store.PutSitemap(*sm)
}

// child fetches the n-th sitemap that an index lists.
func (w *discovery) child(ctx context.Context, sm *audit.Sitemap, n int, e sitemap.Entry, depth int) error {
	a, err := childOf(sm, e)
	if err != nil || e.TooLong { // the file has a fault for that
		w.tried.add(e.Loc)
		return nil
	}
	if n == 0 && sm.AnsweredAt == "" {
		w.Audited.Add(a)
	}
	problem, err := w.fetch(ctx, a, source{parent: sm.N, index: sm.URL, place: n, at: e.Line, bound: e.Bound, within: w.vouched(sm, a), plain: sm.Strange}, depth+1)
	if problem != nil {
		w.tried.failed(problem)
	}
	return err
}

// childOf returns the address of a sitemap that an index lists, also where it is written without
// its host.
func childOf(index *audit.Sitemap, e sitemap.Entry) (address.Address, error) {
	a, err := address.Parse(e.Loc)
	if err != nil && index.AnsweredAt != "" {
		return address.Resolve(address.Wire(index.AnsweredAt), e.Loc)
	}
	return a, err
}

// vouched reports whether a robots.txt names an index, or the index above it, and child has the
// origin of the index.
func (w *discovery) vouched(index *audit.Sitemap, child address.Address) bool {
	base := address.Wire(cmp.Or(index.AnsweredAt, index.URL))
	return (index.NamedBy != "" || w.within[index.URL]) && child.Origin() == base.Origin()
}

// entries yields the entries of a sitemap, each with the reason where it is not crawled.
func (w *discovery) entries(ctx context.Context, sm *audit.Sitemap) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		limit, err := w.sampleLimit(ctx, sm)
		if err != nil {
			yield(audit.Entry{}, err)
			return
		}
		first := true
		info, err := w.scan(ctx, sm, func(e sitemap.Entry) error {
			if first && sm.AnsweredAt == "" && !e.TooLong {
				if a, err := address.Parse(e.Loc); err == nil {
					w.Audited.Add(a)
				}
			}
			first = false
			w.Progress.Listed.Add(1)
			entry := audit.Entry{Loc: e.Loc, TooLong: e.TooLong, Line: e.Line, Ext: e.Ext, Media: e.Media, Bound: e.Bound, Skip: w.skip(e.Loc, limit), Earlier: !e.TooLong && w.wasDropped(e.Loc), WithoutSecrets: sm.Strange}
			if !yield(entry, nil) {
				return errEnough
			}
			return nil
		})
		switch {
		case errors.Is(err, errEnough):
		case err != nil:
			yield(audit.Entry{}, err)
		default:
			w.fill(sm, info)
		}
	}
}

// fill copies the properties that a file determines, and adds the faults of an index that depend on
// its place.
func (w *discovery) fill(sm *audit.Sitemap, info sitemap.Info) {
	sm.Kind, sm.Gzip, sm.Links, sm.News, sm.Generator = string(info.Kind), info.Gzip, info.Links, info.News, info.Generator
	sm.Elsewhere = info.Elsewhere
	for _, f := range info.Faults {
		sm.Faults = append(sm.Faults, audit.SitemapFault{Sitemap: sm.URL, Line: f.Line, Column: f.Column, Name: f.Name, Severity: f.Severity, Count: f.Count,
			Key: f.Key, Args: f.Args})
	}
	if w.instead.key != "" && sm.Parent < 0 {
		sm.Faults = append(sm.Faults, w.instead.fault(sm, source{}, "HTTP error", "warning"))
		w.instead = sentence{}
	}
	if info.Kind != sitemap.Index {
		return
	}
	w.tooManyIndexes(sm)
	if sm.Parent >= 0 {
		said := say("nested")
		sm.Faults = append(sm.Faults, said.fault(sm, source{}, nestedIndex, "error"))
	}
}

func (w *discovery) skip(loc string, limit uint64) audit.Skip {
	switch {
	case w.Include != nil && !w.Include.MatchString(loc), w.Exclude != nil && w.Exclude.MatchString(loc):
		return audit.SkipFilter
	case w.Sample > 0 && xxhash.Sum64String(loc) > limit:
		return audit.SkipSample
	case w.NoFetch:
		return audit.SkipFetch
	}
	return audit.SkipNone
}

// sampleLimit returns the greatest hash in the sample: the N smallest hashes of a file are the same
// in every run.
func (w *discovery) sampleLimit(ctx context.Context, sm *audit.Sitemap) (uint64, error) {
	if w.Sample == 0 {
		return 0, nil
	}
	var least hashes
	_, err := w.scan(ctx, sm, func(e sitemap.Entry) error {
		if w.skip(e.Loc, ^uint64(0)) == audit.SkipFilter {
			return nil
		}
		heap.Push(&least, xxhash.Sum64String(e.Loc))
		if len(least) > w.Sample {
			heap.Pop(&least)
		}
		return nil
	})
	if err != nil || len(least) == 0 {
		return 0, err
	}
	return least[0], nil
}

// hashes is a heap with the greatest hash on top.
type hashes []uint64

func (h hashes) Len() int           { return len(h) }
func (h hashes) Less(i, j int) bool { return h[i] > h[j] }
func (h hashes) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *hashes) Push(x any)        { *h = append(*h, x.(uint64)) }
func (h *hashes) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
