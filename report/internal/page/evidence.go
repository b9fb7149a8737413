package page

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"sitemend/crawler/accesslog"
	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// An Evidence is what is known of an entry from sources other than the audit: the requests of
// robots in the site's access logs, and Google's index. The zero value is that nothing is known.
type Evidence struct {
	Crawled []Crawl `json:"cr,omitempty"`
	Never   bool    `json:"cn,omitempty"` // Googlebot does not request it in the logs
	Day     bool    `json:"cd,omitempty"` // all that is said of the day of the last crawl of a reported address
	Google  Kept    `json:"gi,omitzero"`
}

// IsZero reports whether e is empty.
func (e *Evidence) IsZero() bool { return len(e.Crawled) == 0 && !e.Never && e.Google == (Kept{}) }

// A Crawl is how often a robot requested an entry in one spelling.
type Crawl struct {
	Robot    string `json:"r,omitempty"` // "" for Googlebot
	Other    string `json:"u,omitempty"` // path and query as requested, where they differ from the listed ones
	Unspelt  bool   `json:"x,omitempty"` // the log does not show the spelling
	Requests int    `json:"n,omitempty"`
	First    string `json:"f,omitempty"` // days, in UTC; "" where the log has no times
	Last     string `json:"l,omitempty"`
	Answers  string `json:"s,omitempty"` // "200 × 31, 301 × 6"; "" where the log has none
	Latest   int    `json:"z,omitempty"` // the last of several answers
}

// A Kept is what Google's index says of an address.
type Kept struct {
	State     string `json:"s,omitempty"`
	Verdict   string `json:"v,omitempty"`
	Canonical string `json:"c,omitempty"` // the one that Google chose; "=" for the entry itself
	Crawled   string `json:"l,omitempty"` // the day of the last crawl, in UTC; "" for never
	Agrees    string `json:"a,omitempty"` // audit.Agreement
	Failure   string `json:"f,omitempty"` // why there is no answer
}

// EvidenceOf returns the evidence about r.
func EvidenceOf(r *audit.Row) (e Evidence) {
	for i := range r.Crawled {
		f := &r.Crawled[i]
		if f.Class == accesslog.Never {
			e.Never = e.Never || f.Robot == accesslog.Googlebot
			continue
		}
		e.Crawled = append(e.Crawled, crawlOf(f))
	}
	e.Day = r.Entry.Reported.Is && (e.Never || len(e.Crawled) > 0)
	if r.Inspection != nil {
		e.Google = keptOf(r)
	}
	return e
}

func crawlOf(f *accesslog.Finding) Crawl {
	c := Crawl{Requests: int(f.Seen.Requests), First: Day(f.Seen.First), Last: Day(f.Seen.Last), Unspelt: f.Class == accesslog.Unspelt}
	if f.Robot != accesslog.Googlebot {
		c.Robot = f.Robot.String()
	}
	if f.Class == accesslog.OtherSpelling {
		c.Other = messages.Printable(f.Asked)
	}
	var answers []string
	for _, status := range slices.Sorted(maps.Keys(f.Seen.Statuses)) {
		name := "–" // the log has no status
		if status > 0 {
			name = strconv.Itoa(status)
		}
		answers = append(answers, name+" × "+strconv.FormatInt(f.Seen.Statuses[status], 10))
	}
	if c.Answers = strings.Join(answers, ", "); len(answers) > 1 {
		c.Latest = f.Seen.LastStatus
	}
	return c
}

// Day returns the date in UTC of a time in seconds since 1970; "" for 0.
func Day(at int64) string {
	if at == 0 {
		return ""
	}
	return time.Unix(at, 0).UTC().Format(time.DateOnly)
}

func keptOf(r *audit.Row) Kept {
	in := r.Inspection
	k := Kept{State: Visible(string(in.State)), Verdict: Visible(in.Verdict), Canonical: Visible(in.Canonical),
		Agrees: string(in.Agreement(r)), Failure: Visible(in.Failure)}
	if a, err := address.Parse(in.Canonical); err == nil && a == r.Address {
		k.Canonical = same
	}
	if !in.LastCrawl.IsZero() {
		k.Crawled = in.LastCrawl.UTC().Format(time.DateOnly)
	}
	return k
}

// same stands for the entry's own address.
const same = "="
