package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// receivers are a Bing Webmaster and an IndexNow for scripts. The zero value answers as they do of
// a site that is not known.
type receivers struct {
	Sites []struct {
		URL      string `json:"Url"`
		Verified bool   `json:"IsVerified"`
	}
	DailyQuota, MonthlyQuota int
	// BingError is the ErrorCode of each call of the method BingFails.
	BingError int
	BingFails string
	// IndexNow is the status of each call, 0 for 200.
	IndexNow int

	mu    sync.Mutex
	calls []string
}

// The keys of the scripts.
const (
	bingKey     = "bing-key-secret"
	indexNowKey = "indexnow-key-secret"
)

// allReceivers are those of the scripts, by the script's folder.
var allReceivers sync.Map

// receiversCommand starts a Bing and an IndexNow, with what a file says of them, and sets keys.
func receiversCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: receivers FILE")
	}
	r := &receivers{}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), r))
	s := httptest.NewServer(r)
	ts.Defer(s.Close)
	allReceivers.Store(ts.Getenv("WORK"), r)
	ts.Setenv("SITEMEND_BING_API", s.URL)
	ts.Setenv("SITEMEND_INDEXNOW_API", s.URL)
	ts.Setenv("SITEMEND_BING_KEY", bingKey)
	ts.Setenv("SITEMEND_INDEXNOW_KEY", indexNowKey)
}

// receivedCommand says how many calls hold all texts: "bing METHOD BODY", "indexnow BODY".
func receivedCommand(ts *testscript.TestScript, neg bool, args []string) {
	x, ok := allReceivers.Load(ts.Getenv("WORK"))
	if neg || !ok || len(args) == 1 {
		ts.Fatalf("usage: received [N TEXT...], after receivers")
	}
	r := x.(*receivers)
	r.mu.Lock()
	defer r.mu.Unlock()
	all := strings.Join(r.calls, "\n") + "\n"
	if len(args) == 0 {
		fmt.Fprint(ts.Stdout(), all)
		return
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	n := 0
	for _, call := range r.calls {
		if !slices.ContainsFunc(args[1:], func(text string) bool { return !strings.Contains(call, text) }) {
			n++
		}
	}
	if n != want {
		ts.Fatalf("%d calls; all:\n%s", n, all)
	}
}

// ServeHTTP answers as the services do. What they would not understand is a call "bad".
func (r *receivers) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	method, bing := strings.CutPrefix(req.URL.Path, "/webmaster/api.svc/json/")
	switch {
	case err != nil:
		r.calls = append(r.calls, "bad "+err.Error())
	case bing:
		r.bing(w, req, method, string(body))
	case req.URL.Path == "/indexnow" && req.Method == http.MethodPost:
		r.indexNow(w, req, body)
	default:
		r.calls = append(r.calls, "bad "+req.Method+" "+req.URL.String())
		w.WriteHeader(http.StatusNotFound)
	}
}

// bing answers a method of Bing Webmaster (learn.microsoft.com/bingwebmaster/api-protocols).
func (r *receivers) bing(w http.ResponseWriter, req *http.Request, method, body string) {
	site := req.URL.Query().Get("siteUrl")
	r.calls = append(r.calls, strings.TrimSpace("bing "+method+" "+site+body))
	reads := map[string]bool{"GetUserSites": true, "GetUrlSubmissionQuota": true}
	writes := map[string]bool{"SubmitFeed": true, "SubmitUrlBatch": true}
	if req.Method == http.MethodGet && !reads[method] || req.Method == http.MethodPost && !writes[method] || req.URL.Query().Get("apikey") != bingKey {
		r.calls = append(r.calls, "bad "+req.Method+" "+method)
	}
	if method == r.BingFails {
		w.WriteHeader(http.StatusBadRequest)
		json.NewEncoder(w).Encode(map[string]any{"ErrorCode": r.BingError, "Message": "ERROR!!! key " + bingKey})
		return
	}
	answer := map[string]any{"d": nil}
	switch method {
	case "GetUserSites":
		answer["d"] = r.Sites
	case "GetUrlSubmissionQuota":
		answer = map[string]any{"DailyQuota": r.DailyQuota, "MonthlyQuota": r.MonthlyQuota} // seen without the d
	}
	json.NewEncoder(w).Encode(answer)
}

// indexNow takes addresses (indexnow.org/documentation).
func (r *receivers) indexNow(w http.ResponseWriter, req *http.Request, body []byte) {
	var said struct {
		Host, Key, KeyLocation string
		URLList                []string `json:"urlList"`
	}
	err := json.Unmarshal(body, &said)
	of := func(u string) bool {
		_, rest, _ := strings.Cut(u, "://")
		return strings.HasPrefix(rest+"/", said.Host+"/") || strings.HasPrefix(rest, said.Host+"/")
	}
	if err != nil || said.Key != indexNowKey || !strings.HasPrefix(req.Header.Get("Content-Type"), "application/json") || len(said.URLList) == 0 ||
		len(said.URLList) > 10_000 || !of(said.KeyLocation) || slices.ContainsFunc(said.URLList, func(u string) bool { return !of(u) }) {
		r.calls = append(r.calls, "bad indexnow "+string(body))
		w.WriteHeader(http.StatusUnprocessableEntity)
		return
	}
	r.calls = append(r.calls, "indexnow "+said.Host+" "+strings.Join(said.URLList, " "))
	if r.IndexNow != 0 {
		w.WriteHeader(r.IndexNow)
	}
}
