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
	text []byte
	site string // the origin of its first old address; anyHost where a line is a path
}

// readMap reads a map. A path in it is one of origin.
func readMap(name string, from io.Reader, origin string) (*moveMap, error) {
	text, err := io.ReadAll(io.LimitReader(from, mapBytes+1))
	if err == nil && len(text) > mapBytes {
		err = fmt.Errorf("%s is larger than %d MB", name, mapBytes>>20)
	}
	m := &moveMap{text: text}
	m.Name, m.Lines = name, m.lines
	if err == nil {
		err = m.check(origin)
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
			break
		}
		if err != nil {
			return fmt.Errorf("%s %w", m.Name, err)
		}
		p, err := l.Pair(origin)
		if err != nil {
			return fmt.Errorf("%s line %d: %w", m.Name, l.N, err)
		}
		if at := p.Old.Origin(); m.site == "" || at == anyHost {
			m.site = at
		}
		old := p.Old.String()
		if l.Wild {
			old += "*"
		}
		key, to := xxhash.Sum64String(old), xxhash.Sum64String(p.To.String())
		before, known := ends[key]
		if known && before.to != to {
			return fmt.Errorf("%s line %d: %s leads elsewhere in line %d: each old URL has one end", m.Name, l.N, strings.TrimPrefix(old, anyHost), before.line)
		}
		if !known {
			ends[key] = end{l.N, to}
		}
	}
	if len(ends) == 0 {
		return fmt.Errorf("%s has no pair", m.Name)
	}
	m.Passed, m.FirstPassed = lines.Passed()
	return nil
}

// lines yields the lines.
func (m *moveMap) lines() iter.Seq2[expect.Line, error] {
	return func(yield func(expect.Line, error) bool) {
		for r := expect.NewReader(bytes.NewReader(m.text)); ; {
			l, err := r.Next()
			if errors.Is(err, io.EOF) || !yield(l, err) || err != nil {
				return
			}
		}
	}
}
