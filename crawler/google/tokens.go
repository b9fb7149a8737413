package google

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/jwt"

	"sitemend/crawler/google/service"
)

// A Scope is what a token may do.
type Scope string

// The scopes of Search Console (its discovery document). ReadWrite includes ReadOnly.
const (
	ReadOnly  Scope = "https://www.googleapis.com/auth/webmasters.readonly"
	ReadWrite Scope = "https://www.googleapis.com/auth/webmasters"
)

// grants reports whether a list of scopes, in the form of tokens, includes s.
func (s Scope) grants(list string) bool {
	granted := strings.Fields(list)
	return slices.Contains(granted, string(s)) ||
		s == ReadOnly && slices.Contains(granted, string(ReadWrite))
}

// lacking returns the error of credentials without the scope of the Client.
func (c *Client) lacking() error {
	hint := "docs/google.md says what a service account needs"
	switch {
	case c.of.Kind == DesktopClient && c.scope == ReadWrite:
		hint = "sitemend google login --submit asks for it; leave its box ticked"
	case c.of.Kind == DesktopClient:
		hint = "sitemend google login asks for it; leave its box ticked"
	case c.of.Kind == AuthorizedUser:
		hint = "gcloud auth application-default login --client-id-file=CLIENT.json --scopes=" + string(c.scope) + ",https://www.googleapis.com/auth/cloud-platform; or take a Desktop client (docs/google.md)"
	}
	return withHint(fmt.Errorf("%s is not granted", c.scope), hint)
}

// accessToken returns a token that was not refused.
func (c *Client) accessToken(ctx context.Context) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.token.Valid() {
		return c.token.AccessToken, nil
	}
	token, err := c.source(context.WithValue(ctx, oauth2.HTTPClient, c.Web)).Token()
	if err != nil {
		return "", c.refused(ctx, err)
	}
	if said, ok := token.Extra("scope").(string); ok && said != "" && !c.scope.grants(said) {
		return "", c.lacking()
	}
	c.token = token
	c.used.Store(token.AccessToken, nil)
	return token.AccessToken, nil
}

// forget makes the next accessToken return another token than the refused one.
func (c *Client) forget(refused string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.token != nil && c.token.AccessToken == refused {
		c.token = nil
	}
}

// source returns a new TokenSource, whose first Token call requests a token.
func (c *Client) source(ctx context.Context) oauth2.TokenSource {
	of := c.of.fields
	if c.of.Kind == ServiceAccount {
		return (&jwt.Config{Email: of.text("client_email"), PrivateKey: []byte(of.text("private_key")),
			PrivateKeyID: of.text("private_key_id"), Scopes: []string{string(c.scope)},
			TokenURL: c.of.tokenURI, Expires: 50 * time.Minute}).TokenSource(ctx)
	}
	return c.config().TokenSource(ctx, &oauth2.Token{RefreshToken: cmp.Or(c.login, of.text("refresh_token"))})
}

// config returns the OAuth configuration of a client for persons.
func (c *Client) config() *oauth2.Config {
	return &oauth2.Config{ClientID: c.of.fields.text("client_id"), ClientSecret: c.of.fields.text("client_secret"),
		Scopes: []string{string(c.scope)},
		Endpoint: oauth2.Endpoint{AuthURL: c.of.authURI, TokenURL: c.of.tokenURI,
			AuthStyle: oauth2.AuthStyleInParams}}
}

// noToken is a reason of every Error of the token endpoint.
const noToken = "no token"

// ended says what the user can do where a login has ended, or a key is no more.
var ended = map[Kind]string{
	DesktopClient:  "the login has ended (Google ends those of projects in Testing after seven days): sitemend google login",
	AuthorizedUser: "the login has ended: gcloud auth application-default login, or take a Desktop client (docs/google.md)",
	ServiceAccount: "see whether the service account and its key are still there, and whether this machine's clock is right",
}

// refused returns the error why there is no token. The error of the library may contain secrets of
// the request, or the body of a page: of these only the service's own words are passed on.
func (c *Client) refused(ctx context.Context, err error) error {
	var answered *oauth2.RetrieveError
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !errors.As(err, &answered) {
		return c.Fail(0, "no token: "+service.Words(err), noToken)
	}
	var said struct {
		Code        string `json:"error"`
		Description string `json:"error_description"`
	}
	if json.Unmarshal(answered.Body, &said) != nil {
		said.Code, said.Description = "", "" // the page of another server
	}
	return c.Fail(answered.Response.StatusCode, "no token: "+said.Code+" "+said.Description, said.Code, noToken)
}
