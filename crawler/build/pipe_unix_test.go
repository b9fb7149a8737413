//go:build unix

package build_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"sitemend/crawler/build"
	"sitemend/crawler/rules/hosts"
)

// A named pipe in place of a rule file does not block.
func TestRulesInAPipe(t *testing.T) {
	dir := project(t, map[string]string{"public/index.html": "home"})
	if err := syscall.Mkfifo(filepath.Join(dir, "public", "_redirects"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := build.Open(filepath.Join(dir, "public"), build.Options{Host: hosts.Netlify}); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("got %v", err)
	}
}
