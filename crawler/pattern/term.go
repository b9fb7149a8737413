package pattern

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"sitemend/crawler/address"
)

// A Term is one part of a Rule, for people. Name is a key of the message catalogue, "slash-added"
// for example; From and To are inserted into its text, and may be "".
type Term struct{ Name, From, To string }

// The English texts of terms, as Text uses them; report/messages has them in every language.
var termTexts = map[string]string{
	"scheme": "{from} -> {to}", "host": "{from} -> {to}", "port": "{from} -> {to}",
	"charset": "{from} -> {to}",
	"nfc":     "letters with their marks composed (NFC)", "nfd": "letters and marks apart (NFD)",
	"hex-upper": "%e3 -> %E3", "hex-lower": "%E3 -> %e3", "decoded": "{from} -> {to}",
	"encoded":       "{from} -> {to}",
	"space-encoded": "+ -> %20", "space-plus": "%20 -> +", "double-decoded": "%25XX -> %XX",
	"double-encoded": "%XX -> %25XX",
	"lower-case":     "lower case", "index-removed": "{from} removed",
	"extension-removed": "{from} removed", "extension-added": "{to} added",
	"extension":   "{from} -> {to}",
	"slash-added": "slash added at the end", "slash-removed": "slash removed at the end",
	"path":               "{from} -> {to}",
	"parameter-removed":  "parameter {from} removed",
	"parameters-removed": "parameters {from} removed",
	"query-removed":      "query removed",
	"parameter-lifted":   "parameter {from} moved into the path",
	"parameter-added":    "{to} added to the query", "to-one": "{from} -> {to}",
	"status": "{from}", "unseen": "{from}", "robots": "{from}", "place": "{from}",
}

// TermNames returns every Name that a term can have, sorted.
func TermNames() []string { return slices.Sorted(maps.Keys(termTexts)) }

// String writes the term in English.
func (t Term) String() string {
	return strings.NewReplacer("{from}", t.From, "{to}", t.To).Replace(termTexts[t.Name])
}

// A Prefix is the common beginning of the paths of the addresses that follow a Rule. The zero
// Prefix is ready to use.
type Prefix struct {
	segs  []string
	at    int // segments before the part that an edit replaces; -1 where that differs
	begun bool
}

// See adds an address that follows the rule w.
func (l *Prefix) See(w *Rule, a address.Address) {
	if w.to == "" && w.edit.none() {
		return
	}
	path := a.Path()
	if w.lift != "" {
		q, _ := a.Query()
		path, _, _, _ = lifted(path, q, w.lift)
	}
	segs, _ := segments(nil, path)
	at := len(segs)
	if !w.edit.none() {
		at, _ = w.edit.place(len(segs))
	}
	segs = segs[:max(0, min(at, len(segs)))]
	if !l.begun {
		l.segs, l.at, l.begun = segs, at, true
		return
	}
	if l.at != at {
		l.at = -1
	}
	n := 0
	for n < len(segs) && n < len(l.segs) && segs[n] == l.segs[n] {
		n++
	}
	l.segs = l.segs[:n]
}

// path returns what precedes an edit, with * for segments that differ.
func (l *Prefix) path() string {
	p := strings.Join(append([]string{""}, l.segs...), "/")
	switch {
	case l.at < 0:
		return p + "/*"
	case l.at > len(l.segs):
		return p + strings.Repeat("/*", l.at-len(l.segs))
	}
	return p
}

// terms collects those of a rule.
type terms []Term

// add adds a term where when is true.
func (ts *terms) add(when bool, name, from, to string) {
	if when {
		*ts = append(*ts, Term{name, from, to})
	}
}

// Terms describes what the rule does, in the order in which it is read. l is the common beginning
// of the addresses that follow it.
func (w *Rule) Terms(l *Prefix) []Term {
	if w.to != "" {
		return []Term{{"to-one", (&Prefix{segs: l.segs, at: -1}).path(), w.to}}
	}
	var ts terms
	none := [2]string{}
	ts.add(w.scheme != none, "scheme", w.scheme[0]+"://", w.scheme[1]+"://")
	ts.add(w.host != none, "host", address.ToUnicodeHost(w.host[0]),
		address.ToUnicodeHost(w.host[1]))
	ts.add(w.port != none, "port", portText(w.port[0], w.scheme[0]),
		portText(w.port[1], w.scheme[1]))
	switch {
	case w.text == composed || w.text == decomposed:
		ts.add(true, strings.ToLower(string(w.text)), "", "")
	case strings.HasPrefix(string(w.text), "<"):
		ts.add(true, "charset", string(w.text[1:]), "UTF-8")
	case w.text != "":
		ts.add(true, "charset", "UTF-8", string(w.text[1:]))
	}
	if !w.edit.none() {
		from, to := w.edit.texts(l.path())
		if w.lift != "" {
			if from = strings.TrimSuffix(from, "/*"); from == "" {
				from = "/"
			}
			from += "?" + w.lift + "=*"
		}
		ts.add(true, "path", from, to)
	}
	ts.add(w.edit.none() && w.lift != "", "parameter-lifted", w.lift, "")
	ts.add(w.index != "", "index-removed", w.index, "")
	switch {
	case w.ext[0] != "" && w.ext[1] != "":
		ts.add(true, "extension", w.ext[0], w.ext[1])
	case w.ext[0] != "":
		ts.add(true, "extension-removed", w.ext[0], "")
	case w.ext[1] != "":
		ts.add(true, "extension-added", "", w.ext[1])
	}
	ts.add(w.slash > 0, "slash-added", "", "")
	ts.add(w.slash < 0, "slash-removed", "", "")
	ts = append(ts, respellingTerms(w.path, w.query)...)
	switch {
	case w.params.all:
		ts.add(true, "query-removed", "", "")
	case strings.Contains(w.params.drop, "&"):
		ts.add(true, "parameters-removed", strings.ReplaceAll(w.params.drop, "&", ", "), "")
	case w.params.drop != "":
		ts.add(true, "parameter-removed", w.params.drop, "")
	}
	ts.add(w.params.add != "", "parameter-added", "", w.params.add)
	return ts
}

func portText(port, scheme string) string {
	if port == "" && scheme == "https" {
		port = "443"
	} else if port == "" {
		port = "80"
	}
	return ":" + port
}

// respellingTerms describes how bytes are written, in path and query together.
func respellingTerms(path, query respelling) []Term {
	r := path
	r.decode.union(query.decode)
	r.encode.union(query.encode)
	r.hex, r.double = cmp.Or(path.hex, query.hex), cmp.Or(path.double, query.double)
	r.space, r.fold = query.space, path.fold || query.fold
	var ts terms
	ts.add(r.hex > 0, "hex-upper", "", "")
	ts.add(r.hex < 0, "hex-lower", "", "")
	raw, escaped := byteTexts(r.decode)
	ts.add(raw != "", "decoded", escaped, raw)
	raw, escaped = byteTexts(r.encode)
	ts.add(raw != "", "encoded", raw, escaped)
	ts.add(r.space > 0, "space-encoded", "", "")
	ts.add(r.space < 0, "space-plus", "", "")
	ts.add(r.double > 0, "double-decoded", "", "")
	ts.add(r.double < 0, "double-encoded", "", "")
	ts.add(r.fold, "lower-case", "", "")
	return ts
}

// byteTexts returns the bytes of a set as literals and as escapes.
func byteTexts(s byteSet) (raw, escaped string) {
	var a, b []string
	for _, c := range s.bytes() {
		a = append(a, string(rune(c)))
		b = append(b, "%"+string("0123456789ABCDEF"[c>>4])+string("0123456789ABCDEF"[c&15]))
	}
	return strings.Join(a, " "), strings.Join(b, " ")
}

// texts returns an edit as two patterns: * stands for what stays, {any} for any single segment.
func (e *edit) texts(before string) (from, to string) {
	after := ""
	if e.post && e.kind != editWords || e.rest {
		after = "/*"
	}
	switch e.kind {
	case editWords:
		pre, post := "", ""
		if e.pre {
			pre = "*"
		}
		if e.post {
			post = "*"
		}
		to = pre + e.y + post
		if to == "**" {
			to = "*"
		}
		return before + "/" + pre + e.x + post + after, before + "/" + to + after
	case editAny:
		return before + strings.Repeat("/{any}", e.n) + after, before + slashed(e.y) + after
	}
	return before + slashed(e.x) + after, before + slashed(e.y) + after
}

func slashed(s string) string {
	if s == "" {
		return ""
	}
	return "/" + s
}

// Text returns the terms of a rule in a few English words.
func Text(terms []Term) string {
	said := make([]string, len(terms))
	for i, t := range terms {
		said[i] = t.String()
	}
	return strings.Join(said, ", ")
}

// Redirects reports whether terms are those of a Rule, not only of a status or place.
func Redirects(terms []Term) bool {
	others := []string{"status", "unseen", "robots", "place"}
	return slices.ContainsFunc(terms, func(t Term) bool { return !slices.Contains(others, t.Name) })
}
