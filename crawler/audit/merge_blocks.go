package audit

import (
	"context"
	"errors"
	"io/fs"
)

// blocks are the extension blocks of an entry, as Entry.Ext has them: as listed, and as they stand
// in the corrected sitemap, where what they name is corrected.
type blocks struct{ listed, written uint64 }

// blocksOf returns those of an entry.
func (t *evaluation) blocksOf(e *Entry) blocks {
	written, ok := t.blocks[e.N]
	if !ok {
		written = e.Ext
	}
	return blocks{e.Ext, written}
}

// in reports whether an entry with blocks b says nothing that one with by does not say, now or in
// the corrected sitemaps: where the images of two pages moved to one place, these are the same
// afterwards.
func (b blocks) in(by blocks) bool {
	return b.listed == 0 || b.written == 0 || sameBlocks(b.listed, by.listed) ||
		sameBlocks(b.written, by.written)
}

// blockRounds bounds how often an audit is evaluated for what merges make the same: an entry that
// is merged may make others the same, whose alternates name it. Two translations of a page need
// one round.
const blockRounds = 4

// corrects reports whether entries are lost, and their blocks may be corrected.
func (t *evaluation) corrects() bool {
	if t.lost.Len() == 0 || t.rules.Sets == nil || t.info.Partial || t.info.NoFetch {
		return false
	}
	for i := range t.sitemaps {
		if t.sitemaps[i].Links {
			return true
		}
	}
	for i := range t.aside {
		if l := AlsoList(t.aside[i].Kind); l == AlsoImages || l == AlsoVideos {
			return true
		}
	}
	return false
}

// writtenBlocks returns evaluation.blocks as result writes them, which is that of t. What is not
// kept any more, or not written, stays as it is listed.
func (t *evaluation) writtenBlocks(ctx context.Context, result *Result) (map[int]uint64, error) {
	all := map[int]uint64{}
	if !result.EditsLinks() {
		return t.blocks, nil
	}
	for i := range result.Files {
		f := &result.Files[i]
		s := &f.Sitemap
		if s.Spool == "" || !result.MayChange(f) || !t.concerns(s) {
			continue
		}
		n, last := s.First, s.First+s.Entries
		exts := make(map[int]uint64)
		for ext, err := range t.rules.Sets.Written(ctx, result, i) {
			if errors.Is(err, fs.ErrNotExist) {
				break
			}
			if err != nil {
				return nil, err
			}
			if n < last && t.mayMerge(n) {
				exts[n] = ext
			}
			n++
		}
		if n != last { // not the file that was audited
			continue
		}
		for e, err := range t.src.Entries(ctx, s.First, last) {
			if err != nil {
				return nil, err
			}
			if ext, ok := exts[e.N]; ok && ext != e.Ext {
				all[e.N] = ext
			}
		}
	}
	return all, nil
}

// mayMerge reports whether a merge may concern an entry: it has a replacement, or may be one.
func (t *evaluation) mayMerge(n int) bool { return t.mergeable[0].Has(n) || t.mergeable[1].Has(n) }

// concerns reports whether a merge may concern an entry of a sitemap.
func (t *evaluation) concerns(s *Sitemap) bool {
	for _, set := range t.mergeable {
		for range set.Stretches(s.First, s.First+s.Entries) {
			return true
		}
	}
	return false
}
