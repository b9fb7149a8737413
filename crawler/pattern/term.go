package pattern

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A Term is one part of a rule, for people. Name is a key of the message catalogue, "slash-added"
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

// String writes the term in English.
func (t Term) String() string {
	return strings.NewReplacer("{from}", t.From, "{to}", t.To).Replace(termTexts[t.Name])
}

// terms collects those of a rule.
type terms []Term

// add adds a term where when is true.
func (ts *terms) add(when bool, name, from, to string) {
	if when {
		*ts = append(*ts, Term{name, from, to})
	}
}

// terms describes what the rule does, in the order in which it is read. from is the shape of the
// addresses that follow it.
func (r *rule) terms(from *Shape) []Term {
	if r.to != "" {
		_, head, _ := from.Parts()
		return []Term{{"to-one", head + "*", r.to}}
	}
	var ts terms
	none := [2]string{}
	ts.add(r.scheme != none, "scheme", r.scheme[0]+"://", r.scheme[1]+"://")
	ts.add(r.host != none, "host", r.host[0], r.host[1])
	ts.add(r.port != none, "port", portText(r.port[0], r.scheme[0]), portText(r.port[1], r.scheme[1]))
	switch {
	case r.text == "":
	case r.text[0] == '<':
		ts.add(true, "charset", r.text[1:], "UTF-8")
	case r.text[0] == '>':
		ts.add(true, "charset", "UTF-8", r.text[1:])
	default:
		ts.add(true, r.text, "", "")
	}
	ts.edit(r, from)
	ts.add(r.index != "", "index-removed", r.index, "")
	switch from, to := r.ext[0], r.ext[1]; {
	case to == "":
		ts.add(from != "", "extension-removed", from, "")
	case from == "":
		ts.add(true, "extension-added", "", to)
	default:
		ts.add(true, "extension", from, to)
	}
	ts.add(r.slash > 0, "slash-added", "", "")
	ts.add(r.slash < 0, "slash-removed", "", "")
	ts.spelling(&r.spelling)
	switch {
	case r.params.all:
		ts.add(true, "query-removed", "", "")
	case strings.Contains(r.params.drop, "&"):
		ts.add(true, "parameters-removed", strings.ReplaceAll(r.params.drop, "&", ", "), "")
	default:
		ts.add(r.params.drop != "", "parameter-removed", r.params.drop, "")
	}
	ts.add(r.params.add != "", "parameter-added", "", r.params.add)
	return ts
}

// edit describes what becomes of the path.
func (ts *terms) edit(r *rule, shape *Shape) {
	if r.edit.none() {
		ts.add(r.lift != "", "parameter-lifted", r.lift, "")
		return
	}
	from, to := r.edit.texts(shape.before(r))
	if r.lift != "" {
		from = strings.TrimSuffix(from, "/*")
		if from == "" {
			from = "/"
		}
		from += "?" + r.lift + "=*"
	}
	ts.add(true, "path", from, to)
}

// before is what precedes the edit of a rule in paths of a shape, with * for segments that differ.
func (s *Shape) before(r *rule) string {
	at := r.edit.at
	if at == atEnd {
		if at = s.deep[0] - r.edit.n; s.deep[0] != s.deep[1] {
			at = math.MaxInt
		}
		if r.index != "" {
			at--
		}
		if r.lift != "" {
			at++
		}
	}
	path, _, _ := strings.Cut(s.head, "?")
	segs, _ := segments(nil, path[:strings.LastIndexByte(path, '/')+1])
	segs = segs[:min(len(segs), at)]
	before := strings.Join(append([]string{""}, segs...), "/")
	if at > s.deep[1] {
		return before + "/*"
	}
	return before + strings.Repeat("/*", at-len(segs))
}

func portText(port, scheme string) string {
	if port == "" && scheme == "https" {
		port = "443"
	} else if port == "" {
		port = "80"
	}
	return ":" + port
}

// spelling describes how bytes are written.
func (ts *terms) spelling(s *spelling) {
	ts.add(s.hex > 0, "hex-upper", "", "")
	ts.add(s.hex < 0, "hex-lower", "", "")
	raw, escaped := byteTexts(s.decode)
	ts.add(raw != "", "decoded", escaped, raw)
	raw, escaped = byteTexts(s.encode)
	ts.add(raw != "", "encoded", raw, escaped)
	ts.add(s.space > 0, "space-encoded", "", "")
	ts.add(s.space < 0, "space-plus", "", "")
	ts.add(s.double > 0, "double-decoded", "", "")
	ts.add(s.double < 0, "double-encoded", "", "")
	ts.add(s.fold, "lower-case", "", "")
}

// byteTexts returns the bytes of a set as literals and as escapes.
func byteTexts(s byteSet) (raw, escaped string) {
	var a, b []string
	for c := range byte(0x80) {
		if s.has(c) {
			a, b = append(a, string(rune(c))), append(b, fmt.Sprintf("%%%02X", c))
		}
	}
	return strings.Join(a, " "), strings.Join(b, " ")
}

// Text returns the terms of a rule in a few English words.
func Text(terms []Term) string {
	said := make([]string, len(terms))
	for i, t := range terms {
		said[i] = t.String()
	}
	return strings.Join(said, ", ")
}

// Redirects reports whether terms are those of a rule, not only of a status or place.
func Redirects(terms []Term) bool {
	others := []string{"status", "unseen", "robots", "place"}
	return slices.ContainsFunc(terms, func(t Term) bool { return !slices.Contains(others, t.Name) })
}
