package words_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/words"
)

var (
	reasons = []address.Reason{address.HexCase, address.Unreserved, address.Reserved, address.Unencoded, address.Space,
		address.DoubleEncoded, address.Charset, address.Unicode, address.Scheme, address.WWW, address.Host, address.Port,
		address.Slash, address.PathCase, address.Index, address.Extension, address.Path, address.Query}
	notes = []audit.Note{audit.Long, audit.TargetNot200, audit.TargetOffsite, audit.Braked, audit.Collapsed, audit.Gate,
		audit.Session, audit.Locale, audit.OtherHost, audit.TargetNoindex, audit.TargetDisallowed, audit.TargetSoft404,
		audit.TargetNoncanonical, audit.MergeWouldLose, audit.Bounces, audit.SecondUnseen, audit.Unsteady, audit.CameBack,
		audit.ScriptRedirect, audit.RobotsIgnored, audit.Truncated, audit.Duplicate, "hops-3"}
	faults = []audit.Fault{audit.FaultTimeout, audit.FaultDNS, audit.FaultTLS, audit.FaultRefused, audit.FaultReset,
		audit.FaultNotHTTP, audit.FaultHeader, audit.FaultAddress, audit.FaultRobots, audit.FaultLeft, audit.FaultForbidden,
		audit.FaultUnreachable}
)

func TestEveryWordIsThere(t *testing.T) {
	for _, lang := range words.Langs() {
		c := words.Of(lang)
		for _, v := range append(audit.Verdicts(), audit.Soft404) {
			f := c.Verdict(v)
			for field, s := range map[string]string{"name": f.Name, "one": f.One, "many": f.Many, "what": f.What, "why": f.Why, "do": f.Do} {
				if s == "" {
					t.Errorf("%s: verdict %s has no %s", lang, v, field)
				}
			}
		}
		for _, key := range []audit.Action{audit.Keep, audit.Replace, audit.Drop, audit.Merge} {
			if _, ok := c.Actions[string(key)]; !ok {
				t.Errorf("%s: no word for action %s", lang, key)
			}
		}
		wantWords(t, lang, c.Groups, audit.Groups())
		wantWords(t, lang, c.Reasons, reasons)
		wantWords(t, lang, c.Notes, slices.DeleteFunc(slices.Clone(notes), func(n audit.Note) bool { return n == "hops-3" }))
		wantWords(t, lang, c.Faults, faults)
		wantWords(t, lang, c.Workers, []string{"generator", "server", "cms", "nobody"})
	}
}

func wantWords[K ~string](t *testing.T, lang string, have map[string]string, keys []K) {
	t.Helper()
	for _, key := range keys {
		if have[string(key)] == "" {
			t.Errorf("%s: no words for %q", lang, key)
		}
	}
}

// Both languages have the same keys, and the same placeholders in each text.
func TestLanguagesAgree(t *testing.T) {
	var all map[string]map[string]map[string]any
	if err := json.Unmarshal(words.JSON(), &all); err != nil {
		t.Fatal(err)
	}
	holes := regexp.MustCompile(`\{[a-z]+\}`)
	for part, en := range all["en"] {
		ja := all["ja"][part]
		if len(en) != len(ja) {
			t.Errorf("%s: %d keys in English, %d in Japanese", part, len(en), len(ja))
		}
		for key, text := range en {
			want, got := holes.FindAllString(fmt.Sprint(text), -1), holes.FindAllString(fmt.Sprint(ja[key]), -1)
			slices.Sort(want)
			slices.Sort(got)
			if ja[key] == nil || !slices.Equal(want, got) {
				t.Errorf("%s %s: English has %v, Japanese %v", part, key, want, got)
			}
		}
	}
}

func TestWordsForPeople(t *testing.T) {
	all := string(words.JSON())
	for _, word := range []string{"octet", "転送", "オクテット"} {
		if strings.Contains(strings.ToLower(all), word) {
			t.Errorf("%q stands in what users read", word)
		}
	}
}

func TestOf(t *testing.T) {
	for lang, want := range map[string]string{"ja": "ja", "ja-JP": "ja", "ja_JP.UTF-8": "ja", "JA": "ja", "en-GB": "en", "": "en", "C.UTF-8": "en", "fr": "en"} {
		if got := words.Of(lang).Lang(); got != want {
			t.Errorf("Of(%q) is %s, want %s", lang, got, want)
		}
	}
}

func TestUnknownKeysNameThemselves(t *testing.T) {
	c := words.Of("en")
	for got, want := range map[string]string{
		c.Verdict("new").Name: "new", c.Note("hops-x"): "hops-x", c.Fault("odd"): "odd", c.Reason("r"): "r", c.Group("g"): "g",
		c.Action("a").One: "a", c.Text("no-such"): "no-such", c.Identity("me"): "me", c.Label("L"): "L", c.Who("w"): "w",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	for n, want := range map[int]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 50000: "50,000", 1234567: "1,234,567", -1000: "-1,000", -12: "-12"} {
		if got := words.Number(n); got != want {
			t.Errorf("Number(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestValuesAreNotFilledAgain(t *testing.T) {
	got := words.Of("en").Text("moved", "old", "http://a.example/{new}", "new", "https://b.example/")
	if want := "http://a.example/{new} now belongs at https://b.example/"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func Example() {
	for _, lang := range words.Langs() {
		c := words.Of(lang)
		fmt.Println(c.Verdict(audit.Respelled).Name, "/", c.Note("hops-4"), "/", c.Count("entries", 1012))
	}
	// Output:
	// Same URL, other encoding / 4 redirects in a row; straight to the last address is better. / 1,012 entries
	// 同じ URL のエンコード違い / リダイレクトが 4 回続きます。最後の URL へ直接リダイレクトするほうが良いです。 / 1,012 件
}
