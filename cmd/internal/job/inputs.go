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

// readLists reads the files of --search-console and --expect. Where the user named no TARGET the site of
// the first URL of an export is it.
func (j *job) readLists(ctx context.Context) error {
	h := sha256.New()
	site, err := j.exports(ctx, h)
	if err != nil {
		return err
	}
	if j.f.Expect != "" {
		text, err := cli.ReadFile(ctx, j.f.Expect, MapBytes)
		if err != nil {
			return cli.WithHint(fmt.Errorf("--expect: %w", err), discover.ExpectHint)
		}
		h.Write(text)
		origin := cmp.Or(site, anyHost)
		if at := slices.IndexFunc(j.d.Targets, func(t discover.Target) bool { return len(t.URLs) > 0 }); at >= 0 {
			origin = j.d.Targets[at].URLs[0].Origin()
		}
		if j.d.Expect, err = readMap(j.f.Expect, text, origin); err != nil {
			return err
		}
		for l := range j.d.Expect.Lines() {
			first, _ := l.Pair(origin) // no error: the map was checked
			site = cmp.Or(site, first.Old.Origin())
			break
		}
	}
	j.inputs = fmt.Sprintf("%x", h.Sum(nil))
	switch {
	case len(j.d.Targets) > 0 || site == "":
		return nil
	case site == anyHost:
		return cli.WithHint(fmt.Errorf("%s has paths, and no TARGET says of which site", j.f.Expect), "name the site as TARGET, as in https://shop.example")
	}
	j.env.Log.Info(fmt.Sprintf("no TARGET is named: auditing %s, the site of the first URL of the file", site))
	t, err := discover.SiteTarget(site)
	j.d.Targets = []discover.Target{t}
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

// MapBytes is the longest map that is read.
const MapBytes = 256 << 20

// anyHost is the origin of paths that may be of any host.
const anyHost = "https://path.invalid"

// readMap reads a map of old and new addresses (package expect). A path in it is one of origin.
func readMap(name string, text []byte, origin string) (*discover.Expect, error) {
	lines := expect.NewReader(bytes.NewReader(text))
	if err := checkMap(lines, origin); err != nil {
		return nil, cli.WithHint(fmt.Errorf("%s %w", name, err), discover.ExpectHint)
	}
	m := &discover.Expect{Name: name, Lines: func() iter.Seq2[expect.Line, error] { return expect.NewReader(bytes.NewReader(text)).All() }}
	m.Passed, m.FirstPassed = lines.Passed()
	return m, nil
}

// checkMap reads a map of which each line is to be valid, and no old address is to have two ends.
func checkMap(lines *expect.Reader, origin string) error {
	type end struct {
		line int
		to   uint64
	}
	ends := map[uint64]end{}
	for l, err := range lines.All() {
		if err != nil {
			return err
		}
		p, err := l.Pair(origin)
		if err != nil {
			return fmt.Errorf("line %d: %w", l.N, err)
		}
		old := p.Old.String()
		if l.Wild {
			old += "*"
		}
		key, to := xxhash.Sum64String(old), xxhash.Sum64String(p.To.String())
		before, known := ends[key]
		if !known {
			ends[key] = end{l.N, to}
		} else if before.to != to {
			return fmt.Errorf("line %d: %s leads elsewhere in line %d: each old URL has one end", l.N, strings.TrimPrefix(old, anyHost), before.line)
		}
	}
	if len(ends) == 0 {
		return errors.New("has no pair")
	}
	return nil
}
