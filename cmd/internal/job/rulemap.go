package job

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/address"
	"sitemend/crawler/expect"
	"sitemend/crawler/rules/write"
)

// mapHint says what a map looks like.
const mapHint = "a map has a line for each pair, old,new, or a line of _redirects: /old /new 301"

// MapRules reads a map of old and new addresses: CSV, with or without a header, or lines of
// words as in a _redirects file. An address may be a path. name is for errors. An old
// address twice with two ends, and one that leads to itself, are errors with their line;
// what is to be gone (no new address, or status 410), old addresses with a * at their end
// or a fragment and temporary redirects are left out.
func MapRules(name string, from io.Reader) (*Redirects, error) {
	r := &Redirects{}
	file := measure(from)
	lines := expect.NewReader(file)
	for {
		l, err := lines.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, cli.WithHint(fmt.Errorf("%s %w", name, err), mapHint)
		}
		if err := r.addLine(&l); err != nil {
			return nil, cli.WithHint(fmt.Errorf("%s line %d: %w", name, l.N, err), mapHint)
		}
		if len(r.Causes) == manyLines {
			r.grow(file.times())
		}
	}
	r.Passed, r.FirstPassed = lines.Passed()
	if len(r.Causes) == 0 {
		return nil, cli.WithHint(fmt.Errorf("%s has no pair", name), mapHint)
	}
	if line, err := r.twice(); err != nil {
		return nil, cli.WithHint(fmt.Errorf("%s line %d: %w", name, line, err), mapHint)
	}
	r.leaveLines()
	r.unite()
	return r, nil
}

// manyLines is after how many lines of a map it is estimated how many there are, mostLines how
// many more are believed.
const (
	manyLines = 1 << 16
	mostLines = 1 << 22
)

// grow makes room for so many times as many rules as there are: a slice that grows by and by is
// in memory twice in the end.
func (r *Redirects) grow(times float64) {
	more := func(n int) int { return int(min(mostLines, float64(n)*(times-1))) }
	r.Causes = slices.Grow(r.Causes, more(len(r.Causes)))
	for host, pairs := range r.Pairs {
		r.Pairs[host] = slices.Grow(pairs, more(len(pairs)))
	}
}

// A measured counts what is read of a file.
type measured struct {
	io.Reader
	size, read int64 // size is 0 where it is not known
}

func measure(from io.Reader) *measured {
	m := &measured{Reader: from}
	if f, ok := from.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			m.size = info.Size()
		}
	}
	return m
}

// Read implements io.Reader.
func (m *measured) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	m.read += int64(n)
	return n, err
}

// times is how much longer the whole is than what was read, and a little more; 1 where it is not
// known.
func (m *measured) times() float64 { return max(1, 1.05*float64(m.size)/float64(max(1, m.read))) }

// leaveLines moves what gets no rule to Left.
func (r *Redirects) leaveLines() {
	for host, pairs := range r.Pairs {
		r.Pairs[host] = slices.DeleteFunc(pairs, func(x write.Pair) bool {
			why := r.Causes[x.N].Why
			if why == RuleMap {
				return false
			}
			r.Left = append(r.Left, Unruled{Host: host, Source: x.Source, Target: x.Target, Note: why.String()})
			return true
		})
		if len(r.Pairs[host]) == 0 {
			delete(r.Pairs, host)
		}
	}
}

// twice sorts the lines of a map and returns the first that has an old address of a line
// before it and another new one.
func (r *Redirects) twice() (line int, err error) {
	for _, pairs := range r.Pairs {
		slices.SortFunc(pairs, func(a, b write.Pair) int { // N is in the order of the lines
			return cmp.Or(strings.Compare(a.Source, b.Source), cmp.Compare(a.N, b.N))
		})
		for i := 1; i < len(pairs); i++ {
			a, b := &pairs[i-1], &pairs[i]
			n := int(r.Causes[b.N].line)
			if a.Source == b.Source && a.Target != b.Target && (line == 0 || n < line) {
				line, err = n, fmt.Errorf("%s leads elsewhere in line %d", b.Source, r.Causes[a.N].line)
			}
		}
	}
	return line, err
}

// addLine adds the rule of one line.
func (r *Redirects) addLine(l *expect.Line) error {
	from, host, err := mapAddress(l.Old)
	if err != nil {
		return err
	}
	source, target := from.Target(), l.New
	cause := RuleCause{
		Why: RuleMap, Entries: 1, line: int32(l.N), HTTP: host != "" && from.Scheme() == "http",
	}
	switch {
	case l.Fragment():
		source += l.Written()[strings.IndexByte(l.Old, '#'):]
		cause.Why = mapFragment
	case l.Wild:
		source += "*"
		cause.Why = mapPattern
	case l.New == "":
		cause.Why = mapGone
	default:
		if target, err = mapTarget(from, host, l.New); err != nil {
			return err
		}
		if target == source {
			return fmt.Errorf("%s leads to itself", l.Old)
		}
		if l.Temporary {
			cause.Why = mapTemporary
		}
	}
	r.put(host, source, target, cause)
	return nil
}

// anyHost stands for the host of a path.
const anyHost = "https://path.invalid"

// mapAddress reads an address, or a path of whatever host it is for.
func mapAddress(text string) (a address.Address, host string, err error) {
	if expect.IsPath(text) {
		a, err = address.Parse(anyHost + text)
		return a, "", err
	}
	a, err = address.Parse(text)
	return a, a.HostPort(), err
}

// mapTarget is what stands in a rule for where a line leads. A fragment stays.
func mapTarget(from address.Address, host, text string) (string, error) {
	text, fragment, has := strings.Cut(text, "#")
	to, toHost, err := mapAddress(text)
	if err != nil {
		return "", err
	}
	target := to.String()
	if toHost == "" || toHost == host && to.Origin() == from.Origin() {
		target = to.Target()
	}
	if has {
		target += "#" + fragment
	}
	return target, nil
}
