package discover

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
	"sitemend/crawler/sitemap"
)

// Limits of one sitemap (contract, section 5 and --timeout).
const (
	sitemapRedirects = 10
	sitemapPacked    = 1 << 30 // bytes as served
)

// source is where a sitemap is named.
type source struct {
	parent int    // number of the index; -1 for none
	in     string // the robots.txt or the index that names it; "" for none
	line   int    // its line there, from 1
	place  int    // which of the index's addresses it is, from 0
	level  int    // how many indexes are above it
	bound  bool   // the index cannot be edited so that it no longer lists the sitemap
	within bool   // a robots.txt names its index, which is on the same host
	guess  bool   // one of the usual places, not named anywhere
	plain  bool   // it is named by a host that is not audited, and requested without secrets
}

// A listed is a sitemap that an index lists and that is still to be read.
type listed struct {
	at   address.Address
	from source
}

// file returns how a file is requested as somebody.
func (s *source) file(a address.Address, as audit.Purpose) fetch.File {
	if s.plain {
		as |= audit.WithoutSecrets
	}
	return fetch.File{URL: a, Redirects: sitemapRedirects, Limit: sitemapPacked, Purpose: as}
}

// sitemap returns the sitemap that is named at a URL.
func (w *discovery) sitemap(url string, from source) *audit.Sitemap {
	sm := &audit.Sitemap{URL: url, Parent: from.parent, Place: from.place, Bound: from.bound, FetchedAt: w.Now}
	if from.parent >= 0 {
		sm.Line = from.line
	} else {
		sm.NamedBy = from.in
	}
	return sm
}

// fetch fetches and reads one sitemap, and then what it lists, level by level. problem says why it is
// not a sitemap; err is set only where the audit cannot go on.
func (w *discovery) fetch(ctx context.Context, a address.Address, from source) (problem *Error, err error) {
	if problem, err = w.one(ctx, a, from); err == nil {
		err = w.rest(ctx)
	}
	return problem, err
}

// rest fetches and reads what the indexes list that were read.
func (w *discovery) rest(ctx context.Context) error {
	for len(w.queue) > 0 && ctx.Err() == nil {
		next := w.queue[0]
		w.queue = w.queue[1:]
		problem, err := w.one(ctx, next.at, next.from)
		if err != nil {
			return err
		}
		if problem != nil {
			w.tried = append(w.tried, problem)
		}
	}
	return ctx.Err()
}

// one fetches and reads one sitemap; the children of an index come into the queue.
func (w *discovery) one(ctx context.Context, a address.Address, from source) (problem *Error, err error) {
	if w.seen[a.String()] {
		return nil, nil
	}
	w.seen[a.String()] = true
	w.files++
	if sm, ok := w.done[a.String()]; ok {
		w.hear(a, &sm)
		w.Progress.Files.Add(1)
		w.Progress.Listed.Add(int64(sm.Entries))
		if sm.Kind != "" {
			w.answered[sm.AnsweredAt] = sm.URL
		}
		return nil, w.children(ctx, &sm, from.level)
	}
	sm := w.sitemap(a.String(), from)
	w.within[sm.URL] = from.within
	if other, ok := w.answered[sm.URL]; ok {
		return nil, w.again(ctx, sm, from, say("read-already", other))
	}
	if w.silent >= maxSilent && !w.heard[a.HostPort()] && from.in != "" {
		return w.failed(ctx, sm, from, "HTTP error", say("silent-hosts", strconv.Itoa(maxSilent)), "take sitemaps on hosts that are gone out of "+from.in)
	}
	sm.Spool = w.spoolName()
	w.Say("reading %s", a)
	w.reads(sm.URL)
	got, err := w.web.File(ctx, from.file(a, audit.AsRobot), w.spooling(sm))
	if err != nil {
		return nil, err
	}
	sm.AnsweredAt, sm.Requests, w.uncounted = got.Final.String(), got.Requests, got.Requests
	sm.Status, sm.Permanent, sm.Strange = got.Status, got.permanent(), got.Strange
	w.hear(a, sm)
	if said := got.wrong(); said.key != "" {
		if from.parent >= 0 && isGone(got.Status) {
			if said, err = w.lookAgain(ctx, a, sm, from, said); err != nil {
				return nil, err
			}
		}
		return w.failed(ctx, sm, from, "HTTP error", said, got.hint())
	}
	return w.arrived(ctx, sm, from, &got)
}

// maxSilent is how many hosts may leave the request for a sitemap without an answer before no further
// host is asked that an index or a robots.txt names: each takes a minute and a half, and an index may
// name 50,000.
const maxSilent = 10

// hear remembers whether the host of a answered a request for the sitemap sm.
func (w *discovery) hear(a address.Address, sm *audit.Sitemap) {
	heard, asked := w.heard[a.HostPort()]
	switch {
	case sm.Status != 0:
		w.heard[a.HostPort()] = true
		if asked && !heard {
			w.silent--
		}
	case sm.Requests > 0 && !asked:
		w.heard[a.HostPort()] = false
		w.silent++
	}
}

func isGone(status int) bool { return status == http.StatusNotFound || status == http.StatusGone }

func (w *discovery) spoolName() string {
	w.spooled++
	return fmt.Sprintf("%05d", w.spooled)
}

// arrived reads a sitemap that was received, as far as it was received.
func (w *discovery) arrived(ctx context.Context, sm *audit.Sitemap, from source, got *File) (*Error, error) {
	if got.Fault != "" || got.Truncated {
		sm.Faults = append(sm.Faults, got.cut().fault(sm, source{}, "HTTP error", "error"))
	}
	if _, ok := w.answered[sm.AnsweredAt]; ok {
		return nil, w.again(ctx, sm, from, say("redirects-to-read", sm.AnsweredAt))
	}
	w.answered[sm.AnsweredAt] = sm.URL
	if sm.Strange && w.Secrets {
		w.Warn("%s comes from a host that is not audited or over http, or a redirect of one led to it: what it lists is asked without --user and --header (name its host as a TARGET, too, to trust it)", sm.AnsweredAt)
	}
	if sm.AnsweredAt != sm.URL {
		sm.Faults = append(sm.Faults, say("sitemap-redirects", sm.AnsweredAt).fault(sm, from, "HTTP error", "warning"))
	}
	err := w.read(ctx, sm, from.level)
	var format *sitemap.FormatError
	if !errors.As(err, &format) {
		return nil, err
	}
	delete(w.answered, sm.AnsweredAt)
	return w.failed(ctx, sm, from, "Unsupported format", say("no-sitemap", format.What), format.Hint)
}

// lookAgain requests a file that an index names and that is missing once more, as an ordinary
// browser: a file that is missing for robots only stays in the index. It returns what to say about
// the file.
func (w *discovery) lookAgain(ctx context.Context, a address.Address, sm *audit.Sitemap, from source, said sentence) (sentence, error) {
	f := from.file(a, audit.AsBrowser)
	f.Limit = 1
	got, err := w.web.File(ctx, f, w.spooling(sm))
	if err != nil {
		return said, err // the web has counted what was sent for it
	}
	sm.Requests += got.Requests
	w.uncounted += got.Requests
	switch sm.GoneTwice = isGone(got.Status); {
	case sm.GoneTwice:
		return said, nil
	case got.Status == 0:
		return say("status-unsure", strconv.Itoa(sm.Status)), nil
	}
	return say("status-for-robots", strconv.Itoa(sm.Status)), nil
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

// spooling returns what opens the file into which each attempt for a sitemap is written.
func (w *discovery) spooling(sm *audit.Sitemap) func() (io.WriteCloser, error) {
	return func() (io.WriteCloser, error) {
		f, err := w.store.SpoolWriter(sm.Spool)
		return counted{f, &w.Progress.Bytes}, err
	}
}

// again records another name of a sitemap that was read already: its entries count once.
func (w *discovery) again(ctx context.Context, sm *audit.Sitemap, from source, said sentence) error {
	sm.Kind, sm.Spool = "", ""
	sm.Faults = append(sm.Faults, said.fault(sm, from, audit.DuplicateSitemap, "warning"))
	return w.add(ctx, sm, nil)
}

// failed records a sitemap that could not be read, with its fault. A wrong guess is no fault of the
// site.
func (w *discovery) failed(ctx context.Context, sm *audit.Sitemap, from source, name string, said sentence, hint string) (*Error, error) {
	problem := w.problem(sm.URL, said, hint)
	if from.guess {
		w.count()
		return problem, nil
	}
	sm.Faults = append(sm.Faults, said.fault(sm, from, name, "error"))
	sm.Kind, sm.Spool = "", ""
	return problem, w.add(ctx, sm, nil)
}

// local spools a file of this machine, up to the limit of a file, and reads that. It skips what an
// earlier run has read, for a pipe cannot be read again.
func (w *discovery) local(ctx context.Context, name string) error {
	if sm, ok := w.done[name]; ok {
		if err := w.children(ctx, &sm, 0); err != nil {
			return err
		}
		return w.rest(ctx)
	}
	sm := &audit.Sitemap{URL: name, Parent: -1, Spool: w.spoolName(), FetchedAt: w.Now}
	n, err := w.spool(ctx, name, sm.Spool)
	var file *fs.PathError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &file) && file.Op != "write":
		return &Error{What: err.Error(), Fix: "name a file that can be read, a site or a sitemap URL"}
	case err != nil:
		return fmt.Errorf("read %s: %w", name, err)
	case n > sitemapPacked:
		sm.Faults = append(sm.Faults, say("first-read", strconv.Itoa(sitemapPacked)).fault(sm, source{}, "Sitemap file size error", "error"))
	}
	err = w.read(ctx, sm, 0)
	var format *sitemap.FormatError
	if errors.As(err, &format) {
		return &Error{What: name + ": " + format.What, Fix: format.Hint}
	}
	if err != nil {
		return err
	}
	return w.rest(ctx)
}

// spool copies a file of this machine into the store.
func (w *discovery) spool(ctx context.Context, name, spool string) (n int64, err error) {
	from, err := w.Open(ctx, name)
	if err != nil {
		return 0, err
	}
	defer from.Close()
	to, err := w.store.SpoolWriter(spool)
	if err != nil {
		return 0, err
	}
	n, err = io.Copy(to, io.LimitReader(from, sitemapPacked+1))
	return n, errors.Join(err, to.Close())
}

// read reads a spooled sitemap into the store. Its error may be a *sitemap.FormatError for what is no
// sitemap.
func (w *discovery) read(ctx context.Context, sm *audit.Sitemap, level int) error {
	if err := w.add(ctx, sm, w.entries(ctx, sm)); err != nil {
		return err
	}
	return w.children(ctx, sm, level)
}

var errEnough = errors.New("enough was read")

// scan reads a spooled sitemap.
func (w *discovery) scan(ctx context.Context, sm *audit.Sitemap, visit func(sitemap.Entry) error) (sitemap.Info, error) {
	cut := slices.ContainsFunc(sm.Faults, func(f audit.SitemapFault) bool { return strings.HasPrefix(f.Key, "first-") })
	return scan(ctx, w.store, sm.Spool, sitemap.Options{URL: sm.AnsweredAt, NamedBy: sm.NamedBy, Anywhere: w.within[sm.URL], Now: w.Now, Cut: cut}, visit)
}

// scan reads a spooled file that may be a sitemap.
func scan(ctx context.Context, store Store, spool string, o sitemap.Options, visit func(sitemap.Entry) error) (sitemap.Info, error) {
	r, err := store.OpenSpool(ctx, spool)
	if err != nil {
		return sitemap.Info{}, err
	}
	defer r.Close()
	return sitemap.Read(r, o, visit)
}

// Search Console's name for an index in an index, which it does not read ("Nested sitemap indexes"). We
// read on, and report a fault; but a server can generate indexes that list indexes without end.
const (
	nestedIndex = "Incorrect sitemap index format: Nested sitemap indexes"
	maxFiles    = 5_000
	maxLevels   = 5
)

// children puts the sitemaps that an index lists into the queue, or adds to it the fault that not all of
// them are read. Their parent in the store is the index.
func (w *discovery) children(ctx context.Context, sm *audit.Sitemap, level int) error {
	if sm.Kind != string(sitemap.Index) {
		return nil
	}
	_, err := w.scan(ctx, sm, func(e sitemap.Entry) error {
		if level == maxLevels || w.files+len(w.queue) >= maxFiles {
			return errEnough
		}
		w.child(sm, e, level)
		return nil
	})
	if !errors.Is(err, errEnough) {
		return err
	}
	said := say("index-bound", strconv.Itoa(maxFiles), strconv.Itoa(maxLevels))
	if slices.ContainsFunc(sm.Faults, func(f audit.SitemapFault) bool { return f.Key == said.key }) {
		return nil // an earlier run has added it
	}
	sm.Faults = append(sm.Faults, said.fault(sm, source{}, nestedIndex, "error"))
	return w.store.PutSitemap(*sm)
}

// child puts a sitemap that an index lists into the queue, also where it is written without its host.
func (w *discovery) child(sm *audit.Sitemap, e sitemap.Entry, level int) {
	a, err := address.Parse(e.Loc)
	if err != nil && sm.AnsweredAt != "" {
		a, err = address.Resolve(address.Wire(sm.AnsweredAt), e.Loc)
	}
	if err != nil || e.TooLong { // the file has a fault for that
		w.tried = append(w.tried, &Error{What: e.Loc})
		return
	}
	if e.N == 0 && sm.AnsweredAt == "" {
		w.Audited.Add(a)
	}
	w.queue = append(w.queue, listed{a, source{parent: sm.N, in: sm.URL, line: e.Line, place: e.N, level: level + 1,
		bound: e.Element.End == 0, within: w.vouched(sm, a), plain: sm.Strange}})
}

// vouched reports whether a robots.txt names an index, or the index above it, and child has the
// origin of the index.
func (w *discovery) vouched(index *audit.Sitemap, child address.Address) bool {
	base := address.Wire(cmp.Or(index.AnsweredAt, index.URL))
	return (index.NamedBy != "" || w.within[index.URL]) && child.Origin() == base.Origin()
}

// entries yields the entries of a sitemap, each with the reason where it is not crawled, and none of an
// index; then it sets the properties that the file determines.
func (w *discovery) entries(ctx context.Context, sm *audit.Sitemap) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		limit, err := w.sampleLimit(ctx, sm)
		if err != nil {
			yield(audit.Entry{}, err)
			return
		}
		info, err := w.scan(ctx, sm, func(e sitemap.Entry) error {
			if e.Child {
				return nil
			}
			a, bad := address.Parse(e.Loc)
			if e.N == 0 && sm.AnsweredAt == "" && bad == nil && !e.TooLong {
				w.Audited.Add(a)
			}
			w.Progress.Listed.Add(1)
			entry := audit.Entry{Loc: e.Loc, TooLong: e.TooLong, Line: e.Line, Ext: e.Ext, Media: e.Media, Bound: e.Element.End == 0, Skip: w.skip(e.Loc, limit),
				Earlier: !e.TooLong && bad == nil && w.dropped[a.String()], WithoutSecrets: sm.Strange}
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
			fill(sm, info)
		}
	}
}

// fill copies the properties that a file determines, and adds the fault of an index that depends on
// its place.
func fill(sm *audit.Sitemap, info sitemap.Info) {
	sm.Kind, sm.Gzip, sm.Links, sm.Elsewhere = string(info.Kind), info.Gzip, info.Links, info.Elsewhere
	for _, f := range info.Faults {
		sm.Faults = append(sm.Faults, audit.SitemapFault{Sitemap: sm.URL, Line: f.Line, Column: f.Column, Name: f.Name, Severity: f.Severity, Count: f.Count,
			Key: f.Key, Args: f.Args})
	}
	if info.Kind == sitemap.Index && sm.Parent >= 0 {
		sm.Faults = append(sm.Faults, say("nested").fault(sm, source{}, nestedIndex, "error"))
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

// leftOut reports whether the filters leave an address out. --sample is for sitemaps.
func (w *discovery) leftOut(loc string) bool { return w.skip(loc, ^uint64(0)) == audit.SkipFilter }

// sampleLimit returns the greatest hash in the sample: the N smallest hashes of a file are the same
// in every run.
func (w *discovery) sampleLimit(ctx context.Context, sm *audit.Sitemap) (uint64, error) {
	if w.Sample == 0 {
		return 0, nil
	}
	var least []uint64
	keep := func() { slices.Sort(least); least = least[:min(len(least), w.Sample)] }
	_, err := w.scan(ctx, sm, func(e sitemap.Entry) error {
		if w.leftOut(e.Loc) {
			return nil
		}
		if least = append(least, xxhash.Sum64String(e.Loc)); len(least) >= 2*w.Sample {
			keep()
		}
		return nil
	})
	keep()
	if err != nil || len(least) == 0 {
		return 0, err
	}
	return least[len(least)-1], nil
}
