package google_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sitemend/crawler/google"
)

// A web answers at once, within the process.
type web func(*http.Request) (status int, body string)

func (w web) RoundTrip(r *http.Request) (*http.Response, error) {
	status, body := w(r)
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// Even where a failure comes at once, and while another call waits for its turn, the next attempt
// for its address is made a second later, and the last one four seconds after that.
func TestTriesOfFailuresThatComeAtOnce(t *testing.T) {
	for name, fails := range map[string]struct {
		status int
		body   string
	}{
		"502":                   {502, "<html>bad</html>"},
		"403 rateLimitExceeded": {403, `{"error":{"errors":[{"reason":"rateLimitExceeded"}]}}`},
		"half an answer":        {200, `{"inspectionResult":{"indexStatusResult":`},
		"nothing said":          {200, "{}"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				at := map[string][]time.Time{}
				w := web(func(r *http.Request) (int, string) {
					if r.URL.Path == "/token" {
						return 200, `{"access_token":"of-a-test","token_type":"Bearer","expires_in":3599}`
					}
					var q struct {
						URL string `json:"inspectionUrl"`
					}
					if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
						return 400, err.Error()
					}
					at[q.URL] = append(at[q.URL], time.Now()) // one call after the other: there is one clock
					return fails.status, fails.body
				})
				c, err := google.New(person(t), google.Options{Scope: google.ReadOnly, Base: "http://127.0.0.1/", Transport: w})
				if err != nil {
					t.Fatal(err)
				}
				g := &inspected{}
				rest := (&google.Inspector{Client: c, Ledger: newLedger(), Got: g.got}).Inspect(t.Context(), property, addresses(11))
				if len(g.all)+len(rest.URLs) != 11 || rest.Err == nil {
					t.Errorf("%d got, %d left, %v", len(g.all), len(rest.URLs), rest.Err)
				}
				thrice := 0
				for url, at := range at {
					for try, after := range []time.Duration{time.Second, 4 * time.Second} {
						if len(at) <= try+1 {
							continue
						}
						if d := at[try+1].Sub(at[try]); d < after || d > after+2*time.Second {
							t.Errorf("try %d of %s comes after %s, not after %s", try+2, url, d, after)
						}
					}
					if len(at) == 3 {
						thrice++
					}
				}
				if thrice == 0 || fails.status != 403 && thrice < 5 {
					t.Errorf("%d addresses had three tries", thrice)
				}
			})
		})
	}
}

// person returns authorized_user credentials for a web within the process.
func person(t *testing.T) google.Credentials {
	t.Helper()
	file := filepath.Join(t.TempDir(), "person.json")
	text := fmt.Sprintf(`{"type":"authorized_user","client_id":"c","client_secret":%q,"refresh_token":%q,"token_uri":"http://127.0.0.1/token"}`,
		"GOCSPX-of-a-test", "1//0refresh-of-a-test")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return find(t, file)
}
