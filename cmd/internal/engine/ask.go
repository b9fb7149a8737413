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

// An Answer is a server's answer to a request.
type Answer struct {
	Status   int
	Location string // as received
}

// transport returns a transport to a server. A client would read the Location of an answer, which may
// be any text.
func transport(addr string) *http.Transport {
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, addr)
	}
	return &http.Transport{DialContext: dial, DisableCompression: true, ResponseHeaderTimeout: patience}
}

// Ask requests a target of a host, byte for byte as given.
func (s *Server) Ask(ctx context.Context, host, target string) (Answer, error) {
	if strings.ContainsAny(host+target, " \r\n") {
		return Answer{}, fmt.Errorf("%q cannot be asked", target)
	}
	at := &url.URL{Scheme: "http", Host: host, Opaque: target}
	if strings.HasPrefix(target, "//") { // else it would be a host
		at.Opaque = "//" + host + target
	}
	req := &http.Request{Method: http.MethodGet, URL: at, Host: host, Header: http.Header{}}
	res, err := s.transport.RoundTrip(req.WithContext(ctx))
	if err != nil {
		return Answer{}, err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return Answer{res.StatusCode, res.Header.Get("Location")}, err
}
