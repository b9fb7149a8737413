package searchconsole

import (
	"strings"
	"time"
)

// dateForms are the forms of dates, in the syntax of package time. The signs between their numbers
// are any of the three.
var dateForms = func() []string {
	forms := []string{time.DateOnly, "2006年1月2日", "Jan 2, 2006", "January 2, 2006", "2 Jan 2006", "2 January 2006"}
	for _, sign := range []string{"-", "/", "."} {
		for _, form := range []string{"2006-1-2", "2-1-2006", "1-2-2006", "06-1-2", "2-1-06", "1-2-06"} {
			forms = append(forms, strings.ReplaceAll(form, "-", sign))
		}
	}
	return forms
}()

// dateOf returns a date in the form 2026-11-21 if it has a single meaning, else as written; ok is
// false for texts that are no date. The first day of 1970 means that the address was never crawled,
// and is "". It does not consider other cells of the column, because an export may be combined from
// several.
func dateOf(s string) (day string, ok bool) {
	if len(s) < 6 || len(s) > 40 || !strings.ContainsAny(s, "0123456789") {
		return "", false
	}
	text := strings.NewReplacer(".", "", "Sept ", "Sep ").Replace(s)
	if date, _, _ := strings.Cut(s, " "); len(date) >= 6 && s[0] <= '9' { // a time may follow
		text, _, _ = strings.Cut(date, "T")
	}
	for _, form := range dateForms {
		t, err := time.Parse(form, text)
		if err != nil {
			continue
		}
		read := t.Format(time.DateOnly)
		if ok && read != day {
			return s, true
		}
		day, ok = read, true
		if form == time.DateOnly { // as Search Console writes it
			break
		}
	}
	if day == "1970-01-01" {
		day = ""
	}
	return day, ok
}
