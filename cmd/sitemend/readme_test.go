package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// changing is what differs from one summary of an audit to the next.
var changing = regexp.MustCompile(`checked in \d+ s`)

// The session in the README is what the program prints. With -update it is written anew.
func TestReadmeSession(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, session, found := strings.Cut(string(readme), "$ go run ./cmd/sitemend demo\n")
	session, _, ended := strings.Cut(session, "```")
	if !found || !ended {
		t.Fatal("the README has no session")
	}
	text, err := demoFiles.ReadFile("demo/web.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out, errOut bytes.Buffer
	t.Chdir(t.TempDir())
	t.Setenv("LC_ALL", "C")
	if err := demo(context.Background(), stdio{strings.NewReader(""), &out, &errOut}, string(text), demoFlags("")); err != nil {
		t.Fatal(err)
	}
	if *updatePages {
		if err := os.WriteFile(filepath.Join(projectDir, "README.md"), []byte(strings.Replace(string(readme), session, out.String(), 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	const some = "checked in some time"
	got, want := changing.ReplaceAllString(out.String(), some), changing.ReplaceAllString(session, some)
	if got != want {
		t.Errorf("the README's session is not what the demo prints:\n%s\nREADME:\n%s", got, want)
	}
}
