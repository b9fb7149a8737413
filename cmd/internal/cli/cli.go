// Package cli has what commands need for their messages: errors with a hint, numbers with their
// words, and text that is safe on one line of a terminal.
package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"sitemend/crawler/ground"
	"sitemend/report/messages"
	"sitemend/storage"
)

// hinted is an error with a hint.
type hinted struct {
	err  error
	hint string
}

func (h *hinted) Error() string { return h.err.Error() }
func (h *hinted) Unwrap() error { return h.err }
func (h *hinted) Hint() string  { return h.hint }

// WithHint adds to an error what the user can do: the error has a method Hint() string.
func WithHint(err error, hint string) error { return &hinted{err, hint} }

// Lossless is WithHint for a hint that promises that nothing is lost. Where a part of the store or
// of its spool cannot be read, that is not true, and the error keeps its own hint; a fault of the
// program keeps it too, because the same command does not help.
func Lossless(err error, hint string) error {
	var file *storage.Error
	if errors.Is(err, storage.ErrDamaged) || errors.Is(err, ground.ErrOurs) || errors.As(err, &file) {
		return err
	}
	return WithHint(err, hint)
}

// OneLine makes a text safe for a terminal and keeps it on one line.
func OneLine(s string) string {
	return messages.Tame(strings.NewReplacer("\n", " ", "\t", " ").Replace(strings.TrimSpace(s)))
}

// Plural writes a number with its singular or plural word: "1 entry", "12,345 entries".
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return messages.Number(n) + " " + many
}

// Of writes a part of a number with the word for the whole: "1 of 1 entry", "412 of 5,000 entries".
func Of(n, all int, one, many string) string {
	return messages.Number(n) + " of " + Plural(all, one, many)
}

// Column is Plural in a column of a table: the number right-aligned in width characters, the word
// padded to the longer one.
func Column(n, width int, one, many string) string {
	number, word, _ := strings.Cut(Plural(n, one, many), " ")
	return fmt.Sprintf("%*s %-*s", width, number, max(len(one), len(many)), word)
}

// DidYouMean begins a hint: "did you mean not-found? ", or "" where no known word is like word, or
// word is known.
func DidYouMean(word string, known []string) string {
	if like := near(word, known); like != "" && like != word {
		return "did you mean " + like + "? "
	}
	return ""
}

// near returns the known word that begins with word, else the one at the smallest edit distance: at
// most two, and fewer than half of its letters; "" for none.
func near(word string, known []string) string {
	word = strings.ReplaceAll(strings.ToLower(word), "_", "-")
	best, least := "", 3
	for _, k := range known {
		if len(word) > 2 && strings.HasPrefix(k, word) {
			return k
		}
		if n := edits(word, k); n < least && 2*n < len(k) {
			best, least = k, n
		}
	}
	return best
}

// Wanted says what a flag takes.
func Wanted(f *pflag.Flag) string {
	kinds := map[string]string{"int": "a whole number", "float64": "a number", "duration": "a duration such as 30s or 2m", "bool": "true or false"}
	return cmp.Or(kinds[f.Value.Type()], "what the flag takes")
}

// edits returns the edit distance of a and b with transpositions of neighbours
// (Damerau-Levenshtein).
func edits(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
			case a[i-1] == b[j-1]:
				rows[i][j] = rows[i-1][j-1]
			default:
				rows[i][j] = 1 + min(rows[i-1][j-1], rows[i-1][j], rows[i][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
