package fetch

import (
	"context"
	"errors"
	"net/http"

	"github.com/gocolly/colly/v2"
)

// collyShim is a bare colly collector that serves one request at a time. That is how a request
// finds its exchange without a header or a map: colly passes on the context of the collyShim, calls
// its OnRequest for the real URL, and sends through its RoundTrip.
//
// colly does little for us: each request goes through a Collector and its http.Client, and so
// through colly's checks, counts and callbacks, of which we use two. It sends nothing itself. It
// would parse each URL as a browser does, which changes its bytes, and keep each body in memory;
// its limits, queue, redirects, charsets and robots.txt take no account of a host's pace, of the
// Guard, or of exact bytes. So it receives a short constant URL, and an answer without body and
// headers, of which it reads no more: the Location, which its http.Client would follow, is read
// before. A transport sends the request. This costs about a fifteenth of a request
// (docs/performance.md).
type collyShim struct {
	client    *Client
	collector colly.Collector
	empty     *colly.Context // colly would create one for each request
	x         *exchange
	taken     http.Response // the answer that colly receives
}

// anyURL is the URL that colly's parser takes least time for.
const anyURL = "a:b"

func newCollyShim(a *Client) *collyShim {
	l := &collyShim{client: a, empty: colly.NewContext()}
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

// unsent are headers that keep colly from adding its own. They are never sent; because the
// http.Client would copy them, noHeaders replaces them before that.
var (
	unsent    = http.Header{"User-Agent": {""}, "Accept": {"*/*"}}
	noHeaders = http.Header{}
)

// throughColly sends a request, by way of colly.
func (a *Client) throughColly(x *exchange) error {
	l := a.shims.Get().(*collyShim)
	defer a.shims.Put(l)
	l.x, l.collector.Context = x, x.Context
	err := l.collector.Request(http.MethodGet, anyURL, nil, l.empty, unsent)
	l.x, l.collector.Context = nil, context.Background()
	if x.err != nil || errors.Is(err, colly.ErrAbortedAfterHeaders) {
		return x.err
	}
	return err
}

// errNoStatus is the error of an answer that changes the protocol without a request to (101), or whose
// three digits of status are below 100, which net/http accepts.
var errNoStatus = errors.New("malformed: its status is below 200")

// RoundTrip implements http.RoundTripper for the collector.
func (l *collyShim) RoundTrip(*http.Request) (*http.Response, error) {
	x := l.x
	resp, cancel, err := l.client.transports.roundTrip(x)
	defer cancel()
	switch {
	case err != nil:
		x.err = err
	case resp.StatusCode < 200: // the body of a 101 is the bare connection, to which no time limit applies
		x.err = errors.Join(errNoStatus, resp.Body.Close())
	default:
		x.err = x.answer.take(resp)
		_ = resp.Body.Close()
		l.taken = http.Response{StatusCode: http.StatusOK, Body: http.NoBody}
		return &l.taken, nil
	}
	return nil, x.err
}
