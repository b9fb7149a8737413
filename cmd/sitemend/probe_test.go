package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// readmeSession returns what the README says that a command prints.
func readmeSession(t *testing.T, command string) string {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, session, found := strings.Cut(string(readme), "$ "+command+"\n")
	session, _, ended := strings.Cut(session, "```")
	if !found || !ended {
		t.Fatalf("the README has no session of %s", command)
	}
	session, _, _ = strings.Cut(session, "$ ")
	return session
}

// The README's sessions of url are what it prints.
func TestReadmeURL(t *testing.T) {
	for command, args := range map[string][]string{
		"sitemend url 'http://wiki.example/?%B9%E2%C2%AE%B2%BD%284%29'": {"url", "http://wiki.example/?%B9%E2%C2%AE%B2%BD%284%29"},
	} {
		var out, errOut bytes.Buffer
		if code := run(context.Background(), args, strings.NewReader(""), &out, &errOut); code != exitOK {
			t.Fatalf("%s: exit %d\n%s", command, code, errOut.String())
		}
		if got := readmeSession(t, command); got != out.String() {
			t.Errorf("%s prints\n%s\nREADME:\n%s", command, out.String(), got)
		}
	}
}
