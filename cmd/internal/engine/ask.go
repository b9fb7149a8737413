package engine

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// transport returns a transport to a server. A client would read the Location of an answer, which may
// be any text.
func transport(addr string) *http.Transport {
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, addr)
	}
	return &http.Transport{DialContext: dial, DisableCompression: true, ResponseHeaderTimeout: patience}
}

// Ask requests a target of a host, byte for byte as given, and returns the answer's status and its
// Location as received.
func (s *Server) Ask(ctx context.Context, host, target string) (status int, location string, err error) {
	if strings.ContainsAny(host+target, " \r\n") {
		return 0, "", fmt.Errorf("%q cannot be asked", target)
	}
	at := &url.URL{Opaque: target}
	if strings.HasPrefix(target, "//") { // else it would be a host
		if at, err = url.ParseRequestURI(target); err != nil {
			return 0, "", err
		}
	}
	at.Scheme, at.Host = "http", host
	req := &http.Request{Method: http.MethodGet, URL: at, Host: host, Header: http.Header{}}
	res, err := s.transport.RoundTrip(req.WithContext(ctx))
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return res.StatusCode, res.Header.Get("Location"), err
}
