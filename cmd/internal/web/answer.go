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

// The ways not to answer.
const (
	faultReset = "reset"
	faultHang  = "hang"
)

// answer is the answer that one block describes.
type answer struct {
	status int
	fault  string
	header []field // in the order written
	kind   string  // the Content-Type, unless header has one
	body   []byte  // nil for a page generated from the address
}

// field is one line of a header.
type field struct{ name, value string }

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
// length is not that of the body, or the client is gone.
func (a *answer) write(w io.Writer, r *Request) (again bool) {
	body := a.body
	length, framed := a.get("Content-Length")
	bodyless := a.status == http.StatusNoContent || a.status == http.StatusNotModified
	switch {
	case bodyless:
		body = nil
	case body == nil && !framed:
		body = a.page(r)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "HTTP/1.1 %d %s\r\n", a.status, statusText(a.status))
	for _, f := range a.header {
		fmt.Fprintf(&out, "%s: %s\r\n", f.name, f.value)
	}
	if !a.has("Content-Type") && len(body) > 0 {
		fmt.Fprintf(&out, "Content-Type: %s\r\n", a.kind)
	}
	if !framed && !bodyless {
		fmt.Fprintf(&out, "Content-Length: %d\r\n", len(body))
	}
	out.WriteString("\r\n")
	if r.Method != http.MethodHead {
		out.Write(body)
	}
	_, err := w.Write(out.Bytes())
	return err == nil && (!framed || length == strconv.Itoa(len(body)))
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
