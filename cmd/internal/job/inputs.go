package job

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/address"
	"sitemend/crawler/discover"
	"sitemend/crawler/expect"
	"sitemend/crawler/searchconsole"
)

// supposed reads the files of --search-console and --expect. Where the user named no TARGET the site of
// their first URL is it.
func (j *job) supposed(ctx context.Context) error {
	h := sha256.New()
	site, err := j.exports(ctx, h)
	if err != nil {
		return err
	}
	if j.f.Expect != "" {
		in, err := cli.Open(ctx, j.f.Expect)
		if err != nil {
			return cli.WithHint(fmt.Errorf("--expect: %w", err), discover.ExpectHint)
		}
		defer in.Close()
		origin := cmp.Or(site, anyHost)
		if at := slices.IndexFunc(j.d.Targets, func(t discover.Target) bool { return len(t.URLs) > 0 }); at >= 0 {
			origin = j.d.Targets[at].URLs[0].Origin()
		}
		var first string
		if j.d.Expect, first, err = readMap(j.f.Expect, io.TeeReader(in, h), origin); err != nil {
			return err
		}
		site = cmp.Or(site, first)
	}
	j.inputs = fmt.Sprintf("%x", h.Sum(nil))
	if len(j.d.Targets) > 0 || site == "" {
		return nil
	}
	if site == anyHost {
		return cli.WithHint(fmt.Errorf("%s has paths, and no TARGET says of which site", j.f.Expect), "name the site as TARGET, as in https://shop.example")
	}
	t, err := discover.SiteTarget(site)
	j.d.Targets = []discover.Target{t}
	j.log.Info(fmt.Sprintf("no TARGET is named: auditing %s, the site of the first URL of the file", site))
	return err
}

// exports reads the files of --search-console, whose bytes h gets. site is the origin of their first
// URL.
func (j *job) exports(ctx context.Context, h io.Writer) (site string, err error) {
	for _, name := range j.f.SearchConsole {
		data, err := cli.ReadFile(ctx, name, searchconsole.MaxSize)
		if err != nil {
			return "", cli.WithHint(fmt.Errorf("--search-console: %w", err), "name the ZIP or the CSV that Search Console exported")
		}
		fmt.Fprintf(h, "%d\n", len(data))
		h.Write(data)
		x, err := searchconsole.Read(data)
		if err != nil {
			return "", fmt.Errorf("--search-console %s: %w", name, err)
		}
		for i := range x.Rows {
			if a, err := address.Parse(x.Rows[i].URL); err == nil && site == "" {
				site = a.Origin()
			}
		}
		j.d.Exports = append(j.d.Exports, discover.Export{Name: name, Export: x})
	}
	return site, nil
}

// mapBytes is the longest map that is read.
const mapBytes = 256 << 20

// anyHost is the origin of paths that may be of any host.
const anyHost = "https://path.invalid"

// readMap reads a map of old and new addresses (package expect), of which each line is valid, and no
// old address has two ends. A path in it is one of origin. site is the origin of its first old address;
// anyHost where a line is a path of that.
func readMap(name string, from io.Reader, origin string) (m *discover.Expect, site string, err error) {
	text, err := io.ReadAll(io.LimitReader(from, mapBytes+1))
	if err == nil && len(text) > mapBytes {
		err = fmt.Errorf("%s is larger than %d MB", name, mapBytes>>20)
	}
	m = &discover.Expect{Name: name, Lines: func() iter.Seq2[expect.Line, error] { return linesOf(expect.NewReader(bytes.NewReader(text))) }}
	type end struct {
		line int
		to   uint64
	}
	ends := map[uint64]end{}
	lines := expect.NewReader(bytes.NewReader(text))
	for l, failed := range linesOf(lines) {
		if err != nil {
			break
		}
		if failed != nil {
			err = fmt.Errorf("%s %w", name, failed)
			break
		}
		p, failed := l.Pair(origin)
		if failed != nil {
			err = fmt.Errorf("%s line %d: %w", name, l.N, failed)
			break
		}
		if at := p.Old.Origin(); site == "" || at == anyHost {
			site = at
		}
		old := p.Old.String()
		if l.Wild {
			old += "*"
		}
		key, to := xxhash.Sum64String(old), xxhash.Sum64String(p.To.String())
		if before, known := ends[key]; !known {
			ends[key] = end{l.N, to}
		} else if before.to != to {
			err = fmt.Errorf("%s line %d: %s leads elsewhere in line %d: each old URL has one end", name, l.N, strings.TrimPrefix(old, anyHost), before.line)
		}
	}
	if err == nil && len(ends) == 0 {
		err = fmt.Errorf("%s has no pair", name)
	}
	if err != nil {
		return nil, "", cli.WithHint(err, discover.ExpectHint)
	}
	m.Passed, m.FirstPassed = lines.Passed()
	return m, site, nil
}

// linesOf yields the lines of a map. An error ends it.
func linesOf(r *expect.Reader) iter.Seq2[expect.Line, error] {
	return func(yield func(expect.Line, error) bool) {
		for {
			l, err := r.Next()
			if errors.Is(err, io.EOF) || !yield(l, err) || err != nil {
				return
			}
		}
	}
}
