package crawler

import (
	"sync"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
	"sitemend/crawler/robots"
)

// Permits answers what the robots.txt files forbid that an audit has stored. It sends no requests.
type Permits struct {
	get   func(name string) ([]byte, bool, error)
	as    fetch.Identity
	mu    sync.Mutex
	files map[string]*robots.Answer // by origin; nil for one that is not stored
	size  int                       // bytes of the files
}

// NewPermits returns the Permits of an audit whose records get reads, like Store.Get. as is the
// name of its --as; an unknown name is an error.
func NewPermits(get func(name string) ([]byte, bool, error), as string) (*Permits, error) {
	id, err := fetch.LookupIdentity(as)
	if err != nil {
		return nil, err
	}
	return &Permits{get: get, as: id, files: map[string]*robots.Answer{}}, nil
}

// Forbidden implements audit.Permits.
func (p *Permits) Forbidden(as audit.Purpose, at address.Address) (line string, n int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	a, err := p.of(at.Origin())
	if err != nil || a == nil || a.File == nil {
		return "", 0, err
	}
	allowed, line, n := a.File.Check(p.as.For(as).Token, at.String())
	if allowed {
		return "", 0, nil
	}
	return line, n, nil
}

// of returns the robots.txt of an origin; nil where none is stored.
func (p *Permits) of(origin string) (*robots.Answer, error) {
	if a, ok := p.files[origin]; ok {
		return a, nil
	}
	key := robotsKey(origin)
	packed, ok, err := p.get(key)
	if err != nil {
		return nil, err
	}
	var a *robots.Answer
	if ok {
		if a, err = robots.DecodeAnswer(packed); err != nil {
			return nil, audit.Damaged("the record "+key, err)
		}
	}
	if p.size += len(packed) + len(origin); p.size > maxRobots {
		p.size = len(packed) + len(origin)
		clear(p.files)
	}
	p.files[origin] = a
	return a, nil
}
