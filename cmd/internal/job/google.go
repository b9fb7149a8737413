package job

import (
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
	return google.New(c, e.GoogleOptions(scope))
}

// GoogleOptions are those of a client, and of logging in and out.
func (e *Env) GoogleOptions(scope google.Scope) google.Options {
	return google.Options{Scope: scope, Base: e.Var("SITEMEND_GOOGLE_API"), Clock: e.Time(), Waits: func(d time.Duration) {
		e.Log.Info(fmt.Sprintf("Google answers 429: one more try in %s", d))
	}}
}
