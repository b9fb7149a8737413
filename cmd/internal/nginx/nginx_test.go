package nginx_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"sitemend/cmd/internal/nginx"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func mustGet(t *testing.T, c *http.Client, address string) (*http.Response, string) {
	t.Helper()
	res, err := c.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(body)
}

func client(t *testing.T, tr *http.Transport) *http.Client {
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{
		Transport:     tr,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// start runs nginx until the test ends.
func start(t *testing.T, conf string, hosts ...string) *nginx.Server {
	t.Helper()
	program, err := nginx.Find()
	if err != nil {
		if os.Getenv("SITEMEND_NO_SKIP") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	s, err := nginx.Run(program, t.TempDir(), conf, hosts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Both ports at once, two hosts on one of them, over TLS and HTTP/2.
func TestTLS(t *testing.T) {
	s := start(t, `
server { listen @HTTP@; return 301 https://shop.example$request_uri; }
server { listen @HTTPS@ ssl http2; server_name shop.example; return 200 shop; }
server { listen @HTTPS@ ssl http2; server_name www.shop.example; return 200 www; }
`, "shop.example", "www.shop.example")
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(s.CAPEM) {
		t.Fatal("no certificate in CAPEM")
	}
	c := client(t, &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: pool},
		ForceAttemptHTTP2: true,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, network, s.HTTPSAddr)
		},
	})
	for host, want := range map[string]string{"shop.example": "shop", "www.shop.example": "www"} {
		res, body := mustGet(t, c, "https://"+host+"/")
		if body != want || res.ProtoMajor != 2 {
			t.Errorf("%s: got %q over %s, want %q over HTTP/2", host, body, res.Proto, want)
		}
	}
	if _, body := mustGet(t, c, s.HTTPS()+"/"); body != "shop" {
		t.Errorf("by address: got %q, want the first server", body)
	}
	res, _ := mustGet(t, client(t, &http.Transport{}), s.HTTP()+"/a(b)?c=%28")
	if got, want := res.Header.Get("Location"), "https://shop.example/a(b)?c=%28"; got != want {
		t.Errorf("plain: got a redirect to %q, want %q", got, want)
	}
}

func TestWrongConfigurationIsReported(t *testing.T) {
	program, err := nginx.Find()
	if err != nil && os.Getenv("SITEMEND_NO_SKIP") == "" {
		t.Skip(err)
	}
	_, err = nginx.Run(program, t.TempDir(), "server { listen @HTTP@; retrun 200; }")
	if want := `unknown directive "retrun"`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}
