package crawler

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
	"sitemend/crawler/robots"
)

// robotsRedirects is how many redirects of a robots.txt are followed; Google
// takes more as a 404 (Google's robots.txt specification).
const robotsRedirects = 5

// robotsCache holds the robots.txt of each scheme, host and port. Each is
// fetched once an audit, and remembered in the store.
type robotsCache struct {
	c       *Crawler
	mu      sync.Mutex
	origins map[string]*robotsFile
	size    int // bytes of the files in origins
}

// maxRobots is how many bytes of robots.txt files are at hand. A site that
// redirects each entry to a sub-domain of its own has as many as it likes, of 500
// KiB each; those let go are read from the store again.
const maxRobots = 32 << 20

// robotsFile is a robots.txt that is there once ready is closed.
type robotsFile struct {
	ready chan struct{}
	state robotsState
	file  *robots.File // nil where the state is no 2xx
	size  int          // bytes of the file
	err   error        // the audit was stopped before it was there
}

// robotsState is what a request for a robots.txt came to.
type robotsState struct {
	Status  int
	Fault   audit.Fault
	Strange bool // as Got.Strange: it is no word of an audited host
	// Body is the file; of a fault what is known of it, and of any other status than 2xx
	// the bot protection that answered, "" for none.
	Body []byte
	// Challenge is that bot protection.
	Challenge string
}

// refused says what refused us the file, where something did.
func (s *robotsState) refused() sentence {
	f := fetched{FileResult: fetch.FileResult{Status: s.Status, Fault: s.Fault, Challenge: s.Challenge}}
	return f.wrong()
}

// words says what came in place of a file, or which address the guard refused.
func (s *robotsState) words() string {
	switch {
	case s.Fault == audit.FaultRobotsAddress && len(s.Body) > 0:
		return string(s.Body)
	case s.Fault != "":
		return faultWords(s.Fault)
	}
	return "status " + strconv.Itoa(s.Status)
}

// stopped is why nothing may be asked of the host; "" where the file says what may be.
func (f *robotsFile) stopped() audit.Fault {
	switch {
	case f.state.Fault == audit.FaultRobotsAddress:
		return audit.FaultRobotsAddress
	case f.reading() == robots.Stop:
		return audit.FaultRobots
	}
	return ""
}

// ruling is what a robots.txt says of one address.
type ruling struct {
	stop audit.Fault // nothing may be asked, as its rules are not known; "" where they are
	why  string      // what came in place of an answer
	// blocked is why the guard lets nobody ask this host: then its robots.txt was
	// not asked for either, and has nothing to do with it.
	blocked string
	line    string // the line that forbids the address, "" for none
	n       int
}

func newRobotsCache(c *Crawler) *robotsCache {
	return &robotsCache{c: c, origins: map[string]*robotsFile{}}
}

// ask returns the ruling on an address; an error only when the audit was
// stopped.
func (r *robotsCache) ask(a address.Address) (ruling, error) {
	if r.c.o.Rules.Robots == "ignore" {
		return ruling{}, nil
	}
	f := r.of(r.c.soft, a.Origin())
	if f.err != nil {
		return ruling{}, f.err
	}
	if f.state.Fault == audit.FaultAddress {
		return ruling{blocked: cmp.Or(string(f.state.Body), faultWords(audit.FaultAddress))}, nil
	}
	if f.file == nil {
		return ruling{stop: f.stopped(), why: f.state.words()}, nil
	}
	allowed, line, n := f.file.Check(r.c.o.Ask.Identity.Token, a.String())
	if allowed {
		return ruling{}, nil
	}
	return ruling{line: line, n: n}, nil
}

func (f *robotsFile) reading() robots.Reading {
	if f.state.Fault != "" {
		return robots.Stop
	}
	return robots.FromStatus(f.state.Status)
}

// of returns the robots.txt of an origin; the first caller fetches it while the
// others wait.
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
		delete(r.origins, origin) // another round asks again
	}
	r.size += f.size
	r.letGo(f)
	close(f.ready)
	return f
}

// letGo forgets files, whichever, until the rest is small enough; not the one that
// was just read. r.mu is held.
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
		default: // on its way
		}
	}
}

func (r *robotsCache) load(ctx context.Context, origin string, f *robotsFile) error {
	key := "robots/" + origin
	if v, ok, err := r.c.store.Get(key); err != nil {
		return err
	} else if ok {
		if f.state, err = decodeRobots(v); err != nil {
			return audit.Damaged("the record "+key, err)
		}
	} else {
		state, requests, err := r.fetch(ctx, origin)
		if err != nil {
			return err
		}
		f.state = state
		if err := r.c.store.Put(key, state.encode()); err != nil {
			return err
		}
		r.c.gotFile(requests)
	}
	if f.state.Fault == "" && f.reading() == robots.Rules {
		f.file, f.size = robots.Parse(f.state.Body), len(f.state.Body)
	}
	if f.state.Fault == "" {
		if f.file == nil {
			f.state.Challenge = string(f.state.Body)
		}
		f.state.Body = nil // the store has it
	}
	return nil
}

// fetch asks for a robots.txt, with two more tries like any request.
func (r *robotsCache) fetch(ctx context.Context, origin string) (state robotsState, requests int, err error) {
	a, err := address.Parse(origin + "/robots.txt")
	if err != nil {
		return robotsState{Fault: audit.FaultUnreachable}, 0, nil
	}
	var body bytes.Buffer
	open := func() (io.WriteCloser, error) {
		body.Reset()
		return memoryFile{&body}, nil
	}
	got, err := r.c.fetch(ctx, a, fetchLimits{redirects: robotsRedirects, size: robots.MaxBytes, even: true}, open)
	if err != nil {
		return state, got.Requests, err
	}
	state = robotsState{Status: got.Status, Fault: got.Fault, Strange: got.Strange}
	switch {
	case got.Redirecting:
		state.Status = 404
	case got.Fault == audit.FaultAddress && got.Final.Origin() != origin:
		// The file is where the guard lets nobody ask, its host is not.
		state.Fault, state.Body = audit.FaultRobotsAddress, []byte(got.Detail)
	case got.Fault != "":
		state.Body = []byte(got.Detail)
	}
	if state.Fault == "" {
		if state.Body = []byte(got.Challenge); robots.FromStatus(state.Status) == robots.Rules {
			state.Body = body.Bytes()
		}
	}
	return state, got.Requests, nil
}

// memoryFile is a file in memory.
type memoryFile struct{ io.Writer }

func (memoryFile) Close() error { return nil }

// strange is the bit of Strange beside a status.
const strange = 1 << 15

// encode packs the state for the store: status, length of the fault, fault,
// body.
func (s robotsState) encode() []byte {
	status := uint16(s.Status)
	if s.Strange {
		status |= strange
	}
	b := binary.BigEndian.AppendUint16(nil, status)
	b = append(b, byte(len(s.Fault)))
	b = append(b, s.Fault...)
	return append(b, s.Body...)
}

// decodeRobots reads what encode made.
func decodeRobots(b []byte) (robotsState, error) {
	if len(b) < 3 || len(b) < 3+int(b[2]) {
		return robotsState{}, errors.New("it is cut off")
	}
	n := 3 + int(b[2])
	status := binary.BigEndian.Uint16(b)
	s := robotsState{Status: int(status &^ strange), Strange: status&strange != 0, Fault: audit.Fault(b[3:n]), Body: b[n:]}
	if s.Status > 999 || s.Fault == "" && s.Status < 100 {
		return s, fmt.Errorf("a robots.txt has the status %d", s.Status)
	}
	return s, nil
}
