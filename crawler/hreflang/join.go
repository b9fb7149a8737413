package hreflang

import (
	"context"

	"sitemend/crawler/ground"
)

// join evaluates all addresses.
func (j *joining) join(ctx context.Context) error {
	n := node{j: j, wrong: kinds}
	for record, err := range ground.Until(ctx, j.sorter.Sorted()) {
		if err != nil {
			return err
		}
		if record[0] != n.key {
			n = node{j: j, key: record[0], wrong: kinds}
		}
		if err := n.take(record[1]); err != nil {
			return err
		}
	}
	return nil
}

// A node is an address while its records are read.
type node struct {
	j      *joining
	key    string
	wrong  kind
	leads  bool // it redirects by language
	listed bool
	passed bool
	names  string // the last page that it names
	by     place  // the last link that names it
	asked  string // the page of that
}

// take adds the next record.
func (n *node) take(record string) error {
	switch {
	case len(record) == 3 && record[0] == isWrong:
		n.wrong, n.leads = kind(record[1]), record[2]&byLanguage != 0
	case record == string(isListed):
		n.listed = true
	case record == string(isPassed):
		n.passed = true
	case len(record) > 2 && record[0] == isNamed:
		at, err := placeOf(record[2:])
		n.named(at, record[1])
		return err
	case len(record) > 9 && record[0] == isPair && record[9] == ours:
		n.names = record[1:9]
	case len(record) > 9 && record[0] == isPair && record[9] == theirs:
		at, err := placeOf(record[10:])
		n.namedBy(record[1:9], at)
		return err
	default:
		return errRecord
	}
	return nil
}

// named reports a link whose address is no page to show. A page for a kind of device names the one
// for all as its canonical (Search Central, "Mobile site and mobile-first indexing best practices").
func (n *node) named(at place, bits byte) {
	switch {
	case n.wrong >= kinds, bits&forAnyone != 0 && n.leads, bits&forDevice != 0 && n.wrong == otherCanonical:
	default:
		n.j.find(n.wrong, finding{place: at, mended: bits&mended != 0})
	}
}

// namedBy reports a link to a page that is listed and does not link back; of several links of an
// element to the page the first.
func (n *node) namedBy(page string, at place) {
	again := n.asked == page && n.by.file == at.file && n.by.element == at.element
	n.asked, n.by = page, at
	if n.listed && !n.passed && n.names != page && !again {
		n.j.find(noReturn, finding{place: at})
	}
}
