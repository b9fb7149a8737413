// Package serve shows the audits of a store in a browser: a list of them, the
// report of each, one address looked up in all of them, and every output to
// download.
//
// The report is the page that package html writes, and the downloads are those of package report,
// so each has only one implementation. They are written to a folder first and sent from there, so a
// slow reader delays nobody. The package changes nothing, knows the store only as a Library, and
// sends no requests.
package serve

import (
	"cmp"
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	"sitemend/crawler/audit"
	"sitemend/crawler/diff"
	"sitemend/report"
)

// What a Library may answer; found with errors.Is.
var (
	// ErrBusy: an audit is at work in the store, so it cannot be read now.
	ErrBusy = errors.New("an audit is at work in the store")
	// ErrNone: there is no such audit, or no such page of it.
	ErrNone = errors.New("there is no such audit")
)

// A Library is the store as the pages need it. Its methods are safe for concurrent use, and block
// no writer for longer than a writer waits.
type Library interface {
	// List returns every audit, the oldest first.
	List() ([]Audit, error)
	// Evaluate judges audit id as a whole and hands it to fn, valid during the call.
	// What could not be read on the way is an error all the same, after fn.
	Evaluate(ctx context.Context, id string, fn func(Evaluated) error) error
	// Diff compares two audits.
	Diff(ctx context.Context, older, newer string) (*diff.Result, error)
	// Read hands fn what audit id remembers, and its rules, valid during the call.
	Read(ctx context.Context, id string, fn func(audit.Source, *audit.Rules) error) error
}

// An Audit is one line of the list.
type Audit struct {
	Info   audit.Info
	Active time.Time // when it was last written to
	// Running is set while the process that serves the pages makes the audit.
	Running bool
	// Counts are the counts of a finished audit; nil where it was stopped.
	Counts *Counts
}

// Counts are the counts of an audit.
type Counts struct {
	Entries int
	Groups  map[audit.Group]int
	NotRead int // sitemaps that were not read, or only in part
}

// CountsOf are the counts of an audit that has ended.
func CountsOf(result *audit.Result) Counts {
	c := Counts{Entries: result.Counts.Entries, Groups: map[audit.Group]int{}}
	for group := range result.Counts.Groups {
		c.Groups[group] = result.Counts.Total(group)
	}
	for i := range result.Files {
		if f := &result.Files[i].Sitemap; f.Unread() || f.InPart() {
			c.NotRead++
		}
	}
	return c
}

// Open is how many entries the upload fixes or need a decision, as the report counts them.
func (c *Counts) Open() int {
	return c.Groups[audit.Corrected] + c.Groups[audit.TakenOut] + c.Groups[audit.NeedsDecision]
}

// An Evaluated is an audit judged as a whole, with what its outputs need.
type Evaluated struct {
	Result *audit.Result
	Open   report.Open // the sitemaps as fetched
	Again  string      // the command that writes the outputs again, to be pasted
}

// Options say which audits are shown, and to whom.
type Options struct {
	Library Library
	Store   string // its path, shown on the list
	Lang    string // one of messages.Langs: the language that the pages open in
	// Token is the first segment of every path that is answered. Required.
	Token string
	// Hosts are further names in requests that are accepted, besides localhost and IP addresses.
	Hosts []string
	// Plain answers paths without the token, as "/healthz": each decides by itself who may see it.
	// More answers paths under the token, as "metrics".
	Plain, More map[string]http.Handler
}

// A Site is the pages of one Library. Close must be called.
type Site struct {
	o     Options
	cache *cache
	mu    sync.Mutex
	last  []Audit // the list as last read
}

// New returns the pages. It makes a folder for what is written to be sent,
// readable by the user alone; Close removes it.
func New(o Options) (*Site, error) {
	dir, err := os.MkdirTemp("", "sitemend-serve-")
	if err != nil {
		return nil, err
	}
	return &Site{o: o, cache: newCache(dir)}, nil
}

// Close ends what is being written and removes the folder. Answers that are
// still being sent must have ended before.
func (s *Site) Close() error { return s.cache.close() }

// Path returns the path of the list: "/TOKEN/".
func (s *Site) Path() string { return "/" + s.o.Token + "/" }

// Handler answers requests. It refuses every method but GET and HEAD, requests
// for another host (DNS rebinding), from another origin, and without the token.
func (s *Site) Handler() http.Handler {
	mux := http.NewServeMux()
	for path, page := range map[string]func(*visit) error{
		"":                            s.list,
		"search":                      s.search,
		"audits/{id}/":                s.report,
		"audits/{id}/diff":            s.diff,
		"audits/{id}/files":           s.files,
		"audits/{id}/files/{name...}": s.file,
	} {
		pattern := "GET " + s.Path() + path
		if path == "" || path == "audits/{id}/" {
			pattern += "{$}"
		}
		mux.Handle(pattern, s.visited(page))
	}
	for path, h := range s.o.More {
		mux.Handle("GET "+s.Path()+path, h)
	}
	mux.Handle("GET "+s.Path(), s.visited(func(*visit) error { return ErrNone }))
	return s.guarded(http.NewCrossOriginProtection().Handler(mux))
}

// Limits of connections, and of what a client may send before it has shown the token. A browser opens
// six connections.
const (
	maxConns      = 128
	headerTimeout = 10 * time.Second
	idleTimeout   = time.Minute
	maxHeader     = 32 << 10 // bytes; a search has 8 KB, percent-encoded
	grace         = 3 * time.Second
)

// Serve answers the requests on ln until ctx ends, then lets running answers end, for a few
// seconds.
func (s *Site) Serve(ctx context.Context, ln net.Listener, errors *log.Logger) error {
	server := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader, ErrorLog: errors,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(netutil.LimitListener(ln, maxConns)) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if server.Shutdown(patience) != nil {
		_ = server.Close() // what is being sent breaks off
	}
	<-ended
	return nil
}

// listed returns every audit, the oldest first: while an audit locks the store, as they were when they
// were read last.
func (s *Site) listed() ([]Audit, error) {
	all, err := s.o.Library.List()
	s.mu.Lock()
	defer s.mu.Unlock()
	if errors.Is(err, ErrBusy) && s.last != nil {
		return s.last, nil
	}
	s.last = all
	return all, err
}

// find returns audit id, and all audits, the oldest first.
func (s *Site) find(id string) (Audit, []Audit, error) {
	all, err := s.listed()
	if i := slices.IndexFunc(all, func(a Audit) bool { return a.Info.ID == id }); i >= 0 {
		return all[i], all, nil
	}
	return Audit{}, nil, cmp.Or(err, ErrNone)
}
