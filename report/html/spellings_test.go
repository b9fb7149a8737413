package html

import (
	"strings"
	"testing"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/pattern"
)

const seed = "http://wiki.example/wiki/wiki.cgi?Wiki%A4%F2%284%29"

// toldSpellings is an audit of which only its spellings are known.
func withSpellings(rules ...pattern.SpellingRule) *audit.Result {
	return audit.MakeResult(audit.Result{Spellings: rules}, nil, nil)
}

// seedRules are what the trails of the seed's wiki say.
func seedRules() []pattern.SpellingRule {
	rule := pattern.SpellingRule{Origin: "http://wiki.example", Query: true, Of: pattern.OfByte, Byte: '(', Wants: pattern.SpeltEncoded,
		For: 2, Redirects: 2, Together: true, From: strings.NewReplacer("%28", "(", "%29", ")").Replace(seed), To: seed, Probe: seed}
	other := rule
	other.Byte = ')'
	return []pattern.SpellingRule{rule, other}
}

// section is the text of the section of spellings, "" where there is none.
func section(t *testing.T, result *audit.Result, lang string) string {
	t.Helper()
	for n := range parse(t, pageOf(t, result, Options{Lang: lang})).Descendants() {
		if n.Data == "section" && attr(n, "id") == "server" {
			return textOf(n)
		}
	}
	return ""
}

func TestSpellingsOfTheSeed(t *testing.T) {
	text := section(t, withSpellings(seedRules()...), "en")
	for _, want := range []string{
		"queryクエリ( )encoded, %XX",
		"sitemend probe '" + seed + "'",
		"These changed only together",
		"list each address in the spelling that they lead to",
		"リダイレクト先の表記のままサイトマップに載せてください。",
		"http://wiki.example redirects to the encoded form of ( ) today: turn that round first",
		"A-Za-z0-9-._~!$'()*,:@/?", "A-Za-z0-9-._~!$'()*+,;:@/?",
		"PHP", "Python", "JavaScript", "Perl", "Ruby", snippet("value.rb"), NginxRule(seed), serverRule("apache.conf", seed),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

// The configuration is for the entry that needs it: one that is redirected as it is listed is
// corrected by the upload.
func TestConfigurationIsForThePageThatIsRightAsListed(t *testing.T) {
	result := withSpellings(pattern.SpellingRule{Origin: "http://wiki.example", Of: pattern.OfByte, Byte: '~', Wants: pattern.SpeltRaw, For: 1, Redirects: 1,
		From: "http://wiki.example/%7Ea/", To: "http://wiki.example/~a/"})
	if got, want := configured(result), "http://wiki.example/~a/"; got != want {
		t.Errorf("for %s, want %s", got, want)
	}
	result.Causes = []audit.Cause{{Verdict: audit.Moved, Examples: []string{"http://a/b"}}, {Verdict: audit.SpellingBounce, Examples: []string{seed}}}
	if got := configured(result); got != seed {
		t.Errorf("for %s, want %s", got, seed)
	}
}

// No word of the section may send an owner to the sitemap: while the server
// redirects, another spelling there is a real redirect.
func TestSpellingsNeverSayToChangeTheSitemap(t *testing.T) {
	text := strings.ToLower(section(t, withSpellings(seedRules()...), "en"))
	text = strings.ReplaceAll(text, "change links, canonical, sitemap and the direction of the redirect at the same time, or none of them", "")
	if strings.Contains(text, "sitemap ") {
		for line := range strings.Lines(text) {
			if strings.Contains(line, "sitemap ") {
				t.Errorf("says %q", line)
			}
		}
	}
}

func TestSpellingsAreShownOnlyWhereThereAreSome(t *testing.T) {
	unseen := pattern.SpellingRule{Origin: "http://a.example", Of: pattern.OfHex, Wants: pattern.SpeltNotSeen, Probe: "http://a.example/%E3"}
	for _, result := range []*audit.Result{withSpellings(), withSpellings(unseen)} {
		if got := section(t, result, "en"); got != "" {
			t.Errorf("%+v: %s", result.Spellings, got)
		}
	}
	either := pattern.SpellingRule{Origin: "http://a.example", Of: pattern.OfByte, Byte: '(', Wants: pattern.SpeltEither, For: 3}
	text := section(t, withSpellings(either, unseen), "ja")
	for _, want := range []string{"path", "either", "listed in both, not seen", "sitemend probe 'http://a.example/%E3'"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	for _, never := range []string{"PHP", "nginx", "real redirect"} {
		if strings.Contains(text, never) {
			t.Errorf("%q, though nothing is redirected", never)
		}
	}
}

// Where redirects lead both ways no spelling is the one to list.
func TestSpellingsThatContradict(t *testing.T) {
	mixed := pattern.SpellingRule{Origin: "http://a.example", Of: pattern.OfHex, Wants: pattern.SpeltMixed, For: 1, Against: 1, Redirects: 2,
		From: "http://a.example/%e3", To: "http://a.example/%E3", Probe: "http://a.example/%E3"}
	text := section(t, withSpellings(mixed), "en")
	if !strings.Contains(text, "contradict each other") || strings.Contains(text, "list each address in the spelling that they") {
		t.Error(text)
	}
}

// Each rule has its sentence and its word.
func TestSpellingsHaveWords(t *testing.T) {
	of := map[pattern.SpellingOf][]pattern.Spelt{
		pattern.OfByte:    {pattern.SpeltRaw, pattern.SpeltEncoded, pattern.SpeltEither, pattern.SpeltMixed, pattern.SpeltNotSeen},
		pattern.OfHex:     {pattern.SpeltUpper, pattern.SpeltLower, pattern.SpeltEither, pattern.SpeltMixed, pattern.SpeltNotSeen},
		pattern.OfSpace:   {pattern.SpeltPlus, pattern.SpeltPercent20, pattern.SpeltEither, pattern.SpeltMixed, pattern.SpeltNotSeen},
		pattern.OfCharset: {pattern.SpeltInCharset, pattern.SpeltEither, pattern.SpeltMixed},
	}
	for what, wants := range of {
		for _, w := range wants {
			r := pattern.SpellingRule{Of: what, Byte: '(', Wants: w, Charset: "euc-jp"}
			got := []string{wantsText(&r).In("en"), whatText(&r).In("en")}
			for _, text := range got {
				if text == "" || strings.Contains(text, "spelt-") || strings.Contains(text, "of-") || strings.Contains(text, "{") {
					t.Errorf("%s %s: %q", what, w, got)
				}
			}
		}
	}
}

// What the encoder asks to be turned round, and what goes into its set.
func TestSpellingsToTurn(t *testing.T) {
	rule := func(of pattern.SpellingOf, b byte, wants pattern.Spelt) pattern.SpellingRule {
		return pattern.SpellingRule{Origin: "http://a.example", Query: true, Of: of, Byte: b, Wants: wants, Redirects: 1, For: 1, To: seed}
	}
	for _, c := range []struct {
		rule pattern.SpellingRule
		want string
	}{
		{rule(pattern.OfByte, '!', pattern.SpeltEncoded), "turn that round first"},
		{rule(pattern.OfByte, ';', pattern.SpeltRaw), "add it to the set"},
		{rule(pattern.OfByte, '+', pattern.SpeltRaw), "a literal +: add it to the set"},
		{rule(pattern.OfHex, 0, pattern.SpeltLower), "lower case today"},
		{rule(pattern.OfSpace, 0, pattern.SpeltPlus), "write + for %20"},
		{rule(pattern.OfByte, '(', pattern.SpeltRaw), ""},
		{rule(pattern.OfByte, '"', pattern.SpeltEncoded), ""},
		{rule(pattern.OfByte, 'a', pattern.SpeltRaw), ""},
		{rule(pattern.OfByte, '[', pattern.SpeltRaw), "to the literal form of [ today: turn that round first"},
		{rule(pattern.OfHex, 0, pattern.SpeltMixed), "contradict each other: repair them first"},
	} {
		v := newServerView(withSpellings(c.rule))
		got := ""
		for _, p := range v.Turn {
			got += p.In("en")
		}
		if none := strings.Contains(section(t, withSpellings(c.rule), "en"), "lead to this spelling already"); none != (c.want == "") {
			t.Errorf("%+v: already so: %v", c.rule, none)
		}
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) || len(v.Code) != 5 {
			t.Errorf("%+v: %q", c.rule, got)
		}
	}
}

func TestEncoderMarks(t *testing.T) {
	for c := range 128 {
		b := string(rune(c))
		letter := strings.Contains("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", b)
		if literal := address.EncodeValue(b) == b; literal != (letter || strings.Contains(encoderMarks, b)) {
			t.Errorf("%q: literal %v", b, literal)
		}
	}
}
