package audit

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"sitemend/crawler/address"
	"sitemend/crawler/internal/sketch"
)

// Reported is what a search engine says of an address, as an export has it.
type Reported struct {
	Is      bool   // the entry is one of an export
	Reason  Label  // why it is reported, "" where the export does not say
	Crawled string // when it was last crawled, as the export has it; "" for never and unknown
}

// suspect reports whether the second spelling of a reported address is requested in any case: the report may
// be about a redirect of that.
func (r *Reported) suspect() bool {
	_, known := labels[r.Reason]
	return r.Is && !known
}

// A ReportedRow is one address of an export, judged.
type ReportedRow struct {
	// Row is the address judged like an entry. No sitemap is written from it:
	// its Fix means nothing.
	Row
	// Upshot is what it comes to; To is the address that this names, "" where it names none.
	Upshot Upshot
	To     string
	// Listed is the address as a sitemap lists it, in wire form: in another spelling perhaps, "" where
	// none lists it. Sitemaps are the URLs of the files that do, at most 20.
	Listed   string
	Sitemaps []string
	// Kept is set where a sitemap lists it and it needs a decision; Stop is the rule that kept it from
	// being edited, "" for none.
	Kept bool
	Stop Note
}

// spelled reports whether a sitemap lists the address, though in another spelling.
func (r *ReportedRow) spelled() bool { return r.Listed != "" && r.Listed != r.Address.String() }

// SearchConsole adds up the addresses of an audit's exports.
type SearchConsole struct {
	Addresses int
	OtherSite int       // of a site that is not audited: not asked
	Exports   []Sitemap // the lists of their addresses, one a file
	// NoSitemap is set where no sitemap was read, Unread counts those that could
	// not be read whole: what they list is not known.
	NoSitemap bool
	Unread    int
	Upshots   map[Upshot]int // what the addresses come to
	// Rows yields the addresses of the exports in their order. What a row holds is the caller's until
	// the next. It may be ranged over again. An error ends it, and so does ctx.
	Rows func(ctx context.Context) iter.Seq2[ReportedRow, error] `json:"-"`
}

// joining finds the addresses of exports among the entries, in one walk over
// the final rows: by hashes of their addresses, so that memory grows with the
// exports and with what is found, not with the sitemaps.
type joining struct {
	t        *Plan
	exports  []Sitemap
	listings map[uint64]*listing // nil where an address is reported, and was not found
}

// A listing is what the sitemaps say of a reported address. If several entries list it, the one counts that
// needs a person most.
type listing struct {
	group Group
	stop  Note // the rule that kept the entry from being edited, "" for none
	// written is the address that replaces the entry, listed the entry's own.
	written, listed string
	files           []int32
}

// maxFilesOf is how many files are named that list one address.
const maxFilesOf = 20

func (j *joining) know(_ *Entry, a address.Address) {
	for _, key := range j.keys(a) {
		j.listings[key] = nil
	}
}

// keys are those under which an address is found: its own, and one under which all its spellings meet.
func (j *joining) keys(a address.Address) [2]uint64 {
	return [2]uint64{sketch.Hash(a.String()), sketch.Hash("~" + j.t.rules.Second(a).String())}
}

// urgency orders the groups of entries that list one address.
var urgency = []Group{LeftOut, Fine, OtherSpelling, NotChecked, TakenOut, Corrected, NeedsDecision}

// see looks whether an entry's final row is reported.
func (j *joining) see(r *Row) {
	if r.Address.IsZero() {
		return
	}
	for _, key := range j.keys(r.Address) {
		l, reported := j.listings[key]
		if !reported {
			continue
		}
		if l == nil {
			l = &listing{}
			j.listings[key] = l
		}
		if g := r.Group(); slices.Index(urgency, g) > slices.Index(urgency, l.group) {
			l.group, l.stop, l.listed, l.written = g, r.Fix.Stop, r.Address.String(), r.Fix.Loc
		}
		if file := int32(r.Entry.Sitemap); len(l.files) < maxFilesOf && !slices.Contains(l.files, file) {
			l.files = append(l.files, file)
		}
	}
}

// rows yields the reported addresses, classified. It may be walked while rows of
// files are. What a row holds is the caller's until the next.
func (j *joining) rows(ctx context.Context) iter.Seq2[ReportedRow, error] {
	return rowsAs(j.t.rows(ctx, j.exports, nil, j.t.judge), func(row *Row) ReportedRow {
		r := ReportedRow{Row: *row}
		var at *listing
		if !r.Address.IsZero() {
			keys := j.keys(r.Address)
			at = cmp.Or(j.listings[keys[0]], j.listings[keys[1]])
		}
		if at != nil {
			r.Listed, r.Kept, r.Stop = at.listed, at.group == NeedsDecision, at.stop
			for _, n := range at.files {
				r.Sitemaps = append(r.Sitemaps, j.t.sitemaps[n].URL)
			}
		}
		r.Upshot, r.To = r.decide(at, j.t.rules, j.t.info.Partial)
		return r
	})
}

// join adds the exports to the result.
func (j *joining) join(ctx context.Context, result *Result) error {
	sc := &SearchConsole{Exports: j.exports, NoSitemap: true, Upshots: map[Upshot]int{}, Rows: j.rows}
	for _, f := range result.Files {
		sc.NoSitemap = sc.NoSitemap && (f.Sitemap.Kind == "" || f.Sitemap.Kind == "index")
		if !f.Sitemap.Whole() {
			sc.Unread++
		}
	}
	for r, err := range j.rows(ctx) {
		if err != nil {
			return err
		}
		sc.Addresses++
		sc.Upshots[r.Upshot]++
		if r.Entry.Skip == SkipSite {
			sc.OtherSite++
		}
	}
	result.SearchConsole = sc
	return nil
}

// An Upshot is what a reported address comes to, for whoever works on the site.
type Upshot string

// The upshots. Every address of an export has exactly one.
const (
	UpshotFixed   Upshot = "fixed"       // the corrected sitemap does not list it any more: in its place To, where that is one
	UpshotDecide  Upshot = "decide"      // a sitemap lists it, and it needs a decision or a repair
	UpshotServer  Upshot = "server"      // right as listed: the server answers To, another spelling of it, otherwise
	UpshotBroken  Upshot = "broken"      // no sitemap lists it, and it leads to no page, or to To, which is none in its place
	UpshotAnswers Upshot = "answers"     // it answers 200 to us: what is reported does not show
	UpshotUnseen  Upshot = "not-checked" // nobody saw what Google sees
	UpshotNothing Upshot = "nothing"     // nothing is to be done about it; it may redirect to To
)

// Upshots returns all upshots in the order in which they are reported.
func Upshots() []Upshot {
	return []Upshot{UpshotFixed, UpshotDecide, UpshotServer, UpshotBroken, UpshotAnswers, UpshotUnseen, UpshotNothing}
}

// decide says what a reported address comes to, and which address that names. at is nil where no
// sitemap lists it; partial is set where no sitemap is written.
func (r *ReportedRow) decide(at *listing, rules *Rules, partial bool) (u Upshot, to string) {
	reason, v, spelled := r.Entry.Reported.Reason, r.Verdict, r.spelled()
	hidden, known := labels[reason]
	listed := at != nil && !(spelled && (v == Disallowed || v == Noncanonical && r.named.String() == r.Listed)) // else as if none listed it
	switch away := v.Facts().Leads == LeadAway; {
	case v == Unverified, v == Skipped:
		return UpshotUnseen, ""
	case listed && !spelled && (v == SpellingBounce && !known || v == SpellingConflict && !hidden):
		return UpshotServer, rules.Second(r.Address).String()
	case r.fine() && hidden:
		return UpshotAnswers, ""
	case r.fine():
		return UpshotNothing, ""
	case listed && !partial && (at.group == Corrected || at.group == TakenOut):
		return UpshotFixed, at.written
	case listed && (!spelled || at.group == NeedsDecision):
		return UpshotDecide, ""
	case listed:
		return UpshotServer, r.Listed
	case away && (reason == LabelSoft404 || r.has(targetIs(Soft404))):
		return UpshotBroken, r.Final.String()
	case away:
		return UpshotNothing, r.Final.String()
	case v == Disallowed && (reason != LabelRobots || spelled):
		return UpshotUnseen, ""
	case v == Disallowed, v == Noindex, v == Noncanonical:
		return UpshotNothing, ""
	}
	return UpshotBroken, ""
}
