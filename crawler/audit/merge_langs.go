package audit

import (
	"context"
	"slices"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/internal/sketch"
)

// tongues are the languages by which sitemaps call pages that may be replacements.
type tongues struct {
	of    sketch.Numbers // pageHash -> place in codes, from 1
	codes []string       // the different ones, as Entry.Langs has them
}

// name takes note of what a page is called.
func (t *tongues) name(page uint64, codes string) {
	if codes == "" {
		return
	}
	at := slices.Index(t.codes, codes)
	if at < 0 && len(t.codes) < maxCodes {
		at, t.codes = len(t.codes), append(t.codes, codes)
	}
	if n, known := t.of.At(page); !known {
		*n = uint32(at + 1)
	}
}

// nameUnlisted returns what links call the replacements that no sitemap lists.
func (s *surveying) nameUnlisted(ctx context.Context) (named tongues, err error) {
	for _, list := range ofKind(s.t.aside, string(AlsoAlternates)) {
		for e, err := range s.t.src.Entries(ctx, list.First, list.First+list.Entries) {
			if err != nil {
				return named, err
			}
			a, err := e.Parse()
			if err == nil && e.Also != nil && s.targets.Has(pageHash(a)) {
				named.name(pageHash(a), e.Also.Langs)
			}
		}
	}
	return named, nil
}

// translates reports whether the sitemaps call the page that would be written for a row by other
// languages than its own: then nobody has said that it is in place of that.
func (m *merging) translates(r *Row, to address.Address) bool {
	n, _ := m.tongues.of.Get(pageHash(to))
	if n == 0 || !r.has(address.Path) && !r.has(address.Query) && !r.has(address.Host) {
		return false
	}
	own, its := languagesOf(r.Entry.Langs), languagesOf(m.tongues.codes[n-1])
	return len(own) > 0 && len(its) > 0 && !slices.ContainsFunc(own, func(code string) bool { return slices.Contains(its, code) })
}

// languagesOf returns the codes of Entry.Langs that name a language.
func languagesOf(langs string) []string {
	return slices.DeleteFunc(strings.Fields(langs), func(code string) bool { return !namesLanguage(code) })
}
