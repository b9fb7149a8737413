package hreflang

import (
	"context"
	"io"
	"iter"
	"slices"

	"sitemend/crawler/audit"
	"sitemend/crawler/sitemap"
)

// Open opens the file of Files[file] of an audit, as it was fetched. The caller must close it.
type Open func(ctx context.Context, file int) (io.ReadCloser, error)

// Faults returns the faults of the alternates in the sitemaps of an audit, for each of
// result.Files: of each kind the first five places and the number of the others. The same audit
// always gives the same faults. Each file with links is read once, and one with faults a second
// time for the words of these. shelf must be empty and not shared; it holds some 75 bytes for each
// link and 11 for each entry, and nothing where no file has links. An error is one of result, open
// or shelf, or of ctx.
func Faults(ctx context.Context, result *audit.Result, open Open, shelf audit.Shelf) ([][]audit.SitemapFault, error) {
	faults, _, err := find(ctx, result, open, shelf, 0)
	return faults, err
}

// AllFaults is Faults for the comparison of two audits: of each kind it lists all places of a file,
// up to 5,000 places in all. It adds the faults that are reported only where corrected sitemaps are
// written: links that stay although their entry is removed (audit.WithGone).
func AllFaults(ctx context.Context, result *audit.Result, open Open, shelf audit.Shelf) ([][]audit.SitemapFault, error) {
	faults, kept, err := find(ctx, result, open, shelf, mostCompared)
	for file, more := range kept {
		faults[file] = append(faults[file], more...)
	}
	return faults, err
}

// mostCompared is how many places AllFaults lists.
const mostCompared = 5_000

// find returns the faults, and by file those of links that stay. It lists at least the first
// maxPlaces places of a kind in a file, and up to more further ones in all.
func find(ctx context.Context, result *audit.Result, open Open, shelf audit.Shelf, more int) ([][]audit.SitemapFault, map[int][]audit.SitemapFault, error) {
	j := &joining{more: more, kept: map[int][]audit.SitemapFault{}, result: result, open: open, shelf: shelf, hosts: map[string]bool{}, found: map[kindOf]*found{}, whole: result.Unread() == 0}
	linked := false
	for i := range result.Files {
		linked = linked || j.linked(i)
		j.whole = j.whole && !result.Files[i].Sitemap.InPart()
	}
	if !linked {
		return make([][]audit.SitemapFault, len(result.Files)), nil, nil
	}
	for _, step := range []func(context.Context) error{j.entries, j.elements, j.join} {
		if err := step(ctx); err != nil {
			return nil, nil, err
		}
	}
	faults, err := j.faults(ctx)
	if err != nil {
		return nil, nil, err
	}
	return faults, j.kept, nil
}

// joining is the state of Faults.
type joining struct {
	result *audit.Result
	open   Open
	shelf  audit.Shelf
	hosts  map[string]bool // hosts that have entries, at most maxHosts
	whole  bool            // all sitemaps were read to their end, so that a missing entry is known to be missing
	found  map[kindOf]*found
	more   int                          // places that may be listed beyond maxPlaces of each kind and file
	kept   map[int][]audit.SitemapFault // by file, of links that stay
	buf    []byte                       // buffer of the last record
}

// A kindOf is a kind of fault in a file.
type kindOf struct {
	file int
	kind kind
}

// maxHosts is the limit of joining.hosts: addresses of further hosts are treated as those of hosts
// without entries.
const maxHosts = 10_000

// linked reports whether a file has links that can be read, or may have images and videos that are
// to be checked.
func (j *joining) linked(file int) bool {
	s := &j.result.Files[file].Sitemap
	assets := s.Kind == string(sitemap.URLSet) && j.result.ReadsAssets()
	return (s.Links || assets) && s.Spool != "" && s.Kind != string(sitemap.Index)
}

// find records a finding.
func (j *joining) find(k kind, at place, said ...string) {
	j.add(k, finding{place: at, said: said})
}

func (j *joining) add(k kind, x finding) {
	of := kindOf{x.file, k}
	if j.found[of] == nil {
		j.found[of] = &found{}
	}
	j.found[of].add(x, &j.more)
}

// entries puts the record of each entry on the shelf.
func (j *joining) entries(ctx context.Context) error {
	for i := range j.result.Files {
		for row, err := range j.result.Edits(ctx, i) {
			if err != nil {
				return err
			}
			if row.Address.IsZero() {
				continue
			}
			if len(j.hosts) < maxHosts {
				j.hosts[row.Address.Host()] = true
			}
			r := recordOf(row)
			r.listed = true
			if err := j.put(key(row.Address.String()), r.append(j.buf[:0])); err != nil {
				return err
			}
		}
	}
	return j.crawledAside(ctx)
}

// crawledAside puts on the shelf the records of alternates that no sitemap lists.
func (j *joining) crawledAside(ctx context.Context) error {
	for i := range j.result.Also {
		if j.result.Also[i].List != audit.AlsoAlternates {
			continue
		}
		for row, err := range j.result.AlsoRows(ctx, i) {
			if err != nil {
				return err
			}
			if err := j.put(key(row.Address.String()), recordOf(&row).append(j.buf[:0])); err != nil {
				return err
			}
		}
	}
	return nil
}

// wrongs are the verdicts, besides those of redirects, with which an address cannot be an
// alternate.
var wrongs = map[audit.Verdict]kind{
	audit.NotFound: gone, audit.Disallowed: blocked, audit.Noindex: noindex, audit.Noncanonical: otherCanonical,
}

// recordOf returns the record of a row.
func recordOf(row *audit.Row) entryRecord {
	wrong, known := wrongs[row.Verdict]
	switch {
	case known:
	case row.Verdict.Redirects():
		wrong = redirects
	default:
		wrong = kinds
	}
	return entryRecord{wrong: wrong, merged: row.Fix.Action == audit.Merge, leads: wrong == redirects && byLanguage(row)}
}

// byLanguage reports whether an address redirects its readers to the page in their language, as far as
// one of them can tell: to itself in another language, or only for now.
func byLanguage(row *audit.Row) bool {
	return row.Verdict == audit.Temporary || slices.Contains(row.Notes, audit.Locale)
}

// elements reads all sets.
func (j *joining) elements(ctx context.Context) error {
	for i := range j.result.Files {
		if !j.linked(i) {
			continue
		}
		for e, err := range j.each(ctx, i) {
			if err == nil {
				err = j.element(ctx, place{file: i, element: e.n}, e.own, e.links)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// each yields the elements with links of a file.
func (j *joining) each(ctx context.Context, file int) iter.Seq2[element, error] {
	open := func(ctx context.Context) (io.ReadCloser, error) { return j.open(ctx, file) }
	return elements(ctx, open, sitemap.Options{Charset: j.result.Files[file].Sitemap.Charset, Assets: j.result.ReadsAssets()})
}

// faults turns the findings into faults.
func (j *joining) faults(ctx context.Context) ([][]audit.SitemapFault, error) {
	all := make([][]audit.SitemapFault, len(j.result.Files))
	for i := range all {
		texts, err := j.texts(ctx, i)
		if err != nil {
			return nil, err
		}
		for k := range kinds {
			if found := j.found[kindOf{i, k}]; found != nil {
				all[i] = append(all[i], j.list(i, k, found, texts)...)
			}
		}
	}
	return all, nil
}

// list returns the faults of a kind in a file.
func (j *joining) list(file int, k kind, found *found, texts map[place]words) (list []audit.SitemapFault) {
	rest := audit.SitemapFault{Count: found.n - len(found.first), Mended: found.mended}
	for _, x := range found.first {
		w := texts[x.place]
		f := faultOf[k]
		f.Line, f.Args = w.line, append([]string{w.page, w.alternate}, x.said...)
		if x.mended {
			f.Mended = 1
			rest.Mended--
		}
		list = append(list, f)
	}
	if rest.Count > 0 {
		rest.Name, rest.Key, rest.Args = faultOf[k].Name, "more-places", []string{sitemap.Thousands(rest.Count)}
		list = append(list, rest)
	}
	for n := range list {
		list[n].Sitemap, list[n].Severity = j.result.Files[file].Sitemap.URL, "warning"
		list[n].Basis, list[n].List = k.basis()
	}
	return list
}

// words are the texts of a place that go into its sentence.
type words struct {
	line            int
	page, alternate string
}

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
	texts := map[place]words{}
	for e, err := range j.each(ctx, file) {
		if err != nil {
			return nil, err
		}
		for len(wanted) > 0 && wanted[0].element == e.n {
			l := &e.links[wanted[0].link]
			w := words{line: l.Line, alternate: excerpt(l.Href)}
			if len(e.own) > 0 {
				w.page = excerpt(e.own[0].Loc)
			}
			texts[wanted[0]], wanted = w, wanted[1:]
		}
		if len(wanted) == 0 {
			break
		}
	}
	return texts, nil
}
