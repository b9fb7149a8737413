package hreflang

import (
	"context"
	"strings"

	"sitemend/crawler/address"
)

// join evaluates all addresses: each with its record and with the pages that it is paired with.
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

// A node is an address while its records are read.
type node struct {
	j      *joining
	key    string
	listed bool
	merged bool // its entry is merged into another
	leads  bool // it redirects by language
	wrong  kind
	heads  int // number of its own elements
	head   elementRecord
	passed bool // the links of some of them are not known (passedRecord)

	// The current pair of the node, while its records are read.
	pair pair
	// How many of its paired pages name the same addresses, and how many others.
	same, other int
	unreturned  bool // it does not name a page that names it
}

// A pair is another address: what the node's elements say of it, and what its elements say of the
// node.
type pair struct {
	key    string
	named  bool // the node names it
	codes  string
	theirs []*pairRecord // the other page's own elements that name the node, at most maxTheirs
}

// maxTheirs is how many elements of one page that name another are considered: a page normally has
// one element, or one in each sitemap that lists it.
const maxTheirs = 100

// take adds the next record.
func (n *node) take(r any) {
	switch r := r.(type) {
	case entryRecord:
		if !n.listed {
			n.listed, n.merged, n.leads, n.wrong = r.listed, r.merged, r.leads, r.wrong
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

// endPair reports the faults between the two pages of the current pair, at the links of the other
// page.
func (n *node) endPair() {
	p := &n.pair
	for _, r := range p.theirs {
		if r.codes != "" || !n.leads { // an x-default may lead to the page of a reader's language
			n.crawled(r.at, r.fix)
		}
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

// crawled reports a link whose address is no page to show.
func (n *node) crawled(at place, becomes fix) {
	wrong := n.wrong
	switch {
	case wrong == kinds || becomes == handled:
		return
	case wrong != redirects: // canonicals have a sentence of their own
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

// device reports a link for a device whose address is no page to show.
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

// notNamed reports a link to a page that does not link back. Nothing is known of pages on hosts
// that no sitemap of the audit lists. Where the page is gone and the link is removed, so is this fault.
func (n *node) notNamed(r *pairRecord) {
	n.unreturned = true
	x := finding{place: r.at, mended: n.wrong == gone && r.fix == fixed}
	switch {
	case n.passed:
	case n.listed:
		n.j.add(noReturn, x)
	case r.audited && n.j.whole:
		n.j.add(unlisted, x)
	}
}

// labels compares the language that a link gives for this page with the one that the page's own
// element gives. This needs no link back.
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

// end reports an address whose set differs from that of its paired pages.
func (n *node) end() {
	n.endPair()
	if n.heads == 1 && !n.unreturned && n.other > n.same {
		n.j.find(otherSet, n.head.at)
	}
}

// written reports whether the corrected copy of a file may have other links than the file.
func (j *joining) written(file int) bool {
	return j.result.MayChange(&j.result.Files[file])
}

// excerpt returns an address for a sentence, without a password.
func excerpt(s string) string {
	const long = 200
	s = address.Masked(s)
	if len(s) > long {
		return strings.ToValidUTF8(s[:long], "") + "..."
	}
	return s
}
