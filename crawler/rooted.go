package crawler

import (
	"context"
	"maps"
	"slices"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/crawler/discover"
)

// learn adds to the rules what the discovery learned about the site; failed is the error of the
// discovery, and is returned.
func (c *Crawler) learn(ctx context.Context, d *discover.Options, failed error) (err error) {
	if c.o.Ask.HasSecrets() {
		c.o.Rules.Secret = d.Audited.Origins()
	}
	if failed != nil {
		return failed
	}
	if c.o.Rules.Rooted, err = rooted(ctx, c.store); err != nil {
		return err
	}
	r := &c.o.Rules
	r.Sections, r.PlainSections, err = audit.Sections(c.store.Entries(ctx, 0, c.store.EntryCount()), len(r.Secret) > 0, d.Last)
	return err
}

// maxRoots limits the beginnings of addresses that rooted remembers.
const maxRoots = 1 << 16

// maxRootSegment is the length of the longest first segment that names a root, or more.
const maxRootSegment = 32

// rooted returns what the entries show about the languages of their sites, sorted
// (audit.Rules.Rooted).
func rooted(ctx context.Context, store Store) ([]string, error) {
	seen := map[string]bool{} // beginnings, up to the first segment, that named a root
	roots := map[string]bool{}
	for e, err := range store.Entries(ctx, 0, store.EntryCount()) {
		if err != nil {
			return nil, err
		}
		if e.Also.File() {
			continue
		}
		_, rest, _ := strings.Cut(e.Loc, "://")
		_, path, _ := strings.Cut(rest, "/")
		segment := path
		if end := strings.IndexAny(path, "/?#"); end >= 0 {
			segment = path[:end]
		}
		if n := len(segment); n < 2 || n > maxRootSegment {
			continue
		}
		begin := e.Loc[:len(e.Loc)-len(path)+len(segment)]
		if seen[begin] || len(seen) == maxRoots {
			continue
		}
		if root, ok := audit.LanguageRoot(e.Loc); ok {
			seen[strings.Clone(begin)], roots[root] = true, true
		}
	}
	return slices.Sorted(maps.Keys(roots)), nil
}
