package job

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/cespare/xxhash/v2"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/discover"
	"sitemend/crawler/expect"
)

// mapBytes is the longest map that is read.
const mapBytes = 256 << 20

// anyHost is the origin of paths that may be of any host.
const anyHost = "https://path.invalid"

// A moveMap is a map of old and new addresses (package expect), of which each line is valid, and no
// old address has two ends.
type moveMap struct {
	discover.Expect
	text    []byte
	repeats map[int]bool   // lines that say again what one before them says
	hosts   map[string]int // old addresses, by origin
}

// readMap reads a map. A path in it is one of origin.
func readMap(name string, from io.Reader, origin string) (*moveMap, error) {
	text, err := io.ReadAll(io.LimitReader(from, mapBytes+1))
	if err == nil && len(text) > mapBytes {
		err = fmt.Errorf("%s is larger than %d MB", name, mapBytes>>20)
	}
	m := &moveMap{text: text, repeats: map[int]bool{}, hosts: map[string]int{}}
	m.Name, m.Absolute, m.Lines = name, true, m.lines
	if err == nil {
		err = m.check(origin)
	}
	if err == nil && len(m.hosts) == 0 {
		err = fmt.Errorf("%s has no pair", name)
	}
	if err != nil {
		return nil, cli.WithHint(err, discover.ExpectHint)
	}
	return m, nil
}

// check looks through the lines.
func (m *moveMap) check(origin string) error {
	type end struct {
		line int
		to   uint64
	}
	ends := map[uint64]end{}
	lines := expect.NewReader(bytes.NewReader(m.text))
	for {
		l, err := lines.Next()
		if err == io.EOF {
			m.Passed, m.FirstPassed = lines.Passed()
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s %w", m.Name, err)
		}
		p, err := l.Pair(origin)
		if err != nil {
			return fmt.Errorf("%s line %d: %w", m.Name, l.N, err)
		}
		old := p.Old.String()
		if l.Wild {
			old += "*"
		}
		key, to := xxhash.Sum64String(old), xxhash.Sum64String(p.To.String())
		switch before, known := ends[key]; {
		case known && before.to != to:
			return fmt.Errorf("%s line %d: %s leads elsewhere in line %d: each old URL has one end", m.Name, l.N, strings.TrimPrefix(old, anyHost), before.line)
		case known:
			m.repeats[l.N] = true
		default:
			ends[key] = end{l.N, to}
		}
		m.Absolute = m.Absolute && !expect.IsPath(l.Old) && !expect.IsPath(l.New)
		m.hosts[p.Old.Origin()]++
	}
}

// lines yields the lines, but those that repeat one before them.
func (m *moveMap) lines() iter.Seq2[expect.Line, error] {
	return func(yield func(expect.Line, error) bool) {
		for r := expect.NewReader(bytes.NewReader(m.text)); ; {
			l, err := r.Next()
			if errors.Is(err, io.EOF) || !m.repeats[l.N] && !yield(l, err) || err != nil {
				return
			}
		}
	}
}

// site is the origin of most old addresses; of as many the first by name.
func (m *moveMap) site() (best string) {
	for at, n := range m.hosts {
		if best == "" || n > m.hosts[best] || n == m.hosts[best] && at < best {
			best = at
		}
	}
	return best
}
