package web

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// fault is a way not to answer.
type fault string

const (
	faultReset   fault = "reset"
	faultEmpty   fault = "empty"
	faultGarbage fault = "garbage"
	faultHang    fault = "hang"
)

var faults = []fault{faultReset, faultEmpty, faultGarbage, faultHang}

// answer is the answer that one block describes.
type answer struct {
	status int
	fault  fault
	header []field // in the order written
	kind   string  // the Content-Type, unless header has one
	body   []byte  // nil for a page generated from the address
}

// field is one line of a header.
type field struct{ name, value string }

var notFound = &answer{status: http.StatusNotFound, kind: "text/html; charset=utf-8"}

// get returns the first value of a header field.
func (a *answer) get(name string) (value string, ok bool) {
	for _, f := range a.header {
		if strings.EqualFold(f.name, name) {
			return f.value, true
		}
	}
	return "", false
}

func (a *answer) has(name string) bool {
	_, ok := a.get(name)
	return ok
}

// write sends the answer to r. It returns false where the connection cannot be used again: the sent
// length is not that of the body, the client closes it, or the client is gone.
func (a *answer) write(w io.Writer, r *Request, last bool) (again bool) {
	body, again := a.content(r)
	var out bytes.Buffer
	fmt.Fprintf(&out, "HTTP/1.1 %d %s\r\n", a.status, statusText(a.status))
	for _, f := range a.header {
		fmt.Fprintf(&out, "%s: %s\r\n", f.name, f.value)
	}
	if !a.has("Content-Type") && len(body) > 0 {
		fmt.Fprintf(&out, "Content-Type: %s\r\n", a.kind)
	}
	if !a.framed() && !bodyless(a.status) {
		fmt.Fprintf(&out, "Content-Length: %d\r\n", len(body))
	}
	if last {
		out.WriteString("Connection: close\r\n")
	}
	out.WriteString("\r\n")
	if r.Method == http.MethodHead {
		again = true
	} else {
		out.Write(body)
	}
	_, err := w.Write(out.Bytes())
	return again && !last && err == nil
}

// content returns the body as it is sent. whole is false where it does not fit the length that the
// block gives.
func (a *answer) content(r *Request) (body []byte, whole bool) {
	body = a.body
	if bodyless(a.status) {
		return nil, true
	}
	if body == nil && !a.framed() {
		return a.page(r), true
	}
	if length, ok := a.get("Content-Length"); ok {
		return body, length == strconv.Itoa(len(body))
	}
	if coding, ok := a.get("Transfer-Encoding"); ok {
		if !strings.EqualFold(coding, "chunked") {
			return body, false
		}
		return chunked(body), true
	}
	return body, true
}

// framed reports whether the block gives the length of its body.
func (a *answer) framed() bool { return a.has("Content-Length") || a.has("Transfer-Encoding") }

// bodyless reports whether answers of status never have a body (RFC 9110 section
// 6.4.1).
func bodyless(status int) bool {
	return status == http.StatusNoContent || status == http.StatusNotModified
}

// chunked returns body as one chunk and the last chunk (RFC 9112 section 7.1).
func chunked(body []byte) []byte {
	var out bytes.Buffer
	if len(body) > 0 {
		fmt.Fprintf(&out, "%x\r\n%s\r\n", len(body), body)
	}
	out.WriteString("0\r\n\r\n")
	return out.Bytes()
}

// page returns the body of a block without one. The title of an existing page differs for each
// address, so that two pages are not taken for the same.
func (a *answer) page(r *Request) []byte {
	title := strconv.Itoa(a.status) + " " + statusText(a.status)
	if a.status < 300 {
		title = r.Target + " at " + r.Host
	}
	title = html.EscapeString(strings.ToValidUTF8(title, "\uFFFD"))
	return fmt.Appendf(nil, "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"+
		"<title>%s</title>\n<h1>%s</h1>\n</html>\n", title, title)
}

func statusText(status int) string {
	if text := http.StatusText(status); text != "" {
		return text
	}
	return "Unnamed"
}
