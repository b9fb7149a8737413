package crawler

import (
	"strconv"
	"strings"
)

// attempts are what was looked at and was no sitemap, for one sentence: a
// robots.txt may name tens of thousands.
type attempts struct {
	first []string
	n     int
}

// Of so many attempts each is told, and of so many bytes each.
const (
	maxAttempts = 8
	maxTried    = 300
)

// add takes one more attempt.
func (a *attempts) add(what string) {
	if a.n++; len(a.first) < maxAttempts {
		if short := cutBytes(what, maxTried); short != what {
			what = short + "..."
		}
		a.first = append(a.first, what)
	}
}

// String tells the first of them and counts the others.
func (a *attempts) String() string {
	text := strings.Join(a.first, "; ")
	if more := a.n - len(a.first); more > 0 {
		text += "; and " + strconv.Itoa(more) + " more"
	}
	return text
}
