package fetch

import (
	"bufio"
	"context"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"

	"sitemend/crawler/audit"
)

// benchServer answers every request on a connection with the same bytes and allocates nothing for
// it, so that a benchmark measures the client alone.
func benchServer(b *testing.B, answer string) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				br := bufio.NewReader(c)
				for {
					line, err := br.ReadSlice('\n')
					if err != nil {
						return
					}
					if len(line) == 2 {
						if _, err := io.WriteString(c, answer); err != nil {
							return
						}
					}
				}
			}()
		}
	}()
	return ln.Addr().String()
}

func answers() map[string]string {
	page := "<!doctype html><html><head><meta charset=utf-8><title>Shoes</title><link rel=canonical href=/x></head><body>" +
		strings.Repeat("<p>Lorem ipsum dolor sit amet", 300)
	return map[string]string{
		"redirect": "HTTP/1.1 301 Moved\r\nLocation: /next\r\nContent-Length: 0\r\n\r\n",
		"page": "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nServer: x\r\nDate: Sat, 21 Nov 2026 10:00:00 GMT\r\nContent-Length: " +
			strconv.Itoa(len(page)) + "\r\n\r\n" + page,
	}
}

func BenchmarkAsk(b *testing.B) {
	for name, answer := range answers() {
		b.Run(name, func(b *testing.B) {
			addr := benchServer(b, answer)
			id, _ := LookupIdentity("googlebot")
			a := New(Options{Identity: id, Guard: NewGuard(nil, nil, true)})
			defer a.Close()
			req := audit.Request{URL: "http://" + addr + "/category/page-1234567?color=red"}
			b.ReportAllocs()
			for b.Loop() {
				if hop, _ := a.Ask(context.Background(), req); hop.Fault != "" {
					b.Fatal(hop)
				}
			}
		})
	}
}
