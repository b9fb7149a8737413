package messages_test

import (
	"strings"
	"testing"
	"time"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// Each kind of refusal has its way in, and none says to let a user agent pass. Both
// languages say as much.
func TestLetIn(t *testing.T) {
	secret := audit.Rules{Secret: []string{"shop.example:443"}}
	for name, c := range map[string]struct {
		info   audit.Info
		unseen map[string]int
		want   []string // in each sentence, in order
	}{
		"nothing":               {unseen: map[string]int{"401": 0}},
		"faults and unsteady":   {unseen: map[string]int{"timeout": 3, "dns": 1, "unsteady": 1, "host-left": 9}},
		"a password":            {unseen: map[string]int{"401": 3}, want: []string{"`--user NAME:PASS`"}},
		"a wrong password":      {info: audit.Info{Rules: secret}, unseen: map[string]int{"401": 3}, want: []string{"`--user`"}},
		"refused":               {unseen: map[string]int{"403": 3}, want: []string{"IP", "`--as browser`"}},
		"a protection":          {unseen: map[string]int{"Cloudflare": 3}, want: []string{"Cloudflare", "`--as browser`"}},
		"two protections":       {unseen: map[string]int{"Imperva": 1, "Akamai": 2, "captcha": 1}, want: []string{"Akamai", "`--as browser`"}},
		"a browser":             {info: audit.Info{Identity: "browser"}, unseen: map[string]int{"403": 3}, want: []string{"IP"}},
		"a proxy's password":    {unseen: map[string]int{"407": 3}, want: []string{"`HTTPS_PROXY`"}},
		"too quick, overloaded": {unseen: map[string]int{"429": 3, "503": 1}, want: []string{"429", "503"}},
		"asked to wait": {info: audit.Info{Waits: map[string]time.Duration{"shop.example": 2 * time.Minute}}, unseen: map[string]int{"429": 3},
			want: []string{"shop.example", "429"}},
		"left": {info: audit.Info{Abandoned: map[string]int{"a": 403, "b": 0}}, want: []string{"IP", "`--as", "`--rate 1`"}},
	} {
		for _, lang := range messages.Langs() {
			got := messages.Of(lang).LetIn(&c.info, c.unseen)
			if len(got) != len(c.want) {
				t.Errorf("%s, %s: %q", name, lang, got)
				continue
			}
			for i, s := range got {
				if !strings.Contains(s, c.want[i]) || strings.Count(s, "`")%2 != 0 || strings.ContainsAny(s, "{}") {
					t.Errorf("%s, %s: %q, want %q in it", name, lang, s, c.want[i])
				}
				if low := strings.ToLower(s); strings.Contains(low, "user agent") || strings.Contains(low, "user-agent") || strings.Contains(s, "ユーザー エージェント") {
					t.Errorf("%s, %s: %q lets every liar in", name, lang, s)
				}
			}
		}
	}
}
