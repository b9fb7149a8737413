package audit

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// mostWait is the longest wait that a person is advised to keep to: what names years is a mistake, or
// the end of a site.
const mostWait = 30 * 24 * time.Hour

// Wait returns the longest time for which a host asked to be left alone (Waits), and the host: the
// first by name where two named it. The host is "" where none did. tooLong reports whether the time
// is longer than 30 days: whether it is meant is to be found out, before anybody waits for so long.
func (i *Info) Wait() (host string, wait time.Duration, tooLong bool) {
	for _, h := range slices.Sorted(maps.Keys(i.Waits)) {
		if d := i.Waits[h]; d > wait {
			host, wait = h, d
		}
	}
	return host, wait, wait > mostWait
}

// unhurried is a rate at which hosts answer that refuse what comes faster, in requests a second.
const unhurried = 1.0

// Slower is the rate of an audit that crawls more slowly than this one, in requests a second, the one
// that this one was given with --rate, as it was written ("0" is no ceiling, "" that it was given
// none), and the slowest that a host refused in it, where that is what makes the first one less; else
// "". The first is one request a second, or half of what was given or refused where that is no more.
func (i *Info) Slower() (rate, given, refused string) {
	least := math.Inf(1)
	for _, f := range i.Given {
		if value, ok := strings.CutPrefix(f, "--rate="); ok {
			given = value
		}
	}
	if r, err := strconv.ParseFloat(given, 64); err == nil && r > 0 {
		least = r
	}
	for _, r := range i.Refused {
		if r < least && r <= unhurried {
			least, refused = r, inRequests(r)
		}
	}
	if least > unhurried {
		return inRequests(unhurried), given, refused
	}
	return inRequests(least / 2), given, refused
}

// inRequests writes a rate, with two digits.
func inRequests(rate float64) string { return strconv.FormatFloat(rate, 'g', 2, 64) }
