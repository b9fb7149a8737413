package googletest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Discovery returns the path of Google's discovery document: below SITEMEND_CORPUS, else below
// ../shared/corpus beside root, the root of the project.
func Discovery(root string) string {
	dir := os.Getenv("SITEMEND_CORPUS")
	if dir == "" {
		dir = filepath.Join(root, "..", "shared", "corpus")
	}
	return filepath.Join(dir, "google", "searchconsole-v1-discovery.json")
}

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
	// Sitemaps are the answers of sitemaps.list, by property, as JSON.
	Sitemaps map[string]string
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

	d      *discovery
	http   *httptest.Server
	mu     sync.Mutex
	calls  []Call
	faults []string
	oauth  oauth
}

// Start starts a Server with the methods of a discovery document.
func Start(file string) (*Server, error) {
	d, err := readDiscovery(file)
	if err != nil {
		return nil, err
	}
	s := &Server{d: d, Sites: map[string]string{}, Sitemaps: map[string]string{},
		Inspections: map[string]string{}}
	s.oauth.init()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /oauth/auth", s.authorize)
	mux.HandleFunc("POST /oauth/token", s.token)
	mux.HandleFunc("POST /revoke", s.revoke)
	mux.HandleFunc("/", s.api)
	s.http = httptest.NewServer(mux)
	return s, nil
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
// a wrong body, a wider scope than the call needs.
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

// api answers a call.
func (s *Server) api(w http.ResponseWriter, r *http.Request) {
	path := r.URL.EscapedPath()
	m, values := s.d.find(r.Method, path)
	if m == nil {
		s.fault("no method is %s %s", r.Method, path)
		s.refuse(w, 404, "notFound", "Not Found")
		return
	}
	c := Call{Method: m.ID, Values: values, Path: path,
		Project: r.Header.Get("X-Goog-User-Project")}
	s.inspectRequest(m, &c, r)
	status := s.answer(w, m, &c, r)
	c.Status = status
	s.mu.Lock()
	s.calls = append(s.calls, c)
	s.mu.Unlock()
}

// inspectRequest compares a request with the description of its method.
func (s *Server) inspectRequest(m *method, c *Call, r *http.Request) {
	for name := range r.URL.Query() {
		if p, ok := m.Parameters[name]; !ok || p.Location != "query" {
			s.fault("%s has no parameter %s", m.ID, name)
		}
	}
	for name, value := range c.Values {
		if strings.Contains(value, "://") || strings.HasPrefix(value, "sc-domain:") {
			continue
		}
		s.fault("%s: %s %q is no address: encoded twice, or not at all?", m.ID, name, value)
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	switch {
	case err != nil:
		s.fault("%s: %v", m.ID, err)
	case m.Request == nil && len(body) > 0:
		s.fault("%s takes no body: %s", m.ID, body)
	case m.Request != nil:
		if err := json.Unmarshal(body, &c.Body); err != nil {
			s.fault("%s: %v", m.ID, err)
		} else if err := s.d.check(m.Request, any(c.Body), m.ID); err != nil {
			s.fault("%v", err)
		}
	}
}

// answer answers a call and returns the status.
func (s *Server) answer(w http.ResponseWriter, m *method, c *Call, r *http.Request) int {
	bearer, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	scopes, known := s.oauth.scopes(bearer)
	c.Scopes, c.Token = scopes, bearer
	if s.Answer != nil {
		if a := s.Answer(*c); a.Status != 0 {
			for k, v := range a.Header {
				w.Header().Set(k, v)
			}
			w.WriteHeader(a.Status)
			io.WriteString(w, a.Body)
			return a.Status
		}
	}
	switch {
	case !known:
		return s.refuse(w, 401, "authError", "Invalid Credentials")
	case !m.allows(scopes):
		return s.refuse(w, 403, "insufficientPermissions",
			"Request had insufficient authentication scopes.")
	}
	if site, ok := c.site(); ok && s.Sites[site] == "" {
		return s.refuse(w, 403, "forbidden",
			"User does not have sufficient permission for site '"+site+
				"'. See also: https://support.google.com/webmasters/answer/2451999.")
	}
	return s.say(w, m, s.body(c))
}

// site returns the property that a call is about.
func (c *Call) site() (string, bool) {
	if v, ok := c.Values["siteUrl"]; ok {
		return v, true
	}
	v, ok := c.Body["siteUrl"].(string)
	return v, ok
}

// body returns the normal answer to a call; "" for none.
func (s *Server) body(c *Call) string {
	switch c.Method {
	case "webmasters.sites.list":
		type entry struct {
			URL        string `json:"siteUrl"`
			Permission string `json:"permissionLevel"`
		}
		entries := []entry{}
		for url, level := range s.Sites { // in no order, like Google
			entries = append(entries, entry{url, level})
		}
		text, _ := json.Marshal(map[string]any{"siteEntry": entries}) // texts only: no error
		return string(text)
	case "webmasters.sitemaps.list":
		if text, ok := s.Sitemaps[c.Values["siteUrl"]]; ok {
			return text
		}
		return "{}"
	case "searchconsole.urlInspection.index.inspect":
		url, _ := c.Body["inspectionUrl"].(string)
		result, ok := s.Inspections[url]
		if !ok {
			result = `{"verdict":"NEUTRAL","coverageState":"URL is unknown to Google","robotsTxtState":"ROBOTS_TXT_STATE_UNSPECIFIED","indexingState":"INDEXING_STATE_UNSPECIFIED","pageFetchState":"PAGE_FETCH_STATE_UNSPECIFIED"}`
		}
		return `{"inspectionResult":{"inspectionResultLink":"https://search.google.com/search-console/inspect?resource_id=x&id=y","indexStatusResult":` + result + `}}`
	}
	return ""
}

// say sends an answer of the method.
func (s *Server) say(w http.ResponseWriter, m *method, body string) int {
	if m.Response == nil {
		w.WriteHeader(http.StatusNoContent)
		return http.StatusNoContent
	}
	var value any
	if err := json.Unmarshal([]byte(body), &value); err != nil {
		s.fault("the answer of %s: %v", m.ID, err)
	} else if err := s.d.check(m.Response, value, m.ID); err != nil {
		s.fault("the answer: %v", err)
	}
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	io.WriteString(w, body)
	return http.StatusOK
}

// refuse sends an error as Google does.
func (s *Server) refuse(w http.ResponseWriter, status int, reason, message string) int {
	a := Refusal(status, reason, message)
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(a.Status)
	io.WriteString(w, a.Body)
	return status
}

// Refusal returns an error as Google sends it. Without a reason it has no errors[].
func Refusal(status int, reason, message string) Answer {
	e := map[string]any{"code": status, "message": message}
	if reason != "" {
		e["errors"] = []map[string]string{{"message": message, "domain": "global",
			"reason": reason}}
	}
	names := map[int]string{400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED",
		403: "PERMISSION_DENIED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED", 500: "INTERNAL",
		503: "UNAVAILABLE"}
	if name := names[status]; name != "" {
		e["status"] = name
	}
	body, _ := json.Marshal(map[string]any{"error": e}) // texts and a number only: no error
	return Answer{Status: status, Body: string(body)}
}
