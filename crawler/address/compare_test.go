package address_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sitemend/crawler/address"
)

func TestCompare(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"http://h/a", "http://h/a", ""},
		{"http://h/%e3", "http://h/%E3", "hex-case"},
		{"http://h/%7Euser", "http://h/~user", "unreserved"},
		{"http://h/a%28b%29", "http://h/a(b)", "reserved"},
		{"http://h/?a%2Fb%3Fc", "http://h/?a/b?c", "reserved"},
		{"http://h/a[1]", "http://h/a%5B1%5D", "unencoded"},
		{"http://h/100%", "http://h/100%25", "unencoded"},
		{"http://h/?q=a+b", "http://h/?q=a%20b", "space"},
		{"http://h/?q=a+b", "http://h/?q=a%2Bb", "reserved"},
		{"http://h/a+b", "http://h/a%20b", "path"}, // a plus is a space in queries only
		{"http://h/a+b", "http://h/a%2bb", "reserved"},
		{"http://h/a%2528", "http://h/a%28", "double-encoded"},
		{"http://h/a%2528", "http://h/a(", "double-encoded reserved"},
		{"http://h/a%25252d", "http://h/a%2D", "double-encoded hex-case"},
		{"http://h/%257E%e3", "http://h/~%E3", "double-encoded hex-case unreserved"},
		{"http://h/a%2Fb", "http://h/a/b", "path"},
		{"http://h/a%252Fb", "http://h/a/b", "path"},
		{"http://h/%E3%81%A7", "http://h/%A4%C7", "charset"},
		{"http://h/%E8%A1%A8/x", "http://h/%95%5c/x", "charset"},                  // Shift_JIS, second byte a backslash
		{"http://h/%C3%A9t%C3%A9", "http://h/%E9t%E9", "charset"},                 // windows-1252
		{"http://h/%C3%A9", "http://h/%C3%83%C2%A9", "path"},                      // UTF-8 encoded twice is a different text
		{"http://h/?a=%C3%A9&b=%A4%C7", "http://h/?a=%E9&b=%E3%81%A7", "charset"}, // each its own
		{"http://h/%C3%A9", "http://h/e%CC%81", "unicode"},
		{"http://h/caf%C3%A9(1)", "http://h/cafe%cc%81%281%29", "reserved unicode"},
		{"http://h/%E3%81%8C", "http://h/%E3%81%8B%E3%82%99", "unicode"},
		{"http://h/", "https://h/", "scheme"},
		{"http://h/", "http://www.h/", "www"},
		{"http://www.h/", "http://shop.h/", "host"},
		{"http://h:8080/", "https://h/", "port scheme"},
		{"http://h:443/", "https://h/", "scheme"},
		{"http://h/a", "http://h/a/", "slash"},
		{"http://h/", "http://h//", "slash"},
		{"http://h/A/b", "http://h/a/B", "path-case"},
		{"http://h/%C3%89", "http://h/%C3%A9", "path-case"},
		{"http://h/%41", "http://h/a", "path-case unreserved"},
		{"http://h/a/index.html", "http://h/a/", "index"},
		{"http://h/a/index.php", "http://h/a", "index slash"},
		{"http://h/a/INDEX.html", "http://h/a/", "index"},
		{"http://h/a.html", "http://h/a", "extension"},
		{"http://h/a.html", "http://h/a/", "extension slash"},
		{"http://h/A(1).html", "http://h/a%281%29/", "extension path-case reserved slash"},
		{"http://h/a.html", "http://h/a.php", "path"},
		{"http://h/.html", "http://h/", "path"},
		{"http://h/myindex.html", "http://h/", "path"},
		{"http://h/a", "http://h/b", "path"},
		{"http://h/?a=1&b=2", "http://h/?b=2&a=1", "query"},
		{"http://h/?A", "http://h/?a", "query"},
		{"http://h/a?x", "https://www.h/b?y", "path query scheme www"},
		{"http://h/%%34%31", "http://h/%2541", "unencoded unreserved"},
	} {
		a, b := mustParse(t, c.a), mustParse(t, c.b)
		if got := join(address.Compare(a, b)); got != c.want {
			t.Errorf("Compare(%s, %s) = %q, want %q", c.a, c.b, got, c.want)
		}
		if got := join(address.Compare(b, a)); got != c.want {
			t.Errorf("Compare(%s, %s) = %q, want %q", c.b, c.a, got, c.want)
		}
	}
}

func join(rs []address.Reason) string { return strings.Trim(fmt.Sprint(rs), "[]") }

// However the bytes of an address are spelled, two spellings differ by encoding reasons only; the
// exception is a slash in the path, which has another meaning when it is escaped.
func TestSpellingsDifferByEncodingOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "text")
		spell := func(label string) string {
			var b strings.Builder
			for _, c := range text {
				switch how := rapid.IntRange(0, 2).Draw(t, label); {
				case how == 0 && address.EncodeValue(string(c)) == string(c) && c != '/' && c != '?':
					b.WriteByte(c)
				case how == 1:
					fmt.Fprintf(&b, "%%%02x", c)
				default:
					fmt.Fprintf(&b, "%%%02X", c)
				}
			}
			return b.String()
		}
		for _, head := range []string{"http://h/x", "http://h/?"} {
			a, b := address.Wire(head+spell("first")), address.Wire(head+spell("second"))
			if rs := address.Compare(a, b); a != b && !address.OnlyEncoding(rs) || a == b && rs != nil {
				t.Fatalf("Compare(%s, %s) is %v", a, b, rs)
			}
		}
	})
}
