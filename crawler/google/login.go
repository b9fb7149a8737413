package google

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

// loginTime is how long a person may take in the browser.
const loginTime = 5 * time.Minute

// Login lets a person log in with a Desktop client, in a browser on this machine (RFC 8252,
// loopback; RFC 7636, S256), and stores the token. show is called with the address to open. Login
// requests o.Scope only, and returns what was granted; where o.Scope was not, it stores nothing and
// returns an error.
func Login(ctx context.Context, c Credentials, o Options, show func(url string)) (granted string,
	err error) {
	if c.Kind != DesktopClient {
		return "", withHint(fmt.Errorf("%s: no login is needed (%s)", c.Path, c.Kind),
			"sitemend google lists what it may see")
	}
	path, err := tokenFile(o.TokenFile)
	if err != nil {
		return "", err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	conf := c.config()
	conf.RedirectURL, conf.Scopes = "http://"+l.Addr().String(), []string{string(o.Scope)}
	verifier := oauth2.GenerateVerifier()
	back := &callback{state: rand.Text(), host: l.Addr().String(), issuer: origin(c.authURI),
		answer: make(chan url.Values, 1)}
	server := &http.Server{Handler: back, ReadHeaderTimeout: 10 * time.Second}
	go server.Serve(l) // it ends with Close, below
	defer server.Close()
	show(conf.AuthCodeURL(back.state, oauth2.AccessTypeOffline,
		oauth2.S256ChallengeOption(verifier), oauth2.SetAuthURLParam("prompt", "consent")))
	code, err := back.wait(ctx)
	if err != nil {
		return "", err
	}
	web := httpClient(o.Transport, o.Timeout)
	token, err := conf.Exchange(context.WithValue(ctx, oauth2.HTTPClient, web), code,
		oauth2.VerifierOption(verifier))
	if err != nil {
		return "", c.refused(err, code, verifier)
	}
	said, _ := token.Extra("scope").(string)
	switch {
	case !o.Scope.grants(said):
		return "", c.lacking(o.Scope)
	case token.RefreshToken == "":
		return "", withHint(errors.New("no lasting token came from Google"),
			"take the access away at myaccount.google.com/permissions, then log in once more")
	}
	return said, (&savedToken{ClientID: c.clientID, RefreshToken: token.RefreshToken, Scope: said,
		TokenURI: c.tokenURI}).save(path)
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

// wait returns the code of the answer.
func (b *callback) wait(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, loginTime,
		errors.New("nobody logged in within five minutes"))
	defer cancel()
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case q := <-b.answer:
		if code := q.Get("code"); code != "" {
			return code, nil
		}
		if q.Get("error") == "access_denied" {
			return "", withHint(errors.New("the access was refused in the browser"), "sitemend google login asks once more; an account that is no test user of the project is refused, too (docs/google.md)")
		}
		return "", withHint(fmt.Errorf("the login was refused: %s",
			(&Credentials{}).clean(q.Get("error"))),
			"docs/google.md says how to make the OAuth client")
	}
}

// Logout revokes the access of a login at Google, and removes its token from this machine. had is
// false where there was none. The token is removed even where Google does not answer: then the
// error says that it is still valid there.
func Logout(ctx context.Context, o Options) (had bool, err error) {
	path, err := tokenFile(o.TokenFile)
	if err != nil {
		return false, err
	}
	saved, err := readToken(path)
	if errors.Is(err, errLoggedOut) {
		return false, nil
	}
	if removed := os.Remove(path); removed != nil || err != nil {
		return true, removed // what cannot be read cannot be revoked
	}
	const hint = "the token is removed from this machine; myaccount.google.com/permissions takes the access back at Google"
	if !private(saved.TokenURI) {
		return true, withHint(errors.New("the access was not taken back at Google"), hint)
	}
	c := Credentials{refreshToken: saved.RefreshToken}
	at := saved.TokenURI
	form := strings.NewReader(url.Values{"token": {saved.RefreshToken}}.Encode())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, origin(at)+"/revoke", form)
	if err != nil {
		return true, withHint(errors.New("the access was not taken back at Google"), hint)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := httpClient(o.Transport, o.Timeout).Do(req)
	if err != nil {
		return true, withHint(fmt.Errorf("%s did not take the access back: %s", host(at),
			c.clean(words(err))), hint)
	}
	defer answer.Body.Close()
	// 400: it was revoked already
	if answer.StatusCode != http.StatusOK && answer.StatusCode != http.StatusBadRequest {
		return true, withHint(fmt.Errorf("%s did not take the access back: HTTP %d", host(at),
			answer.StatusCode), hint)
	}
	return true, nil
}

// origin returns scheme and authority of an address.
func origin(at string) string {
	u, err := url.Parse(at)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
