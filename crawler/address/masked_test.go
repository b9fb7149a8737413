package address_test

import (
	"strings"
	"testing"

	"sitemend/crawler/address"
)

func TestMasked(t *testing.T) {
	for ref, want := range map[string]string{
		"https://me:secret@a.example/x?y@z":              "https://***@a.example/x?y@z",
		"HTTP://secret@a.example":                        "HTTP://***@a.example",
		"//me:secret@a.example/":                         "//***@a.example/",
		`http:\\me:secret@a.example\x`:                   `http:\\***@a.example\x`,
		"https:me:secret@a.example/":                     "https:***@a.example/",
		"https:/me:secret@a.example/":                    "https:/***@a.example/",
		"\t ht\ntps:/\t/me:secret@a.example":             "\t ht\ntps:/\t/***@a.example",
		"https://a@secret@a.example/":                    "https://***@a.example/",
		"https://me: secret@a.example/":                  "https://***@a.example/",
		"ftp://me:secret@a.example/":                     "ftp://***@a.example/",
		"https://a.example/@me":                          "https://a.example/@me",
		"https://a.example?to=b@c.example":               "https://a.example?to=b@c.example",
		"https://a.example#b@c":                          "https://a.example#b@c",
		"/path/me:x@y":                                   "/path/me:x@y",
		"path//me@y":                                     "path//me@y",
		"me:secret@a.example/x":                          "me:***@a.example/x",
		"me:s@cret@a.example":                            "me:***@a.example",
		"javascript:a('b@c')":                            "javascript:a('b@c')",
		"me:@a.example/":                                 "me:@a.example/",
		"mailto:me@a.example":                            "mailto:me@a.example",
		"https://a.example/":                             "https://a.example/",
		"":                                               "",
		"https://me:secret" + strings.Repeat("t", 2000):  "https://***",
		"https://a.example/" + strings.Repeat("t", 2000): "https://a.example/" + strings.Repeat("t", 2000),
	} {
		if got := address.Masked(ref); got != want {
			t.Errorf("%q: %q, want %q", ref, got, want)
		}
	}
	for text, want := range map[string]string{
		`<a href="https://me:secret@a.example/">`: `<a href="https://***@a.example/">`,
		"0; url=https://me:secret@a.example/x":    "0; url=https://***@a.example/x",
		"write to me@a.example":                   "write to me@a.example",
		"https://a.example, me@a.example":         "https://a.example, me@a.example",
	} {
		if got := address.MaskedText(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
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
		if len(ref) > 1_000 {
			return // it may be truncated
		}
		was, err := address.Resolve(base, ref)
		is, err2 := address.Resolve(base, masked)
		if (err == nil) != (err2 == nil) || was != is {
			t.Fatalf("%q leads to %v (%v), and %q to %v (%v)", ref, was, err, masked, is, err2)
		}
		if err == nil && ref == masked && losesAt(ref, was) {
			t.Fatalf("%q leads to %v, and is not masked", ref, was)
		}
		if a, err := address.Parse(ref); err == nil && ref == address.Masked(ref) && losesAt(ref, a) {
			t.Fatalf("%q is read as %v, and is not masked", ref, a)
		}
	})
}

// losesAt reports whether an "@" of ref is missing from the address that was made of it, though
// neither a fragment nor a path that steps back can have removed it.
func losesAt(ref string, a address.Address) bool {
	steps := strings.Contains(ref, "..") || strings.Contains(strings.ToLower(ref), "%2e")
	return strings.Contains(ref, "@") && !strings.Contains(a.String(), "@") && !strings.Contains(ref, "#") && !steps
}
