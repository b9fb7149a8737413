package audit

import (
	"fmt"
	"hash/maphash"
	"iter"
	"slices"

	"sitemend/crawler/address"
)

// Source is what Tell reads: what an audit remembers, and what it listed.
type Source interface {
	Memory
	// Sitemaps returns the sitemap files in the order of reading.
	Sitemaps() ([]Sitemap, error)
	// Entries yields the entries from <= N < to in order. An error ends it.
	Entries(from, to int) iter.Seq2[Entry, error]
}

// collapseAt is the number of distinct redirecting entries with one end from
// which that end is no replacement of any of them.
const collapseAt = 10

// brakeAt is the number of drops from one file up to which --max-drop does not
// brake.
const brakeAt = 10

// Tell judges a whole audit from what is remembered, without a request. name
// gives each sitemap file a name of its own, from the URL where it belongs.
// Tell walks the entries three times and holds no rows; what it holds grows
// with the distinct addresses by a few bytes each. It returns an error only
// where src does.
func Tell(src Source, info Info, name func(url string) string) (*Told, error) {
	sitemaps, err := src.Sitemaps()
	if err != nil {
		return nil, err
	}
	t := &telling{src: src, mem: Recent(src), info: info, rules: &info.Rules, sitemaps: sitemaps}
	if err := t.survey(); err != nil {
		return nil, err
	}
	told := &Told{Info: info, links: t.link}
	told.rows = func(file int) iter.Seq2[Row, error] { return t.rows(told.Files[file].Sitemap.N) }
	for i := range sitemaps {
		plan, err := t.plan(i)
		if err != nil {
			return nil, err
		}
		t.plans = append(t.plans, plan)
		told.Files = append(told.Files, t.file(i, name))
	}
	if err := t.count(told); err != nil {
		return nil, err
	}
	told.Files = slices.DeleteFunc(told.Files, func(f File) bool { return f.Earlier() && f.Counts.Entries == 0 })
	return told, nil
}

// telling is the state of one Tell, kept for its rows.
type telling struct {
	src      Source
	mem      Memory // src, for the walks
	info     Info
	rules    *Rules
	sitemaps []Sitemap
	// ends counts the distinct entries that redirect, or name a canonical, with
	// path among their reasons, by the hash of where they end; up to collapseAt.
	ends     map[uint64]uint8
	repeated bits // entries whose address an earlier one lists, by N
	plans    []plan
	causes   Causes
	replaced map[string]string // wire form of a replaced loc -> written; nil where no file has links
}

// bits is a set of small numbers.
type bits []uint64

func (b *bits) add(n int) {
	for len(*b) <= n/64 {
		*b = append(*b, 0)
	}
	(*b)[n/64] |= 1 << (n % 64)
}

func (b bits) has(n int) bool { return n/64 < len(b) && b[n/64]&(1<<(n%64)) != 0 }

// seed makes hashes others in each process, so that no site can list addresses
// that meet in one.
var seed = maphash.MakeSeed()

// hash stands for an address where millions are counted. Of 25 million
// addresses any two share one with a chance of 1 in 60,000.
func hash(a string) uint64 { return maphash.String(seed, a) }

// survey is the first walk: what must be known of all entries before any of
// them is decided.
func (t *telling) survey() error {
	t.ends = map[uint64]uint8{}
	seen := map[uint64]struct{}{}
	for i := range t.sitemaps {
		for e, err := range t.entries(i) {
			if err != nil {
				return err
			}
			row := Judge(t.mem, e, t.rules, Want{Look: true})
			if row.Address.IsZero() {
				continue
			}
			if t.sitemaps[i].Kind != KindEarlier {
				t.causes.See(&row)
			}
			key := hash(row.Address.String())
			if _, again := seen[key]; again {
				t.repeated.add(e.N)
				continue
			}
			seen[key] = struct{}{}
			if end, ok := row.end(); ok && t.ends[end] < collapseAt {
				t.ends[end]++
			}
		}
	}
	return nil
}

// end is the hash of the one page that a row ends on, or names as its canonical,
// with another path than its own.
func (r *Row) end() (uint64, bool) {
	switch {
	case !r.has(address.Path):
		return 0, false
	case r.Verdict == Noncanonical:
		return hash(r.named.String()), true
	case len(r.Trail.Steps) > 1 && !r.Final.IsZero():
		return hash(r.Final.String()), true
	}
	return 0, false
}

func (t *telling) entries(file int) iter.Seq2[Entry, error] {
	s := &t.sitemaps[file]
	return t.src.Entries(s.First, s.First+s.Entries)
}

// judged returns the row of an entry with what the whole audit decides; what
// its file decides is still to come.
func (t *telling) judged(e Entry) Row {
	row := Judge(t.mem, e, t.rules, Want{Look: true})
	if t.repeated.has(e.N) {
		row.note(Duplicate)
	}
	if row.Fix.Action == Replace && t.ends[hash(row.Fix.Loc)] >= collapseAt && !t.rules.Lift[Collapsed] {
		row.stop(Collapsed)
	}
	return row
}

// stop keeps an entry that would have been replaced.
func (r *Row) stop(n Note) {
	r.note(n)
	r.Fix = Fix{Action: Keep, Policy: r.Fix.Policy, Why: stopped[n]}
}

// rows yields the final rows of a file.
func (t *telling) rows(file int) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for e, err := range t.entries(file) {
			if err != nil {
				yield(Row{}, err)
				return
			}
			row := t.judged(e)
			t.plans[file].apply(&row)
			if t.sitemaps[file].Kind == KindEarlier && !row.Has(CameBack) {
				continue
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

func (t *telling) link(href string) (string, bool) {
	if len(t.replaced) == 0 {
		return "", false
	}
	a, err := address.Parse(href)
	if err != nil {
		return "", false
	}
	to, ok := t.replaced[a.String()]
	return to, ok
}

// file describes sitemap i as its plan leaves it; counts come with count.
func (t *telling) file(i int, name func(string) string) File {
	s, p := &t.sitemaps[i], &t.plans[i]
	f := File{Sitemap: *s, BelongsAt: s.AnsweredAt, Braked: p.braked, AllBraked: p.all}
	if f.Earlier() {
		return f
	}
	at := s.AnsweredAt
	if at == "" {
		at = s.URL
	}
	if p.move != "" && s.AnsweredAt != "" {
		base := address.Wire(at)
		f.BelongsAt = p.move + base.Target()
		f.Moved = true
		at = f.BelongsAt
	}
	f.Name = name(at)
	f.children = t.index(i)
	f.Changed = len(f.children) > 0 && !s.Cut
	return f
}

// count is the last walk: the final rows, added up.
func (t *telling) count(told *Told) error {
	links := false
	for i := range t.sitemaps {
		links = links || t.sitemaps[i].Links
	}
	if links {
		t.replaced = map[string]string{}
	}
	var spellings Spellings
	origins := map[string]bool{}
	proof := newProving(t)
	for i := range told.Files {
		f := &told.Files[i]
		var faults fileFaults
		for row, err := range t.rows(i) {
			if err != nil {
				return err
			}
			f.Counts.add(&row)
			faults.add(&row)
			told.Counts.add(&row)
			t.causes.Add(&row)
			spellings.Add(&row)
			if o := t.seeNowhere(&row, origins); o != "" {
				told.neverGone = append(told.neverGone, o)
			}
			if !f.Earlier() {
				proof.add(&row)
			}
			switch row.Fix.Action {
			case Replace:
				if links {
					t.replaced[row.Address.String()] = row.Fix.Loc
				}
				fallthrough
			case Drop, Merge:
				f.Changed = !t.info.Partial && !f.Sitemap.Cut
			}
		}
		f.Sitemap.Faults = append(slices.Clip(f.Sitemap.Faults), faults.list(f.Sitemap.URL)...)
	}
	told.Causes = t.causes.List()
	told.Spellings = spellings.List()
	told.indexCauses()
	told.proving = proof
	told.Proof = proof.result()
	return nil
}

func (c *Counts) add(r *Row) {
	if c.Verdicts == nil {
		*c = Counts{Verdicts: map[Verdict]int{}, Reasons: map[address.Reason]int{}, Notes: map[Note]int{},
			Actions: map[Action]int{}, Groups: map[Group]map[string]int{}, Unseen: map[string]int{}}
	}
	c.Entries++
	c.Verdicts[r.Verdict]++
	for _, x := range r.Reasons {
		c.Reasons[x]++
	}
	for _, x := range r.Notes {
		c.Notes[x]++
	}
	c.Actions[r.Fix.Action]++
	group, part := r.Group(), string(r.Verdict)
	if r.Fix.Action == Merge {
		part = "merged"
	}
	if c.Groups[group] == nil {
		c.Groups[group] = map[string]int{}
	}
	c.Groups[group][part]++
	if r.Verdict == Unverified {
		c.Unseen[r.unseenBy()]++
	}
}

// unseenBy says in a word why an unverified row could not be seen.
func (r *Row) unseenBy() string {
	last := &r.Trail.last().Hop
	switch {
	case r.Has(Unsteady):
		return string(Unsteady)
	case last.Challenge != "":
		return last.Challenge
	case last.Fault != "":
		return string(last.Fault)
	}
	return fmt.Sprint(last.Status)
}

// StillGone yields the rows of addresses that an earlier audit took out, that no
// sitemap lists any more, and that are not fine again. An error ends it.
func (t *Told) StillGone() iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		in := t.proving.t
		for i := range in.sitemaps {
			if in.sitemaps[i].Kind != KindEarlier {
				continue
			}
			for e, err := range in.entries(i) {
				var row Row
				if err == nil {
					row = in.judged(e)
				}
				if row.Has(CameBack) {
					continue
				}
				if !yield(row, err) || err != nil {
					return
				}
			}
		}
	}
}

// SitemapURL returns the URL of sitemap n of the audit.
func (t *Told) SitemapURL(n int) string { return t.proving.t.sitemaps[n].URL }
