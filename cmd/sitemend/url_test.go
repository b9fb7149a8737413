package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"unicode/utf8"
)

// What a terminal must not get is written as the bytes it came as.
func TestPrintable(t *testing.T) {
	for _, c := range []struct{ in, charset, want string }{
		{"plain (1)", "utf-8", "plain (1)"},
		{"高速化　", "euc-jp", "高速化　"},
		{"a\x1b[31m\r\n\x7f", "utf-8", "a%1B[31m%0D%0A%7F"},
		{"a\u009bb", "utf-8", "a%C2%9Bb"},
		{"a\u202eb", "euc-jp", "a%E2%80%AEb"},
		{"a\u00a0b", "windows-1252", "a%A0b"},
		{"a\xff\xfeb\xe3", "utf-8", "a%FF%FEb%E3"},
	} {
		if got := printable(c.in, c.charset); got != c.want {
			t.Errorf("printable(%q, %s) = %q, want %q", c.in, c.charset, got, c.want)
		}
	}
}

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
