package discover

import (
	"errors"
	"strconv"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// attempts are the places that were tried and had no sitemap, for one sentence: a robots.txt may
// name tens of thousands.
type attempts struct {
	first    []string
	n        int
	refused  map[string]int // in the form of Error.Refused
	refusals int            // of n
}

// Limits of the sentence: attempts that it names, and bytes of each.
const (
	maxAttempts = 8
	maxTried    = 300
)

// add adds an attempt.
func (a *attempts) add(what string) {
	what = address.Masked(what)
	if a.n++; len(a.first) < maxAttempts {
		if short := shortened(what); short != what {
			what = short + "..."
		}
		a.first = append(a.first, what)
	}
}

// shortened returns s, cut to maxTried bytes.
func shortened(s string) string {
	if len(s) <= maxTried {
		return s
	}
	return strings.ToValidUTF8(s[:maxTried], "")
}

// failed adds an attempt that ended with err. Of those that were not sent because the host was
// abandoned only the first is named.
func (a *attempts) failed(err error) {
	var problem *Error
	errors.As(err, &problem)
	if left := string(audit.FaultAbandoned); problem != nil && problem.Refused[left] > 0 && a.refused[left] > 0 {
		a.n++
	} else {
		a.add(err.Error())
	}
	if problem == nil || len(problem.Refused) == 0 {
		return
	}
	a.refusals++
	if a.refused == nil {
		a.refused = map[string]int{}
	}
	for why, n := range problem.Refused {
		a.refused[why] += n
	}
}

// String names the first attempts and counts the others.
func (a *attempts) String() string {
	text := strings.Join(a.first, "; ")
	if more := a.n - len(a.first); more > 0 {
		text += "; and " + strconv.Itoa(more) + " more"
	}
	return text
}
