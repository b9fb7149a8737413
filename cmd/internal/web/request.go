package web

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"strconv"
	"strings"
)

// A Via is the way on which a request came.
type Via string

// The ways.
const (
	ViaOrigin  Via = "origin"  // plain HTTP, the host is in the Host header
	ViaProxy   Via = "proxy"   // plain HTTP, the target in absolute form
	ViaConnect Via = "connect" // through a CONNECT tunnel
	ViaTLS     Via = "tls"     // TLS without a proxy
)

// A Request is one request as it came. CONNECT is no request of its own: those
// that came through the tunnel are.
type Request struct {
	Method string
	Scheme string // "http" or "https"
	Host   string // in lower case, with the port unless it is the default
	// Target is path and query byte for byte, whatever they are. For a target in
	// absolute form it is what follows the host.
	Target string
	Header http.Header // names in canonical form; Host is among them
	Via    Via
	// Status is what was answered, 0 where the answer was a fault or the origin
	// does not exist.
	Status int
}

// URL is scheme, host and target as one address.
func (r Request) URL() string { return r.Scheme + "://" + r.Host + r.Target }

// message is the head of a request, before it is known which origin it is for.
type message struct {
	method, target string
	old            bool // HTTP/1.0
	header         http.Header
}

// maxHead limits the head of a request, in bytes. It is far above what servers
// take, since a long address is a case to try.
const maxHead = 1 << 20

// badRequest is a request that is no HTTP/1.1. It is answered with its status.
type badRequest struct {
	status int
	text   string
}

func (e *badRequest) Error() string { return e.text }

// readMessage reads a request, its body included, which is thrown away. The
// error is a *badRequest, or that of the connection.
func readMessage(in *bufio.Reader) (*message, error) {
	left := maxHead
	line, err := readLine(in, &left)
	if err == nil && line == "" { // RFC 9112 section 2.2: one empty line is let pass
		line, err = readLine(in, &left)
	}
	if err != nil {
		return nil, err
	}
	m, err := parseRequestLine(line)
	if err != nil {
		return nil, err
	}
	if m.header, err = readHeader(in, &left); err != nil {
		return nil, err
	}
	return m, m.skipBody(in)
}

// readLine reads to the next line end, which is not returned, and takes what it
// read from left.
func readLine(in *bufio.Reader, left *int) (string, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		*left -= len(part)
		if *left < 0 {
			return "", &badRequest{http.StatusRequestHeaderFieldsTooLarge, "request header over 1 MB"}
		}
		line = append(line, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return "", err
		}
		return string(bytes.TrimSuffix(line[:len(line)-1], []byte("\r"))), nil
	}
}

// parseRequestLine takes what stands between the first and the last space as
// the target, so that spaces in it are seen as they came.
func parseRequestLine(line string) (*message, error) {
	first, last := strings.IndexByte(line, ' '), strings.LastIndexByte(line, ' ')
	if first <= 0 || first == last {
		return nil, &badRequest{http.StatusBadRequest, fmt.Sprintf("request line %.80q", line)}
	}
	version := line[last+1:]
	if !strings.HasPrefix(version, "HTTP/1.") {
		return nil, &badRequest{http.StatusHTTPVersionNotSupported, fmt.Sprintf("version %.80q", version)}
	}
	return &message{method: line[:first], target: line[first+1 : last], old: version == "HTTP/1.0"}, nil
}

func readHeader(in *bufio.Reader, left *int) (http.Header, error) {
	h := http.Header{}
	for {
		line, err := readLine(in, left)
		if err != nil || line == "" {
			return h, err
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok || name == "" || strings.ContainsAny(name, " \t") {
			return nil, &badRequest{http.StatusBadRequest, fmt.Sprintf("header line %.80q", line)}
		}
		h.Add(name, strings.Trim(value, " \t"))
	}
}

// skipBody reads over the body (RFC 9112 section 6.3).
func (m *message) skipBody(in *bufio.Reader) error {
	if strings.EqualFold(m.header.Get("Transfer-Encoding"), "chunked") {
		if _, err := io.Copy(io.Discard, httputil.NewChunkedReader(in)); err != nil {
			return &badRequest{http.StatusBadRequest, "request body: " + err.Error()}
		}
		left := maxHead
		_, err := readHeader(in, &left) // the trailer
		return err
	}
	length := m.header.Get("Content-Length")
	if length == "" {
		return nil
	}
	n, err := strconv.ParseInt(length, 10, 64)
	if err != nil || n < 0 {
		return &badRequest{http.StatusBadRequest, fmt.Sprintf("content length %.80q", length)}
	}
	_, err = io.CopyN(io.Discard, in, n)
	return err
}

// last reports whether the client wants no other answer on this connection.
func (m *message) last() bool {
	for _, v := range m.header.Values("Connection") {
		if strings.Contains(strings.ToLower(v), "close") {
			return true
		}
	}
	return m.old
}

// request says what m asks for. scheme and via are those of the connection; a
// target in absolute form overrules both, and the Host header (RFC 9112 section
// 3.2.2).
func (m *message) request(scheme string, via Via) (Request, error) {
	r := Request{Method: m.method, Scheme: scheme, Host: m.header.Get("Host"), Target: m.target, Header: m.header, Via: via}
	if s, rest, ok := cutScheme(m.target); ok {
		i := strings.IndexAny(rest+"/", "/?")
		r.Scheme, r.Host, r.Target = s, rest[:i], rest[i:]
		if !strings.HasPrefix(r.Target, "/") {
			r.Target = "/" + r.Target
		}
		if via == ViaOrigin {
			r.Via = ViaProxy
		}
	} else if !strings.HasPrefix(m.target, "/") && m.target != "*" {
		return r, &badRequest{http.StatusBadRequest, fmt.Sprintf("target %.80q", m.target)}
	}
	if r.Host = trimHost(r.Scheme, r.Host); r.Host == "" {
		return r, &badRequest{http.StatusBadRequest, "no host"}
	}
	return r, nil
}

// cutScheme splits a target in absolute form.
func cutScheme(target string) (scheme, rest string, ok bool) {
	scheme, rest, ok = strings.Cut(target, "://")
	scheme = strings.ToLower(scheme)
	return scheme, rest, ok && (scheme == "http" || scheme == "https")
}
