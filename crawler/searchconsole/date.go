package searchconsole

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	yearFirst = regexp.MustCompile(`^((?:19|20)\d\d)[-/.年] ?(\d{1,2})[-/.月] ?(\d{1,2})日?(?:[T ].*)?$`)
	yearLast  = regexp.MustCompile(`^(\d{1,2})[-/.](\d{1,2})[-/.](\d{2,4})(?: .*)?$`)
	inWords   = regexp.MustCompile(`^(?:\p{L}{3,9}\.? \d{1,2}, \d{4}|\d{1,2}\.? (?:de )?\p{L}{3,10}\.? (?:de )?\d{4})$`)
)

// isDate reports whether a cell is a date.
func isDate(s string) bool {
	return len(s) >= 6 && len(s) <= 40 &&
		(yearFirst.MatchString(s) || yearLast.MatchString(s) || inWords.MatchString(s))
}

// dateOf returns a date in the form 2026-11-21 if it has a single meaning, else as written. It
// returns "" for the first day of 1970 and for texts that are no date, which mean that the address
// was never crawled.
func dateOf(s string) string {
	if !isDate(s) {
		return ""
	}
	if m := yearFirst.FindStringSubmatch(s); m != nil {
		s = m[1] + "-" + pad(m[2]) + "-" + pad(m[3])
	} else if day, ok := lastYear(s); ok {
		s = day
	} else if day, ok := inEnglish(s); ok {
		s = day
	}
	if s == "1970-01-01" {
		return ""
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// lastYear returns the day of a date with the year at its end, if the two numbers before it have a
// single meaning: one of them is no month, or both are equal. It does not consider other cells of
// the column, because an export may be combined from several.
func lastYear(s string) (day string, ok bool) {
	m := yearLast.FindStringSubmatch(s)
	if m == nil || len(m[3]) != 4 {
		return "", false // with two digits, any of the three may be the year
	}
	first, _ := strconv.Atoi(m[1]) // one or two digits
	second, _ := strconv.Atoi(m[2])
	month := min(first, second)
	if first != second && max(first, second) <= 12 {
		return "", false
	}
	return valid(m[3] + "-" + pad(strconv.Itoa(month)) + "-" + pad(strconv.Itoa(first+second-month)))
}

// inEnglish returns the day of a date with the name of its month in English, whole or as its first
// three letters (also Sept).
func inEnglish(s string) (day string, ok bool) {
	s = strings.Replace(strings.Replace(s, ".", "", 1), "Sept ", "Sep ", 1)
	for _, form := range []string{"Jan 2, 2006", "January 2, 2006", "2 Jan 2006", "2 January 2006"} {
		if t, err := time.Parse(form, s); err == nil {
			return t.Format(time.DateOnly), true
		}
	}
	return "", false
}

// valid returns a day of the form 2026-11-21 that exists.
func valid(s string) (day string, ok bool) {
	_, err := time.Parse(time.DateOnly, s)
	return s, err == nil
}

func pad(s string) string {
	if len(s) == 1 {
		return "0" + s
	}
	return s
}
