package main

import (
	"bytes"
	"os"
	"testing"
)

// Colours are for terminals, and for those who want them.
func TestColored(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	for _, c := range []struct {
		noColor, term string
		want          bool
	}{{"", "xterm", true}, {"1", "xterm", false}, {"", "dumb", false}, {"", "", true}} {
		t.Setenv("NO_COLOR", c.noColor)
		t.Setenv("TERM", c.term)
		if got := colored(terminal); got != c.want {
			t.Errorf("NO_COLOR=%q TERM=%q: %v", c.noColor, c.term, got)
		}
		if colored(&bytes.Buffer{}) {
			t.Error("colours in what is no terminal")
		}
	}
	if file, err := os.CreateTemp(t.TempDir(), ""); err != nil || colored(file) {
		t.Errorf("colours in a file, or %v", err)
	}
}
