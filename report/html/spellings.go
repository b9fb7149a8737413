package html

import (
	"cmp"
	"slices"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/pattern"
	"sitemend/report/command"
	"sitemend/report/internal/page"
)

// How many servers and probe commands the section of spellings shows.
const (
	maxSpellingSites  = 12
	maxSpellingProbes = 3
)

// A serverView is the section of the server: what to change there where it answers another
// spelling otherwise, and how each server spells its addresses.
type serverView struct {
	Bounces bool // entries are right as listed, and answered otherwise in another spelling
	Sites   []spellingSite
	More    int // servers that are not shown
	Turn    []page.Phrase
	Code    []codeView
	Servers []codeView
}

// A spellingSite is how one server spells its addresses.
type spellingSite struct {
	Origin string
	Rows   []spellingRow
	Moves  []moved // redirects, as examples
	Open   page.Phrase
	Probes []string
	Advice page.Phrase // what follows for the sitemap; nil where nothing does
}

// A spellingRow is what the server wants of something; of bytes that are alike in all, one row.
type spellingRow struct {
	Where, Wants page.Phrase
	What         page.Phrase
	For, Against int
}

// A moved is an address and where it leads.
type moved struct{ From, To string }

// A codeView is a piece of code that the page hands out.
type codeView struct{ Name, Text string }

// newServerView returns nil where answers say nothing of spellings.
func newServerView(result *audit.Result) *serverView {
	v := &serverView{Bounces: result.Counts.Total(audit.OtherSpelling) > 0}
	seen := func(r pattern.SpellingRule) bool { return r.Wants != pattern.SpeltNotSeen }
	if slices.ContainsFunc(result.Spellings, seen) {
		v.sites(result)
	}
	if !v.Bounces && len(v.Sites) == 0 {
		return nil
	}
	return v
}

func (v *serverView) sites(result *audit.Result) {
	value := false
	for rest := result.Spellings; len(rest) > 0; {
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
		v.Sites = append(v.Sites, newSpellingSite(&result.Info, rules))
		value = v.turn(rules) || value
	}
	v.hand(configured(result), value)
}

func newSpellingSite(info *audit.Info, rules []pattern.SpellingRule) spellingSite {
	s := spellingSite{Origin: page.Visible(rules[0].Origin), Rows: spellingRows(rules)}
	together, redirected, doubtful := false, false, false
	for i := range rules {
		r := &rules[i]
		redirected = redirected || r.To != ""
		doubtful = doubtful || r.Doubtful()
		together = together || r.Together
		if m := (moved{page.Visible(r.From), page.Visible(r.To)}); r.From != "" && !slices.Contains(s.Moves, m) && len(s.Moves) < maxSpellingProbes {
			s.Moves = append(s.Moves, m)
		}
		if p := page.Visible(command.Probe(info, r.Probe)); r.Probe != "" && !slices.Contains(s.Probes, p) && len(s.Probes) < maxSpellingProbes {
			s.Probes = append(s.Probes, p)
		}
	}
	s.Open = say("spell-open")
	if together && !doubtful {
		s.Open = say("spell-together")
	}
	switch {
	case slices.ContainsFunc(rules, func(r pattern.SpellingRule) bool { return r.Wants == pattern.SpeltMixed }):
		s.Advice = say("spell-mixed")
	case redirected && doubtful:
		s.Advice = say("spell-doubtful")
	case redirected:
		s.Advice = say("spell-sitemap")
	}
	return s
}

// spellingRows are the rules of a server, those of bytes with the same answer in one row.
func spellingRows(rules []pattern.SpellingRule) (out []spellingRow) {
	done := make([]bool, len(rules))
	for i := range rules {
		if done[i] {
			continue
		}
		a := &rules[i]
		row := spellingRow{whereText(a.Query), wantsText(a), whatText(a), a.For, a.Against}
		if a.Of == pattern.OfByte {
			var chars []string
			for j := i; j < len(rules); j++ {
				b := &rules[j]
				if b.Of == a.Of && a.Query == b.Query && a.Wants == b.Wants && a.For == b.For && a.Against == b.Against {
					done[j] = true
					chars = append(chars, byteText(b.Byte))
				}
			}
			row.What = page.Code(strings.Join(chars, " "))
		}
		out = append(out, row)
	}
	return out
}

func whereText(query bool) page.Phrase {
	if query {
		return say("in-query")
	}
	return say("in-path")
}

// wantsText is what the server wants; where its answers leave that open, what they say.
func wantsText(r *pattern.SpellingRule) page.Phrase {
	wants := say("spelt-" + string(r.Wants))
	if r.Wants == pattern.SpeltInCharset {
		wants = page.Raw(strings.ToUpper(r.Charset))
	}
	if r.Against > 0 && r.Wants != pattern.SpeltMixed {
		return say("spelt-open", "what", wants)
	}
	return wants
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
// used there, and reports whether queries are redirected.
func (v *serverView) turn(rules []pattern.SpellingRule) (value bool) {
	origin := page.Visible(rules[0].Origin)
	var encoded, literal []string
	mixed := false
	for i := range rules {
		r := &rules[i]
		if !r.Query || r.Redirects == 0 {
			continue
		}
		value = true
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
	return value
}

func isLetter(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// encoderMarks are what address.EncodeValue writes literally beside letters and
// digits.
const encoderMarks = "-._~!$'()*,:@/?"

// configured is the page that configurations are shown for, in wire form: the shortest that is right
// as listed and redirected to from another spelling, else the shortest that is redirected to; "" for none.
func configured(result *audit.Result) string {
	var bounced, to []string
	for i := range result.Causes {
		if c := &result.Causes[i]; c.Verdict == audit.SpellingBounce {
			for _, loc := range c.Examples {
				if a, err := address.Parse(loc); err == nil {
					bounced = append(bounced, a.String())
				}
			}
		}
	}
	for i := range result.Spellings {
		if r := &result.Spellings[i]; r.To != "" {
			to = append(to, r.To)
		}
	}
	if len(bounced) > 0 {
		to = bounced
	}
	if len(to) == 0 {
		return ""
	}
	return slices.MinFunc(to, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
}

// hand adds the code: for servers that of page, and an encoder where values of queries are
// concerned.
func (v *serverView) hand(page string, value bool) {
	if value {
		for _, c := range []codeView{{"PHP", "value.php"}, {"Python", "value.py"}, {"JavaScript", "value.js"}, {"Perl", "value.pl"}, {"Ruby", "value.rb"}} {
			v.Code = append(v.Code, codeView{c.Name, snippet(c.Text)})
		}
	}
	for _, c := range []codeView{{"nginx", NginxRule(page)}, {"Apache", serverRule("apache.conf", page)}} {
		if c.Text != "" {
			v.Servers = append(v.Servers, c)
		}
	}
}
