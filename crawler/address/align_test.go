package address_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sitemend/crawler/address"
)

// mark returns pieces as text: [respelled] {different} -removed-.
func mark(pieces []address.Piece) string {
	var b strings.Builder
	for _, p := range pieces {
		pair := [...]string{address.Same: "", address.Respelled: "[]", address.Different: "{}", address.Removed: "--"}[p.Kind]
		if pair == "" {
			b.WriteString(p.Text)
			continue
		}
		b.WriteString(pair[:1] + p.Text + pair[1:])
	}
	return b.String()
}

func TestAlign(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"http://h/a", "http://h/a", "http://h/a"},
		{"http://h/a%28b%29", "http://h/a(b)", "http://h/a[(]b[)]"},
		{"http://h/%e3%81", "http://h/%E3%81", "http://h/[%E3]%81"},
		{"http://h/a", "https://h/a", "-http-{https}://h/a"},
		{"http://www.h.example/", "http://h.example/", "http://-www.-h.example/"},
		{"http://h/en/shoes/7", "http://h/shop/shoes/7", "http://h/-en-{shop}/shoes/7"},
		{"http://h/?a=1&b=2", "http://h/?a=1&c=3&b=2", "http://h/?a=1&{c=3&}b=2"},
		{"http://h/a%2528", "http://h/a%28", "http://h/a-%2528-{%28}"},
		{"http://h/%E3%81%A7", "http://h/%A4%C7", "http://h/-%E3%81%A7-{%A4%C7}"},
		{"", "http://h/", "{http://h/}"},
	} {
		if got := mark(address.Align(c.from, c.to)); got != c.want {
			t.Errorf("Align(%s, %s) = %s, want %s", c.from, c.to, got, c.want)
		}
	}
}

// The pieces that are not Removed make up to; those that are not Different have the bytes of from.
func TestAlignKeepsAllBytes(t *testing.T) {
	text := rapid.StringMatching(`(https?://(www\.)?h(:8)?)?/([ab/?&=]|%2[89f]|%|\(){0,12}`)
	rapid.Check(t, func(t *rapid.T) {
		from, to := text.Draw(t, "from"), text.Draw(t, "to")
		checkAlign(t, from, to)
	})
	checkAlign(t, "http://h/"+strings.Repeat("ab/", 900), "http://h/"+strings.Repeat("ba?", 900))
}

func checkAlign(t interface{ Fatalf(string, ...any) }, from, to string) {
	var is, was strings.Builder
	pieces := address.Align(from, to)
	for i, p := range pieces {
		if p.Text == "" || i > 0 && pieces[i-1].Kind == p.Kind {
			t.Fatalf("Align(%q, %q) has an empty piece or two of a kind: %q", from, to, mark(pieces))
		}
		if p.Kind != address.Removed {
			is.WriteString(p.Text)
		}
		if p.Kind != address.Different {
			// Piece by piece, because a bare % of to and digits of from would make an escape.
			was.WriteString(address.DecodeValue(p.Text))
		}
	}
	if is.String() != to || was.String() != address.DecodeValue(from) && !strings.Contains(from+to, "%%") {
		t.Fatalf("Align(%q, %q) = %q", from, to, mark(pieces))
	}
}
