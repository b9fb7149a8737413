package audit

import (
	"context"
	"iter"
	"maps"
	"slices"
	"sync"

	"sitemend/crawler/internal/sketch"
)

// Source is what Evaluate reads: what an audit remembers, and what it listed.
type Source interface {
	Answers
	// Sitemaps returns the sitemap files in the order of reading.
	Sitemaps() ([]Sitemap, error)
	// Entries yields the entries from <= N < to in order, until ctx ends: then its error.
	// An error ends it.
	Entries(ctx context.Context, from, to int) iter.Seq2[Entry, error]
	// Standing returns what stands at an address where a corrected copy would
	// belong, and what a sitemap listed last (ListedLast); nil where nobody asked.
	Standing(url string) (*Standing, error)
}

// collapseAt is the number of distinct redirecting entries with one end from
// which that end is no replacement of any of them.
const collapseAt = 10

// brakeAt is the number of drops from one file up to which --max-drop does not
// brake.
const brakeAt = 10

// Evaluate judges a whole audit from what is remembered, without a request. name
// gives each sitemap file a name of its own, from the URL where it belongs.
// Evaluate walks the entries three times, those that are edited once more, and those of files with
// links where any link follows a page, and all of that anew where corrected links decide merges
// (blockRounds at most); judges most of
// them once, and holds no rows; what it holds grows by five to eight bytes an entry,
// by up to 32 for each entry with extension blocks to which another leads, and by up to 24 for each
// address that links follow. It returns an error
// only where src does, and so does every walk over the result: it ends with the
// error of src where an answer could not be read, and nothing that it yielded may
// be believed then. With ctx it ends, and each walk with the one that it is given.
func Evaluate(ctx context.Context, src Source, info Info, name func(url string) string) (*Result, error) {
	return evaluateWithout(ctx, src, info, name, nil, nil)
}

// evaluateWithout is Evaluate with no corrected copy of some files; watch has each final
// row, nil for nobody.
func evaluateWithout(ctx context.Context, src Source, info Info, name func(url string) string, unwritten map[int]Unwritten, watch *observing) (*Result, error) {
	t, err := surveyed(ctx, src, info, unwritten, nil)
	for rounds := 0; err == nil && t.corrects() && rounds < blockRounds; rounds++ {
		result, err := t.result(ctx, name, nil)
		if err != nil {
			return nil, err
		}
		blocks, err := t.writtenBlocks(ctx, result)
		if err != nil {
			return nil, err
		}
		if maps.Equal(blocks, t.blocks) && watch == nil {
			return result, nil
		}
		lost := t.lost.Len()
		if t, err = surveyed(ctx, src, info, unwritten, blocks); err != nil {
			return nil, err
		}
		if t.lost.Len() >= lost {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	return t.result(ctx, name, watch)
}

// surveyed begins an evaluation: what must be known of all entries before any of them is decided.
func surveyed(ctx context.Context, src Source, info Info, unwritten map[int]Unwritten, blocks map[int]uint64) (*evaluation, error) {
	sitemaps, err := src.Sitemaps()
	if err != nil {
		return nil, err
	}
	at := firstAside(sitemaps)
	t := &evaluation{src: src, mem: NewAnswerCache(src, walkHops), mems: sync.Pool{New: func() any { return NewAnswerCache(src, walkHops) }}, info: info, rules: &info.Rules, sitemaps: sitemaps[:at], aside: sitemaps[at:], exports: ofKind(sitemaps[at:], KindSearchConsole), unwritten: maps.Clone(unwritten), blocks: blocks}
	if t.unwritten == nil {
		t.unwritten = map[int]Unwritten{}
	}
	for _, n := range info.Outdated {
		t.unwritten[n] = UnwrittenOutdated
	}
	t.rules.Doubts = nil
	for i := range t.sitemaps {
		t.rules.Doubts = append(t.rules.Doubts, t.sitemaps[i].doubts())
		if t.sitemaps[i].WrongSum() {
			t.unwritten[i] = UnwrittenChecksum
		}
	}
	if t.expects, err = newExpecting(ctx, t, ofKind(t.aside, KindExpect)); err != nil {
		return nil, err
	}
	return t, t.survey(ctx)
}

// result ends an evaluation, and is called once.
func (t *evaluation) result(ctx context.Context, name func(url string) string, watch *observing) (_ *Result, err error) {
	if t.also, err = newAlso(ctx, t, t.aside); err != nil {
		return nil, err
	}
	kept := t.linked.Len()
	if t.also.edits {
		kept = 0
	}
	joins, err := newJoining(ctx, t)
	if err != nil {
		return nil, err
	}
	result := &Result{Info: t.info, links: t.link, permits: t.rules.Permits}
	result.withhold = func(ctx context.Context, more map[int]Unwritten) (*Result, error) {
		all := maps.Clone(more)
		maps.Copy(all, t.unwritten)
		return evaluateWithout(ctx, t.src, t.info, name, all, nil)
	}
	result.rows = func(ctx context.Context, file int) iter.Seq2[*Row, error] {
		return t.finals(ctx, result.Files[file].Sitemap.N, t.judged)
	}
	result.edits = func(ctx context.Context, file int) iter.Seq2[*Row, error] {
		return t.finals(ctx, result.Files[file].Sitemap.N, t.brief)
	}
	for i := range t.sitemaps {
		result.Files = append(result.Files, t.file(i, name))
		if p := &t.plans[i]; !p.idle && p.dest.url != "" && p.dest.unknown {
			result.unasked = append(result.unasked, p.dest.url)
		}
	}
	if err := t.count(ctx, result, joins, watch); err != nil {
		return nil, err
	}
	leaves := result.Counts.Actions[Drop]+result.Counts.Actions[Merge] > 0 // with what it names
	result.editsLinks = t.linked.Len() > kept || leaves && kept > 0
	result.Files = slices.DeleteFunc(result.Files, func(f File) bool { return f.Earlier() })
	result.replacesChildren()
	if err := joins.join(ctx, result); err != nil {
		return nil, err
	}
	if err := t.expects.join(ctx, result); err != nil {
		return nil, err
	}
	return result, t.src.Err()
}

// evaluation is the state of one Evaluate, kept for its rows.
type evaluation struct {
	src      Source
	mem      Answers   // src, for the goroutine of the caller
	mems     sync.Pool // of the same, for the goroutines that judge
	info     Info
	rules    *Rules
	sitemaps []Sitemap // of the site
	exports  []Sitemap // lists of reported addresses
	// ends counts the distinct entries that redirect, or name a canonical, with
	// path among their reasons, by where they end; up to collapseAt, and only
	// where that may be reached.
	ends     sketch.Numbers
	gathered map[uint64]bool    // ends that gather too many entries
	wavers   map[readKind]bool  // kinds of edits of which too many vary
	endings  map[string]*ending // by origin, of those that ended otherwise than they were before
	down     bool               // one of them is
	formers  formers            // where the old addresses of what is not found lead, and what no sitemap lists
	repeated sketch.Set         // entries whose address an earlier one lists, by N
	plain    sketch.Set         // entries of which there is nothing to say, by N
	plainFix Fix                // theirs
	outcomes outcomes           // of the others
	plans    []plan
	causes   Causes
	merged   sketch.Set // entries that are merged, by N
	joined   sketch.Set // those of them whose address no entry lists today
	lost     sketch.Set // entries that are not, for what would be lost
	unsure   sketch.Set // entries whose replacement may be listed by a sitemap that was not read
	// translated are entries whose replacement is called by another language.
	translated sketch.Set
	out        sketch.Set     // entries that are taken out, by N; but what is no address
	linked     sketch.Numbers // addresses whose links are edited, or leave with their entries -> N of the last of them; empty where no file has links
	linkFixes  map[uint32]namedFix
	labels     labels
	also       *alsoJudging
	expects    *expecting // nil without a map
	unwritten  map[int]Unwritten
	aside      []Sitemap // lists that are no file
	// blocks are Entry.Ext as written, by N, of entries that a merge may concern and of which that
	// differs.
	blocks    map[int]uint64
	mergeable [2]sketch.Set // these entries, where some are lost
}

func (t *evaluation) entries(ctx context.Context, file int) iter.Seq2[Entry, error] {
	s := &t.sitemaps[file]
	return t.src.Entries(ctx, s.First, s.First+s.Entries)
}

// walkFile is walk of a file.
func (t *evaluation) walkFile(ctx context.Context, file int, judge judger) iter.Seq2[*Row, error] {
	return t.walk(t.entries(ctx, file), t.sitemaps[file].Entries, judge)
}

// judge is Judge of what is remembered.
func (t *evaluation) judge(row *Row, mem Answers, e Entry) {
	row.Judge(mem, e, t.rules, Want{Recheck: true, Last: !t.info.Ended.IsZero()})
}

// judged makes the row of an entry with what the whole audit decides; what its
// file decides is still to come.
func (t *evaluation) judged(row *Row, mem Answers, e Entry) {
	if t.plain.Has(e.N) && row.follow(mem, e, t.rules) {
		row.Verdict, row.Fix = OK, t.plainFix
	} else if !t.outcomes.judge(row, mem, e, t.rules) {
		t.judge(row, mem, e)
	}
	t.inAll(row)
}

// inAll adds to a row what the whole audit decides.
func (t *evaluation) inAll(r *Row) {
	if t.repeated.Has(r.Entry.N) {
		r.note(Duplicate)
	}
	if r.Fix.Action == Replace {
		if n, _ := t.ends.Get(sketch.Hash(r.Fix.Loc)); n >= collapseAt || r.collapses(&t.ends) {
			if r.adds() == "" {
				r.stop(Collapsed, t.rules)
			} else {
				r.stop(Session, t.rules)
			}
		}
	}
	t.holdWavering(r)
	t.holdLate(r)
	t.holdFormer(r)
	if len(t.gathered) == 0 {
		return
	}
	if end, ok := r.gathers(); ok && t.gathered[end] && r.stop(Collapsed, t.rules) {
		if r.Fix.Why = (Why{Key: whyGathered}); r.Verdict == Noncanonical && r.Trail.direct() {
			r.Fix.Why.Key = whyUnlike
		}
	}
}

// stop keeps an entry that would have been replaced, for a rule of what may be
// written. It reports whether it does: where the rule is lifted, the policy says so.
func (r *Row) stop(n Note, rules *Rules) bool {
	if rules.Lift[n] {
		r.Fix.Policy = liftedBy(n)
		return false
	}
	r.note(n)
	r.Fix = Fix{Action: Keep, Policy: r.Fix.Policy, Why: whyNote(n)}
	return true
}

// finals yields the final rows of a file; judged makes one of an entry. A row is the caller's until
// the next.
func (t *evaluation) finals(ctx context.Context, file int, judged judger) iter.Seq2[*Row, error] {
	final := func(row *Row, mem Answers, e Entry) {
		judged(row, mem, e)
		t.apply(file, row)
	}
	return func(yield func(*Row, error) bool) {
		for row, err := range t.walkFile(ctx, file, final) {
			if err == nil && t.sitemaps[file].Kind == KindEarlier && !row.Has(CameBack) {
				continue
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
		if err := t.src.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// file describes sitemap i as its plan leaves it; counts come with count.
func (t *evaluation) file(i int, name func(string) string) File {
	s, p := &t.sitemaps[i], &t.plans[i]
	f := File{Sitemap: *s, BelongsAt: s.AnsweredAt, Braked: p.braked, AllBraked: p.all}
	if f.Earlier() {
		return f
	}
	at := s.AnsweredAt
	if at == "" {
		at = s.URL
	}
	switch {
	case p.move == "" || p.idle || p.dest.url == "":
	case p.dest.taken:
		f.BelongsAt, f.MergeInto = "", p.dest.url
	default:
		f.BelongsAt, f.Moved, f.Unasked = p.dest.url, true, !p.dest.seen
		at = f.BelongsAt
	}
	if p.old {
		f.Alone = HeldOld
	} else if f.Alone = p.elsewhere; f.Alone == HeldElsewhere {
		f.Sitemap.Faults = append(slices.Clip(f.Sitemap.Faults), elsewhere(s.URL))
	}
	f.Name = name(at)
	if f.Alone == "" {
		f.children, f.Lasting = t.index(i)
	}
	f.Changed = len(f.children) > 0 && !s.Cut
	if why := t.unwritten[i]; why != "" {
		f.withhold(why)
	}
	if f.Changed {
		f.namesOnce()
	}
	return f
}

// TakenOut yields the entries that the audit takes out of the sitemaps, those
// that an earlier one took out, that are listed again and still not fine, and the sitemaps that it
// takes out of their indexes. Of merged entries it yields the first that were merged with another
// page. An entry that is no address is not among them. An error ends it.
func (t *Result) TakenOut(ctx context.Context) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		in := t.proving.t
		for i := range t.Files {
			s := &t.Files[i].Sitemap
			for _, row := range t.Files[i].childrenOut() {
				if !yield(row.Entry, nil) {
					return
				}
			}
			for from, to := range in.out.Stretches(s.First, s.First+s.Entries) {
				for e, err := range in.src.Entries(ctx, from, to) {
					if !yield(e, err) || err != nil {
						return
					}
				}
			}
		}
	}
}

// StillUnlisted yields the rows of addresses that an earlier audit took out and that no
// sitemap lists any more, fine again or not. An error ends it.
func (t *Result) StillUnlisted(ctx context.Context) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		in := t.proving.t
		for i := range in.sitemaps {
			if in.sitemaps[i].Kind != KindEarlier {
				continue
			}
			for e, err := range in.entries(ctx, i) {
				var row Row
				if err == nil {
					in.judged(&row, in.mem, e)
					err = in.src.Err()
				}
				if !yield(row, err) || err != nil {
					return
				}
			}
		}
	}
}

// SitemapURL returns the URL of sitemap n of the audit.
func (t *Result) SitemapURL(n int) string {
	if t.proving != nil {
		return t.proving.t.sitemaps[n].URL
	}
	for i := range t.Files { // of MakeResult
		if t.Files[i].Sitemap.N == n {
			return t.Files[i].Sitemap.URL
		}
	}
	return ""
}
