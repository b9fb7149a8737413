//go:build unix

package build_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"sitemend/crawler/build"
	"sitemend/crawler/rules/hosts"
)

// A named pipe in place of a rule file does not block, and the rules count as unread.
func TestRulesInAPipe(t *testing.T) {
	dir := project(t, map[string]string{"public/index.html": "home"})
	if err := syscall.Mkfifo(filepath.Join(dir, "public", "_redirects"), 0o666); err != nil {
		t.Fatal(err)
	}
	b := open(t, dir, build.Options{Host: hosts.Netlify})
	if got := get(t, b, "https://www.example.com/"); got != "unmodelled: not modelled: the rules of _redirects, which was not read" {
		t.Errorf("got %q", got)
	}
}
