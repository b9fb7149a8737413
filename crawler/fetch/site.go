package fetch

import (
	"io"
	"net/http"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// A Site answers requests in place of the network: a build in a folder that no server has yet. Its
// answers are processed like any other, so pages, redirects and files are read alike. Its methods
// may be called concurrently.
type Site interface {
	// Answer returns the answer to a request for an address; ok is false where the request is to go
	// to the network.
	Answer(at address.Address) (a SiteAnswer, ok bool)
	// File is Answer for a robots.txt or a sitemap (Client.Get).
	File(at address.Address) (a SiteAnswer, ok bool)
}

// A SiteAnswer is the answer of a Site.
type SiteAnswer struct {
	Status int
	Header http.Header // may be nil
	// Body is closed after it was read; nil for none. Length is its length in bytes.
	Body   io.ReadCloser
	Length int64
	Rule   audit.RuleAt // the rule of a rule file that made the answer; zero for none
	// Fault says why there is no answer, with a Detail in words; "" where there is one.
	Fault  audit.Fault
	Detail string
}

// siteOf returns a transport for an address that the Site answers; false for others.
func (a *Client) siteOf(x *exchange, at address.Address) (siteTransport, bool) {
	if a.o.Site == nil {
		return siteTransport{}, false
	}
	ask := a.o.Site.Answer
	if _, file := x.take.(*fileAnswer); file {
		ask = a.o.Site.File
	}
	answer, ok := ask(at)
	return siteTransport{answer}, ok
}

// siteTransport returns an answer that exists already.
type siteTransport struct{ answer SiteAnswer }

func (s siteTransport) send(x *exchange) (*http.Response, error) {
	x.rule = s.answer.Rule
	if s.answer.Fault != "" {
		return nil, &siteFault{s.answer.Fault, s.answer.Detail}
	}
	resp := &http.Response{StatusCode: s.answer.Status, Header: s.answer.Header,
		Body: s.answer.Body, ContentLength: s.answer.Length}
	if resp.Header == nil {
		resp.Header = http.Header{}
	}
	if resp.Body == nil {
		resp.Body = http.NoBody
	}
	return resp, nil
}

// A siteFault is the error of a Site that has no answer.
type siteFault struct {
	fault  audit.Fault
	detail string
}

// Error returns why there is none.
func (e *siteFault) Error() string { return e.detail }
