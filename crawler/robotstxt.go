package crawler

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"sync"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
	"sitemend/crawler/robots"
)

// robotsRedirects is how many redirects of a robots.txt are followed; Google treats more as a 404
// (Google's robots.txt specification).
const robotsRedirects = 5

// robotsCache holds the robots.txt of each scheme, host and port. Each is fetched once in an audit,
// and stored.
type robotsCache struct {
	c       *Crawler
	mu      sync.Mutex
	origins map[string]*robotsFile
	size    int // bytes of the files in origins
}

// maxRobots is how many bytes of robots.txt files are kept in memory. A site that redirects each
// entry to a sub-domain of its own has any number of them, of 500 KiB each; the others are read
// from the store again.
const maxRobots = 32 << 20

// robotsFile is a robots.txt that is available once ready is closed.
type robotsFile struct {
	ready  chan struct{}
	answer *robots.Answer
	size   int   // bytes of the file
	err    error // the audit was stopped before it was available
}

// ruling is what a robots.txt says about one address.
type ruling struct {
	stop audit.Fault // no request may be sent, as the rules are not known; "" where they are
	why  string      // what came in place of an answer
	down bool        // with stop: the host answered 5xx, which stops Google, too
	// status is the status of the host that forbids all requests; 0 where there is none.
	status int
	// blocked is the fault (audit.Fault.NeverAsked) because of which no request is sent to this
	// host, "" for none, and why its description: then its robots.txt was not requested either, and
	// does not matter.
	blocked audit.Fault
	line    string // the line that forbids the address; "" for none
	n       int
}

func newRobotsCache(c *Crawler) *robotsCache {
	return &robotsCache{c: c, origins: map[string]*robotsFile{}}
}

// ask returns the ruling on an address for a purpose; an error only when the audit was stopped.
func (r *robotsCache) ask(a address.Address, as audit.Purpose) (ruling, error) {
	if r.c.o.Rules.Robots == "ignore" {
		return ruling{}, nil
	}
	f := r.of(r.c.soft, a.Origin())
	if f.err != nil {
		return ruling{}, f.err
	}
	if fault := f.answer.Fault; fault.NeverAsked() {
		return ruling{blocked: fault, why: cmp.Or(f.answer.Detail, fault.Words())}, nil
	}
	if f.answer.File == nil {
		return ruling{stop: f.answer.Stopped(), why: f.answer.Words(), down: f.answer.Down(), status: f.answer.StopStatus()}, nil
	}
	allowed, line, n := f.answer.File.Check(r.c.o.Ask.Identity.For(as).Token, a.String())
	if allowed {
		return ruling{}, nil
	}
	return ruling{line: line, n: n}, nil
}

// of returns the robots.txt of an origin; the first caller fetches it while the others wait.
func (r *robotsCache) of(ctx context.Context, origin string) *robotsFile {
	r.mu.Lock()
	f, ok := r.origins[origin]
	if !ok {
		f = &robotsFile{ready: make(chan struct{})}
		r.origins[origin] = f
	}
	r.mu.Unlock()
	if ok {
		select {
		case <-f.ready:
			return f
		case <-ctx.Done():
			return &robotsFile{err: ctx.Err()}
		}
	}
	f.err = r.load(ctx, origin, f)
	r.mu.Lock()
	defer r.mu.Unlock()
	if f.err != nil {
		delete(r.origins, origin) // another round tries again
	}
	r.size += f.size
	r.letGo(f)
	close(f.ready)
	return f
}

// letGo drops any files until the rest is small enough, except the one that was just read. r.mu is
// held.
func (r *robotsCache) letGo(but *robotsFile) {
	for origin, f := range r.origins {
		if r.size <= maxRobots {
			return
		}
		select {
		case <-f.ready:
			if f != but && f.size > 0 {
				r.size -= f.size
				delete(r.origins, origin)
			}
		default: // it is being fetched
		}
	}
}

// robotsKey returns the name of the robots.txt of an origin in the store.
func robotsKey(origin string) string { return "robots/" + origin }

func (r *robotsCache) load(ctx context.Context, origin string, f *robotsFile) error {
	key := robotsKey(origin)
	packed, ok, err := r.c.store.Get(key)
	if err != nil {
		return err
	}
	if !ok {
		if packed, err = r.get(ctx, origin); err != nil {
			return err
		}
		if err := r.c.store.Put(key, packed); err != nil {
			return err
		}
	}
	if f.answer, err = robots.DecodeAnswer(packed); err == nil {
		f.size = len(packed)
	}
	return audit.Damaged("the record "+key, err)
}

// get returns a robots.txt, encoded, that another audit got recently or that is fetched now.
func (r *robotsCache) get(ctx context.Context, origin string) ([]byte, error) {
	o := &r.c.o
	key := o.Ask.Identity.Agent + "\n" + origin
	if o.Ask.HasSecrets() || len(o.Ask.Map)+len(o.Ask.Resolve) > 0 { // we may get another file
		packed, _, err := r.fetched(ctx, origin)
		return packed, err
	}
	return o.Politeness.robotsOnce(ctx, key, func() ([]byte, *robots.Answer, error) { return r.fetched(ctx, origin) })
}

// fetched fetches a robots.txt and counts the requests. It also returns the file encoded.
func (r *robotsCache) fetched(ctx context.Context, origin string) ([]byte, *robots.Answer, error) {
	answer, requests, err := r.fetch(ctx, origin)
	if err != nil {
		return nil, nil, err
	}
	r.c.alsoSent(requests)
	return answer.Encode(), &answer, nil
}

// fetch requests a robots.txt, with two more attempts like any request.
func (r *robotsCache) fetch(ctx context.Context, origin string) (answer robots.Answer, requests int, err error) {
	a, err := address.Parse(origin + "/robots.txt")
	if err != nil {
		return robots.Answer{Fault: audit.FaultUnreachable}, 0, nil
	}
	var body bytes.Buffer
	open := func() (io.WriteCloser, error) {
		body.Reset()
		return memoryFile{&body}, nil
	}
	got, err := r.c.file(ctx, fetch.File{URL: a, Redirects: robotsRedirects, Limit: robots.MaxBytes}, true, open)
	answer = robots.Answer{Status: got.Status, Fault: got.Fault, Detail: got.Detail, Strange: got.Strange, Challenge: got.Challenge, Body: body.Bytes()}
	switch {
	case got.Redirecting:
		answer.Status = 404
	case got.Fault == audit.FaultAddress && got.Final.Origin() != origin:
		answer.Fault = audit.FaultRobotsAddress // forbidden is the file's address, not its host
	}
	return answer, got.Requests, err
}

// memoryFile is a file in memory.
type memoryFile struct{ io.Writer }

func (memoryFile) Close() error { return nil }
