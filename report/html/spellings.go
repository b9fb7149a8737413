package html

import (
	"slices"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/crawler/pattern"
	"sitemend/report/internal/page"
)

// How many servers and probe commands the section of spellings shows.
const (
	maxSpellingSites  = 12
	maxSpellingProbes = 3
)

// A spellingsView is the section "How this site spells its addresses".
type spellingsView struct {
	Sites   []spellingSite
	More    int // servers that are not shown
	Turn    []page.Phrase
	Value   bool // queries are redirected: the encoder for their values is shown
	Code    []codeView
	Servers []codeView
}

// A spellingSite is how one server spells its addresses.
type spellingSite struct {
	Origin     string
	Sentences  []page.Phrase
	Rows       []spellingRow
	Moves      []moved // redirects, as examples
	Open       page.Phrase
	Probes     []string
	Redirected bool // redirects lead to one spelling of something
}

type spellingRow struct {
	Where, Wants page.Phrase
	What         page.Phrase
	For, Against int
	Doubtful     bool
}

// A codeView is a piece of code that the page hands out.
type codeView struct{ Name, Text string }

// newSpellingsView returns nil where answers say nothing of spellings.
func newSpellingsView(told *audit.Result) *spellingsView {
	seen := func(r pattern.SpellingRule) bool { return r.Wants != pattern.SpeltNotSeen }
	if !slices.ContainsFunc(told.Spellings, seen) {
		return nil
	}
	v := &spellingsView{}
	for rest := told.Spellings; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Origin == rest[0].Origin {
			n++
		}
		rules := rest[:n]
		rest = rest[n:]
		if len(v.Sites) == maxSpellingSites {
			v.More++
			continue
		}
		v.Sites = append(v.Sites, newSpellingSite(rules))
		v.turn(rules)
	}
	v.hand(told.Spellings)
	return v
}

func newSpellingSite(rules []pattern.SpellingRule) spellingSite {
	s := spellingSite{Origin: page.Visible(rules[0].Origin), Sentences: spellingSentences(rules)}
	together := false
	for i := range rules {
		r := &rules[i]
		s.Rows = append(s.Rows, spellingRow{whereText(r.Query), wantsText(r), whatText(r), r.For, r.Against, r.Doubtful()})
		s.Redirected = s.Redirected || r.To != "" && r.Wants != pattern.SpeltMixed
		together = together || r.Together
		if m := (moved{page.Visible(r.From), page.Visible(r.To)}); r.From != "" && !slices.Contains(s.Moves, m) && len(s.Moves) < maxSpellingProbes {
			s.Moves = append(s.Moves, m)
		}
		if p := probeCommand(r.Probe); r.Probe != "" && !slices.Contains(s.Probes, p) && len(s.Probes) < maxSpellingProbes {
			s.Probes = append(s.Probes, p)
		}
	}
	s.Open = say("spell-open")
	if together && !slices.ContainsFunc(rules, func(r pattern.SpellingRule) bool { return r.Doubtful() }) {
		s.Open = say("spell-together")
	}
	return s
}

func probeCommand(url string) string {
	return "sitemend probe '" + page.ShellQuoted(page.Visible(url)) + "'"
}

// spellingSentences says what the rules of a server say: one sentence for those
// that want the same.
func spellingSentences(rules []pattern.SpellingRule) (out []page.Phrase) {
	done := make([]bool, len(rules))
	for i := range rules {
		if done[i] {
			continue
		}
		var chars []string
		for j := i; j < len(rules); j++ {
			a, b := &rules[i], &rules[j]
			if a.Query == b.Query && a.Of == b.Of && a.Wants == b.Wants && a.Doubtful() == b.Doubtful() {
				done[j] = true
				chars = append(chars, byteText(b.Byte))
			}
		}
		key := "wants-" + string(rules[i].Of) + "-" + string(rules[i].Wants)
		p := say(key, "what", strings.Join(chars, " "), "where", whereText(rules[i].Query), "charset", rules[i].Charset)
		if rules[i].Doubtful() {
			p = say("spell-doubtful", "what", p)
		}
		out = append(out, p)
	}
	return out
}

func whereText(query bool) page.Phrase {
	if query {
		return say("in-query")
	}
	return say("in-path")
}

func wantsText(r *pattern.SpellingRule) page.Phrase {
	if r.Wants == pattern.SpeltInCharset {
		return page.Raw(strings.ToUpper(r.Charset))
	}
	return say("spelt-" + string(r.Wants))
}

func whatText(r *pattern.SpellingRule) page.Phrase {
	if r.Of == pattern.OfByte {
		return page.Code(byteText(r.Byte))
	}
	return say("of-" + string(r.Of))
}

// byteText is an ASCII byte for people; what cannot be seen as %XX.
func byteText(c byte) string {
	if c <= ' ' || c >= 0x7F {
		const hex = "0123456789ABCDEF"
		return "%" + string([]byte{hex[c>>4], hex[c&15]})
	}
	return string(rune(c))
}

// turn adds what has to be turned round on a server before the encoder may be
// used there.
func (v *spellingsView) turn(rules []pattern.SpellingRule) {
	origin := page.Visible(rules[0].Origin)
	var encoded, literal []string
	mixed := false
	for i := range rules {
		r := &rules[i]
		if !r.Query || r.Redirects == 0 {
			continue
		}
		v.Value = true
		marked := strings.IndexByte(encoderMarks, r.Byte) >= 0 || isLetter(r.Byte)
		switch {
		case r.Wants == pattern.SpeltMixed:
			mixed = true
		case r.Wants == pattern.SpeltEncoded && marked:
			encoded = append(encoded, byteText(r.Byte))
		case r.Wants == pattern.SpeltRaw && (r.Byte == ';' || r.Byte == '+'):
			v.Turn = append(v.Turn, say("turn-set", "site", origin, "what", byteText(r.Byte)))
		case r.Wants == pattern.SpeltRaw && !marked:
			literal = append(literal, byteText(r.Byte))
		case r.Wants == pattern.SpeltLower:
			v.Turn = append(v.Turn, say("turn-hex", "site", origin))
		case r.Wants == pattern.SpeltPlus:
			v.Turn = append(v.Turn, say("turn-plus", "site", origin))
		}
	}
	if mixed {
		v.Turn = append(v.Turn, say("turn-mixed", "site", origin))
	}
	if len(encoded) > 0 {
		v.Turn = append(v.Turn, say("turn-bytes", "site", origin, "what", strings.Join(encoded, " ")))
	}
	if len(literal) > 0 {
		v.Turn = append(v.Turn, say("turn-literal", "site", origin, "what", strings.Join(literal, " ")))
	}
}

func isLetter(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// encoderMarks are what address.EncodeValue writes literally beside letters and
// digits.
const encoderMarks = "-._~!$'()*,:@/?"

// hand adds the code: for servers with the shortest page that is redirected to.
func (v *spellingsView) hand(rules []pattern.SpellingRule) {
	if v.Value {
		for _, c := range []codeView{{"PHP", "value.php"}, {"Python", "value.py"}, {"JavaScript", "value.js"}, {"Perl", "value.pl"}, {"Ruby", "value.rb"}} {
			v.Code = append(v.Code, codeView{c.Name, snippet(c.Text)})
		}
	}
	page := ""
	for i := range rules {
		if to := rules[i].To; to != "" && (page == "" || len(to) < len(page) || len(to) == len(page) && to < page) {
			page = to
		}
	}
	for _, c := range []codeView{{"nginx", NginxRule(page)}, {"Apache", serverRule("apache.conf", page)}} {
		if c.Text != "" {
			v.Servers = append(v.Servers, c)
		}
	}
}
