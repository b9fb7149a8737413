package audit

import (
	"context"
	"slices"
	"strings"

	"sitemend/crawler/internal/sketch"
)

// labels are the languages by which the pages call themselves that links are to follow: what
// Entry.Langs says of them, in 16 to 24 bytes for each such page.
type labels struct {
	of     sketch.Numbers // the addresses -> place in codes; 0 for those that say nothing
	codes  []string       // as Entry.Langs; the first is ""
	places map[string]uint32
	size   int // bytes of codes
	read   int // how many addresses the entries were read for
}

// Bounds of what is kept: a page is listed with a few codes, and most pages with the same ones. What
// goes beyond says nothing more of a page.
const (
	maxCodes  = 200     // of a page
	maxLabels = 1 << 20 // bytes of all codes
)

// want takes note of an address that a link is to follow.
func (l *labels) want(loc string) { l.of.At(sketch.Hash(wireOf(loc))) }

// at returns the languages of an address; "" where it says nothing.
func (l *labels) at(loc string) string {
	n, ok := l.of.Get(sketch.Hash(wireOf(loc)))
	if !ok || n == 0 {
		return ""
	}
	return l.codes[n]
}

// add adds to what an address says of itself: it may be listed several times.
func (l *labels) add(hash uint64, langs string) {
	if _, wanted := l.of.Get(hash); !wanted {
		return
	}
	n, _ := l.of.At(hash)
	if *n != 0 {
		codes := append(strings.Fields(l.codes[*n]), strings.Fields(langs)...)
		slices.Sort(codes)
		if codes = slices.Compact(codes); len(codes) > maxCodes {
			return
		}
		langs = strings.Join(codes, " ")
	}
	place, known := l.places[langs]
	if !known {
		if l.size+len(langs) > maxLabels {
			return
		}
		if l.places == nil {
			l.places, l.codes = map[string]uint32{}, []string{""}
		}
		place = uint32(len(l.codes))
		l.places[langs], l.codes, l.size = place, append(l.codes, langs), l.size+len(langs)
	}
	*n = place
}

// readLabels looks up what the wanted pages call themselves, where any was wanted since the last
// time.
func (t *evaluation) readLabels(ctx context.Context) error {
	if t.labels.of.Len() == t.labels.read {
		return nil
	}
	t.labels.read = t.labels.of.Len()
	for i := range t.sitemaps {
		if !t.sitemaps[i].Links {
			continue
		}
		for e, err := range t.entries(ctx, i) {
			if err != nil {
				return err
			}
			if e.Langs == "" {
				continue
			}
			if a, err := e.Parse(); err == nil {
				t.labels.add(sketch.Hash(a.String()), e.Langs)
			}
		}
	}
	return t.src.Err()
}

// otherLanguage reports whether a page that calls itself langs is another one than a link for lang
// means. A page of which nothing is known, and a link for readers of any language, are not.
func otherLanguage(langs, lang string) bool {
	lang = strings.ToLower(lang)
	return langs != "" && lang != "" && lang != "x-default" && !slices.Contains(strings.Fields(langs), lang)
}

// otherLanguages reports whether that holds for all links to an address, as far as Also knows them.
func (x *Also) otherLanguages(langs string) bool {
	named := strings.Fields(x.Langs)
	return len(named) > 0 && !slices.ContainsFunc(named, func(lang string) bool { return !otherLanguage(langs, lang) })
}
