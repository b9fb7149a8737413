package messages

import "testing"

func TestVisible(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"https://a.example/plain?q=1", "https://a.example/plain?q=1"},
		{"カテゴリ", "カテゴリ"},
		{"caf\xe9", `caf\xe9`},
		{"a\u202eb", `a\u202eb`},
		{"a\nb\x00\x7f", `a\x0ab\x00\x7f`},
		{"zero\u200bwidth", `zero\u200bwidth`},
		{"wide\u3000space", `wide\u3000space`},
		{"\u3164", `\u3164`},
		{"", ""},
	} {
		if got := Visible(c.in); got != c.want {
			t.Errorf("Visible(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func FuzzVisible(f *testing.F) {
	for _, s := range []string{"https://shop.example/\u202egnp.exe", "caf\xe9", "line\u2028separator\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Visible(s)
		for _, r := range got {
			if hidden(r) {
				t.Fatalf("Visible(%q) holds %U", s, r)
			}
		}
		if Visible(got) != got {
			t.Fatalf("Visible(%q) is not its own visible form", s)
		}
	})
}
