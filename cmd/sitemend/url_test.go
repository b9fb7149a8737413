package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"unicode/utf8"
)

// Whatever the argument, url prints lines that are safe, or one error.
func FuzzURLCommand(f *testing.F) {
	for _, s := range []string{"http://h/%1B\x1b]0;x\a?\xff\u202e", "mod_cache\xa4\xc7", "100%", "HTTP:\\\\[::1]\\", "http://xn--a/", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, arg string) {
		var out, errOut bytes.Buffer
		code := run(context.Background(), []string{"url", "--", arg}, strings.NewReader(""), &out, &errOut)
		if code != exitOK && code != exitError || (code == exitError) != strings.Contains(errOut.String(), "\nhint: ") {
			t.Fatalf("%q: exit %d, %s", arg, code, errOut.String())
		}
		for _, s := range []string{out.String(), errOut.String()} {
			if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || r == '\u202e' }) {
				t.Fatalf("%q prints %q", arg, s)
			}
		}
	})
}
