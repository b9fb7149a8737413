package google

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/oauth2"
)

// loginTime is how long a person may take in the browser.
const loginTime = 5 * time.Minute

const hintLogin = "sitemend google login"

// Login lets a person log in with a Desktop client, in a browser on this machine (RFC 8252,
// loopback; RFC 7636, S256), and stores the token. show is called with the address to open. Login
// requests o.Scope only; where that was not granted, it stores nothing and returns an error. file is
// where the token is stored.
func Login(ctx context.Context, of Credentials, o Options, show func(url string)) (file string, err error) {
	if of.Kind != DesktopClient {
		return "", withHint(fmt.Errorf("%s: no login is needed (%s)", of.Path, of.Kind),
			"sitemend google lists what it may see")
	}
	c, err := newClient(of, o)
	if err != nil {
		return "", err
	}
	if file, err = o.tokenFile(); err != nil {
		return "", err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	conf, verifier := c.config(), oauth2.GenerateVerifier()
	conf.RedirectURL = "http://" + l.Addr().String()
	back := &callback{state: rand.Text(), host: l.Addr().String(), issuer: origin(of.authURI),
		answer: make(chan url.Values, 1)}
	server := &http.Server{Handler: back, ReadHeaderTimeout: 10 * time.Second}
	go server.Serve(l) // it ends with Close, below
	defer server.Close()
	show(conf.AuthCodeURL(back.state, oauth2.AccessTypeOffline,
		oauth2.S256ChallengeOption(verifier), oauth2.SetAuthURLParam("prompt", "consent")))
	code, err := c.code(ctx, back)
	if err != nil {
		return "", err
	}
	c.used.Store(code, nil)
	c.used.Store(verifier, nil)
	token, err := conf.Exchange(context.WithValue(ctx, oauth2.HTTPClient, c.Web), code, oauth2.VerifierOption(verifier))
	if err != nil {
		return "", c.refused(ctx, err)
	}
	said, _ := token.Extra("scope").(string)
	switch {
	case !o.Scope.grants(said):
		return "", c.lacking()
	case token.RefreshToken == "":
		return "", withHint(errors.New("no lasting token came from Google"),
			"take the access away at myaccount.google.com/permissions, then log in once more")
	}
	saved := &savedToken{ClientID: conf.ClientID, RefreshToken: token.RefreshToken, Scope: said}
	return file, saved.save(file)
}

// callback receives the answer that the browser delivers.
type callback struct {
	state, host, issuer string
	answer              chan url.Values
}

// ServeHTTP accepts the answer to our request only: an answer with another state, or to another
// name of this machine, belongs to another request.
func (b *callback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	switch {
	case r.Method != http.MethodGet || r.URL.Path != "/" || r.Host != b.host:
		http.NotFound(w, r)
		return
	case subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(b.state)) != 1,
		q.Has("iss") && q.Get("iss") != b.issuer: // RFC 9207
		http.Error(w, "This is not the answer that sitemend waits for.", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Cache-Control", "no-store")
	io.WriteString(w, "<!doctype html><title>sitemend</title><p>sitemend has the answer. You can close this page; the terminal says how it went.")
	select {
	case b.answer <- q:
	default: // the page was reloaded
	}
}

// code returns the code of the answer.
func (c *Client) code(ctx context.Context, b *callback) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, loginTime,
		errors.New("nobody logged in within five minutes"))
	defer cancel()
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case q := <-b.answer:
		switch code := q.Get("code"); {
		case code != "":
			return code, nil
		case q.Get("error") == "access_denied":
			return "", withHint(errors.New("the access was refused in the browser"), "sitemend google login asks once more; an account that is no test user of the project is refused, too (docs/google.md)")
		}
		return "", withHint(errors.New("the login was refused: "+c.Fail(200, q.Get("error")).Message),
			"docs/google.md says how to make the OAuth client")
	}
}

// origin returns scheme and authority of an address.
func origin(at string) string {
	u, err := url.Parse(at)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// A savedToken is the token of a login, as stored.
type savedToken struct {
	ClientID     string `json:"client_id"` // the client that it belongs to
	RefreshToken string `json:"refresh_token"`
	Scope        string `json:"scope"` // the granted scopes
}

// tokenFile returns the file with the token of a login.
func (o *Options) tokenFile() (string, error) {
	if o.TokenFile != "" {
		return o.TokenFile, nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", withHint(err, "HOME or XDG_CONFIG_HOME says where the login is kept")
	}
	return filepath.Join(dir, "sitemend", "google-token.json"), nil
}

// readToken reads the token of a login.
func readToken(path string) (*savedToken, error) {
	data, err := readSmall(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, withHint(errors.New("nobody is logged in to Google"), hintLogin)
	}
	if err != nil {
		return nil, err
	}
	var t savedToken
	if json.Unmarshal(data, &t) != nil || t.RefreshToken == "" {
		return nil, withHint(fmt.Errorf("%s does not hold a login", path), hintLogin)
	}
	return &t, nil
}

// save writes the token of a login, readable by the user only, in place of an earlier one.
func (t *savedToken) save(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	data, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) { // its mode may be another
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o600)
}
