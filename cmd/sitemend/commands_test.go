package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// Each command says what it does, what it prints as exit status and how it is called,
// refuses arguments that it does not take, has a script that runs it, and a word in the README
// if `sitemend help` lists it.
func TestCommandsSayWhatTheyDo(t *testing.T) {
	scripts := ""
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		scripts += string(text)
	}
	readme := ofProject(t, "README.md")
	var look func(*cobra.Command)
	look = func(parent *cobra.Command) {
		for _, c := range parent.Commands() {
			look(c)
			if !c.Runnable() || c.Name() == "help" || c.Name() == "completion" {
				continue // a topic, or the library's own
			}
			path := c.CommandPath()
			if c.Short == "" || !strings.Contains(c.Long, "Exit status:") {
				t.Errorf("%s: its help does not say what it does, or with which exit status", path)
			}
			if !strings.Contains(c.Example, path) {
				t.Errorf("%s: its help has no example", path)
			}
			if c.Args == nil {
				t.Errorf("%s takes whatever arguments it is given", path)
			}
			if !strings.Contains(scripts, "exec "+path) {
				t.Errorf("%s: no script in testdata runs it", path)
			}
			if !c.Hidden && !parent.HasParent() && !regexp.MustCompile(`\b`+path+`\b`).MatchString(readme) {
				t.Errorf("%s: the README does not name it", path)
			}
		}
	}
	look(newRoot(stdio{strings.NewReader(""), &strings.Builder{}, &strings.Builder{}}))
}
