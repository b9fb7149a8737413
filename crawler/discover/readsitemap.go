package discover

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
	"sitemend/crawler/sitemap"
)

// Limits of one sitemap (contract, section 6 and --timeout).
const (
	sitemapRedirects = 10
	sitemapPacked    = 1 << 30 // bytes as served
)

// source is where a sitemap is named.
type source struct {
	at     address.Address
	parent int    // number of the index; -1 for none
	in     string // the robots.txt or the index that names it; "" for none
	robots string // the robots.txt that names it or an index above it; "" for none
	line   int    // its line in that, from 1
	place  int    // which of the index's addresses it is, from 0
	level  int    // how many indexes are above it
	bound  bool   // the index cannot be edited so that it no longer lists the sitemap
	guess  bool   // one of the usual places, not named anywhere
	plain  bool   // it is named by a host that is not audited, and requested without secrets
}

// nowhere is the source of a fault that says nothing of where the sitemap is named.
var nowhere = &source{}

// file returns how the file is requested as somebody.
func (s *source) file(as answers.Purpose) fetch.File {
	if s.plain {
		as |= answers.WithoutSecrets
	}
	return fetch.File{URL: s.at, Redirects: sitemapRedirects, Limit: sitemapPacked, Purpose: as}
}

// fault adds a fault to a sitemap, with what names it.
func (s *source) fault(sm *audit.Sitemap, f audit.SitemapFault) {
	f.Sitemap, f.NamedIn, f.NamedAt = sm.URL, s.in, s.line
	sm.Faults = append(sm.Faults, f)
}

// fetch fetches and reads one sitemap, and then what it lists, level by level. problem says why it is
// not a sitemap; err is set only where the audit cannot go on.
func (w *discovery) fetch(ctx context.Context, from source) (problem *Error, err error) {
	if problem, err = w.one(ctx, from); err == nil {
		err = w.rest(ctx)
	}
	return problem, err
}

// rest fetches and reads what the indexes list that were read.
func (w *discovery) rest(ctx context.Context) error {
	for len(w.queue) > 0 && ctx.Err() == nil {
		next := w.queue[0]
		w.queue = w.queue[1:]
		if _, err := w.one(ctx, next); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// one fetches and reads one sitemap; the children of an index come into the queue.
func (w *discovery) one(ctx context.Context, from source) (problem *Error, err error) {
	url := from.at.String()
	if w.seen[url] {
		return nil, nil
	}
	w.seen[url] = true
	w.files++
	if sm, ok := w.done[url]; ok {
		w.hear(from.at, &sm)
		w.Progress.Files.Add(1)
		w.Progress.Listed.Add(int64(sm.Entries))
		if sm.Kind != "" {
			w.answered[sm.AnsweredAt] = url
		}
		return nil, w.children(ctx, &sm, from.level)
	}
	sm := &audit.Sitemap{URL: url, Parent: from.parent, Place: from.place, Bound: from.bound, NamedBy: from.robots, FetchedAt: w.Now}
	if from.parent >= 0 {
		sm.Line = from.line
	}
	if problem, err = w.get(ctx, sm, &from); err != nil || problem != nil && from.guess {
		return problem, err
	}
	if problem != nil && from.in != "" {
		w.tried = append(w.tried, problem)
	}
	return problem, w.children(ctx, sm, from.level)
}

// get requests a sitemap, unless that is needless, and reads it as far as it is received.
func (w *discovery) get(ctx context.Context, sm *audit.Sitemap, from *source) (*Error, error) {
	if other, ok := w.answered[sm.URL]; ok {
		return w.failed(ctx, sm, from, sitemap.NewFault("read-already", other), nil) // its entries count once
	}
	if w.silent >= maxSilent && !w.heard[from.at.HostPort()] && from.in != "" {
		f := sitemap.NewFault("silent-hosts", strconv.Itoa(maxSilent))
		return w.failed(ctx, sm, from, f, &Error{What: sm.URL + ": " + w.Words(f)})
	}
	w.Say("reading %s", from.at)
	sm.Spool = spoolName(sm.URL)
	spool := func() (io.WriteCloser, error) { return w.store.SpoolWriter(sm.Spool) }
	got, err := w.web.File(ctx, from.file(answers.AsRobot), spool)
	if err != nil {
		return nil, err
	}
	sm.AnsweredAt, sm.Requests = got.Final.String(), got.Requests
	sm.Status, sm.Permanent, sm.Strange = got.Status, got.permanent(), got.Strange
	w.hear(from.at, sm)
	if f := got.wrong(); f.Key != "" {
		return w.failed(ctx, sm, from, f, w.problem(sm.URL, &got))
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

// spoolName returns the name of the spooled file of a sitemap.
func spoolName(url string) string { return fmt.Sprintf("%016x", xxhash.Sum64String(url)) }

// arrived reads a sitemap that was received, as far as it was received.
func (w *discovery) arrived(ctx context.Context, sm *audit.Sitemap, from *source, got *File) (*Error, error) {
	if got.Fault != "" || got.Truncated {
		nowhere.fault(sm, got.cut())
	}
	if _, ok := w.answered[sm.AnsweredAt]; ok {
		return w.failed(ctx, sm, from, sitemap.NewFault("read-already", sm.AnsweredAt), nil)
	}
	if sm.Strange && w.Secrets {
		w.Warn("%s comes from a host that is not audited or over http, or a redirect of one led to it: what it lists is asked without --user and --header (name its host as a TARGET, too, to trust it)", sm.AnsweredAt)
	}
	if sm.AnsweredAt != sm.URL {
		from.fault(sm, sitemap.NewFault("sitemap-redirects", sm.AnsweredAt))
	}
	err := w.add(ctx, sm, w.entries(ctx, sm))
	var format *sitemap.FormatError
	if errors.As(err, &format) {
		return w.failed(ctx, sm, from, sitemap.NewFault("no-sitemap", format.What), &Error{What: sm.URL + " is " + format.What, Fix: format.Hint})
	}
	w.answered[sm.AnsweredAt] = sm.URL
	return nil, err
}

// failed records a sitemap that could not be read, with its fault. A wrong guess is no fault of the
// site.
func (w *discovery) failed(ctx context.Context, sm *audit.Sitemap, from *source, f audit.SitemapFault, problem *Error) (*Error, error) {
	if from.guess {
		return problem, nil
	}
	from.fault(sm, f)
	sm.Kind, sm.Spool = "", ""
	return problem, w.add(ctx, sm, nil)
}

// local spools a file of this machine, up to the limit of a file, and reads that. It skips what an
// earlier run has read, for a pipe cannot be read again.
func (w *discovery) local(ctx context.Context, name string) error {
	sm, ok := w.done[name]
	if !ok {
		sm = audit.Sitemap{URL: name, Parent: -1, Spool: spoolName(name), FetchedAt: w.Now}
		if err := w.open(ctx, &sm); err != nil {
			return err
		}
	}
	for e, err := range w.store.Entries(ctx, sm.First, sm.First+sm.Entries) {
		if err != nil {
			return err
		}
		if a, err := e.Parse(); err == nil {
			w.about(a)
			break
		}
	}
	if err := w.children(ctx, &sm, 0); err != nil {
		return err
	}
	return w.rest(ctx)
}

// about notes an address that the user wrote, or the first of a file: its host is audited.
func (w *discovery) about(a address.Address) {
	w.Audited.Add(a)
	w.origin = cmp.Or(w.origin, a.Origin())
}

// open spools and reads a file of this machine.
func (w *discovery) open(ctx context.Context, sm *audit.Sitemap) error {
	n, err := w.spool(ctx, sm.URL, sm.Spool)
	var file *fs.PathError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &file) && file.Op != "write":
		return &Error{What: err.Error(), Fix: "name a file that can be read, a site or a sitemap URL"}
	case err != nil:
		return fmt.Errorf("read %s: %w", sm.URL, err)
	case n > sitemapPacked:
		nowhere.fault(sm, sitemap.NewFault("first-bytes", strconv.Itoa(sitemapPacked)))
	}
	err = w.add(ctx, sm, w.entries(ctx, sm))
	var format *sitemap.FormatError
	if errors.As(err, &format) {
		return &Error{What: sm.URL + " is " + format.What, Fix: format.Hint}
	}
	return err
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

var errEnough = errors.New("enough was read")

// scan reads a spooled sitemap.
func (w *discovery) scan(ctx context.Context, sm *audit.Sitemap, visit func(sitemap.Entry) error) (sitemap.Info, error) {
	cut := slices.ContainsFunc(sm.Faults, func(f audit.SitemapFault) bool { return strings.HasPrefix(f.Key, "first-") })
	return scan(ctx, w.store, sm.Spool, sitemap.Options{URL: sm.AnsweredAt, NamedBy: sm.NamedBy, Now: w.Now, Cut: cut}, visit)
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

// Search Console does not read an index in an index ("Nested sitemap indexes"). We read on, and report
// a fault; but a server can generate indexes that list indexes without end.
const (
	maxFiles  = 5_000
	maxLevels = 5
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
	bound := sitemap.NewFault("index-bound", strconv.Itoa(maxFiles), strconv.Itoa(maxLevels))
	switch {
	case !errors.Is(err, errEnough):
		return err
	case slices.ContainsFunc(sm.Faults, func(f audit.SitemapFault) bool { return f.Key == bound.Key }): // an earlier run has added it
		return nil
	}
	nowhere.fault(sm, bound)
	return w.store.PutSitemap(*sm)
}

// child puts a sitemap that an index lists into the queue, also where it is written without its host.
func (w *discovery) child(sm *audit.Sitemap, e sitemap.Entry, level int) {
	a, err := address.Parse(e.Loc)
	if err != nil && sm.AnsweredAt != "" {
		a, err = address.Resolve(address.Wire(sm.AnsweredAt), e.Loc)
	}
	if err != nil || e.TooLong { // the file has a fault for that
		w.files++
		w.tried = append(w.tried, &Error{What: e.Loc})
		return
	}
	if e.N == 0 && sm.AnsweredAt == "" {
		w.about(a)
	}
	w.queue = append(w.queue, source{at: a, parent: sm.N, in: sm.URL, robots: sm.NamedBy, line: e.Line, place: e.N, level: level + 1,
		bound: e.Element.End == 0, plain: sm.Strange})
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
			w.Progress.Listed.Add(1)
			entry := audit.Entry{Loc: e.Loc, TooLong: e.TooLong, Line: e.Line, Ext: e.Ext, Media: e.Media, Bound: e.Element.End == 0, Skip: w.skip(e.Loc, limit),
				Wire: bad == nil && a.String() == e.Loc, Earlier: !e.TooLong && bad == nil && w.dropped[a.String()], WithoutSecrets: sm.Strange}
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
	sm.Kind, sm.Gzip, sm.Links = string(info.Kind), info.Gzip, info.Links
	if info.Kind == sitemap.Index && sm.Parent >= 0 {
		info.Faults = append(info.Faults, sitemap.NewFault("nested"))
	}
	for _, f := range info.Faults {
		nowhere.fault(sm, f)
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
