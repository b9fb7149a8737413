package audit

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What is told by the beginnings of its parts is never a title that has a phrase: with
// any signs, cases, ages and names of sites around it.
func TestBeginningsMissNothing(t *testing.T) {
	phrases := slices.Sorted(maps.Keys(notFound))
	for p := range agePhrases {
		for _, age := range []string{"16", "18", "21", "１８"} {
			phrases = append(phrases, strings.ReplaceAll(p, "18", age))
		}
	}
	pieces := rapid.OneOf(rapid.SampledFrom(phrases), rapid.SampledFrom(slices.Sorted(maps.Keys(errorWords))),
		rapid.SampledFrom([]string{"|", "-", "–", "·", "»", ":", "...", "“", "!", "’", "'", "\u00a0", "\u3000", "Shop", "the", "404s", "x404", "Über", "\xff"}))
	rapid.Check(t, func(t *rapid.T) {
		var title strings.Builder
		for range rapid.IntRange(1, 5).Draw(t, "pieces") {
			piece := pieces.Draw(t, "piece")
			if rapid.Bool().Draw(t, "capitals") {
				piece = strings.ToUpper(piece)
			}
			title.WriteString(piece + rapid.SampledFrom([]string{" ", "", ".", "\n"}).Draw(t, "between"))
		}
		for _, part := range titleParts(title.String()) {
			if isNotFound(strings.Fields(plainWords(part))) && !notFoundBegins.in(title.String()) {
				t.Errorf("%q: not found is overlooked", title.String())
			}
			if agePhrases[ageWords(part)] && !ageBegins.in(title.String()) {
				t.Errorf("%q: the age is overlooked", title.String())
			}
		}
	})
	for _, title := range []string{"Garden chairs | Shop", "The garden that nobody sees – This chair", "« Un titre » – Boutique", "商品一覧 | 店", ""} {
		if notFoundBegins.in(title) || ageBegins.in(title) {
			t.Errorf("%q is taken apart for nothing", title)
		}
	}
}

// Each name of a gate is known in capitals and with its words joined in any way.
func TestGateWords(t *testing.T) {
	for _, set := range []map[string]bool{gateNames, backNames} {
		for name := range set {
			for _, as := range []string{name, strings.ToUpper(name), name[:1] + "-" + name[1:], "_" + name + "--------------------------"} {
				if !isGateWord(set, as) {
					t.Errorf("%q is not known as %q", as, name)
				}
			}
			for _, no := range []string{name + "x", "x" + name, name + ".", name[1:] + strings.Repeat("a", 100), "é" + name} {
				if isGateWord(set, no) {
					t.Errorf("%q is known as %q", no, name)
				}
			}
		}
	}
}
