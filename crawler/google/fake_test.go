package google_test

import (
	"path/filepath"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/crawler/google"
	"sitemend/crawler/google/googletest"
	"sitemend/crawler/google/service"
)

// startGoogle starts a Google for a test. At the end of the test there must have been no request
// that Google would not accept.
func startGoogle(t *testing.T) *googletest.Server {
	t.Helper()
	s := googletest.Start()
	t.Cleanup(func() {
		s.Close()
		for _, f := range s.Faults() {
			t.Errorf("Google would not take this: %s", f)
		}
	})
	s.Sites["https://shop.example/"] = "siteOwner"
	return s
}

// client returns a Client of a service account with that scope.
func client(t *testing.T, s *googletest.Server, clock service.Clock, scope google.Scope) *google.Client {
	t.Helper()
	file := filepath.Join(t.TempDir(), "key.json")
	must(t, s.ServiceAccount(file))
	c, err := google.New(find(t, file), google.Options{Scope: scope, Base: s.URL(), Clock: clock})
	must(t, err)
	return c
}

// find returns the credentials in a file.
func find(t *testing.T, file string) google.Credentials {
	t.Helper()
	c, err := google.Find(environment(map[string]string{"SITEMEND_GOOGLE_CREDENTIALS": file}))
	must(t, err)
	return c
}

func environment(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

// A ledger counts what is taken, and has room for all.
type ledger map[string]int

func (l ledger) take(property, day string) bool {
	l[property+day]++
	return true
}

// inspected are answers by address.
type inspected map[string]audit.Inspection

func (g inspected) got(in audit.Inspection) error {
	g[in.URL] = in
	return nil
}
