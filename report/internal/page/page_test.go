package page

import (
	"strings"
	"testing"

	"sitemend/crawler/audit"
)

func TestFill(t *testing.T) {
	for _, c := range []struct {
		key    string
		pairs  []any
		en, ja string
	}{
		{"more-files", []any{"n", 1}, "1 more file", "ほか1ファイル"},
		{"more-files", []any{"n", 12345}, "12,345 more files", "ほか12,345ファイル"},
		{"left", []any{"host", "{what}", "what", say("left-none")}, "{what} was left alone, for it refused, was overloaded or did not answer (no answer); its other URLs were not crawled.", "{what}は、拒否されたか、過負荷か、応答がなかったため(応答なし)取得を中止し、残りのURLは取得していません。"},
	} {
		if p := say(c.key, c.pairs...); p.In("en") != c.en || p.In("ja") != c.ja {
			t.Errorf("say(%s, %v) = %q, %q, want %q, %q", c.key, c.pairs, p.In("en"), p.In("ja"), c.en, c.ja)
		}
	}
}

func TestMiddle(t *testing.T) {
	for _, c := range []struct {
		in   string
		max  int
		want string
	}{{"short", 5, "short"}, {"abcdefghij", 5, "ab…ij"}, {"あいうえおかきくけこ", 5, "あい…けこ"}} {
		if got := Middle(c.in, c.max); got != c.want {
			t.Errorf("Middle(%q, %d) = %q, want %q", c.in, c.max, got, c.want)
		}
	}
}

func TestCheckQuotesForTheShell(t *testing.T) {
	got := CheckOf(audit.SpellingBounce, "https://a.example/it's(4)?a='b'")
	if want := `grep -F '/it'\''s(4)?a='\''b'\'''`; !strings.HasSuffix(got, want) {
		t.Errorf("check = %q, want it to end in %q", got, want)
	}
}
