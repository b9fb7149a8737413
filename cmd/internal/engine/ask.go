package engine

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// An Answer is a server's answer to a request.
type Answer struct {
	Status   int
	Location string // as received
}

// conn is a connection that is kept alive.
type conn struct {
	net.Conn
	r *bufio.Reader
}

// Ask requests a target of a host, byte for byte as given.
func (s *Server) Ask(ctx context.Context, host, target string) (Answer, error) {
	if err := ctx.Err(); err != nil {
		return Answer{}, err
	}
	if strings.ContainsAny(host+target, " \r\n") {
		return Answer{}, fmt.Errorf("%q cannot be asked", target)
	}
	kept := s.conn != nil
	a, err := s.ask(host, target)
	if err != nil && kept { // a kept connection may have been closed meanwhile
		a, err = s.ask(host, target)
	}
	return a, err
}

func (s *Server) ask(host, target string) (a Answer, err error) {
	if s.conn == nil {
		c, err := net.DialTimeout("tcp", s.Addr, patience)
		if err != nil {
			return a, err
		}
		s.conn = &conn{c, bufio.NewReader(c)}
	}
	keep := false
	defer func() {
		if !keep {
			s.conn.Close()
			s.conn = nil
		}
	}()
	if err := s.conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return a, err
	}
	if _, err := fmt.Fprintf(s.conn, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", target, host); err != nil {
		return a, err
	}
	res, err := http.ReadResponse(s.conn.r, nil)
	if err != nil {
		return a, err
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return a, err
	}
	keep = !res.Close
	return Answer{res.StatusCode, res.Header.Get("Location")}, nil
}
