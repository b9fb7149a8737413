package messages_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

var (
	reasons = []address.Reason{address.HexCase, address.Unreserved, address.Reserved, address.Unencoded, address.Space,
		address.DoubleEncoded, address.Charset, address.Unicode, address.Scheme, address.WWW, address.Host, address.Port,
		address.Slash, address.PathCase, address.Index, address.Extension, address.Path, address.Query}
	notes = []audit.Note{audit.Long, audit.Bounces, audit.CameBack,
		audit.ScriptRedirect, audit.NeedsJavaScript, audit.RobotsIgnored, audit.Outside, audit.Unmodelled, audit.Truncated, audit.Duplicate, "hops-3"}
	faults = []audit.Fault{audit.FaultOutside, audit.FaultUnmodelled, audit.FaultTimeout, audit.FaultDNS, audit.FaultTLS, audit.FaultRefused, audit.FaultReset,
		audit.FaultNotHTTP, audit.FaultEncoding, audit.FaultHeader, audit.FaultAddress, audit.FaultRobots, audit.FaultRobotsAddress, audit.FaultAbandoned, audit.FaultForbidden,
		audit.FaultUnreachable, audit.Fault(audit.Unsteady)}
)

func TestEveryWordIsThere(t *testing.T) {
	for _, lang := range messages.Langs() {
		c := messages.Of(lang)
		for _, v := range append(audit.Verdicts(), audit.Soft404) {
			if f := c.Verdict(v); f.Name == "" || f.Few == "" || f.What == "" || f.Do == "" {
				t.Errorf("%s: verdict %s is told in part: %+v", lang, v, f)
			}
		}
		wantKeys(t, lang, c.Verdicts, audit.Verdicts())
		wantWords(t, lang, c.Actions, []audit.Action{audit.Keep, audit.Replace, audit.Drop, audit.Merge})
		wantWords(t, lang, c.Reasons, reasons)
		hops := slices.Clone(notes)
		hops[len(hops)-1] = "hops"
		wantKeys(t, lang, c.Notes, append(hops, audit.Stops()...))
		for key, x := range c.Notes {
			if stops := slices.Contains(audit.Stops(), audit.Note(key)); x.What == "" || (x.Do != "") != stops || (x.Name != "") != stops {
				t.Errorf("%s: note %s is told in part: %+v", lang, key, x)
			}
		}
		wantWords(t, lang, c.Faults, faults)
	}
}

func wantWords[K ~string](t *testing.T, lang string, have map[string]string, keys []K) {
	t.Helper()
	wantKeys(t, lang, have, keys)
	for key, text := range have {
		if text == "" {
			t.Errorf("%s: no words for %q", lang, key)
		}
	}
}

// wantKeys compares the keys of a part of the catalogue with those that there are:
// none may be missing, and none stands there for nothing.
func wantKeys[K ~string, V any](t *testing.T, lang string, have map[string]V, keys []K) {
	t.Helper()
	want := make([]string, len(keys))
	for i, key := range keys {
		want[i] = string(key)
	}
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(have)); !slices.Equal(got, want) {
		t.Errorf("%s: words for %q, want those for %q", lang, got, want)
	}
}

// whys are the keys of the reasons of a fix that are neither a verdict nor a note, and of the note that
// counts.
func whys(t *testing.T) (all []string) {
	source, err := os.ReadFile("../../crawler/audit/why.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`why\w+ += "([a-z-]+)"`).FindAllStringSubmatch(string(source), -1) {
		all = append(all, m[1])
	}
	all = append(all, string(audit.Braked))
	slices.Sort(all)
	return slices.Compact(all)
}

// Each reason of a fix has its sentence, and there is no other. What keeps an entry that
// would have been edited says so; scripts know it by that.
func TestWhys(t *testing.T) {
	for _, lang := range messages.Langs() {
		wantWords(t, lang, messages.Of(lang).Whys, whys(t))
	}
	for _, n := range audit.Stops() {
		if text := messages.StableWhy(audit.Why{Key: string(n)}); !strings.HasPrefix(strings.ToLower(text), "kept") {
			t.Errorf("%s is told as %q", n, text)
		}
	}
	for _, c := range []struct{ key, one, two, stable, en, ja string }{
		{"noindex", "", "", messages.Of("en").Verdict("noindex").What, messages.Of("en").Verdict("noindex").What, messages.Of("ja").Verdict("noindex").What},
		{"braked", "12", "340", "kept: 12 of 340 URLs would be removed; is that meant? then --max-drop 100%",
			"kept: 12 of 340 URLs would be removed; is that meant? then --max-drop 100%",
			"残しました: URL340件のうち12件が除外されます。意図どおりなら --max-drop 100% を付けてください"},
		{"of another version", "", "", "of another version", "of another version", "of another version"},
		{"unseen", "timeout", "", "we could not see what Google sees (timeout)", "we could not see what Google sees (no whole answer in time)",
			"Googleの見え方は確認できませんでした(時間内に完全な応答なし)"},
	} {
		w := audit.Why{Key: c.key, Args: [4]string{c.one, c.two}}
		for _, x := range [][4]string{{messages.StableWhy(w), c.stable}, {messages.Of("en").FixWhy(w), c.en}, {messages.Of("ja").FixWhy(w), c.ja}} {
			if x[0] != x[1] {
				t.Errorf("%v is %q, want %q", w, x[0], x[1])
			}
		}
	}
}

// Every language has the keys of English, with the same placeholders in each text.
func TestLanguagesAgree(t *testing.T) {
	en := textsOf(t, "en")
	for _, lang := range messages.Langs()[1:] {
		other := textsOf(t, lang)
		for key, text := range en {
			got, ok := other[key]
			if !ok && strings.HasSuffix(key, "/few") {
				continue // where the name stands after a number, too
			}
			if !ok || (got == "") != (text == "") || holesOf(got) != holesOf(text) {
				t.Errorf("%s: %s is %q, in English %q", lang, key, got, text)
			}
		}
		for key := range other {
			// Search Console's names and what a file is come in English as they are.
			english := func(part string) bool { return strings.HasPrefix(key, part) }
			if _, ok := en[key]; !ok && !slices.ContainsFunc([]string{"labels/", "reported/labels/", "rules/", "rule-whys/", "sitemap-faults/names/", "sitemap-faults/things/"}, english) {
				t.Errorf("%s: %s has no English", lang, key)
			}
		}
	}
}

// textsOf is each text of a language by its path in the file.
func textsOf(t *testing.T, lang string) map[string]string {
	t.Helper()
	var all any
	source, err := os.ReadFile(lang + ".json")
	if err == nil {
		err = json.Unmarshal(source, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, below := range v {
				walk(path+"/"+key, below)
			}
		case string:
			out[path[1:]] = v
		default:
			t.Errorf("%s: %s is no text", lang, path)
		}
	}
	walk("", all)
	return out
}

func TestOf(t *testing.T) {
	for lang, want := range map[string]string{"ja": "ja", "ja-JP": "ja", "ja_JP.UTF-8": "ja", "JA": "ja", "en-GB": "en", "": "en", "C.UTF-8": "en", "fr": "en"} {
		if got := messages.Of(lang).Lang(); got != want {
			t.Errorf("Of(%q) is %s, want %s", lang, got, want)
		}
	}
}

func TestUnknownKeysNameThemselves(t *testing.T) {
	c := messages.Of("en")
	for got, want := range map[string]string{
		c.Verdict("new").Name: "new", c.Note("hops-x"): "hops-x", c.Fault("odd"): "odd", c.Reason("r"): "r", c.Counted("v", 2): "2 v",
		c.Action("a"): "a", c.Text("no-such"): "no-such", c.Identity("me"): "me", c.Label("L"): "L",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	for n, want := range map[int]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 50000: "50,000", 1234567: "1,234,567", -1000: "-1,000", -12: "-12"} {
		if got := messages.Number(n); got != want {
			t.Errorf("Number(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestValuesAreNotFilledAgain(t *testing.T) {
	got := messages.Of("en").Text("letin-wait", "host", "{wait}", "wait", "5 s")
	if want := "{wait} asked to wait 5 s."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func Example() {
	for _, lang := range []string{"en", "ja"} {
		c := messages.Of(lang)
		fmt.Println(c.Verdict(audit.Loop).Name, "/", c.Note("hops-4"), "/", c.Counted("loop", 1012))
	}
	// Output:
	// Redirect loop / 4 redirects in a row. / 1,012 redirect loops
	// リダイレクト ループ / リダイレクトが4回続きます。 / リダイレクト ループ 1,012件
}

var (
	literal = regexp.MustCompile(`"([a-z][a-z0-9-]*(?:\.[a-z]+)?)"`)
	asked   = regexp.MustCompile(`(?:words|c|w)\.(Text|Count)\("([a-z0-9.-]+)"[,)]|\.row\("([a-z0-9-]+)"[,)]`)
)

// Each sentence is used by a room that writes for people, and none that is used is
// missing. Keys that are put together begin with a prefix that stands in the source.
func TestTextsAreUsed(t *testing.T) {
	source := ""
	for _, dir := range []string{"..", "../html", "../internal/conclude", "../serve", ".", "../../cmd/sitemend", "../../cmd/internal/job"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(file, "_test.go") {
				source += string(text)
			}
		}
	}
	used := map[string]bool{}
	for _, m := range literal.FindAllStringSubmatch(source, -1) {
		used[m[1]] = true
	}
	texts := messages.Of("en").Texts
	for key := range texts {
		at := strings.IndexByte(key, '-') + 1
		if !used[key] && !strings.Contains(strings.ReplaceAll(source, `" +`, `"+`), `"`+key[:at]+`"+`) {
			t.Errorf("%s is not used", key)
		}
	}
	for _, m := range asked.FindAllStringSubmatch(source, -1) {
		key := m[2] + m[3]
		if _, ok := texts[key]; !ok && !strings.Contains(source, `Diff().`+m[1]+`("`+m[2]) && !inOthers(key) {
			t.Errorf("%s is used and missing", key)
		}
	}
}

// inOthers reports whether a key is one of a catalogue of its own.
func inOthers(key string) bool {
	en := messages.Of("en")
	return en.Diff().Texts[key] != "" || en.Watch().Texts[key] != ""
}

// Names are those that there are.
func TestNamesAreKnown(t *testing.T) {
	for _, lang := range messages.Langs() {
		wantWords(t, lang, messages.Of(lang).Identities, []string{"googlebot", "googlebot-desktop", "bingbot", "browser"})
	}
}
