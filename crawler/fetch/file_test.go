package fetch

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
)

const sitemapText = "<urlset><url><loc>http://shop.example/</loc></url></urlset>"

// mustGet gets a file and returns what was written.
func mustGet(t *testing.T, a *Client, f File) (FileResult, string) {
	t.Helper()
	var b bytes.Buffer
	got, err := a.Get(context.Background(), f, &b)
	must(t, err)
	if got.Bytes != int64(b.Len()) {
		t.Errorf("told %d bytes, wrote %d", got.Bytes, b.Len())
	}
	return got, b.String()
}

func TestGetUndoesTheTransportOnly(t *testing.T) {
	pack := func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }
	file := packed(t, sitemapText, pack)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/gzip")
		if r.URL.Path == "/transport" {
			w.Header().Set("Content-Type", "text/xml")
		}
		if coding := r.URL.Query().Get("coding"); coding != "" {
			w.Header().Set("Content-Encoding", coding)
		}
		switch r.URL.Path {
		case "/twice.xml.gz":
			w.Write(packed(t, string(file), pack))
		case "/none.xml.gz":
			io.WriteString(w, sitemapText)
		case "/empty.xml.gz":
		default:
			w.Write(file)
		}
	})
	a := newTestClient(t, Options{})
	for path, want := range map[string]string{
		"/sitemap.xml.gz":               string(file),
		"/transport?coding=gzip":        sitemapText,
		"/sitemap.xml.gz?coding=x-gzip": string(file), // the coding is that of the file
		"/sitemap.XML.GZ?coding=gzip":   string(file),
		"/twice.xml.gz?coding=gzip":     string(file), // the coding was added by the server
		"/none.xml.gz":                  sitemapText,
		"/empty.xml.gz?coding=gzip":     "",
	} {
		got, body := mustGet(t, a, File{URL: address.Wire(s.URL + path)})
		if body != want || got.Status != 200 || got.Final.String() != s.URL+path || len(got.Trail) != 1 {
			t.Errorf("%s: %+v, %q", path, got, body)
		}
	}
	if got, _ := mustGet(t, a, File{URL: address.Wire(s.URL + "/none.xml.gz?coding=gzip")}); got.Fault != answers.FaultEncoding {
		t.Errorf("a coding that is none: %+v", got)
	}
}

func TestGetFollowsRedirects(t *testing.T) {
	w := serveRaw(t, func(c net.Conn, head string) bool {
		where := map[string]string{"/a(1)": "b%28", "/b%28": "/c%zz?", "/c%zz?": "//" + c.LocalAddr().String() + "/d"}
		target := requestTarget(head)
		if next, ok := where[target]; ok {
			fmt.Fprintf(c, "HTTP/1.1 301 Moved\r\nLocation: %s\r\nContent-Length: 5\r\n\r\nmoved", next)
			return true
		}
		fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: %d\r\n\r\n%s", len(sitemapText), sitemapText)
		return true
	})
	a := newTestClient(t, Options{})
	start := address.Wire("http://" + w.addr + "/a(1)")
	got, body := mustGet(t, a, File{URL: start, Redirects: 5})
	if body != sitemapText || got.Final.Path() != "/d" || got.ContentType != "text/xml" || len(got.Trail) != 4 {
		t.Errorf("%+v, %q", got, body)
	}
	if got.Trail[1].URL != "http://"+w.addr+"/b%28" || got.Trail[1].Location != "/c%zz?" || got.Trail[1].Status != 301 {
		t.Errorf("%+v", got.Trail[1])
	}
	got, body = mustGet(t, a, File{URL: start, Redirects: 2})
	if got.Status != 301 || len(got.Trail) != 3 || body != "" {
		t.Errorf("two redirects: %+v, %q", got, body)
	}
}

// Get limits the time without a byte, and no time before the request: a file that takes longer in total
// is whole, one that stops is not.
func TestGetTimesOutWithoutAByte(t *testing.T) {
	for _, stops := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			dial := func(context.Context, string, string) (net.Conn, error) {
				here, there := net.Pipe()
				t.Cleanup(func() { there.Close() })
				go func() {
					_, _ = http.ReadRequest(bufio.NewReader(there))
					io.WriteString(there, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
					for i := 0; i < 10 && (!stops || i < 5); i++ {
						time.Sleep(20 * time.Second)
						io.WriteString(there, "x")
					}
				}()
				return here, nil
			}
			id, _ := LookupIdentity("googlebot")
			a := New(Options{Identity: id, NoProxy: true, Guard: NewGuard(nil, nil, true), Timeout: time.Minute, Dial: dial})
			defer a.Close()
			turn := func(context.Context, address.Address) (func(*answers.Hop, Answer), error) {
				time.Sleep(time.Hour)
				return func(*answers.Hop, Answer) {}, nil
			}
			switch got, body := mustGet(t, a, File{URL: address.Wire("http://a.example/"), Turn: turn}); {
			case !stops && (got.Fault != "" || len(body) != 10):
				t.Errorf("drips: %+v %q", got, body)
			case stops && (got.Fault != answers.FaultTimeout || got.Detail != "the answer stopped" || got.Status != 0 || len(body) != 5):
				t.Errorf("stops: %+v %q", got, body)
			}
		})
	}
}
