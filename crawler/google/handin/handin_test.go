package handin_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/google/handin"
	"sitemend/crawler/google/service"
)

// quick is a clock that does not wait.
type quick struct{ service.SystemClock }

func (quick) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

const key = "secret-key-1234"

// answering is a service that answers each call with the next of its answers, then repeats the last
// one, and records the calls.
type answering struct {
	answers []string // "STATUS BODY"
	mu      sync.Mutex
	calls   []string
}

// sent returns the calls so far.
func (a *answering) sent() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.calls)
}

func (a *answering) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // of a test
	a.mu.Lock()
	a.calls = append(a.calls, r.Method+" "+r.URL.RequestURI()+" "+string(body))
	answer := a.answers[min(len(a.calls), len(a.answers))-1]
	a.mu.Unlock()
	status, text, _ := strings.Cut(answer, " ")
	if status == "reset" {
		panic(http.ErrAbortHandler)
	}
	n := 0
	fmt.Sscan(status, &n)
	if n == 302 {
		w.Header().Set("Location", "https://evil.example/"+key)
	}
	w.WriteHeader(n)
	io.WriteString(w, text)
}

func serve(t *testing.T, answers ...string) (*answering, string) {
	t.Helper()
	a := &answering{answers: answers}
	s := httptest.NewServer(a)
	t.Cleanup(s.Close)
	return a, s.URL
}

// The errors for the services' answers, and how often a call is tried; no error contains the key.
func TestServicesThatMisbehave(t *testing.T) {
	for name, test := range map[string]struct {
		answers   []string
		calls     int
		err, hint string
	}{
		"taken":                 {[]string{`200 {"d":null}`}, 1, "", ""},
		"down, then up":         {[]string{"503 ", "reset", `200 {"d":null}`}, 3, "", ""},
		"down":                  {[]string{"500 <html>"}, 3, "Bing answers 500", "tries again"},
		"nobody answers":        {[]string{"reset"}, 3, "no answer from Bing", "tries again"},
		"invalid key":           {[]string{`400 {"ErrorCode":3,"Message":"ERROR!!! InvalidApiKey ` + key + `"}`}, 1, "repeats a secret", "SITEMEND_BING_KEY"},
		"throttled":             {[]string{`400 {"ErrorCode":4,"Message":"ThrottleUser"}`}, 1, "ThrottleUser", "later"},
		"not authorized":        {[]string{`400 {"ErrorCode":14,"Message":"NotAuthorized"}`}, 1, "NotAuthorized", "verified"},
		"an error with 200":     {[]string{`200 {"ErrorCode":13,"Message":"NotAllowed"}`}, 1, "NotAllowed", "verified"},
		"a page":                {[]string{"403 <html>" + key}, 1, "Bing answers 403", "docs/google.md"},
		"a page with 200":       {[]string{"200 <html>log in first"}, 1, "Bing answers 200: the answer is no JSON", "docs/google.md"},
		"nothing with 200":      {[]string{"200 "}, 1, "", ""},
		"a redirect to strange": {[]string{"302 "}, 1, "Bing answers 302", "docs/google.md"},
	} {
		t.Run(name, func(t *testing.T) {
			a, at := serve(t, test.answers...)
			b, err := handin.NewBing(key, at, quick{})
			if err != nil {
				t.Fatal(err)
			}
			err = b.SubmitFeed(t.Context(), "https://shop.example/", "https://shop.example/a%28.xml")
			if len(a.sent()) != test.calls || (err == nil) != (test.err == "") {
				t.Fatalf("%d calls, %v", len(a.sent()), err)
			}
			if want := "POST /webmaster/api.svc/json/SubmitFeed?apikey=" + key + ` {"feedUrl":"https://shop.example/a%28.xml","siteUrl":"https://shop.example/"}`; a.sent()[0] != want {
				t.Errorf("sent %s\nwant %s", a.sent()[0], want)
			}
			if err == nil {
				return
			}
			var h interface{ Hint() string }
			if !errors.As(err, &h) || !strings.Contains(err.Error(), test.err) || !strings.Contains(h.Hint(), test.hint) || strings.Contains(err.Error()+h.Hint(), key) {
				t.Errorf("%v (%v); want %q (%q)", err, h, test.err, test.hint)
			}
		})
	}
}

// An answer of Bing that contains the key is not used, because its sites are printed.
func TestBingRepeatsTheKey(t *testing.T) {
	_, at := serve(t, `200 {"d":[{"Url":"https://shop.example/?apikey=`+key+`","IsVerified":true}]}`,
		`200 {"d":[{"Url":"https://shop.example/`+base64.StdEncoding.EncodeToString([]byte("apikey="+key))+`","IsVerified":true}]}`)
	b, err := handin.NewBing(key, at, quick{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if sites, err := b.Sites(t.Context()); err == nil || !strings.Contains(err.Error(), "repeats a secret") || len(sites) > 0 {
			t.Errorf("%v %v", sites, err)
		}
	}
}

func TestIndexNow(t *testing.T) {
	for answer, want := range map[string]string{"200 ": "", "202 ": "", "400 ": "not understood", "403 ": "key file was not found", "422 ": "not of the host", "429 ": "too many", "405 ": "405", "302 ": "302", "503 ": "503", "200 \n<html>log in first": "none of IndexNow's", `200 {"success":tr`: "none of IndexNow's", "202 please log in": "none of IndexNow's", "200 OK": "", `200 {"success":true}`: ""} {
		a, at := serve(t, answer)
		n, err := handin.NewIndexNow(key, at, quick{})
		if err != nil {
			t.Fatal(err)
		}
		status, err := n.Submit(t.Context(), "shop.example", n.KeyFile(address.Wire("https://shop.example/a")), []string{"https://shop.example/a%28?x=1&y=2", "http://shop.example/b"})
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), key)) || !strings.HasPrefix(answer, fmt.Sprint(status)+" ") {
			t.Errorf("%s: %d %v", answer, status, err)
		}
		var body struct {
			Host, Key, KeyLocation string
			URLList                []string
		}
		request, text, _ := strings.Cut(a.sent()[0], " {")
		if err := json.Unmarshal([]byte("{"+text), &body); err != nil || request != "POST /indexnow" || body.Host != "shop.example" || body.Key != key ||
			body.KeyLocation != "https://shop.example/"+key+".txt" || fmt.Sprint(body.URLList) != "[https://shop.example/a%28?x=1&y=2 http://shop.example/b]" {
			t.Errorf("sent %s: %v", a.sent()[0], err)
		}
	}
}
