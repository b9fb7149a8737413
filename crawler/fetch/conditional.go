package fetch

import (
	"context"
	"net/http"
	"strings"

	"sitemend/crawler/audit"
)

// maxValidator is how many bytes of an ETag or Last-Modified are kept; a longer
// one is not used.
const maxValidator = 512

// AskAgain is Ask of an address that gave a 200 before, unless it has changed: a
// 304 is returned as that answer, NotModified set, with what its headers say anew.
// An answer that a server gives to a condition alone (as 412) is not taken, nor a
// 304 that speaks of another version of the page: then it is asked once more
// without one, and the hop has two Tries. turn takes what came of the first and
// returns when the second may be sent; its error is returned.
func (a *Client) AskAgain(ctx context.Context, req audit.Request, last audit.Hop,
	turn func(*audit.Hop, Answer) error) (audit.Hop, Answer, error) {
	hop, answer := a.ask(ctx, req, &last)
	switch {
	case hop.Fault != "":
	case hop.Status == http.StatusNotModified && sameVersion(&hop, &last):
		confirm(&hop, &last)
	case hop.Status == http.StatusNotModified, odd(hop.Status):
		if err := turn(&hop, answer); err != nil {
			return hop, answer, err
		}
		if hop, answer = a.ask(ctx, req, nil); hop.Tries > 0 {
			hop.Tries++
		}
	}
	return hop, answer, nil
}

// odd reports whether a status may be an answer to the condition, not to the
// address: a 4xx but those that say what became of it or of us.
func odd(status int) bool {
	switch status {
	case 401, 403, 404, 407, 410, 429:
		return false
	}
	return status >= 400 && status < 500
}

// sameVersion reports whether a 304 does not name another version than the one that
// it was asked about (RFC 9111 4.3.4): a server that looks at the date alone may
// say so of a page that was changed within it, or put back from a copy.
func sameVersion(hop, last *audit.Hop) bool {
	if hop.ETag != "" && last.ETag != "" {
		return entityTag(hop.ETag) == entityTag(last.ETag)
	}
	return hop.LastModified == "" || last.LastModified == "" ||
		hop.LastModified == last.LastModified
}

// entityTag is an ETag without its weakness and what Apache adds to that of a
// packed page.
func entityTag(v string) string {
	v = strings.Trim(strings.TrimPrefix(v, "W/"), `"`)
	for _, packed := range []string{"-gzip", "-br"} {
		v = strings.TrimSuffix(v, packed)
	}
	return strings.TrimSuffix(v, "-")
}

// confirm makes a 304 the answer that was remembered. Headers of a 304 take the
// place of those remembered (RFC 9111 3.2); of what stands in both head and
// headers of a page, what was there stays.
func confirm(hop, last *audit.Hop) {
	now := hop.Page
	hop.Status, hop.Page, hop.Truncated, hop.NotModified = last.Status, last.Page, last.Truncated,
		true
	hop.ETag, hop.LastModified = last.ETag, last.LastModified
	if now.Robots != "" && !strings.Contains(last.Page.Robots, now.Robots) {
		hop.Page.Robots = strings.TrimPrefix(last.Page.Robots+", "+now.Robots, ", ")
	}
	if last.Page.Canonical == "" {
		hop.Page.Canonical = now.Canonical
	}
	if now.RefreshHeader != "" {
		hop.Page.RefreshHeader, hop.Page.RefreshHeaderDelay = now.RefreshHeader,
			now.RefreshHeaderDelay
	}
}

// conditions adds to the headers of a request that only a change is wanted.
func conditions(of *headers, last *audit.Hop) *headers {
	h := of.values.Clone()
	if last.ETag != "" {
		h.Set("If-None-Match", last.ETag)
	}
	if last.LastModified != "" {
		h.Set("If-Modified-Since", last.LastModified)
	}
	made := newHeaders(h)
	return &made
}

// validators keeps what a later audit can ask with, where that is wanted, and what
// a 304 says of it.
func (p *pageAnswer) validators(resp *http.Response) {
	if p.a.o.Conditional && (resp.StatusCode == http.StatusOK ||
		resp.StatusCode == http.StatusNotModified) {
		p.hop.ETag, p.hop.LastModified = validator(first(resp.Header, "Etag")),
			validator(first(resp.Header, "Last-Modified"))
	}
}

// validator returns v if it can be sent back byte for byte, else "".
func validator(v string) string {
	if len(v) > maxValidator {
		return ""
	}
	for i := range len(v) {
		if v[i] < ' ' || v[i] > '~' {
			return ""
		}
	}
	return v
}
