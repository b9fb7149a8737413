package audit

import (
	"maps"
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

// Slower is the rate of an audit that crawls more slowly than this one, in requests a second, and
// the one that this one was given with --rate, as it was written: "0" is no ceiling, "" that it was
// given none. The first is one request a second, or half of a given rate that is no more than that.
func (i *Info) Slower() (rate, given string) {
	next := unhurried
	for _, f := range i.Given {
		if value, ok := strings.CutPrefix(f, "--rate="); ok {
			given = value
		}
	}
	if r, err := strconv.ParseFloat(given, 64); err == nil && r > 0 && r <= unhurried {
		next = r / 2
	}
	return strconv.FormatFloat(next, 'g', -1, 64), given
}
