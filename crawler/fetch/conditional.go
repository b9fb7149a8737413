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

// AskAgain is Ask with a condition, for an address that answered 200 before: where the server
// answers 304, AskAgain returns the remembered answer, updated from the headers of the 304, with
// NotModified set. It does not accept an answer that a server gives to the condition alone (such as
// 412), nor a 304 for another version of the page: then it sends a second request without a
// condition, and the hop has two Tries. It passes the first answer to turn, which returns when the
// second request may be sent; an error of turn is returned.
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

// odd reports whether a status may answer the condition rather than the request: a 4xx other than
// those about the address (404, 410) or about the client (401, 403, 407, 429).
func odd(status int) bool {
	switch status {
	case 401, 403, 404, 407, 410, 429:
		return false
	}
	return status >= 400 && status < 500
}

// sameVersion reports whether a 304 does not name another version than the remembered one (RFC 9111
// 4.3.4). A server that compares dates only may send a 304 for a page that was changed within the
// same second, or restored from a copy.
func sameVersion(hop, last *audit.Hop) bool {
	if hop.ETag != "" && last.ETag != "" {
		return entityTag(hop.ETag) == entityTag(last.ETag)
	}
	return hop.LastModified == "" || last.LastModified == "" ||
		hop.LastModified == last.LastModified
}

// entityTag returns an ETag without its weakness and without the suffix that Apache adds for a
// packed page.
func entityTag(v string) string {
	v = strings.Trim(strings.TrimPrefix(v, "W/"), `"`)
	for _, packed := range []string{"-gzip", "-br"} {
		v = strings.TrimSuffix(v, packed)
	}
	return strings.TrimSuffix(v, "-")
}

// confirm makes a 304 into the remembered answer. Headers of the 304 replace the remembered ones
// (RFC 9111 3.2); where something can stand both in the headers and in the head of a page, the
// remembered value stays.
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

// conditions returns the headers of a request with the conditions for last added.
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

// validators keeps the validators for a later audit where Conditional is set, and those of a 304.
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
