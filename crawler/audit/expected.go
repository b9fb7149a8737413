package audit

import (
	"context"
	"iter"
	"slices"
	"strconv"

	"sitemend/crawler/address"
)

// KindExpect is the Kind of a list that is no file of the site: the old addresses of a map
// (--expect), by the name of that file. They are crawled with the others; no count of entries
// and no sitemap knows of them.
const KindExpect = "expect"

// Expected is what a map says of an old address.
type Expected struct {
	Is bool // the entry is a line of a map
	// To is where the address must lead, in wire form; "" where it must be gone.
	To string
	// Wild is set where the line has a * at the end of its old address: Loc is what stands
	// before, ":splat" in To is what the * stands for, and nothing is requested for the line.
	Wild bool
}

// An Unmet is why an expectation is not met, in one word; "" where it is.
type Unmet string

// The reasons, in the order in which they are looked for. Of several that hold the first is
// told.
const (
	UnmetUnverified   Unmet = "unverified"          // nobody saw where it leads
	UnmetNotFound     Unmet = "not-found"           // 404 or 410, not at the expected address
	UnmetNoRedirect   Unmet = "not-redirected"      // it answers itself
	UnmetTarget       Unmet = "wrong-target"        // it leads elsewhere, or nowhere
	UnmetNot200       Unmet = "target-not-200"      // the expected address does not answer 200 at once
	UnmetNoindex      Unmet = "target-noindex"      // its page says noindex
	UnmetNoncanonical Unmet = "target-noncanonical" // its page names another canonical
	UnmetDisallowed   Unmet = "target-disallowed"   // robots.txt forbids it
	UnmetTemporary    Unmet = "temporary"           // a redirect on the way is temporary
	UnmetHops         Unmet = "hops"                // two redirects or more; as a text hops-2, hops-3 ...
	UnmetSpelling     Unmet = "spelling"            // right but for the encoding of the address
)

// Unmets returns the reasons in their order.
func Unmets() []Unmet {
	return []Unmet{UnmetUnverified, UnmetNotFound, UnmetNoRedirect, UnmetTarget, UnmetNot200, UnmetNoindex,
		UnmetNoncanonical, UnmetDisallowed, UnmetTemporary, UnmetHops, UnmetSpelling}
}

// An Expectation is a line of a map held against what was seen of one address.
type Expectation struct {
	Line int             // of the map, from 1
	To   address.Address // zero: it must be gone
	Why  Unmet           // "" where it is met
	Hops int             // redirects that were followed
}

// Met reports whether the address leads where it should.
func (x *Expectation) Met() bool { return x.Why == "" }

// Word is the reason as outputs have it: hops-2 for two redirects, "" where it is met.
func (x *Expectation) Word() string {
	if x.Why == UnmetHops {
		return string(UnmetHops) + "-" + strconv.Itoa(x.Hops)
	}
	return string(x.Why)
}

// expectation holds a row against where its address must lead.
func (r *Row) expectation(line int, to address.Address) Expectation {
	x := Expectation{Line: line, To: to, Hops: r.Trail.Redirects()}
	if to.IsZero() {
		x.Why = r.notGone()
	} else {
		x.Why = r.unmet(to)
	}
	return x
}

// notGone says why an address that must be gone is not.
func (r *Row) notGone() Unmet {
	switch {
	case r.Verdict == NotFound:
		return ""
	case r.unknown():
		return UnmetUnverified
	case r.Trail.Redirects() > 0:
		return UnmetTarget
	}
	return UnmetNoRedirect
}

// unknown reports whether nobody saw where the row leads: it was not crawled, gave no answer
// that says what a search engine sees, or robots.txt forbids it or an address on its way.
func (r *Row) unknown() bool {
	return r.Verdict == Unverified || r.Verdict == Skipped || r.Verdict == Disallowed || r.Verdict == Invalid || len(r.Trail.Steps) == 0
}

// unmet says why an address does not lead to another one as it should.
func (r *Row) unmet(to address.Address) Unmet {
	at, exact := r.reaches(to)
	last := len(r.Trail.Steps) - 1
	switch {
	case r.unknown() && !(r.Verdict == Disallowed && at > 0 && at == last):
		return UnmetUnverified
	case at < 0 && r.Verdict == NotFound:
		return UnmetNotFound
	case r.Trail.Redirects() == 0:
		return UnmetNoRedirect
	case at < 0:
		return UnmetTarget
	case r.Trail.End == EndForbidden:
		return UnmetDisallowed
	case at != last || r.Trail.End != EndAnswer || !answers200(r.Status):
		return UnmetNot200
	}
	hop := &r.Trail.Steps[last].Hop
	named := canonical(address.Wire(hop.URL), &hop.Page)
	switch {
	case hop.Page.Noindex():
		return UnmetNoindex
	case !named.IsZero() && named.String() != hop.URL && named != to:
		return UnmetNoncanonical
	case hop.Forbidden != "":
		return UnmetDisallowed
	case r.Trail.temporary():
		return UnmetTemporary
	case r.Trail.Redirects() > 1:
		return UnmetHops
	case !exact:
		return UnmetSpelling
	}
	return ""
}

// reaches returns the step of the trail that is the expected address, behind the first: as
// expected, else in another spelling; -1 for none.
func (r *Row) reaches(to address.Address) (step int, exact bool) {
	step = -1
	for i := 1; i < len(r.Trail.Steps); i++ {
		at := address.Wire(r.Trail.Steps[i].Hop.URL)
		switch {
		case at == to:
			return i, true
		case address.OnlyEncoding(address.Compare(at, to)):
			step = i
		}
	}
	return step, false
}

// leadsToPage reports whether an address that no line of a map names leads to a page all the
// same: it answers 200 itself, or a redirect leads to another page.
func (r *Row) leadsToPage() bool {
	switch r.Verdict {
	case Homepage, Soft404:
		return false
	}
	return r.Trail.End == EndAnswer && answers200(r.Status)
}

// An ExpectedRow is an address that a map says something of, or a forgotten one.
type ExpectedRow struct {
	// Row is the address judged like an entry. What becomes of sitemaps is not said in it.
	Row
	// Expectation is zero where Forgotten is set: a sitemap lists the address, and no line
	// of the map names it.
	Expectation
	Forgotten bool
	// Suggestion is the page that the address most likely became; zero for none. Similarity is
	// from 0 to 1.
	Suggestion address.Address
	Similarity float64
}

// An ExpectedList adds up what becomes of the addresses of a map.
type ExpectedList struct {
	Name      string         // of the file
	Faults    []SitemapFault // lines that say nothing, or that others come before
	Addresses int            // old addresses that were held against the map
	Met       int
	Why       map[Unmet]int // of those that are not met
	Suggested int           // those of UnmetNotFound with a suggestion
	// Forgotten are in a sitemap that lists old addresses and in no line of the map;
	// ForgottenSuggested of these have a suggestion.
	Forgotten, ForgottenSuggested int
	// Rows yields the old addresses of the map in its order, then those of sitemaps that fall under
	// a line with *, then what was forgotten. What a row holds is the caller's until the next. It may
	// be ranged over again. An error ends it, and so does ctx.
	Rows func(ctx context.Context) iter.Seq2[ExpectedRow, error] `json:"-"`
}

// Unmet is how many expectations are not met.
func (x *ExpectedList) Unmet() int { return x.Addresses - x.Met }

// maxSuggestions bounds for how many addresses a suggestion is looked for.
const maxSuggestions = 20_000

// Add counts a row.
func (x *ExpectedList) Add(r *ExpectedRow) {
	suggested := 0
	if !r.Suggestion.IsZero() {
		suggested = 1
	}
	if x.Why == nil {
		x.Why = map[Unmet]int{}
	}
	switch {
	case r.Forgotten:
		x.Forgotten++
		x.ForgottenSuggested += suggested
		return
	case r.Met():
		x.Met++
	case r.Why == UnmetNotFound:
		x.Suggested += suggested
		fallthrough
	default:
		x.Why[r.Why]++
	}
	x.Addresses++
}

// firstAside returns the place of the first list that is no file of the site: what sitemaps
// name beside their entries, and the addresses of exports and of a map, are read last.
func firstAside(sitemaps []Sitemap) int {
	at := slices.IndexFunc(sitemaps, func(s Sitemap) bool { return !s.Listed() && s.Kind != KindEarlier })
	if at < 0 {
		return len(sitemaps)
	}
	return at
}

// ofKind returns the lists of a kind.
func ofKind(sitemaps []Sitemap, kind string) (out []Sitemap) {
	for _, s := range sitemaps {
		if s.Kind == kind {
			out = append(out, s)
		}
	}
	return out
}
