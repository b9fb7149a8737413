package crawler

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"sync"

	"golang.org/x/sync/singleflight"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/fetch"
	"sitemend/crawler/ground"
	"sitemend/crawler/robots"
)

// robotsRedirects is how many redirects of a robots.txt are followed; Google treats more as a 404
// (Google's robots.txt specification).
const robotsRedirects = 5

// maxRobots is how many bytes of robots.txt files are kept in memory. A site that redirects each
// entry to a sub-domain of its own has any number of them, of 500 KiB each; the others are read
// from the store again.
const maxRobots = 32 << 20

// robotsFiles is the robots.txt of each scheme, host and port. Each is fetched once in an audit, and
// stored.
type robotsFiles struct {
	get func(name string) ([]byte, bool, error) // from the store
	// fetch requests the file of an origin, and stores it as the record key; nil where none is requested.
	fetch func(ctx context.Context, origin, key string) ([]byte, error)

	loading singleflight.Group
	mu      sync.Mutex
	files   map[string]*robots.Answer // by origin; nil for one that is not there
	size    int                       // bytes of these
}

// of returns the robots.txt of an origin; the first caller fetches it while the others wait. It is
// nil where it is not stored and none is requested. Its error is that of the store, or of ctx.
func (r *robotsFiles) of(ctx context.Context, origin string) (*robots.Answer, error) {
	r.mu.Lock()
	a, ok := r.files[origin]
	r.mu.Unlock()
	if ok {
		return a, nil
	}
	got, err, _ := r.loading.Do(origin, func() (any, error) {
		var a *robots.Answer
		err := ground.Guard(func() (err error) { a, err = r.load(ctx, origin); return err })
		return a, err
	})
	if err != nil {
		return nil, err
	}
	return got.(*robots.Answer), nil
}

// load reads the robots.txt of an origin, and keeps it at hand.
func (r *robotsFiles) load(ctx context.Context, origin string) (a *robots.Answer, err error) {
	key := "robots.txt/" + origin
	packed, ok, err := r.get(key)
	if err == nil && !ok && r.fetch != nil {
		ok = true
		packed, err = r.fetch(ctx, origin, key)
	}
	if err == nil && ok {
		a, err = robots.DecodeAnswer(packed)
		err = ground.Damaged("the record "+key, err)
	}
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.size += len(packed) + len(origin); r.size > maxRobots {
		clear(r.files)
		r.size = len(packed) + len(origin)
	}
	r.files[origin] = a
	return a, nil
}

// forbids sets the fault of hop, an answer to a request for a, where robots.txt is a reason not to
// send it, and the line that forbids it. Its error is that of the store, or of an audit that was stopped.
func (c *Crawler) forbids(a address.Address, hop *answers.Hop) error {
	if c.o.Rules.Robots == "ignore" {
		return nil
	}
	f, err := c.robots.of(c.soft, a.Origin())
	if err != nil {
		return err
	}
	switch stop := f.Stopped(); {
	case f.Fault.Traits().Unsent: // no request is sent to this host; its robots.txt was not requested either
		hop.Fault, hop.Detail = f.Fault, cmp.Or(f.Detail, f.Fault.Words())
	case f.File != nil:
		var allowed bool
		if allowed, hop.Forbidden, hop.ForbiddenLine = f.File.Check(c.o.Ask.Identity.For(hop.Purpose).Token, a.String()); allowed {
			hop.Forbidden, hop.ForbiddenLine = "", 0
		} else if c.o.Rules.Robots == "obey" {
			hop.Fault = answers.FaultForbidden
		}
	case stop != "" && c.o.Rules.Robots != "note":
		hop.Fault, hop.Detail = stop, f.Words()
		if stop == answers.FaultRobots {
			c.note(Note{Kind: noteRobots, Of: a.Origin()})
		}
	}
	return nil
}

// fetchRobots requests a robots.txt, with two more attempts like any request, and stores it.
func (c *Crawler) fetchRobots(ctx context.Context, origin, key string) ([]byte, error) {
	answer := robots.Answer{Fault: answers.FaultUnreachable}
	if a, err := address.Parse(origin + "/robots.txt"); err == nil {
		var body bytes.Buffer
		open := func() (io.WriteCloser, error) {
			body.Reset()
			return memoryFile{&body}, nil
		}
		got, err := c.file(ctx, fetch.File{URL: a, Redirects: robotsRedirects, Limit: robots.MaxBytes}, true, open)
		if err != nil {
			return nil, err
		}
		answer = robots.Answer{Status: got.Status, Fault: got.Fault, Detail: got.Detail, Strange: got.Strange, Challenge: got.Challenge}
		answer.Read(body.Bytes())
		if got.Fault == answers.FaultAddress && got.Final.Origin() != origin {
			answer.Fault = answers.FaultRobotsAddress // forbidden is the file's address, not its host
		}
	}
	packed := answer.Encode()
	return packed, c.store.Put(key, packed)
}

// memoryFile is a file in memory.
type memoryFile struct{ io.Writer }

func (memoryFile) Close() error { return nil }

// Forbidden returns a function that names the line of robots.txt which forbids an address to the crawler
// of --as, as; "" if none does, or if that file is not known. It reads the files that an audit has stored,
// with get like Store.Get, and sends no requests. An unknown name is an error.
func Forbidden(get func(name string) ([]byte, bool, error), as string) (func(address.Address) (line string, err error), error) {
	id, err := fetch.LookupIdentity(as)
	files := &robotsFiles{get: get, files: map[string]*robots.Answer{}}
	return func(at address.Address) (string, error) {
		a, err := files.of(context.Background(), at.Origin())
		if err != nil || a == nil || a.File == nil {
			return "", err
		}
		if allowed, line, _ := a.File.Check(id.For(answers.AsRobot).Token, at.String()); !allowed {
			return line, nil
		}
		return "", nil
	}, err
}
