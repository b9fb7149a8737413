package job

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/scratch"
	"sitemend/crawler/discover"
	"sitemend/crawler/expect"
	"sitemend/report/command"
	"sitemend/storage"
)

// expecting reads the map of --expect. Where the user named no TARGET the site of most of its
// old addresses is it.
func (j *job) expecting(ctx context.Context) error {
	if j.f.Expect == "" {
		return nil
	}
	if j.f.NoFetch {
		return cli.WithHint(errors.New("--expect requests the old URLs, --no-fetch requests none"), "leave one of them out")
	}
	m, err := j.openMap(ctx)
	if err != nil {
		return err
	}
	origin := anyHost
	for _, t := range slices.Backward(j.d.Targets) {
		if len(t.URLs) > 0 {
			origin = t.URLs[0].Origin()
		}
	}
	if err := m.read(origin); err != nil {
		return err
	}
	j.expects, j.d.Expect = m.digest, &m.Expect
	if len(j.d.Targets) > 0 {
		return nil
	}
	site := m.site()
	if site == "" || !m.Absolute {
		return cli.WithHint(fmt.Errorf("%s has paths, and no TARGET says of which site", m.Name), "name the site, as in sitemend audit --expect "+command.Word(j.f.Expect)+" https://shop.example")
	}
	t, err := discover.SiteTarget(site)
	if err != nil {
		return cli.WithHint(fmt.Errorf("the site of the map: %w", err), "name the site as TARGET")
	}
	j.d.Targets, j.noTarget = []discover.Target{t}, true
	j.log.Info(fmt.Sprintf("no TARGET is named: auditing %s, the site of %s of the map", site, cli.Plural(m.hosts[site], "URL", "URLs")))
	return nil
}

// A theMap is the map of --expect, in a file that can be read again.
type theMap struct {
	discover.Expect
	file   string
	digest string
	twice  lineSet        // lines that repeat one before them
	hosts  map[string]int // old addresses by origin; not of more than mapHosts origins
	pairs  int
}

// mapHosts bounds the origins that are counted.
const mapHosts = 10_000

// openMap finds the file of the map; what is no file that can be read twice is copied.
func (j *job) openMap(ctx context.Context) (*theMap, error) {
	m := &theMap{file: j.f.Expect, hosts: map[string]int{}}
	m.Name, m.Absolute = j.f.Expect, true
	m.Lines, m.Repeats = m.lines, m.twice.has
	if m.Name == "-" {
		if slices.ContainsFunc(j.d.Targets, func(t discover.Target) bool { return t.Kind == discover.TargetStdin }) {
			return nil, cli.WithHint(errors.New("TARGET and --expect are both -"), "standard input is read once: name one of them as a file")
		}
		in := cli.Reading(ctx, j.env.Stdin)
		defer in.Close()
		return m, j.copyMap(m, in)
	}
	f, err := cli.Open(ctx, m.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, cli.WithHint(fmt.Errorf("--expect: %s: there is no such file", m.Name), mapHint)
	}
	if err != nil {
		return nil, cli.WithHint(fmt.Errorf("--expect: %w", err), mapHint)
	}
	defer f.Close()
	info, err := os.Stat(m.Name)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, cli.WithHint(fmt.Errorf("--expect: %s is a folder", m.Name), mapHint)
	case info.Mode().IsRegular():
		return m, nil
	}
	return m, j.copyMap(m, f)
}

// copyMap keeps the map in a file until the job ends.
func (j *job) copyMap(m *theMap, from io.Reader) error {
	temporary, err := scratch.New()
	if err != nil {
		return err
	}
	j.closers.Add(temporary.Close)
	m.file = filepath.Join(temporary.Dir, "map")
	f, err := os.Create(m.file)
	if err != nil {
		return err
	}
	n, err := io.Copy(f, io.LimitReader(from, stdinBytes+1))
	if err == nil && n > stdinBytes {
		err = cli.WithHint(fmt.Errorf("%s is larger than %d MB", m.Name, stdinBytes>>20), mapHint)
	}
	return cmp.Or(err, f.Close())
}

// lines yields the lines of the map that a server can be asked about.
func (m *theMap) lines() iter.Seq2[expect.Line, error] {
	return func(yield func(expect.Line, error) bool) {
		f, err := os.Open(m.file)
		if err != nil {
			yield(expect.Line{}, err)
			return
		}
		defer f.Close()
		r := expect.NewReader(f)
		for {
			l, err := r.Next()
			if err == io.EOF {
				return
			}
			if err == nil && l.Fragment() {
				continue
			}
			if !yield(l, err) || err != nil {
				return
			}
		}
	}
}

// read looks through the map: each line must be one, and no old address may have two ends. A
// path is one of origin.
func (m *theMap) read(origin string) error {
	f, err := os.Open(m.file)
	if err != nil {
		return err
	}
	defer f.Close()
	sorted := storage.NewSorter("")
	defer sorted.Close()
	h := sha256.New()
	if err := m.sort(expect.NewReader(io.TeeReader(f, h)), sorted, origin); err != nil {
		return err
	}
	m.digest = hex.EncodeToString(h.Sum(nil))
	if m.pairs == 0 && m.Fragments > 0 {
		return cli.WithHint(fmt.Errorf("%s has no pair but of old URLs with a #", m.Name), "no server sees what follows the #: name the URL without it")
	}
	if m.pairs == 0 {
		return cli.WithHint(fmt.Errorf("%s has no pair", m.Name), mapHint)
	}
	return m.compare(sorted)
}

// sort reads the lines into a Sorter, by old address and line.
func (m *theMap) sort(r *expect.Reader, sorted *storage.Sorter, origin string) error {
	var value []byte
	for {
		l, err := r.Next()
		if err == io.EOF {
			m.Passed, m.FirstPassed = r.Passed()
			return nil
		}
		if err != nil {
			return cli.WithHint(fmt.Errorf("%s %w", m.Name, err), mapHint)
		}
		if l.Fragment() {
			if m.Fragments++; m.Fragments == 1 {
				m.FirstFragment = l.N
			}
			continue
		}
		p, err := l.Pair(origin)
		if err != nil {
			return cli.WithHint(fmt.Errorf("%s line %d: %w", m.Name, l.N, err), mapHint)
		}
		m.pairs++
		m.Absolute = m.Absolute && !expect.IsPath(l.Old) && !expect.IsPath(l.New)
		if at := p.Old.Origin(); m.hosts[at] > 0 || len(m.hosts) < mapHosts {
			m.hosts[at]++
		}
		key := p.Old.String()
		if l.Wild {
			key += "*"
		}
		value = append(binary.BigEndian.AppendUint64(value[:0], uint64(l.N)), p.To.String()...)
		if err := sorted.Add(key, value); err != nil {
			return err
		}
	}
}

// compare looks for old addresses that stand twice.
func (m *theMap) compare(sorted *storage.Sorter) error {
	var old, to string
	first, line, before, wrong := 0, 0, 0, ""
	for x, err := range sorted.Records() {
		if err != nil {
			return err
		}
		n := int(binary.BigEndian.Uint64(x.Value))
		switch {
		case old != string(x.Key):
			old, to, first = string(x.Key), string(x.Value[8:]), n
		case to != string(x.Value[8:]):
			if line == 0 || n < line {
				line, before, wrong = n, first, old
			}
		default:
			m.twice.add(n)
		}
	}
	if line > 0 {
		return cli.WithHint(fmt.Errorf("%s line %d: %s leads elsewhere in line %d", m.Name, line, strings.TrimPrefix(wrong, anyHost), before),
			"each old URL has one end: leave one of the two lines out")
	}
	return nil
}

// site is the origin of most old addresses; of as many the first by name.
func (m *theMap) site() string {
	best := ""
	for at, n := range m.hosts {
		if best == "" || n > m.hosts[best] || n == m.hosts[best] && at < best {
			best = at
		}
	}
	return best
}

// A lineSet is a set of lines, a bit each.
type lineSet []uint64

func (s *lineSet) add(n int) {
	if need := n/64 + 1; need > len(*s) {
		*s = append(*s, make([]uint64, need-len(*s))...)
	}
	(*s)[n/64] |= 1 << (n % 64)
}

func (s *lineSet) has(n int) bool { return n/64 < len(*s) && (*s)[n/64]&(1<<(n%64)) != 0 }
