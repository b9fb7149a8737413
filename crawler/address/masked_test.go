package address_test

import (
	"strings"
	"testing"

	"sitemend/crawler/address"
)

func TestMasked(t *testing.T) {
	for ref, want := range map[string]string{
		"https://me:secret@a.example/x?y@z": "https://***@a.example/x?y@z", "HTTP://secret@a.example": "HTTP://***@a.example", "//me:secret@a.example/": "//***@a.example/",
		`http:\\me:secret@a.example\x`: `http:\\***@a.example\x`, "https:me:secret@a.example/": "https:***@a.example/", "https:/me:secret@a.example/": "https:/***@a.example/",
		"https://a@secret@a.example/": "https://***@a.example/", "\t https://me: sec\tret@a.example/": "\t https://***@a.example/", "ftp://me:secret@a.example/": "ftp://***@a.example/",
		"me:secret@a.example/x": "me:***@a.example/x", "h\tttps:/\n/me:secret@a.example/": "h\tttps:/\n/***@a.example/",
		"https://a.example/@me": "https://a.example/@me", "https://a.example?to=b@c.example": "https://a.example?to=b@c.example", "https://a.example#b@c": "https://a.example#b@c",
		"/path/me:x@y": "/path/me:x@y", "path//me@y": "path//me@y", "https://a.example//me@y": "https://a.example//me@y", "": "",
	} {
		if got := address.Masked(ref); got != want {
			t.Errorf("%q: %q, want %q", ref, got, want)
		}
	}
	for text, want := range map[string]string{
		`<a href="https://me:secret@a.example/">`: `<a href="https://***@a.example/">`, "0; url=https://me:secret@a.example/x": "0; url=https://***@a.example/x",
		"write to me@a.example": "write to me@a.example", "https://a.example, me@a.example": "https://a.example, me@a.example",
	} {
		if got := address.MaskedText(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// What is no URL is quoted without its password.
func TestErrorsKeepPasswords(t *testing.T) {
	for _, loc := range []string{"http://me:secret@a.example:99999/", "ftp://me:secret@a.example/", "http://me:secret@[1/"} {
		if _, err := address.Parse(loc); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", loc, err)
		}
	}
}

func TestHasUser(t *testing.T) {
	for text, want := range map[string]bool{
		"http://u:p@a.example/": true, "https://token@a.example": true, `http:\\u:p@a.example`: true, "http:/u:p@a.example": true,
		"http:u:p@a.example": true, "u:p@a.example=b.example": true, "u:p@a.example:443:127.0.0.1": true, "nats://u:p@127.0.0.1": true, "http://u:%zz@": true,
		"": false, "a.example": false, "http://a.example:80/@me": false, "https://a.example/?q=a@b": false, "https://a.example#a@b": false,
		"/@me": false, "@x": false, "http://@a.example/": false, "//a.example/@me": false, "a.example:443:127.0.0.1": false, "www.a.example=b.example:80": false,
	} {
		if got := address.HasUser(text); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// FuzzMasked: a masked address leads to the same place, and masking it again changes nothing.
func FuzzMasked(f *testing.F) {
	for _, s := range []string{"https://me:secret@a.example/x", `/\me@b.example`, "http:me@b.example", "?a@b", "//@", "https://a@b@c", "https:@b"} {
		f.Add(s)
	}
	base := address.Wire("https://base.example/a/b")
	f.Fuzz(func(t *testing.T, ref string) {
		masked := address.MaskedReference(base, ref)
		if again := address.MaskedReference(base, masked); again != masked {
			t.Fatalf("%q is masked as %q, and that as %q", ref, masked, again)
		}
		was, err := address.Resolve(base, ref)
		is, err2 := address.Resolve(base, masked)
		if (err == nil) != (err2 == nil) || was != is {
			t.Fatalf("%q leads to %v (%v), and %q to %v (%v)", ref, was, err, masked, is, err2)
		}
		a, err := address.Parse(ref)
		if err != nil || strings.Contains(a.String(), "@") || strings.ContainsAny(ref, "#\t\r\n") || strings.Contains(ref, "..") {
			return // the "@" may have been in a fragment, or in a segment that was removed
		}
		if masked := address.Masked(ref); strings.Contains(ref, "@") && masked == ref && !strings.Contains(ref, address.Mask) {
			t.Fatalf("%q is read as %v, and is not masked", ref, a)
		}
	})
}
