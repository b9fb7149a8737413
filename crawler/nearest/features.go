package nearest

import (
	"slices"
	"strings"
	"unicode"

	"sitemend/crawler/address"
)

// features are the properties by which two addresses are compared.
type features struct {
	at      address.Address
	path    []rune   // readable, in lower case
	name    string   // of the last segment, "" for a common name
	ids     []string // numbers that may be ids
	numbers []string // the ids and shorter numbers, without years
	words   []string // of the path, sorted
	title   []string // of a page, words, sorted
}

// pathRunes is how many characters of a path are compared: the cost of a comparison is the square
// of it.
const pathRunes = 200

// idDigits is the least number of digits of an id: a shorter number is a page, a day, a size.
const idDigits = 4

func featuresOf(a address.Address, title string) features {
	text := strings.ToLower(address.Readable(a.Path()).Text)
	f := features{at: a, path: []rune(text), words: wordsOf(text), title: wordsOf(strings.ToLower(title))}
	f.path = f.path[:min(len(f.path), pathRunes)]
	segments := strings.FieldsFunc(text, func(r rune) bool { return r == '/' })
	if len(segments) > 0 {
		f.name = nameOf(segments[len(segments)-1])
	}
	query, _ := a.Query()
	for _, word := range append(slices.Clone(f.words), wordsOf(query)...) {
		if !isNumber(word) {
			continue
		}
		f.numbers = append(f.numbers, word)
		if len(word) >= idDigits {
			f.ids = append(f.ids, word)
		}
	}
	return f
}

// wordsOf returns the significant words of a text, sorted, without duplicates.
func wordsOf(text string) []string {
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	words = slices.DeleteFunc(words, func(w string) bool { return slices.Contains(extensions, w) || slices.Contains(common, w) })
	slices.Sort(words)
	return slices.Compact(words)
}

// extensions are those of file names that do not distinguish pages.
var extensions = []string{"html", "htm", "php", "asp", "aspx", "jsp"}

// nameOf returns a last segment without its extension; "" for a common name.
func nameOf(segment string) string {
	name := segment
	if stem, extension, ok := strings.Cut(segment, "."); ok && slices.Contains(extensions, extension) {
		name = stem
	}
	if len(name) < 4 || slices.Contains(common, name) || strings.Trim(name, "0123456789-_.") == "" {
		return ""
	}
	return name
}

// common are names that many pages have.
var common = []string{"index", "default", "home", "page", "view", "show", "detail", "details", "item", "list", "main"}

// isNumber reports whether a word is a number, but not a year.
func isNumber(word string) bool {
	year := len(word) == 4 && (strings.HasPrefix(word, "19") || strings.HasPrefix(word, "20"))
	return !year && strings.Trim(word, "0123456789") == ""
}

// keys returns the words by which similar addresses find one another. Ids are marked, and so differ
// from words.
func (f *features) keys() []string {
	out := slices.Clone(f.words)
	if f.name != "" {
		out = append(out, "/"+f.name)
	}
	for _, id := range f.ids {
		out = append(out, "#"+id)
	}
	return append(out, f.title...)
}

// like returns the similarity of an address to a page, from 0 to 1: 1 for the same id, or for the same
// last segment with no other id; else the mean of the similarities of their paths and of the words of
// its path to those of the page's path or title. Numbers of which none is the same count as a part with
// similarity 0: /item/1001 and /item/1002 are two items, however alike the rest is.
func (f *features) like(g *features) float64 {
	sameName := f.name != "" && f.name == g.name
	if meet(f.ids, g.ids) || sameName && !differ(f.ids, g.ids) {
		return 1
	}
	sum, parts := edits(f.path, g.path)+max(shared(f.words, g.words), shared(f.words, g.title)), 2.0
	if differ(f.numbers, g.numbers) {
		parts = 3 // of which one is 0
	}
	return sum / parts
}

// meet reports whether two lists have a word in common.
func meet(a, b []string) bool {
	return slices.ContainsFunc(a, func(word string) bool { return slices.Contains(b, word) })
}

// differ reports whether both lists have words, and none in common.
func differ(a, b []string) bool { return len(a) > 0 && len(b) > 0 && !meet(a, b) }

// shared returns the share of words that two lists have in common (Dice).
func shared(a, b []string) float64 {
	n := 0
	for _, word := range a {
		if _, ok := slices.BinarySearch(b, word); ok {
			n++
		}
	}
	return 2 * float64(n) / float64(max(1, len(a)+len(b)))
}

// edits returns 1 minus the edit distance (Levenshtein) divided by the length of the longer text.
func edits(a, b []rune) float64 {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			change := diagonal
			if x != y {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return 1 - float64(row[len(b)])/float64(max(1, len(a), len(b)))
}
