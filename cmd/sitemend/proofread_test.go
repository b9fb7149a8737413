package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"testing"
)

// proofreading is the variable with which sitemend reads what it prints, as it does in all
// scripts; a terminal would not be one any more behind that.
const proofreading = "SITEMEND_TEST_PROOFREADING"

// several is a word for several behind the number 1, or a verb of several behind one thing.
// "1 redirects" is right: it is what one does.
var several = regexp.MustCompile(`(?:^|[^\d.,:/-])1 (?:(?:entries|files|lines|causes|rules|addresses|sitemaps|requests|pages|audits|times|links|warnings|errors|faults|` +
	`edits|corrections|hosts|pairs|logs|workers|decisions|problems|rows|places|sites|days|changes|reasons|properties|answers were|others)|` +
	`(?:entry|file|line|cause|rule|address|sitemap|request|page|audit|link|fault|host|pair|log) (?:are|have|were|redirect|answer|need|do|lead|stay|remain))\b`)

// proofread is main that ends with status 99 where it printed such a thing.
func proofread() {
	if os.Getenv(proofreading) == "" {
		main()
		return
	}
	out, errOut := &proof{to: os.Stdout}, &proof{to: os.Stderr}
	code := process(out, errOut)
	for _, p := range []*proof{out, errOut} {
		if p.read(); p.found != "" {
			fmt.Fprintf(os.Stderr, "one is told as several: %s\n", p.found)
			code = 99
		}
	}
	os.Exit(code)
}

// proof reads what is written, line by line.
type proof struct {
	to    io.Writer
	line  []byte // its beginning, where it has no end yet
	found string // the first line with such a thing
}

func (p *proof) Write(b []byte) (int, error) {
	for _, c := range b {
		if c == '\n' {
			p.read()
		} else if len(p.line) < 4096 { // what is longer is no sentence
			p.line = append(p.line, c)
		}
	}
	return p.to.Write(b)
}

// read reads the line so far, and forgets it.
func (p *proof) read() {
	if p.found == "" && several.Match(p.line) {
		p.found = string(p.line)
	}
	p.line = p.line[:0]
}

// What the scripts are read for is found, and what is right is not.
func TestProofreading(t *testing.T) {
	for text, want := range map[string]bool{
		"1 entries":                         true,
		"Decide    1 of 1 entries":          true,
		"a\n1 files in out/\nb":             true,
		"of 12 lines 1 lines were read":     true,
		"1 entry have other faults":         true,
		"the rest of 1 sitemaps":            true,
		"1 entry has another fault":         false,
		"21 entries, 1,001 files":           false,
		"1 of 2 entries redirects":          false,
		"2 entries redirect, 1 redirects":   false,
		"version 0.1 files":                 false,
		"2026-11-1 entries":                 false,
		"1 file fixes 3 entries in 1 cause": false,
	} {
		var to bytes.Buffer
		p := proof{to: &to}
		for _, c := range []byte(text) {
			if _, err := p.Write([]byte{c}); err != nil {
				t.Fatal(err)
			}
		}
		if p.read(); (p.found != "") != want || to.String() != text {
			t.Errorf("%q: found %q, written %q", text, p.found, to.String())
		}
	}
}
