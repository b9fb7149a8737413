package searchconsole

import (
	"regexp"
	"strings"
	"time"
)

var (
	yearFirst = regexp.MustCompile(`^((?:19|20)\d\d)[-/.年] ?(\d{1,2})[-/.月] ?(\d{1,2})日?(?:[T ].*)?$`)
	yearLast  = regexp.MustCompile(`^\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}(?: .*)?$`)
	inWords   = regexp.MustCompile(`^(?:\p{L}{3,9}\.? \d{1,2}, \d{4}|\d{1,2}\.? (?:de )?\p{L}{3,10}\.? (?:de )?\d{4})$`)
)

// isDate reports whether a cell is a date.
func isDate(s string) bool {
	return len(s) >= 6 && len(s) <= 40 &&
		(yearFirst.MatchString(s) || yearLast.MatchString(s) || inWords.MatchString(s))
}

// dateOf returns a date as 2026-11-21 where it can be read one way only, else
// as written. The first day of 1970 and texts that are no date mean that the
// address was never crawled.
func dateOf(s string) string {
	if !isDate(s) {
		return ""
	}
	if m := yearFirst.FindStringSubmatch(s); m != nil {
		s = m[1] + "-" + pad(m[2]) + "-" + pad(m[3])
	} else if t, err := time.Parse("Jan 2, 2006", strings.Replace(s, ".", "", 1)); err == nil {
		s = t.Format(time.DateOnly)
	}
	if s == "1970-01-01" {
		return ""
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

func pad(s string) string {
	if len(s) == 1 {
		return "0" + s
	}
	return s
}
