package links

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/fxamacker/cbor/v2"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
	"sitemend/crawler/ground"
	"sitemend/crawler/internal/sketch"
)

// Source is the input of Join besides the result of an audit.
type Source struct {
	// Answers has the recorded answers: they say where addresses lead that pages link to and that
	// no sitemap lists.
	Answers answers.Memory
	// Pages yields the links of the pages that were read. It may be ranged over more than once.
	Pages func(ctx context.Context) iter.Seq2[answers.Hop, error]
	// Forbidden returns the line of robots.txt that forbids an address to the crawler of the audit, ""
	// for none; nil where robots.txt is not heeded.
	Forbidden func(at address.Address) (line string, err error)
	// Sorter returns a new, empty sorter. The sorter of the rows is read as long as the result is
	// used.
	Sorter func() ground.Sorter
}

// Join evaluates the links of all pages of an audit. It reads the pages twice and the entries once.
// It holds some 30 MB at most; its sorters hold some 100 bytes for each entry, page and linked
// address, and where there are more than some 10,000 of these, some 200 bytes for each link. An
// error is one of result, of of, or of ctx.
func Join(ctx context.Context, result *audit.Result, of Source) (*audit.Linked, error) {
	j := &joining{result: result, of: of, out: &audit.Linked{Old: map[audit.Verdict]int{}},
		hosts: map[string]bool{}, own: map[string]bool{}, sections: map[string]uint16{}, sizes: []int{0},
		all: of.Sorter(), rows: of.Sorter(), mem: audit.NewAnswerCache(of.Answers, 1, true)}
	for _, step := range []func(context.Context) error{j.entries, j.twice, j.pages, j.join} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	j.out.Rows = j.each
	for r, err := range j.each(ctx) {
		if err != nil {
			return nil, err
		}
		if first := &j.out.First[r.Kind]; len(*first) < audit.MostLinkRows {
			*first = append(*first, r)
		}
	}
	return j.out, nil
}

// joining is the state of Join.
type joining struct {
	result *audit.Result
	of     Source
	out    *audit.Linked

	hosts    map[string]bool   // hosts of entries, as site returns them
	own      map[string]bool   // origins, whether they belong to these
	sections map[string]uint16 // sections of entries: indexes into sizes, from 1
	sizes    []int             // number of pages read by section; index 0 counts pages of no known section
	passed   sketch.Set        // pages that are skipped because another reading of them counts

	all  ground.Sorter // the records of each address
	rows ground.Sorter // rows, in the order of the output
	mem  *audit.AnswerCache
	row  audit.Row // room
}

// Limits of what is held: no findings are made for hosts and sections beyond them, nor for an
// address in more spellings.
const (
	maxHosts     = 10_000
	maxSections  = 1000
	maxSpellings = 4096
)

// site returns the site of an address: its host without www., and its port unless that is the
// default one. It is the same for http and https.
func site(a address.Address) string { return strings.TrimPrefix(a.HostPort(), "www.") }

// section is the origin of an address and the first segment of its path, where that is a folder.
func section(a address.Address) string { return a.Origin() + "/" + a.Section() }

func numberKey(n uint64) string { return string(binary.BigEndian.AppendUint64(nil, n)) }

// An entry is the crawl result of an entry.
type entry struct {
	_          struct{} `cbor:",toarray"`
	Wire       string
	File, Line int
	Fine       bool // it answers 200 without a redirect, and its entry is unchanged
	Verdict    audit.Verdict
	LeadsTo    string // the address that an old one redirects to in the end
	LinkTo     string // its verified replacement
	Loc        string
}

// entries puts the record of each entry into the sorter.
func (j *joining) entries(ctx context.Context) error {
	for i := range j.result.Files {
		if !j.result.Files[i].Sitemap.Listed() {
			continue
		}
		for row, err := range j.result.Edits(ctx, i) {
			if err == nil && !row.Address.IsZero() {
				err = j.entry(i, row)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (j *joining) entry(file int, row *audit.Row) error {
	if len(j.hosts) < maxHosts {
		j.hosts[site(row.Address)] = true
	}
	if in := section(row.Address); j.sections[in] == 0 && len(j.sections) < maxSections {
		j.sections[in] = uint16(len(j.sizes))
		j.sizes = append(j.sizes, 0)
	}
	e := entry{Wire: row.Address.String(), File: file, Line: row.Entry.Line, Verdict: row.Verdict, Loc: row.Entry.Loc,
		Fine: row.Verdict == audit.OK && row.Fix.Action == audit.Keep}
	written := linkTo(row)
	if isOld(row.Verdict) {
		e.LeadsTo, e.LinkTo = leadsTo(row), written
	}
	err := put(j.all, e.Wire, ofEntry, e)
	if err == nil && written != "" {
		err = put(j.all, written, ofWritten, written)
	}
	return err
}

// leadsTo returns the address that a row's redirects end at; "" where it does not redirect.
func leadsTo(row *audit.Row) string {
	if row.Trail.Redirects() == 0 {
		return ""
	}
	return row.Final.String()
}

// linkTo returns the verified replacement of a row's address; "" where there is none.
func linkTo(row *audit.Row) string {
	if row.Fix.Action == audit.Replace || row.Fix.Action == audit.Merge {
		return row.Fix.Loc
	}
	return ""
}

// isOld reports whether pages should no longer link to an address of verdict v: it redirects, or
// nothing is found there.
func isOld(v audit.Verdict) bool {
	switch v.Facts().Leads {
	case audit.LeadAway, audit.LeadRound, audit.LeadNowhere:
		return true
	}
	return false
}

// twice finds the pages that were read more than once, with and without the user's secrets. One
// reading of each counts: the one with the secrets, then the last.
func (j *joining) twice(ctx context.Context) error {
	n, sorter := uint64(0), j.of.Sorter()
	for p, err := range j.of.Pages(ctx) {
		if err == nil && p.Request.Purpose.Base() != answers.AsRobot {
			j.passed.Add(int(n))
		} else if err == nil {
			secret := string(flag(1, p.Request.Purpose == answers.AsRobot))
			err = sorter.Add(numberKey(pageHash(p.Request.URL)), secret+numberKey(n))
		}
		if n++; err != nil {
			return err
		}
	}
	var before [2]string
	for r, err := range ground.Until(ctx, sorter.Sorted()) {
		if err != nil {
			return err
		}
		if r[0] == before[0] {
			j.passed.Add(int(binary.BigEndian.Uint64([]byte(before[1][1:]))))
		}
		before = r
	}
	return nil
}

// pages adds up the links of the pages.
func (j *joining) pages(ctx context.Context) error {
	n, c := -1, &counter{sorter: j.all, most: maxTallies, tallies: map[uint64]*tally{}}
	for p, err := range j.of.Pages(ctx) {
		if err != nil {
			return err
		}
		if n++; j.passed.Has(n) {
			continue
		}
		in := j.sections[section(address.Wire(p.Request.URL))]
		j.sizes[in]++
		from := &read{url: p.Request.URL, hash: pageHash(p.Request.URL), section: in}
		_, err := Unpack(p.Links, func(page *Page, l Link) error {
			if !j.isOwn(l.Target) {
				return nil
			}
			return c.add(from, &l, l.Nofollow || page.Nofollow)
		})
		if err != nil {
			return err
		}
		j.out.Pages++
	}
	return c.flush()
}

// isOwn reports whether an address belongs to a site that has entries.
func (j *joining) isOwn(wire string) bool {
	origin := wire
	if at := strings.Index(wire, "://") + 3; strings.IndexByte(wire[at:], '/') >= 0 {
		origin = wire[:at+strings.IndexByte(wire[at:], '/')]
	}
	is, known := j.own[origin]
	if !known {
		if len(j.own) > maxHosts { // spam pages link to many hosts
			clear(j.own)
		}
		is = j.hosts[site(address.Wire(wire))]
		j.own[strings.Clone(origin)] = is
	}
	return is
}

// spellings are all spellings of one address while its records are read.
type spellings struct {
	entries map[string]entry
	written map[string]bool
	tallies map[string]*tally
	linked  bool // some spelling has a link that may be followed
}

// take adds the next record.
func (s *spellings) take(record string) (err error) {
	if record == "" {
		return errors.New("links: a record on disk is damaged")
	}
	value := []byte(record[1:])
	switch record[0] {
	case ofEntry:
		var e entry
		err = decode.Unmarshal(value, &e)
		had, listed := s.entries[e.Wire]
		if !listed || cmp.Or(cmp.Compare(e.File, had.File), cmp.Compare(e.Line, had.Line)) < 0 {
			s.entries[e.Wire] = e
		}
	case ofWritten:
		var wire string
		err = decode.Unmarshal(value, &wire)
		s.written[wire] = true
	default:
		var t tally
		err = decode.Unmarshal(value, &t)
		s.linked = s.linked || t.followed() > 0
		if had := s.tallies[t.Target]; had != nil {
			had.merge(&t)
		} else {
			s.tallies[t.Target] = &t
		}
	}
	return err
}

// join evaluates all addresses.
func (j *joining) join(ctx context.Context) error {
	fresh := func() *spellings {
		return &spellings{entries: map[string]entry{}, written: map[string]bool{}, tallies: map[string]*tally{}}
	}
	s, last, over := fresh(), "", false
	end := func() error {
		if over {
			return nil
		}
		return j.end(s)
	}
	for r, err := range ground.Until(ctx, j.all.Sorted()) {
		if err != nil {
			return err
		}
		if r[0] != last {
			if err := end(); err != nil {
				return err
			}
			s, last, over = fresh(), r[0], false
		}
		if over = over || len(s.entries)+len(s.written)+len(s.tallies) > maxSpellings; over {
			continue
		}
		if err := s.take(r[1]); err != nil {
			return err
		}
	}
	return end()
}

// end makes the findings for an address in all its spellings. Their order is that of the output:
// the sorter sorts.
func (j *joining) end(s *spellings) error {
	nofollow := &tally{}
	for _, t := range s.tallies {
		nofollow.merge(t)
		row, say, err := j.linked(s, t)
		if err == nil && say {
			err = j.add(&row, t)
		}
		if err != nil {
			return err
		}
	}
	for _, e := range s.entries {
		if !e.Fine || s.linked || j.out.Pages == 0 {
			continue
		}
		row := audit.LinkRow{Kind: audit.NeverLinked, Target: e.Loc, Verdict: e.Verdict, Listed: audit.InSitemap, Nofollow: nofollow.Nofollow,
			Sitemap: j.result.Files[e.File].Sitemap.URL, Line: e.Line}
		if err := j.add(&row, nofollow); err != nil {
			return err
		}
	}
	return nil
}

// linked returns the row of an address that pages link to; false where there is nothing to say.
func (j *joining) linked(s *spellings, t *tally) (row audit.LinkRow, say bool, err error) {
	row = audit.LinkRow{Target: t.Target, Listed: audit.NotInSitemap, Pages: t.followed(), Nofollow: t.Nofollow}
	e, listed := s.entries[t.Target]
	switch {
	case listed:
		row.Listed, row.Verdict, row.RedirectsTo, row.LinkTo = audit.InSitemap, e.Verdict, e.LeadsTo, e.LinkTo
	case s.written[t.Target]:
		listed = true
	default:
		j.judge(&row)
		for _, e := range s.entries {
			if !isOld(e.Verdict) {
				row.Listed = audit.OtherSpellingInSitemap
			}
		}
	}
	switch {
	case isOld(row.Verdict):
		return row, true, nil
	case listed:
		return row, false, nil
	}
	row.Kind = audit.LinkedUnlisted
	if t.Pages == 0 || row.Verdict != "" && row.Verdict.Facts().Indexable != "yes" || isFile(row.Target) {
		return row, false, nil
	}
	line := ""
	if a, bad := address.Parse(row.Target); row.Verdict == "" && bad == nil && j.of.Forbidden != nil {
		line, err = j.of.Forbidden(a)
	}
	return row, line == "", err
}

// judge sets the verdict on an address that no sitemap lists; it does nothing where the redirect
// chain is not known to its end.
func (j *joining) judge(row *audit.LinkRow) {
	j.row.Judge(j.mem, audit.Entry{Loc: row.Target, Line: 1}, &j.result.Info.Rules, audit.Want{})
	if len(j.row.Needs) > 0 || j.row.Verdict == audit.Skipped {
		return
	}
	if row.Verdict = j.row.Verdict; isOld(row.Verdict) {
		row.RedirectsTo, row.LinkTo = leadsTo(&j.row), linkTo(&j.row)
	}
}

// isFile reports whether an address names an image, a style or the like, which no sitemap lists
// as a page.
func isFile(wire string) bool {
	return fileTypes[strings.ToLower(strings.TrimPrefix(path.Ext(address.Wire(wire).Path()), "."))]
}

var fileTypes = set("jpg jpeg jpe png gif webp avif svg ico bmp tif tiff heic jxl apng mp4 m4v mov webm avi mkv mpg mpeg " +
	"wmv flv ogv 3gp m3u8 mp3 m4a wav ogg oga opus flac aac woff woff2 ttf otf eot css js mjs map wasm zip gz tgz tar bz2 xz 7z " +
	"rar zst xml json rss atom txt ics")

// add counts a row and puts it into the sorter; t is the tally of its links.
func (j *joining) add(row *audit.LinkRow, t *tally) error {
	row.Template = t.template(j.sizes, j.out.Pages)
	for _, s := range t.Sample {
		if !s.Apart || row.Pages == 0 {
			row.Examples = append(row.Examples, s.URL)
		}
	}
	slices.Sort(row.Examples)
	total := row.Pages + row.Nofollow
	j.out.Kinds[row.Kind]++
	if row.Kind == audit.LinkedOld {
		j.out.Old[row.Verdict]++
	}
	b, err := cbor.Marshal(row)
	if err != nil {
		return err
	}
	key := binary.BigEndian.AppendUint32([]byte{byte(row.Kind)}, ^uint32(total))
	return j.rows.Add(string(key)+row.Target, string(b))
}

// each yields the rows.
func (j *joining) each(ctx context.Context) iter.Seq2[audit.LinkRow, error] {
	return func(yield func(audit.LinkRow, error) bool) {
		for r, err := range ground.Until(ctx, j.rows.Sorted()) {
			var row audit.LinkRow
			if err == nil {
				err = decode.Unmarshal([]byte(r[1]), &row)
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}
