package hreflang

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/ground"
	"sitemend/crawler/sitemap"
)

// Open opens the file of Files[file] of an audit, as it was fetched. The caller must close it.
type Open func(ctx context.Context, file int) (io.ReadCloser, error)

// AddFaults adds the faults of the alternates in the sitemaps of an audit to those of result.Files: of
// each kind the first five places and the number of the others. Whether pages name each other is said of
// the files as they will be written; what is wrong with a link that is corrected is there as mended. Each
// file with links is read once, and one with faults a second time for the words of these. sorter must be
// empty and not shared; it holds some 100 bytes for each link and 10 for each entry, and nothing where
// no file has links. An error is one of result, open or sorter, or of ctx.
func AddFaults(ctx context.Context, result *audit.Result, open Open, sorter ground.Sorter) error {
	j := &joining{result: result, open: open, sorter: sorter, found: map[kindOf]*found{}, codes: map[string]bool{}}
	if !slices.ContainsFunc(result.Files, linked) {
		return nil
	}
	for i := range result.Files {
		if err := j.file(ctx, i); err != nil {
			return err
		}
	}
	if err := cmp.Or(j.aside(ctx), j.join(ctx)); err != nil {
		return err
	}
	return j.faults(ctx)
}

// joining is the state of AddFaults.
type joining struct {
	result *audit.Result
	open   Open
	sorter ground.Sorter
	found  map[kindOf]*found
	buf    []byte          // buffer of the last record
	codes  map[string]bool // of links that are valid, for files have few
}

// A kindOf is a kind of fault in a file.
type kindOf struct {
	file int
	kind kind
}

// linked reports whether a file has links that can be read.
func linked(f audit.File) bool {
	s := &f.Sitemap
	return s.Links && s.Spool != "" && s.Kind != string(sitemap.Index)
}

// find records a finding.
func (j *joining) find(k kind, x finding) {
	of := kindOf{x.file, k}
	if j.found[of] == nil {
		j.found[of] = &found{}
	}
	j.found[of].add(x)
}

// An entry is one of an element, with the address under which it will be listed, "" for none.
type entry struct {
	own    sitemap.Own
	wire   string // of its own address, "" for none
	at     string
	leaves bool // it is removed from its file
}

// maxOwn is how many entries of an element are known: sitemap.Options.Links is called with no more.
const maxOwn = 1_000

// file puts the records of a file into the sorter: those of its entries, and of its links.
func (j *joining) file(ctx context.Context, file int) error {
	next, stop := iter.Pull2(j.result.Edits(ctx, file))
	defer stop()
	var last []entry
	take := func() (bool, error) {
		row, err, ok := next()
		if err != nil || !ok {
			return false, err
		}
		if len(last) == 2*maxOwn {
			last = last[:copy(last, last[maxOwn:])]
		}
		e, err := j.entry(file, row)
		last = append(last, e)
		return true, err
	}
	if linked(j.result.Files[file]) {
		n := 0
		visit := func(e sitemap.Entry) error {
			if ok, err := take(); !ok || err != nil {
				return cmp.Or(err, fmt.Errorf("the file has more URLs than the %d that were audited", e.N))
			}
			return nil
		}
		err := j.read(ctx, file, visit, func(own []sitemap.Entry, links []sitemap.Link) error {
			n++
			return j.element(place{file: file, element: n - 1}, last[len(last)-len(own):], links)
		})
		if err != nil {
			return err
		}
	}
	for {
		if ok, err := take(); !ok || err != nil {
			return err
		}
	}
}

// read reads a file.
func (j *joining) read(ctx context.Context, file int, visit func(sitemap.Entry) error, links func([]sitemap.Entry, []sitemap.Link) error) error {
	f, err := j.open(ctx, file)
	if err != nil {
		return err
	}
	r := sitemap.Stoppable(ctx, f)
	defer r.Close()
	_, err = sitemap.Read(r, sitemap.Options{Links: links}, visit)
	return err
}

// faults turns the findings into faults.
func (j *joining) faults(ctx context.Context) error {
	for i := range j.result.Files {
		texts, err := j.texts(ctx, i)
		if err != nil {
			return err
		}
		of := &j.result.Files[i].Sitemap
		of.Faults = slices.Clip(of.Faults)
		for k := range kinds {
			if found := j.found[kindOf{i, k}]; found != nil {
				of.Faults = append(of.Faults, j.list(i, k, found, texts)...)
			}
		}
	}
	return nil
}

// list returns the faults of a kind in a file.
func (j *joining) list(file int, k kind, found *found, texts map[place]words) (list []audit.SitemapFault) {
	of := faultOf[k]
	of.Sitemap, of.Severity = j.result.Files[file].Sitemap.URL, "warning"
	rest := of
	rest.Count, rest.Mended = found.n-len(found.first), found.mended
	for _, x := range found.first {
		w, f := texts[x.place], of
		f.Line, f.Args = w.line, append([]string{w.page, w.alternate}, x.said...)
		if x.mended {
			f.Mended = 1
			rest.Mended--
		}
		list = append(list, f)
	}
	if rest.Count > 0 {
		rest.Key, rest.Args = "more-places", []string{sitemap.Thousands(rest.Count)}
		list = append(list, rest)
	}
	return list
}

// words are the texts of a place that go into its sentence.
type words struct {
	line            int
	page, alternate string
}

// errEnough ends the reading of a file.
var errEnough = errors.New("enough")

// texts reads a file again for the words of its places.
func (j *joining) texts(ctx context.Context, file int) (map[place]words, error) {
	var wanted []place
	for k := range kinds {
		if found := j.found[kindOf{file, k}]; found != nil {
			for _, x := range found.first {
				wanted = append(wanted, x.place)
			}
		}
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	slices.SortFunc(wanted, place.compare)
	texts, n := map[place]words{}, -1
	err := j.read(ctx, file, func(sitemap.Entry) error { return nil }, func(own []sitemap.Entry, links []sitemap.Link) error {
		for n++; len(wanted) > 0 && wanted[0].element == n; wanted = wanted[1:] {
			l, page := &links[wanted[0].link], ""
			if len(own) > 0 {
				page = own[0].Loc
			}
			texts[wanted[0]] = words{l.Line, fmt.Sprintf("%.200s", address.Masked(page)), fmt.Sprintf("%.200s", address.Masked(l.Href))}
		}
		if len(wanted) == 0 {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return texts, err
}
