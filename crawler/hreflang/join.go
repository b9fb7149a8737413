package hreflang

import (
	"context"
	"strings"

	"sitemend/crawler/address"
)

// join goes through all addresses: for each, what is known of it, and with which it is in
// pairs.
func (j *joining) join(ctx context.Context) error {
	n := node{j: j}
	counted := 0
	for record, err := range j.shelf.Sorted() {
		if err != nil {
			return err
		}
		if counted++; counted%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if record[0] != n.key {
			n.end()
			n = node{j: j, key: record[0], wrong: kinds}
		}
		r, err := scan(record[1])
		if err != nil {
			return err
		}
		n.take(r)
	}
	n.end()
	return ctx.Err()
}

// A node is an address while its records pass.
type node struct {
	j      *joining
	key    string
	listed bool
	merged bool // its entry is
	wrong  kind
	heads  int // elements of its own
	head   elementRecord
	passed bool // it is not known what all of them name

	// The page that is in a pair with it, while its records pass.
	pair pair
	// How many of the pages with which it is in a pair name the same addresses, and others.
	same, other int
	unreturned  bool // a page that names it is not named by it
}

// A pair is another address: what this one says of it, and what it says of this one.
type pair struct {
	key    string
	named  bool // this one names it
	codes  string
	theirs []*pairRecord // few: the other page's own elements that name this one
}

// maxTheirs is how many elements of one page are looked at that name another: a page is in
// one element, or in one of each sitemap that lists it.
const maxTheirs = 100

// take takes the next record.
func (n *node) take(r any) {
	switch r := r.(type) {
	case entryRecord:
		if !n.listed {
			n.listed, n.merged, n.wrong = r.listed, r.merged, r.wrong
		}
	case elementRecord:
		if n.heads++; n.heads == 1 || r.at.compare(n.head.at) < 0 {
			n.head = r
		}
	case passedRecord:
		n.passed = true
	case deviceRecord:
		n.device(r)
	case selfRecord:
		if !n.merged {
			n.crawled(r.at, r.fix)
		}
	case *pairRecord:
		if r.other != n.pair.key {
			n.endPair()
			n.pair = pair{key: r.other}
		}
		if !r.theirs {
			n.pair.named = true
			n.pair.codes = r.codes
		} else if len(n.pair.theirs) < maxTheirs {
			n.pair.theirs = append(n.pair.theirs, r)
		}
	}
}

// endPair says what is wrong between two pages, at the links of the other one.
func (n *node) endPair() {
	p := &n.pair
	for _, r := range p.theirs {
		n.crawled(r.at, r.fix)
		n.labels(r)
		if !p.named {
			n.notNamed(r)
			continue
		}
		if r.set == n.head.set {
			n.same++
		} else {
			n.other++
		}
	}
}

// crawled says of a link that what it names is no page to show.
func (n *node) crawled(at place, becomes fix) {
	wrong := n.wrong
	switch {
	case wrong == kinds || becomes == handled:
		return
	case wrong != redirects: // of a canonical its own sentence says enough
	case becomes == heldLanguage:
		wrong = toOtherLanguage
	case becomes == heldDisputed:
		wrong = toDisputed
	}
	n.j.add(wrong, finding{place: at, mended: becomes == fixed})
}

// deviceKinds are the kinds of a link for a device. Such a page names the one for all as its
// canonical (Search Central, "Mobile site and mobile-first indexing best practices").
var deviceKinds = map[kind]kind{redirects: deviceRedirects, gone: deviceGone,
	blocked: deviceBlocked, noindex: deviceNoindex}

// device says of a link for a device that what it names is no page to show.
func (n *node) device(r deviceRecord) {
	wrong, is := deviceKinds[n.wrong]
	if !is || r.fix == handled {
		return
	}
	switch r.fix {
	case heldSelf:
		wrong = deviceBack
	case heldListed:
		wrong = deviceListed
	}
	n.j.add(wrong, finding{place: r.at, mended: r.fix == fixed})
}

// notNamed says of a link that the page that it names does not name its own. Of pages on
// hosts that no sitemap of the audit lists nobody knows.
func (n *node) notNamed(r *pairRecord) {
	n.unreturned = true
	switch {
	case n.passed:
	case n.listed:
		n.j.find(noReturn, r.at)
	case r.audited && n.j.whole:
		n.j.find(unlisted, r.at)
	}
}

// labels compares what a link says of the language of this page with what the page says itself,
// which needs no link back.
func (n *node) labels(r *pairRecord) {
	self, mine, their := n.head.own, n.pair.codes, r.own
	switch {
	case self == "" || r.codes == "" || self == r.codes:
	case self == their && r.codes == mine:
		n.j.find(swapped, r.at, r.codes, self)
	default:
		n.j.find(otherLabel, r.at, r.codes, self)
	}
}

// end says of an address that its set is not that of the others.
func (n *node) end() {
	n.endPair()
	if n.heads == 1 && !n.unreturned && n.other > n.same {
		n.j.find(otherSet, n.head.at)
	}
}

// written reports whether the corrected copy of a file may have other links than the file.
func (j *joining) written(file int) bool {
	f, info := &j.result.Files[file], &j.result.Info
	return f.Unwritten == "" && !f.Sitemap.Cut && !info.Partial && !info.NoFetch
}

// excerpt is an address for a sentence, without its password.
func excerpt(s string) string {
	const long = 200
	s = address.Masked(s)
	if len(s) > long {
		return strings.ToValidUTF8(s[:long], "") + "..."
	}
	return s
}
