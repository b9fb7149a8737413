package google

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // for the days of the quota, where the system has no zones

	"golang.org/x/sync/errgroup"

	"sitemend/crawler/audit"
	"sitemend/crawler/google/service"
	"sitemend/crawler/ground"
)

// DayLimit is how many inspections of a property are made in a Pacific day: less than the 2,000
// that the service allows, since other programs may use some, too.
const DayLimit = 1800

const (
	atOnce = 8 // inspections
	// every is the time between two of them: 480 a minute, where the service allows 600 for a
	// property (developers.google.com/webmaster-tools/limits).
	every = 125 * time.Millisecond
	// tooMany is after how many addresses in a row without an answer to the last attempt the
	// inspection ends.
	tooMany = 5
)

// An Inspector inspects addresses within the quota.
type Inspector struct {
	Client *Client
	// Take counts an inspection before it is sent, one at a time, and reports whether the property's
	// day has room for it.
	Take func(property, day string) bool
	// Got is called with each answer, one at a time. Its error ends the inspection.
	Got func(audit.Inspection) error
}

// A Rest is what was not inspected.
type Rest struct {
	URLs []string // in the given order
	// Day is set where the quota of the day is used up, by the count of Take or according to the
	// service.
	Day bool
	// Err is what ended the inspection early; nil for nothing, and for Day.
	Err error
}

// inspecting is the state of one Inspect.
type inspecting struct {
	*Inspector
	property string
	gate     sync.RWMutex // held for reading during a call; for writing from a 429 to the call after it
	walls    int          // how often a minute was waited, while gate was held for writing

	mu   sync.Mutex // for all below, Take and Got
	next time.Time  // when the next call may be made
	lost int        // addresses in a row without an answer to the last attempt
	over bool       // nothing more is sent
	rest Rest
}

// errOver is the error of a call that is not made any more.
var errOver = errors.New("the inspection is over")

// Inspect inspects the addresses of one property in their order, eight at once and below 500 a
// minute. After a 429 it waits for all answers under way, then for a minute, and sends a single
// inspection: where that gets a 429 as well, the quota of the day is used up, and no more are sent.
// Answers that came before are kept.
func (i *Inspector) Inspect(ctx context.Context, property string, urls []string) Rest {
	n := &inspecting{Inspector: i, property: property}
	done := make([]bool, len(urls))
	var g errgroup.Group
	g.SetLimit(atOnce)
	for at, url := range urls {
		g.Go(func() error {
			done[at] = n.address(ctx, url)
			return nil
		})
	}
	g.Wait() // its error is always nil
	for at, url := range urls {
		if !done[at] {
			n.rest.URLs = append(n.rest.URLs, url)
		}
	}
	return n.rest
}

// address inspects one address. done is false where it is left.
func (n *inspecting) address(ctx context.Context, url string) (done bool) {
	var in audit.Inspection
	err := ground.Guard(func() error {
		return n.Client.Tries(ctx, passes, func() (err error) {
			in, err = n.attempt(ctx, url)
			return err
		})
	})
	n.mu.Lock()
	defer n.mu.Unlock()
	kind := kindOf(err)
	switch {
	case err == nil:
		n.lost = 0
	case errors.Is(err, errOver):
		return false
	case kind == ofAddress:
		n.lost = 0
	case kind == dayOver, kind == overQuota:
		n.over, n.rest.Day = true, true
		return false
	case kind == passing && !asksForLess(err):
		if n.lost++; n.lost == tooMany {
			n.stop(err)
		}
	default:
		n.stop(err)
		return false
	}
	if err != nil {
		in = audit.Inspection{URL: url, Property: n.property, Asked: n.Client.Clock.Now().UTC().Truncate(time.Second), Failure: err.Error()}
	}
	n.stop(n.Got(in))
	return true
}

// stop ends the inspection with the first error.
func (n *inspecting) stop(err error) {
	if err != nil && n.rest.Err == nil {
		n.over, n.rest.Err = true, err
	}
}

// asksForLess reports whether the service still asks for fewer calls at the last attempt.
func asksForLess(err error) bool {
	var e *service.Error
	return errors.As(err, &e) && e.Status == http.StatusForbidden
}

// attempt inspects an address once; once more where the token had expired, and after a 429 alone.
func (n *inspecting) attempt(ctx context.Context, url string) (in audit.Inspection, err error) {
	for {
		n.gate.RLock()
		walls := n.walls
		in, err = n.send(ctx, url)
		if kindOf(err) == unauthorized {
			in, err = n.send(ctx, url)
		}
		n.gate.RUnlock()
		if kindOf(err) != overQuota {
			return in, err
		}
		n.gate.Lock()
		if n.walls > walls { // another address had the 429 first
			n.gate.Unlock()
			continue
		}
		n.walls++
		if err = n.Client.Clock.Sleep(ctx, wall); err == nil {
			if in, err = n.send(ctx, url); kindOf(err) == overQuota {
				n.mu.Lock()
				n.over = true
				n.mu.Unlock()
			}
		}
		n.gate.Unlock()
		return in, err
	}
}

// send sends an inspection in its turn, if it may be sent.
func (n *inspecting) send(ctx context.Context, url string) (in audit.Inspection, err error) {
	wait, err := n.turn()
	if err == nil {
		err = n.Client.Clock.Sleep(ctx, wait)
	}
	if err != nil {
		return in, err
	}
	return n.Client.inspect(ctx, n.property, url)
}

// turn counts a call that may be made, and returns how long it must wait.
func (n *inspecting) turn() (wait time.Duration, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.over {
		return 0, errOver
	}
	if !n.Take(n.property, Day(n.Client.Clock.Now())) {
		n.over, n.rest.Day = true, true
		return 0, errOver
	}
	now := n.Client.Clock.Now()
	if n.next.Before(now) {
		n.next = now
	}
	wait = n.next.Sub(now)
	n.next = n.next.Add(every)
	return wait, nil
}

// inspect inspects one address once. property is one of Sites that covers the address.
func (c *Client) inspect(ctx context.Context, property, url string) (audit.Inspection, error) {
	question := map[string]string{"inspectionUrl": url, "siteUrl": property, "languageCode": "en-US"}
	var answer struct {
		Result struct {
			Link  string `json:"inspectionResultLink"`
			Index struct {
				Verdict   string    `json:"verdict"`
				State     string    `json:"coverageState"`
				Crawled   time.Time `json:"lastCrawlTime"`
				Canonical string    `json:"googleCanonical"`
			} `json:"indexStatusResult"`
		} `json:"inspectionResult"`
	}
	asked := c.Clock.Now()
	if err := c.once(ctx, http.MethodPost, "/v1/urlInspection/index:inspect", question, &answer); err != nil {
		return audit.Inspection{}, err
	}
	in := &answer.Result.Index
	if in.Verdict == "" && in.State == "" {
		return audit.Inspection{}, c.Fail(http.StatusOK, "the answer says nothing")
	}
	return audit.Inspection{URL: url, Property: property, Asked: asked.UTC().Truncate(time.Second),
		State: labelOf(in.State), Verdict: known(in.Verdict),
		Canonical: in.Canonical, LastCrawl: in.Crawled.UTC(), Link: answer.Result.Link}, nil
}

// known returns a value of an enumeration; "" for the value that stands for an unknown one.
func known(s string) string {
	if strings.HasSuffix(s, "_UNSPECIFIED") {
		return ""
	}
	return s
}

// pacific is the zone in which the days of the quotas begin at midnight.
var pacific = func() *time.Location {
	zone, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		panic(err) // the zones are embedded
	}
	return zone
}()

// Day returns the day of t in Pacific time, as 2026-11-22: daily quotas are counted by it.
func Day(t time.Time) string { return t.In(pacific).Format(time.DateOnly) }

// NextDay returns when the day after that of t begins in Pacific time.
func NextDay(t time.Time) time.Time {
	y, m, d := t.In(pacific).Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, pacific)
}

// labelOf returns a reason as package audit spells it: the service writes the quotes of
// "Excluded by ‘noindex’ tag" in another way than Search Console's pages.
func labelOf(state string) audit.Label {
	return audit.Label(strings.NewReplacer("\u2018", "'", "\u2019", "'").Replace(strings.TrimSpace(state)))
}
