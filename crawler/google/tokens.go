package google

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/jwt"
)

// tokens provides access tokens for one scope.
type tokens struct {
	of    Credentials
	scope Scope // requested and used
	// granted must be granted as well; "" for none.
	granted Scope
	web     *http.Client
	clock   Clock
	saved   *savedToken // of a Desktop client

	mu  sync.Mutex
	now *oauth2.Token
}

// get returns a token that was not refused.
func (t *tokens) get(ctx context.Context) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.now.Valid() {
		return t.now.AccessToken, nil
	}
	token, err := t.mint(ctx)
	if err != nil {
		return "", err
	}
	if said, ok := token.Extra("scope").(string); ok && said != "" {
		if err := t.suffices(said); err != nil {
			return "", err
		}
	}
	t.now = token
	return token.AccessToken, nil
}

// suffices returns the error of credentials to which only a list of scopes is granted; nil where
// these are enough.
func (t *tokens) suffices(list string) error {
	if !t.scope.grants(list) {
		return t.of.lacking(t.scope)
	}
	if t.granted != "" && t.of.Kind != ServiceAccount && !t.granted.grants(list) {
		return t.of.lacking(t.granted)
	}
	return nil
}

// forget makes the next get return another token than the refused one.
func (t *tokens) forget(refused string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.now != nil && t.now.AccessToken == refused {
		t.now = nil
	}
}

// mint requests a new token, with two more attempts where these may help.
func (t *tokens) mint(ctx context.Context) (*oauth2.Token, error) {
	for try := 0; ; try++ {
		token, err := t.source(context.WithValue(ctx, oauth2.HTTPClient, t.web)).Token()
		if err == nil {
			return token, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var answered *oauth2.RetrieveError
		if errors.As(err, &answered) && answered.Response.StatusCode < 500 || try == len(backoff) {
			return nil, t.of.refused(err, t.login())
		}
		if err := t.clock.Sleep(ctx, backoff[try]); err != nil {
			return nil, err
		}
	}
}

// source returns a new TokenSource, whose first Token call requests a token.
func (t *tokens) source(ctx context.Context) oauth2.TokenSource {
	c := &t.of
	if c.Kind == ServiceAccount {
		return (&jwt.Config{Email: c.Account, PrivateKey: []byte(c.privateKey),
			PrivateKeyID: c.privateKeyID,
			Scopes:       []string{string(t.scope)}, TokenURL: c.tokenURI,
			Expires: 50 * time.Minute}).TokenSource(ctx)
	}
	return c.config().TokenSource(ctx,
		&oauth2.Token{RefreshToken: cmp.Or(t.login(), c.refreshToken)})
}

// login returns the refresh token of a Desktop client's login; "" for other credentials.
func (t *tokens) login() string {
	if t.saved == nil {
		return ""
	}
	return t.saved.RefreshToken
}

// config returns the OAuth configuration of a client for persons.
func (c *Credentials) config() *oauth2.Config {
	return &oauth2.Config{ClientID: c.clientID, ClientSecret: c.clientSecret,
		Endpoint: oauth2.Endpoint{AuthURL: c.authURI, TokenURL: c.tokenURI,
			AuthStyle: oauth2.AuthStyleInParams}}
}

// refused returns the error why there is no token. The error of the library may contain secrets of
// the request, or the body of a page: it is not passed on, nor is a message with secrets that c
// does not contain.
func (c *Credentials) refused(err error, secrets ...string) error {
	var answered *oauth2.RetrieveError
	if !errors.As(err, &answered) {
		return withHint(fmt.Errorf("no token from %s: %s", host(c.tokenURI),
			c.clean(words(err), secrets...)),
			"see whether this machine reaches the network; the same command tries again")
	}
	status := answered.Response.StatusCode
	var said struct {
		Code        string `json:"error"`
		Description string `json:"error_description"`
	}
	if json.Unmarshal(answered.Body, &said) != nil {
		said.Code, said.Description = "", "" // the page of another server
	}
	what := fmt.Errorf("no token from %s: HTTP %d %s", host(c.tokenURI), status,
		c.clean(said.Code+" "+said.Description, secrets...))
	switch {
	case said.Code == "invalid_grant" && c.Kind == DesktopClient:
		return withHint(what, "the login has ended (Google ends those of projects in Testing after seven days): sitemend google login")
	case said.Code == "invalid_grant" && c.Kind == AuthorizedUser:
		return withHint(what, "the login has ended: gcloud auth application-default login, or take a Desktop client (docs/google.md)")
	case said.Code == "invalid_grant":
		return withHint(what, "see whether the service account and its key are still there, and whether this machine's clock is right")
	case said.Code == "invalid_client":
		return withHint(what, "the OAuth client is not there any more: download another one, and sitemend google login")
	case status >= 500:
		return withHint(what, "Google does not answer at present: the same command tries again")
	}
	return withHint(what, "docs/google.md says how to get credentials")
}
