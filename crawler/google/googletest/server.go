// Package googletest is a Google on loopback for tests: the calls of the Search Console API that
// sitemend makes, as Google's discovery document describes them, and the OAuth endpoints. It records
// the calls, and what no client of Google may send.
package googletest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
)

// The scopes of Search Console.
const (
	readWrite = "https://www.googleapis.com/auth/webmasters"
	readOnly  = readWrite + ".readonly"
)

// A Call is one request to the API.
type Call struct {
	Method  string            // id of the discovery document: webmasters.sites.list
	Values  map[string]string // of its path, decoded once
	Body    map[string]any
	Path    string // as received
	Scopes  []string
	Token   string // sent with the request
	Project string // X-Goog-User-Project
	Status  int    // of the answer
}

// An Answer replaces the normal answer of the Server. The zero Answer does not.
type Answer struct {
	Status int
	Body   string // JSON, or any text as a proxy may send it
	Header map[string]string
}

// A Server is a Google on loopback. Its fields must be set before the first request.
type Server struct {
	// Sites are the properties of the account, with their permissionLevel in the spelling of the
	// live service.
	Sites map[string]string
	// Inspections are the answers about addresses: the indexStatusResult, as JSON. Other addresses
	// are unknown to Google.
	Inspections map[string]string
	// Grant is the scopes that are granted where they are requested; nil for all.
	Grant []string
	// Answer is called before a call is answered, and may replace the answer.
	Answer func(Call) Answer
	// Token is called before a token is issued. It returns an error code such as invalid_grant, or
	// a status of 500 and more.
	Token func() (status int, code string)

	http   *httptest.Server
	mu     sync.Mutex
	calls  []Call
	faults []string
	oauth  oauth
}

// Start starts a Server.
func Start() *Server {
	s := &Server{Sites: map[string]string{}, Inspections: map[string]string{}}
	s.oauth = oauth{codes: map[string]grant{}, access: map[string][]string{}, refresh: map[string][]string{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /oauth/auth", s.authorize)
	mux.HandleFunc("POST /oauth/token", s.token)
	const sites = "/webmasters/v3/sites"
	s.route(mux, "GET "+sites, "webmasters.sites.list", s.listSites)
	s.route(mux, "PUT "+sites+"/{siteUrl}/sitemaps/{feedpath}", "webmasters.sitemaps.submit", func(*Call) string { return "" })
	s.route(mux, "POST /v1/urlInspection/index:inspect", "searchconsole.urlInspection.index.inspect", s.inspect)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.fault("no method is %s %s", r.Method, r.URL.EscapedPath())
		http.NotFound(w, r)
	})
	s.http = httptest.NewServer(mux)
	return s
}

// URL returns the address of the server; for SITEMEND_GOOGLE_API in tests.
func (s *Server) URL() string { return s.http.URL }

// Close stops the server.
func (s *Server) Close() { s.http.Close() }

// Calls returns the calls to the API so far, in order.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Faults returns what no client of Google may send: an unknown route, a path that is encoded twice,
// a wrong body.
func (s *Server) Faults() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.faults)
}

func (s *Server) fault(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, fmt.Sprintf(format, args...))
}

// route answers the calls of one method.
func (s *Server) route(mux *http.ServeMux, pattern, id string, body func(*Call) string) {
	mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		c := Call{Method: id, Values: map[string]string{}, Path: r.URL.EscapedPath(), Project: r.Header.Get("X-Goog-User-Project")}
		s.read(&c, r)
		a := s.answer(&c, r, body)
		for k, v := range a.Header {
			w.Header().Set(k, v)
		}
		w.WriteHeader(a.Status)
		io.WriteString(w, a.Body)
		c.Status = a.Status
		s.mu.Lock()
		s.calls = append(s.calls, c)
		s.mu.Unlock()
	})
}

// read reads a request, and says what is wrong with it.
func (s *Server) read(c *Call, r *http.Request) {
	if r.URL.RawQuery != "" {
		s.fault("%s takes no query: %s", c.Method, r.URL.RawQuery)
	}
	for _, name := range []string{"siteUrl", "feedpath"} {
		if v := r.PathValue(name); v != "" {
			c.Values[name] = v
			if !strings.Contains(v, "://") && !strings.HasPrefix(v, "sc-domain:") {
				s.fault("%s: %s %q is no address: encoded twice, or not at all?", c.Method, name, v)
			}
		}
	}
	body, err := io.ReadAll(r.Body)
	if err == nil && r.Method == http.MethodPost {
		err = json.Unmarshal(body, &c.Body)
		for name := range c.Body {
			if !slices.Contains([]string{"inspectionUrl", "siteUrl", "languageCode"}, name) {
				s.fault("%s has no %s", c.Method, name)
			}
		}
	} else if len(body) > 0 {
		s.fault("%s takes no body: %s", c.Method, body)
	}
	if err != nil {
		s.fault("%s: %v", c.Method, err)
	}
}

// answer returns the answer to a call.
func (s *Server) answer(c *Call, r *http.Request, body func(*Call) string) Answer {
	c.Token, _ = strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	s.oauth.mu.Lock()
	scopes, known := s.oauth.access[c.Token]
	s.oauth.mu.Unlock()
	c.Scopes = scopes
	if s.Answer != nil {
		if a := s.Answer(*c); a.Status != 0 {
			return a
		}
	}
	site, named := c.Body["siteUrl"].(string)
	if v, ok := c.Values["siteUrl"]; ok {
		site, named = v, true
	}
	switch {
	case !known:
		return Refusal(401, "authError", "Invalid Credentials")
	case !slices.Contains(scopes, readWrite) && (r.Method == http.MethodPut || !slices.Contains(scopes, readOnly)):
		return Refusal(403, "insufficientPermissions", "Request had insufficient authentication scopes.")
	case named && s.Sites[site] == "":
		return Refusal(403, "forbidden", "User does not have sufficient permission for site '"+site+"'.")
	}
	if text := body(c); text != "" {
		return Answer{Status: 200, Body: text}
	}
	return Answer{Status: 204}
}

func (s *Server) listSites(*Call) string {
	entries := []map[string]string{}
	for url, level := range s.Sites { // in no order, like Google
		entries = append(entries, map[string]string{"siteUrl": url, "permissionLevel": level})
	}
	text, _ := json.Marshal(map[string]any{"siteEntry": entries}) // texts only: no error
	return string(text)
}

func (s *Server) inspect(c *Call) string {
	result, ok := s.Inspections[fmt.Sprint(c.Body["inspectionUrl"])]
	if !ok {
		result = `{"verdict":"NEUTRAL","coverageState":"URL is unknown to Google","robotsTxtState":"ROBOTS_TXT_STATE_UNSPECIFIED","indexingState":"INDEXING_STATE_UNSPECIFIED","pageFetchState":"PAGE_FETCH_STATE_UNSPECIFIED"}`
	}
	return `{"inspectionResult":{"inspectionResultLink":"https://search.google.com/search-console/inspect?resource_id=x&id=y","indexStatusResult":` + result + `}}`
}

// Refusal returns an error as Google sends it. Without a reason it has no errors[].
func Refusal(status int, reason, message string) Answer {
	e := map[string]any{"code": status, "message": message}
	if reason != "" {
		e["errors"] = []map[string]string{{"message": message, "domain": "global", "reason": reason}}
	}
	body, _ := json.Marshal(map[string]any{"error": e}) // texts and a number only: no error
	return Answer{Status: status, Body: string(body)}
}
