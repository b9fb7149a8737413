package fetch

import "time"

// A Dated is a fact of the outside world that sitemend relies on and that changes without it: its
// value on a day.
type Dated struct {
	Name  string    // "Chrome"
	Value string    // "155.0.8059.84"
	Day   time.Time // the day on which it was so, in UTC
	Where string    // where to look it up
}

// Chrome is the version of stable Chrome, which the user agents of the browser, of Bingbot and of
// Googlebot contain (Google's list of common crawlers: "W.X.Y.Z", the version of the browser in
// use). A release renews it: CONTRIBUTING.md, "A release".
var Chrome = Dated{
	Name: "Chrome", Value: "155.0.8059.84",
	Day:   time.Date(2026, time.October, 21, 0, 0, 0, 0, time.UTC),
	Where: "https://chromiumdash.appspot.com/releases?platform=Windows",
}
