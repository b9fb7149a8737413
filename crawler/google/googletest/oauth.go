package googletest

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
)

// The secrets of its credentials: they must be sent to the token endpoint only.
const (
	ClientSecret = "GOCSPX-secret-of-the-client"
	UserRefresh  = "1//refresh-of-the-user"
)

// account is the only service account.
const account = "robot@project.iam.gserviceaccount.com"

// serviceKey is the key of the service account, the same for all Servers of a process.
var serviceKey = sync.OnceValues(func() (*rsa.PrivateKey, error) {
	return rsa.GenerateKey(rand.Reader, 2048)
})

// oauth is the state of the token endpoint.
type oauth struct {
	mu      sync.Mutex
	codes   map[string]grant    // by code
	refresh map[string][]string // scopes by refresh token
	access  map[string][]string // scopes by access token
	asked   []string            // every scope that was requested
	secrets []string
}

type grant struct {
	challenge, redirect string
	scopes              []string
}

// Secrets returns everything that only the token endpoint and the API may receive: tokens, codes,
// keys and the secret of the client.
func (s *Server) Secrets() []string {
	s.oauth.mu.Lock()
	defer s.oauth.mu.Unlock()
	return append(slices.Clone(s.oauth.secrets), ClientSecret, UserRefresh)
}

// Asked returns the scopes that logins and service accounts requested.
func (s *Server) Asked() []string {
	s.oauth.mu.Lock()
	defer s.oauth.mu.Unlock()
	return slices.Clone(s.oauth.asked)
}

// Forget invalidates all access tokens, as if they had expired.
func (s *Server) Forget() {
	s.oauth.mu.Lock()
	defer s.oauth.mu.Unlock()
	clear(s.oauth.access)
}

func (o *oauth) secret() string {
	x := "secret-" + rand.Text()
	o.secrets = append(o.secrets, x)
	return x
}

// Desktop writes the file of a Desktop client.
func (s *Server) Desktop(file string) error {
	return write(file, map[string]any{"installed": map[string]any{"client_id": "client.apps.googleusercontent.com", "client_secret": ClientSecret,
		"auth_uri": s.URL() + "/oauth/auth", "token_uri": s.URL() + "/oauth/token", "redirect_uris": []string{"http://localhost"}}})
}

// AuthorizedUser writes the file of a user of gcloud whose token has the given scopes.
func (s *Server) AuthorizedUser(file, project string, scopes ...string) error {
	s.oauth.mu.Lock()
	s.oauth.refresh[UserRefresh] = scopes
	s.oauth.mu.Unlock()
	return write(file, map[string]any{"type": "authorized_user", "client_id": "gcloud.apps.googleusercontent.com", "client_secret": ClientSecret,
		"refresh_token": UserRefresh, "quota_project_id": project, "token_uri": s.URL() + "/oauth/token"})
}

// ServiceAccount writes the file of a service account.
func (s *Server) ServiceAccount(file string) error {
	key, err := serviceKey()
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	text := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	s.oauth.mu.Lock()
	s.oauth.secrets = append(s.oauth.secrets, strings.Split(text, "\n")[1:3]...)
	s.oauth.mu.Unlock()
	return write(file, map[string]any{"type": "service_account", "private_key_id": "k1", "private_key": text, "client_email": account,
		"token_uri": s.URL() + "/oauth/token"})
}

func write(file string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

// granted returns the scopes of a request that are granted.
func (s *Server) granted(asked string) []string {
	scopes := strings.Fields(asked)
	s.oauth.asked = append(s.oauth.asked, scopes...)
	return slices.DeleteFunc(scopes, func(x string) bool { return s.Grant != nil && !slices.Contains(s.Grant, x) })
}

// authorize is the page on which a person agrees; it does so at once.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	s.oauth.mu.Lock()
	defer s.oauth.mu.Unlock()
	q := r.URL.Query()
	back, err := url.Parse(q.Get("redirect_uri"))
	if err != nil || back.Hostname() != "127.0.0.1" || back.Scheme != "http" || len(q.Get("state")) < 16 || len(q.Get("code_challenge")) != 43 ||
		q.Get("response_type")+q.Get("code_challenge_method")+q.Get("access_type") != "codeS256offline" || q.Has("client_secret") {
		s.fault("a login of %s", r.URL.RawQuery)
		http.Error(w, "invalid_request", http.StatusBadRequest)
		return
	}
	answer := url.Values{"state": {q.Get("state")}, "iss": {s.URL()}}
	if scopes := s.granted(q.Get("scope")); len(scopes) > 0 {
		code := s.oauth.secret()
		s.oauth.codes[code] = grant{q.Get("code_challenge"), q.Get("redirect_uri"), scopes}
		answer.Set("code", code)
	} else {
		answer.Set("error", "access_denied")
	}
	back.RawQuery = answer.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

// token is the token endpoint.
func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	status, code := 0, ""
	if s.Token != nil {
		status, code = s.Token()
	}
	s.oauth.mu.Lock()
	defer s.oauth.mu.Unlock()
	var scopes []string
	var refresh string
	if status == 0 {
		ok := false
		if scopes, refresh, ok = s.exchange(r); !ok {
			status, code = http.StatusBadRequest, "invalid_grant"
		}
	}
	if status != 0 {
		w.WriteHeader(status)
		json.NewEncoder(w).Encode(map[string]string{"error": code, "error_description": "Token has been expired or revoked."})
		return
	}
	access := s.oauth.secret()
	s.oauth.access[access] = scopes
	json.NewEncoder(w).Encode(map[string]any{"access_token": access, "expires_in": 3599, "token_type": "Bearer",
		"scope": strings.Join(scopes, " "), "refresh_token": refresh})
}

// exchange returns the grant for a token request.
func (s *Server) exchange(r *http.Request) (scopes []string, refresh string, ok bool) {
	if r.ParseForm() != nil || r.URL.RawQuery != "" {
		s.fault("a token asked for by %s", r.URL.RawQuery)
		return nil, "", false
	}
	f := r.PostForm
	switch f.Get("grant_type") {
	case "authorization_code":
		g, known := s.oauth.codes[f.Get("code")]
		sum := sha256.Sum256([]byte(f.Get("code_verifier")))
		if !known || base64.RawURLEncoding.EncodeToString(sum[:]) != g.challenge ||
			f.Get("redirect_uri") != g.redirect || f.Get("client_secret") != ClientSecret {
			s.fault("a code that does not fit")
			return nil, "", false
		}
		delete(s.oauth.codes, f.Get("code"))
		refresh = s.oauth.secret()
		s.oauth.refresh[refresh] = g.scopes
		return g.scopes, refresh, true
	case "refresh_token":
		scopes, ok = s.oauth.refresh[f.Get("refresh_token")]
		return scopes, "", ok && f.Get("client_secret") == ClientSecret
	}
	scope, ok := claimed(f.Get("assertion"), s.URL()+"/oauth/token")
	return s.granted(scope), "", ok
}

// claimed returns the scope that a JWT of the service account asks for at this endpoint.
func claimed(assertion, audience string) (scope string, ok bool) {
	_, rest, _ := strings.Cut(assertion, ".")
	claims, _, _ := strings.Cut(rest, ".")
	var c struct {
		Iss, Scope, Aud string
		Iat, Exp        int64
	}
	data, err := base64.RawURLEncoding.DecodeString(claims)
	if err != nil || json.Unmarshal(data, &c) != nil {
		return "", false
	}
	return c.Scope, c.Iss == account && c.Aud == audience && c.Exp <= c.Iat+3600
}
