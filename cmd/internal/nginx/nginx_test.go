package nginx_test

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"sitemend/cmd/internal/nginx"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Both ports answer at once, and a wrong configuration is said.
func TestRun(t *testing.T) {
	program, err := nginx.Find()
	if err != nil && os.Getenv("SITEMEND_NO_SKIP") == "" {
		t.Skip(err)
	}
	s, err := nginx.Run(program, t.TempDir(), "server { listen @HTTP@; return 301 https://shop.example$request_uri; }\nserver { listen @HTTPS@ ssl; return 204; }\n", "shop.example")
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(s.CAPEM)
	tr := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, ServerName: "shop.example"}, DisableKeepAlives: true}
	for address, want := range map[string]string{s.HTTP() + "/a(b)?c=%28": "301 https://shop.example/a(b)?c=%28", s.HTTPS() + "/": "204 "} {
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		res, err := tr.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if got := res.Status[:4] + res.Header.Get("Location"); got != want {
			t.Errorf("%s answers %s, want %s", address, got, want)
		}
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	_, err = nginx.Run(program, t.TempDir(), "server { listen @HTTP@; retrun 200; }")
	if want := `unknown directive "retrun"`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}
