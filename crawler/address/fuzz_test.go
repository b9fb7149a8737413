package address_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"sitemend/crawler/address"
)

// seeds are texts that have broken someone's URL code.
var seeds = []string{
	"http://h/", "https://www.h.example:8443/a/../b?c=%A4%C7%284%29#d", "http://h/%%32%38", "http://h/%2e%2e/.%2e/", "http:\\\\h\\a?\\",
	"http://日本語.example/日", "http://[::ffff:1.2.3.4]/", "http://0x7f.1/", "http://h/%2528%25252e", "http://h/e%CC%81+%2B?+%20%2B",
	"http://h/%1B$B9b%1B(B", "http://xn--a/", "http://a%41.example:00080", "http://h?", "http://h/a//..//b/index.html", "//h", "?", "", "http://",
}

// The wire form of a wire form is itself, and Wire returns the same as Parse.
func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, loc string) {
		a, err := address.Parse(loc)
		if err != nil {
			return
		}
		isWire(t, a)
	})
}

func isWire(t *testing.T, a address.Address) {
	t.Helper()
	wire := a.String()
	if b, err := address.Parse(wire); err != nil || b != a {
		t.Fatalf("Parse(%q) = %q, %v: no wire form", wire, b, err)
	}
	if address.Wire(wire) != a {
		t.Fatalf("Wire(%q) has other parts", wire)
	}
	for i := 0; i < len(wire); i++ {
		if wire[i] <= ' ' || wire[i] >= 0x7F {
			t.Fatalf("%q holds a raw byte at %d", wire, i)
		}
	}
	if whole := a.Origin() + a.Target(); whole != wire {
		t.Fatalf("the parts of %q make up %q", wire, whole)
	}
}

// Spelling twice is the same as once, gives a wire form, and has kinds exactly where it changes
// something.
func FuzzSpell(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, loc string) {
		a, err := address.Parse(loc)
		if err != nil {
			return
		}
		for _, s := range []address.Spelling{address.Googlebot, address.RFC3986, address.WHATWG, address.None} {
			b := s.Spell(a)
			isWire(t, b)
			if again := s.Spell(b); again != b {
				t.Fatalf("%s spells %q as %q, and that as %q", s, a, b, again)
			}
			if kinds := s.Kinds(a); (len(kinds) == 0) != (a == b) || !slices.IsSorted(kinds) {
				t.Fatalf("%s spells %q as %q: kinds %q", s, a, b, kinds)
			}
			if s == address.Googlebot && a != b && !address.OnlyEncoding(address.Compare(a, b)) {
				t.Fatalf("%q and its spelling %q differ by %v", a, b, address.Compare(a, b))
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
		if !slices.Equal(there, back) {
			t.Fatalf("Compare(%q, %q) is %v, and %v the other way", a, b, there, back)
		}
		if (len(there) == 0) != (a == b) || !slices.IsSorted(there) {
			t.Fatalf("Compare(%q, %q) is %v", a, b, there)
		}
		checkAlign(t, a.String(), b.String())
	})
}

// The result of resolving a reference is a wire form.
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
		// The shortcut for an address that names itself gives the same result as parsing.
		target := a.Target()
		if strings.HasPrefix(strings.ReplaceAll(target, `\`, "/"), "//") {
			return // the reference would name a host
		}
		for _, from := range []address.Address{a, address.Wire(a.Origin() + "/neighbour")} {
			if got, err := address.Resolve(from, target); err != nil || got != a {
				t.Fatalf("Resolve(%q, %q) = %q, %v", from, target, got, err)
			}
		}
	})
}

// Any text can be read, and nothing hidden is shown; conversions give wire forms, and change nothing
// the second time.
func FuzzReadable(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, loc string) {
		a, err := address.Parse(loc)
		if err != nil {
			return
		}
		for _, r := range address.Readable(a.String()).Text {
			if !address.Visible(r) || r == ' ' {
				t.Fatalf("Readable(%q) shows %U", a, r)
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
	})
}
