package address_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"sitemend/crawler/address"
)

// seeds are texts that have broken someone's URL code.
var seeds = []string{
	"http://h/", "https://www.h.example:8443/a/../b?c=%A4%C7%284%29#d", "http://h/%%32%38", "http://h/%2e%2e/.%2e/", "http:\\\\h\\a?\\",
	"http://日本語.example/日", "http://[::ffff:1.2.3.4]/", "http://0x7f.1/", "http://h/%2528%25252e", "http://h/e%CC%81+%2B?+%20%2B",
	"http://h/%1B$B9b%1B(B", "http://xn--a/", "http://a%41.example:00080", "http://h?", "http://h/a//..//b/index.html", "//h", "?", "", "http://",
}

// isWire checks that an address is in wire form, which is its own wire form, and that Wire returns the
// same as Parse.
func isWire(t *testing.T, a address.Address) {
	t.Helper()
	wire := a.String()
	if b, err := address.Parse(wire); err != nil || b != a || address.Wire(wire) != a || a.Origin()+a.Target() != wire {
		t.Fatalf("Parse(%q) = %q, %v: no wire form", wire, b, err)
	}
	if strings.ContainsFunc(wire, func(r rune) bool { return r <= ' ' || r >= 0x7F }) {
		t.Fatalf("%q holds a raw byte", wire)
	}
}

// Whatever is parsed is in wire form, and so are its other spellings, which change nothing the second
// time; spellings differ for encoding reasons alone. Nothing hidden is shown.
func FuzzAddress(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, loc string) {
		a, err := address.Parse(loc)
		if err != nil {
			return
		}
		isWire(t, a)
		for _, s := range []address.Spelling{address.Googlebot, address.RFC3986, address.WHATWG, address.None} {
			b := s.Spell(a)
			isWire(t, b)
			if kinds := s.Kinds(a); s.Spell(b) != b || (len(kinds) == 0) != (a == b) || !slices.IsSorted(kinds) {
				t.Fatalf("%s spells %q as %q, and that as %q: kinds %q", s, a, b, s.Spell(b), kinds)
			}
			if s == address.Googlebot && a != b && !address.OnlyEncoding(address.Compare(a, b)) {
				t.Fatalf("%q and its spelling %q differ by %v", a, b, address.Compare(a, b))
			}
		}
		for _, convert := range []func(address.Address) address.Address{
			func(a address.Address) address.Address { b, _ := address.InUTF8(a); return b },
			func(a address.Address) address.Address { return address.InForm(a, norm.NFC) },
			func(a address.Address) address.Address { return address.InForm(a, norm.NFD) },
		} {
			b := convert(a)
			isWire(t, b)
			if c := convert(b); c != b {
				t.Fatalf("%s, then %s, then %s", a, b, c)
			}
		}
		for _, v := range address.Variants(a) {
			isWire(t, v.Address)
			if !address.OnlyEncoding(address.Compare(a, v.Address)) && v.Name != "text in UTF-8" {
				t.Fatalf("%s with %s is %s: %v", a, v.Name, v, address.Compare(a, v.Address))
			}
		}
		for _, r := range address.Readable(a.String()).Text {
			if !unicode.IsGraphic(r) || unicode.In(r, unicode.Zs, unicode.Cf, unicode.Variation_Selector) {
				t.Fatalf("Readable(%q) shows %U", a, r)
			}
		}
	})
}

// Comparing is symmetric, sorted, and empty exactly for equal addresses.
func FuzzCompare(f *testing.F) {
	for i, s := range seeds {
		f.Add(s, seeds[(i+1)%len(seeds)])
		f.Add("http://h/"+s, "http://h/%2528/index.html?"+s)
	}
	f.Add("http://h/%2500", "http://h/%")
	f.Fuzz(func(t *testing.T, x, y string) {
		a, _ := address.Parse(x)
		b, _ := address.Parse(y)
		there, back := address.Compare(a, b), address.Compare(b, a)
		if !slices.Equal(there, back) || (len(there) == 0) != (a == b) || !slices.IsSorted(there) {
			t.Fatalf("Compare(%q, %q) is %v, and %v the other way", a, b, there, back)
		}
		checkAlign(t, a.String(), b.String())
	})
}

// The result of resolving a reference is a wire form, which its own target leads to.
func FuzzResolve(f *testing.F) {
	for i, s := range seeds {
		f.Add(seeds[(i+1)%len(seeds)], s)
		f.Add("https://h.example/a/b?c", s)
	}
	f.Fuzz(func(t *testing.T, base, ref string) {
		b, _ := address.Parse(base)
		a, err := address.Resolve(b, ref)
		if err != nil {
			return
		}
		isWire(t, a)
		if target := a.Target(); !strings.HasPrefix(strings.ReplaceAll(target, `\`, "/"), "//") { // that would name a host
			if got, err := address.Resolve(address.Wire(a.Origin()+"/neighbour"), target); err != nil || got != a {
				t.Fatalf("Resolve(%q) = %q, %v", target, got, err)
			}
		}
	})
}
