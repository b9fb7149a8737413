package messages_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
	"sitemend/crawler/pattern"
	"sitemend/report/messages"
)

// textsOf is each text of a language by its path in the file. A key that an object has twice is an
// error: the reader of JSON keeps the last, and whoever changes the first changes nothing.
func textsOf(t *testing.T, lang string) map[string]string {
	t.Helper()
	source, err := os.ReadFile(lang + ".json")
	if err != nil {
		t.Fatal(err)
	}
	out, in := map[string]string{}, json.NewDecoder(bytes.NewReader(source))
	var walk func(path string)
	walk = func(path string) {
		token, err := in.Token()
		if err != nil {
			t.Fatalf("%s: %v", lang, err)
		}
		if text, is := token.(string); is {
			if out[path] != "" {
				t.Errorf("%s has %s twice", lang, path)
			}
			out[path] = text
			return
		}
		for in.More() {
			key, _ := in.Token()
			walk(strings.TrimPrefix(path+"/"+fmt.Sprint(key), "/"))
		}
		_, _ = in.Token() // what closes it
	}
	walk("")
	return out
}

// keysOf are the keys of a part of the file.
func keysOf(all map[string]string, part string) (keys []string) {
	for path := range all {
		if rest, ok := strings.CutPrefix(path, part+"/"); ok {
			key, _, _ := strings.Cut(rest, "/")
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// Every language has the keys of English, with the same placeholders in each text, and says nothing that
// users are not to read.
func TestLanguagesAgree(t *testing.T) {
	hole := regexp.MustCompile(`\{(\w+)\}`)
	holes := func(text string) string {
		return fmt.Sprint(slices.Compact(slices.Sorted(slices.Values(hole.FindAllString(text, -1)))))
	}
	en := textsOf(t, "en")
	for _, lang := range messages.Langs() {
		other := textsOf(t, lang)
		for key, text := range en {
			got, ok := other[key]
			if !ok && strings.HasSuffix(key, "/few") {
				continue // where the name stands after a number, too
			}
			if !ok || got == "" || lang != "en" && holes(got) != holes(strings.NewReplacer(":", "}", "|", "}").Replace(text)) && holes(got) != holes(text) {
				t.Errorf("%s: %s is %q, in English %q", lang, key, got, text)
			}
		}
		// Search Console's names and what a file is come in English as they are.
		english := regexp.MustCompile(`^(labels|rules|rule-whys|sitemap-faults/names|sitemap-faults/things)/`)
		for key, text := range other {
			if _, ok := en[key]; !ok && !english.MatchString(key) {
				t.Errorf("%s: %s has no English", lang, key)
			}
			if strings.Count(text, "`")%2 != 0 || regexp.MustCompile(`(?i)octet|転送|オクテット`).MatchString(text) {
				t.Errorf("%s: %s is %q", lang, key, text)
			}
		}
	}
}

// What audits know has words, and nothing else has: none is missing, and none stands there for nothing.
func TestEveryWordIsThere(t *testing.T) {
	names := func(list ...any) (out []string) {
		for _, x := range list {
			out = append(out, fmt.Sprint(x))
		}
		return out
	}
	verdicts, stops := names(), names("hops")
	for _, v := range audit.Verdicts() {
		verdicts = append(verdicts, string(v))
	}
	for _, n := range audit.Stops() {
		stops = append(stops, string(n))
	}
	source, err := os.ReadFile("../../crawler/audit/fix.go")
	if err != nil {
		t.Fatal(err)
	}
	whys := names(audit.Braked)
	for _, m := range regexp.MustCompile(`(?i)why\w+ += "([a-z-]+)"`).FindAllStringSubmatch(string(source), -1) {
		whys = append(whys, m[1])
	}
	for _, lang := range messages.Langs() {
		c := messages.Of(lang)
		for what, x := range map[string]struct{ have, want []string }{
			"verdicts": {slices.Collect(maps.Keys(c.Verdicts)), verdicts},
			"actions":  {slices.Collect(maps.Keys(c.Actions)), names(audit.Keep, audit.Replace, audit.Drop, audit.Merge)},
			"reasons": {slices.Collect(maps.Keys(c.Reasons)), names(address.HexCase, address.Unreserved, address.Reserved, address.Unencoded, address.Space, address.DoubleEncoded,
				address.Charset, address.Unicode, address.Scheme, address.WWW, address.Host, address.Port, address.Slash, address.PathCase, address.Index, address.Extension, address.Path, address.Query)},
			"notes": {slices.Collect(maps.Keys(c.Notes)), append(stops, names(audit.Long, "bounces", "came-back", audit.ScriptRedirect, audit.NeedsJavaScript, "robots-ignored",
				audit.Outside, audit.Unmodelled, audit.Truncated, "duplicate")...)},
			"faults": {slices.Collect(maps.Keys(c.Faults)), names(answers.FaultOutside, answers.FaultUnmodelled, answers.FaultTimeout, answers.FaultDNS, answers.FaultTLS, answers.FaultRefused, answers.FaultReset,
				answers.FaultNotHTTP, answers.FaultEncoding, answers.FaultHeader, answers.FaultAddress, answers.FaultRobots, answers.FaultRobotsAddress, answers.FaultAbandoned, answers.FaultForbidden,
				answers.FaultUnreachable, audit.Unsteady)},
			"whys":   {slices.Collect(maps.Keys(c.Whys)), whys},
			"agents": {keysOf(textsOf(t, lang), "texts"), names("as-googlebot", "as-googlebot-desktop", "as-bingbot", "as-browser")},
		} {
			slices.Sort(x.have)
			slices.Sort(x.want)
			for _, key := range x.want {
				if !slices.Contains(x.have, key) {
					t.Errorf("%s: %s has no words for %q", lang, what, key)
				}
			}
			if what != "agents" && len(slices.Compact(x.want)) != len(x.have) {
				t.Errorf("%s: %s has words for %q, want those for %q", lang, what, x.have, x.want)
			}
		}
		for _, v := range audit.Verdicts() {
			if f := c.Verdict(v); f.Name == "" || f.Few == "" || f.What == "" || f.Do == "" {
				t.Errorf("%s: verdict %s is told in part: %+v", lang, v, f)
			}
		}
		for key, x := range c.Notes {
			if stops := slices.Contains(audit.Stops(), audit.Note(key)); x.What == "" || (x.Do != "") != stops || (x.Name != "") != stops {
				t.Errorf("%s: note %s is told in part: %+v", lang, key, x)
			}
		}
	}
	for _, n := range audit.Stops() { // scripts know it by that
		if text := messages.StableWhy(audit.Why{Key: string(n)}); !strings.HasPrefix(strings.ToLower(text), "kept") {
			t.Errorf("%s is told as %q", n, text)
		}
	}
}

// Each text is used by something that writes for people, and none that is used is missing.
func TestTextsAreUsed(t *testing.T) {
	source := ""
	for _, root := range []string{"..", "../../cmd"} {
		err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(file, "_test.go") || !slices.Contains([]string{".go", ".tmpl", ".js"}, filepath.Ext(file)) {
				return err
			}
			text, err := os.ReadFile(file)
			source += strings.ReplaceAll(string(text), "'", `"`)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	used := map[string]bool{}
	for _, m := range regexp.MustCompile(`"([a-z][a-z0-9-]*)"( ?\+|[^+ ]| [^+])`).FindAllStringSubmatch(source, -1) {
		used[m[1]] = used[m[1]] || strings.HasSuffix(m[2], "+") == strings.HasSuffix(m[1], "-") // a prefix is one where something is added
	}
	texts := messages.Of("en").Texts
	for key := range texts {
		found := used[key]
		for i, r := range key {
			found = found || r == '-' && used[key[:i+1]]
		}
		if !found {
			t.Errorf("%s is not used", key)
		}
	}
	said := regexp.MustCompile(`(?:(?:\b(?:words|c|w|t|m)\.(?:Text|Count|text)|messages\.Say|\bsay|\bpick)[( ]|data-t=)"([a-z][a-z0-9-]*[a-z0-9])"[ ,)}>]`)
	for _, m := range said.FindAllStringSubmatch(source, -1) {
		if texts[m[1]] == "" {
			t.Errorf("%s is used and missing", m[1])
		}
	}
}

// Whatever is counted, one of it is told as one: the text chooses its word by the number, has
// a form for one, or is of several by its nature.
func TestOneIsSaidAsOne(t *testing.T) {
	counted := regexp.MustCompile(`\{(\w+)\} (?:\w+ )?(URLs|files|causes|faults|sitemaps|pages|redirects|links|warnings|errors|edits|requests|corrections|rows|places|hosts|decisions|audits)\b`)
	choice := regexp.MustCompile(`\{\w+:[^}]*\}`)
	severals := []string{"notes/hops/what", "whys/braked", "texts/alarm-braked", "texts/cut"}
	for at, text := range textsOf(t, "en") {
		m := counted.FindStringSubmatch(choice.ReplaceAllString(text, "X"))
		if m != nil && m[0] != "{1} redirects" && m[0] != "{site} redirects" && !slices.Contains(severals, at) {
			t.Errorf("%s says %q of one, too: %s", at, m[0], text)
		}
	}
}

// contradicting are what advice must not say beside a decision, by language: nothing to
// list or upload where the entry is kept, nothing to take out where it is replaced,
// nothing to list where it is taken out.
var contradicting = map[string]map[audit.Action]*regexp.Regexp{
	"en": {
		audit.Keep:    regexp.MustCompile(`(?i)\bUpload the corrected|\blist the (new|canonical) URL|\blist the spelling`),
		audit.Replace: regexp.MustCompile(`(?i)take (it|them|the URL|these URLs) out|leave it out|then the next audit corrects`),
		audit.Drop:    regexp.MustCompile(`(?i)\blist the|Upload the corrected|then the next audit corrects`),
		audit.Merge:   regexp.MustCompile(`(?i)\blist the|take (it|the URL) out|then the next audit corrects`),
	},
	"ja": {
		audit.Keep:    regexp.MustCompile(`修正版をアップロード|新しい URL を載せ|canonical の URL を載せ|表記を載せて`),
		audit.Replace: regexp.MustCompile(`外してください|次の監査でサイトマップが修正`),
		audit.Drop:    regexp.MustCompile(`新しい URL を載せ|canonical の URL を載せ|修正版をアップロード|次の監査でサイトマップが修正`),
		audit.Merge:   regexp.MustCompile(`載せてください|外してください|次の監査でサイトマップが修正`),
	},
}

// Whatever was decided of whatever was seen, advice never says otherwise; where a rule keeps an entry it
// says how to settle that, and of those of which the owner may know better how to lift it.
func TestAdviceAgreesWithTheDecision(t *testing.T) {
	const again = "sitemend report --out here"
	groups := map[audit.Action]audit.Group{audit.Keep: audit.NeedsDecision, audit.Replace: audit.Corrected, audit.Drop: audit.TakenOut}
	for _, lang := range messages.Langs() {
		if contradicting[lang] == nil {
			t.Fatalf("contradicting has no patterns of %s", lang)
		}
		c := messages.Of(lang).With(again)
		for _, v := range audit.Verdicts() {
			for action, never := range contradicting[lang] {
				said := []string{c.Do(messages.Decision{Verdict: v, Action: action})}
				if group := groups[action]; group != "" {
					said = append(said, c.Remedy(&audit.Cause{Verdict: v, Group: group}))
				}
				for _, text := range said {
					if text == "" || never.MatchString(text) {
						t.Errorf("%s: %s of %s is told to %q", lang, action, v, text)
					}
				}
			}
		}
		for _, stop := range audit.Stops() {
			text := c.Do(messages.Decision{Verdict: audit.Moved, Action: audit.Keep, Stop: stop})
			lifts := strings.Contains(text, "`"+again+" --fix "+string(stop)+"=replace`")
			if text == "" || contradicting[lang][audit.Keep].MatchString(text) || lifts != stop.OwnerKnows() {
				t.Errorf("%s: what %s keeps is told to %q", lang, stop, text)
			}
		}
		if text := c.Do(messages.Decision{Verdict: audit.NotFound, Stop: audit.Braked}); !strings.Contains(text, again+" --max-drop 100%") {
			t.Errorf("%s: what --max-drop keeps is told to %q", lang, text)
		}
	}
}

// Each remedy and each advice can be reached, and what they are needed for has one.
func TestRemediesAreReached(t *testing.T) {
	causes := []audit.Cause{{Group: audit.Corrected, By: answers.RuleAt{File: "_redirects", Line: 1}}, {Group: audit.TakenOut, Verdict: audit.Temporary}, {Group: audit.Corrected, Merged: true}}
	for _, name := range []string{"host", "charset", "double-encoded", "slash-added"} {
		term := pattern.Term{Name: name}
		if term.String() == "" {
			t.Errorf("no rule has the term %s", name)
		}
		causes = append(causes, audit.Cause{Group: audit.Corrected, Verdict: audit.Moved, Terms: []pattern.Term{term}})
	}
	for _, why := range []string{"401", "Cloudflare", "outside", "429", "dns", "refused", "robots-unreachable", "unsteady"} {
		causes = append(causes, audit.Cause{Group: audit.NotChecked, Verdict: audit.Unverified, Terms: []pattern.Term{{Name: "unseen", From: why}}})
	}
	for _, lang := range messages.Langs() {
		c, said := messages.Of(lang), map[string]bool{}
		for i := range causes {
			said[c.Remedy(&causes[i])] = true
		}
		for key, text := range c.Remedies {
			if !said[text] {
				t.Errorf("%s: the remedy %s is never told", lang, key)
			}
		}
		for _, u := range audit.Upshots() {
			for _, to := range []string{"", "http://a.example/{do}{seen}"} {
				key := "advice-" + string(u) + map[bool]string{true: "-to"}[to != ""]
				text := messages.Advice(&audit.ReportedRow{Upshot: u, To: to}).Plain(c)
				if c.Texts[key] != "" && (text == key || strings.Contains(strings.ReplaceAll(text, to, ""), "{") || !strings.Contains(text, to)) {
					t.Errorf("%s: %s is told as %q", lang, key, text)
				}
			}
		}
	}
}

func TestValues(t *testing.T) {
	en, ja := messages.Of("en"), messages.Of("ja")
	const command = "sitemend report 20261123T050205Z --store 'my sitemend report.db'"
	braked := audit.Why{Key: "braked", Args: [4]string{"12", "340"}}
	unseen := audit.Why{Key: "unseen", Args: [4]string{"timeout"}}
	for _, c := range [][2]string{
		{messages.Number(0), "0"}, {messages.Number(999), "999"}, {messages.Number(1234567), "1,234,567"},
		{messages.Of("ja_JP.UTF-8").Lang(), "ja"}, {messages.Of("JA").Lang(), "ja"}, {messages.Of("").Lang(), "en"}, {messages.Of("C.UTF-8").Lang(), "en"}, {messages.Of("fr").Lang(), "en"},
		{messages.Took(40 * time.Millisecond).In(en), "1 s"}, {messages.Took(59600 * time.Millisecond).In(en), "1 min"}, {messages.Took(125 * time.Minute).In(en), "2 h 5 min"},
		{en.Text("letin-wait", "host", "{wait}", "wait", "5 s"), "{wait} asked to wait 5 s."},
		{en.Text("n-files", "n", 1), "1 file"}, {ja.Text("n-files", "n", 12345), "12,345ファイル"},
		{messages.Say("left", "host", "a`b\u202e", "what", messages.Code("x`y")).In(en), "Stopped crawling a\\x60b\\u202e: `x\\x60y`."},
		{en.Verdict("new").Name + en.Text("no-such") + en.Fault("odd") + en.Counted("v", 2), "newno-suchodd2 v"},
		{en.Remark("hops-4").What + en.Counted("loop", 1012), "4 redirects in a row.1,012 redirect loops"},
		{messages.StableWhy(braked), "Kept: 12 of 340 URLs would be removed. Is that intended?"},
		{messages.StableWhy(unseen), "We could not see what Google sees (timeout)."}, {en.FixWhy(unseen), "We could not see what Google sees (no whole answer in time)."},
		{ja.FixWhy(unseen), "Googleの見え方は確認できませんでした(時間内に完全な応答なし)。"},
		{messages.Again("`sitemend report --max-drop 100%`, or sitemend report", command), "`" + command + " --max-drop 100%`, or " + command},
		{messages.Again(command+" --fix locale=replace", command), command + " --fix locale=replace"}, {messages.Again("sitemend report --new", ""), "sitemend report --new"},
		{ja.RuleWhy("longer than 65536 bytes: the file is ignored"), "65536バイトを超えています: ファイルは無視されます"},
	} {
		if c[0] != c[1] {
			t.Errorf("got %q, want %q", c[0], c[1])
		}
	}
}
