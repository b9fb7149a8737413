package fetch

import (
	"context"
	"errors"
	"net/http"

	"github.com/gocolly/colly/v2"

	"sitemend/crawler/fetch/internal/http1"
)

// collyShim is a bare colly collector of its own for one request at a time. That is
// how a request finds its exchange without a header or a map: colly passes the
// collyShim's context on, asks the collyShim's OnRequest for the real URL, and sends
// through the collyShim's RoundTrip.
//
// What colly does for us is little: each request goes through a Collector and its
// http.Client, and so through colly's checks, counts and callbacks, of which we use two. It
// sends nothing itself. It would parse each URL as a browser does, which changes its bytes,
// and keep each body in memory; its limits, queue, redirects, charsets and robots.txt know
// no host's pace, no Guard and no octets. So it is handed a short constant URL, and an
// answer without body and headers, which it reads no further: the Location, with
// which its http.Client would start to follow, is read before. The request itself is made
// by a transport. This costs about a fifteenth of a request (docs/performance.md).
type collyShim struct {
	transports *transports
	collector  colly.Collector
	empty      *colly.Context // colly would make a new one for each request
	x          *exchange
	taken      http.Response // what colly is given
}

// anyURL costs colly's parser the least.
const anyURL = "a:b"

func newCollyShim(w *transports) *collyShim {
	l := &collyShim{transports: w, empty: colly.NewContext()}
	l.collector.Init() // NewCollector would read settings from the environment
	l.collector.SetClient(&http.Client{Transport: l,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}})
	l.collector.AllowURLRevisit = true
	l.collector.ParseHTTPErrorResponse = true
	l.collector.IgnoreRobotsTxt = true
	l.collector.OnRequest(func(r *colly.Request) { *r.Headers = noHeaders })
	l.collector.OnResponseHeaders(func(r *colly.Response) { r.Request.Abort() })
	return l
}

// unsent are headers that spare colly to add its own. They go nowhere, and the
// http.Client would copy them: then come noHeaders in their place.
var (
	unsent    = http.Header{"User-Agent": {""}, "Accept": {"*/*"}}
	noHeaders = http.Header{}
)

func (l *collyShim) do(x *exchange) error {
	l.x, l.collector.Context = x, x.ctx
	err := l.collector.Request(http.MethodGet, anyURL, nil, l.empty, unsent)
	l.x, l.collector.Context = nil, context.Background()
	if x.err != nil || errors.Is(err, colly.ErrAbortedAfterHeaders) {
		return x.err
	}
	return err
}

// RoundTrip implements http.RoundTripper for the collector.
func (l *collyShim) RoundTrip(*http.Request) (*http.Response, error) {
	x := l.x
	resp, err := x.transport.send(x)
	if err != nil {
		if x.stale {
			err = http1.ErrStale
		}
		x.err = err
		return nil, err
	}
	if resp.StatusCode == http.StatusSwitchingProtocols {
		// Its body is the bare connection, which no time limit ends.
		x.err = errors.Join(errSwitched, resp.Body.Close())
		return nil, x.err
	}
	if resp.StatusCode < 100 { // net/http lets 000 pass
		x.err = errors.Join(errNoStatus, resp.Body.Close())
		return nil, x.err
	}
	x.err = x.take.take(resp)
	_ = resp.Body.Close()
	l.taken = http.Response{StatusCode: http.StatusOK, Body: http.NoBody}
	return &l.taken, nil
}
