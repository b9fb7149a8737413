package google

import (
	"time"

	"sitemend/crawler/audit"
)

// knownFor is how long an address is not asked again (contract, section 8).
const knownFor = 7 * 24 * time.Hour

// A Ledger is what earlier inspections got, and how many there were.
type Ledger struct {
	Known map[string]audit.Inspection // what is not asked again, by address
	used  map[string]int              // by property and Pacific day
}

// Learn adds what an inspection of another audit got.
func (l *Ledger) Learn(got *audit.Inspections, now time.Time) {
	if l.used == nil {
		l.Known, l.used = map[string]audit.Inspection{}, map[string]int{}
	}
	for url, in := range got.By {
		before := l.Known[url].Asked
		if before.Equal(in.Asked) {
			continue // it was taken over
		}
		l.used[in.Property+" "+Day(in.Asked)]++
		if now.Before(got.Again) { // Google ended the day
			l.used[in.Property+" "+Day(now)] = DayLimit
		}
		if now.Sub(in.Asked) < knownFor && in.Failure == "" && in.Asked.After(before) {
			l.Known[url] = in
		}
	}
}

// Take counts an inspection that is to be sent, and reports whether the property's day has room for it
// (Inspector.Take).
func (l *Ledger) Take(property, day string) bool {
	l.used[property+" "+day]++
	return l.used[property+" "+day] <= DayLimit
}
