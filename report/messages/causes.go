package messages

import (
	"cmp"
	"slices"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/crawler/pattern"
)

// causeWords are the words of one language for the rules behind findings.
type causeWords struct {
	Rules    map[string]string `json:"rules"`    // by pattern.Term.Name
	Remedies map[string]string `json:"remedies"` // by what differs or the verdict, with "/" and a generator
	Settings map[string]string `json:"settings"` // {where} of a remedy, by its name, with "/" and a generator
}

// Rule returns a cause's rule in this language; "" where it has none. The rule contains text of a
// site, which is not escaped here.
func (c *Catalogue) Rule(terms []pattern.Term) string {
	rules := languages()[c.lang].Causes.Rules
	said := make([]string, len(terms))
	for i, t := range terms {
		from := t.From
		if t.Name == "unseen" {
			from = c.Fault(audit.Fault(from))
			if audit.Note(t.From) == audit.Unsteady {
				from = c.Text("unsteady")
			}
		}
		said[i] = strings.NewReplacer("{from}", from, "{to}", t.To).Replace(or(rules, t.Name))
	}
	return strings.Join(said, c.Text("between-terms"))
}

// wordpress are the generators that take their addresses from WordPress.
var wordpress = []string{"yoast", "rank math", "aioseo", "wordpress core", "google xml sitemaps", "the seo framework", "jetpack"}

// Remedies returns what to change at the source of a cause, one sentence for each thing that
// differs; generator is the software that wrote the sitemaps, as audit.Result.Generator names it,
// "" for unknown. In a sentence, `code` stands between backticks. Where the server should change,
// it names the setting or rule of common servers. A cause without a remedy of its own gets that of
// the verdict; where a rule keeps the rows, or --fix decided other than the default, it gets that
// of Do.
func (c *Catalogue) Remedies(x *audit.Cause, generator string) []string {
	words := languages()[c.lang].Causes
	var out []string
	add := func(kind, of string) {
		text := cmp.Or(words.Remedies[kind+"/"+of], words.Remedies[kind])
		if strings.Contains(text, "{where}") {
			setting := strings.TrimSuffix(kind, "-new")
			where := words.Settings[setting+"/"+of]
			if where == "" && slices.Contains(wordpress, of) {
				where = words.Settings[setting+"/wordpress"]
			}
			if where = cmp.Or(where, words.Settings[setting]); where == "" {
				return
			}
			text = strings.ReplaceAll(text, "{where}", where)
		}
		if text != "" && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	if d := decidedOf(x); d.Stop != "" || d.Action != d.Verdict.Facts().Fix {
		return []string{c.Do(d)}
	}
	for _, t := range x.Terms {
		switch {
		case x.Verdict == audit.Loop:
			add("loop-"+remedyOf[t.Name], "")
		case x.Redirects() && x.Verdict.Facts().Who == "generator":
			kind := RemedyOf(t)
			add(kind, generator)
			if kind == "origin" || kind == "path" {
				add("not-found", generator) // what keeps URLs of its own is to look again
			}
		case t.Name == "status" || t.Name == "unseen":
			add(ofLabel(words, string(x.Verdict)+"-", t.From), t.From)
		}
	}
	if len(out) == 0 {
		add(string(x.Verdict), generator)
	}
	if len(out) == 0 {
		out = append(out, c.Verdict(x.Verdict).Do)
	}
	return out
}

// decidedOf returns the decision about the entries of a cause.
func decidedOf(x *audit.Cause) Decision {
	d := Decision{Verdict: x.Verdict, Action: x.Verdict.Facts().Fix, Stop: x.Stop}
	switch x.Group {
	case audit.NeedsDecision:
		d.Action = audit.Keep
	case audit.Corrected:
		d.Action = audit.Replace
		if x.Trait == audit.Repeated {
			d.Action = audit.Merge
		}
	case audit.TakenOut:
		d.Action = audit.Drop
	}
	return d
}

// ofLabel names the remedy of a label: a status, or those of its hundred, a fault
// or a bot protection; "" for none.
func ofLabel(words causeWords, verdict, label string) string {
	if audit.RobotsStatus(label) >= 500 {
		return verdict + "robots-5xx"
	}
	if words.Remedies[verdict+label] != "" {
		return verdict + label
	}
	if words.Settings[verdict+"challenge/"+label] != "" {
		return verdict + "challenge"
	}
	if hundred := verdict + label[:min(1, len(label))] + "xx"; len(label) == 3 && words.Remedies[hundred] != "" {
		return hundred
	}
	return ""
}

// RemedyOf names the remedy of a term where the sitemap should say something else:
// "slash"; "" where the term has none of its own.
func RemedyOf(t pattern.Term) string {
	if t.Name == "scheme" && t.From == "https://" {
		return "downgrade"
	}
	return remedyOf[t.Name]
}

// remedyOf names the remedy of a term, by its name.
var remedyOf = map[string]string{
	"scheme": "origin", "host": "origin", "port": "origin", "slash-added": "slash", "slash-removed": "slash", "path": "path",
	"extension": "extension-new", "extension-added": "extension-new", "extension-removed": "extension", "index-removed": "index",
	"parameter-lifted": "path", "parameter-removed": "parameter", "parameters-removed": "parameter", "query-removed": "parameter", "parameter-added": "parameter-added",
	"lower-case": "case", "charset": "charset", "nfc": "encoding", "nfd": "encoding", "hex-upper": "encoding", "hex-lower": "encoding",
	"decoded": "encoding", "encoded": "encoding", "space-encoded": "encoding", "space-plus": "encoding",
	"double-decoded": "encoding", "double-encoded": "double", "to-one": "one",
}
