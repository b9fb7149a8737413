package job

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"sitemend/crawler/google"
)

// Var returns a variable of the environment, "" where it is not set: that of Env, else of
// the process.
func (e *Env) Var(name string) string {
	if e.Getenv != nil {
		return e.Getenv(name)
	}
	return os.Getenv(name)
}

// Time is that of Env, else the system's.
func (e *Env) Time() google.Clock {
	if e.Clock != nil {
		return e.Clock
	}
	return google.SystemClock{}
}

// Google is a client with the credentials of the environment for what a scope allows.
func (e *Env) Google(scope google.Scope) (*google.Client, error) {
	c, err := google.Find(e.Var)
	if err != nil {
		return nil, err
	}
	return google.New(c, e.googleOptions(scope))
}

func (e *Env) googleOptions(scope google.Scope) google.Options {
	return google.Options{Scope: scope, Base: e.Var("SITEMEND_GOOGLE_API"), Clock: e.Time(), Waits: func(d time.Duration) {
		e.Log.Info(fmt.Sprintf("Google answers 429: one more try in %s", d))
	}}
}

// A Property is a property of Search Console with its sitemaps as Google sees them.
type Property struct {
	google.Site
	Sitemaps []google.Sitemap
	// Hidden is why its sitemaps are not listed; nil where they are, or where the account may not
	// see anything of the property.
	Hidden error
}

// Properties lists the properties of the account whose credentials the environment names.
func Properties(ctx context.Context, env Env) ([]Property, error) {
	c, err := env.Google(google.ReadOnly)
	if err != nil {
		return nil, err
	}
	sites, err := c.Sites(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]Property, len(sites))
	for i, s := range sites {
		list[i].Site = s
		if s.Level() == "unverified" {
			continue
		}
		var refused *google.Error
		list[i].Sitemaps, err = c.Sitemaps(ctx, s.URL)
		if errors.As(err, &refused) && (refused.Status == 403 || refused.Status == 404) {
			list[i].Hidden, err = err, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// GoogleLogin lets a person log in with the Desktop client that the environment names: to read, or
// with submit to submit sitemaps as well. show is called with the address to open in a browser of
// this machine. It returns the file where the token lies.
func GoogleLogin(ctx context.Context, env Env, submit bool, show func(url string)) (file string, err error) {
	c, err := google.Find(env.Var)
	if err != nil {
		return "", err
	}
	scope := google.ReadOnly
	if submit {
		scope = google.ReadWrite
	}
	return google.Login(ctx, c, env.googleOptions(scope), show)
}
