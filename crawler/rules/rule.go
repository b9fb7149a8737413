package rules

import (
	"fmt"
	"strings"
	"unicode"
)

// A Rule is one rule of a file, as its host understands it. There may be a million.
type Rule struct {
	text string // source and target, with white space between them where it is a part of the line
	*needs
	Line int32 // from 1
	// Status is the status of the answer: that of a redirect, 200 for a rewrite, 4xx for a page
	// with that status.
	Status int16
	source uint16 // its length
}

// needs is what a request needs besides its path, so that a rule applies. The rules of a file that
// depend on the path alone share theirs.
type needs struct {
	File string // the name given to Read
	options
	scheme, host string  // of an absolute source
	query        []param // required parameters
	// Conditions are the words that make the rule depend on more than the address: country,
	// language, role, cookie, header.
	Conditions []string
}

// options are what else a line says of its rule.
type options struct {
	Stated, Force        bool // whether the status is stated; whether the rule takes precedence over a file (Netlify's !)
	matchCase, keepQuery bool // Vercel bulk
}

// A draft is a rule whose line is read.
type draft struct {
	source, target string
	status         int16
	needs
}

// param is a name of a query with its required value, or with the placeholder for its value.
type param struct{ name, value string }

// Source returns the source as written.
func (r *Rule) Source() string { return r.text[:r.source] }

// Target returns the target as written, or as the host derives it from the source.
func (r *Rule) Target() string { return strings.TrimLeftFunc(r.text[r.source:], unicode.IsSpace) }

// Redirects reports whether the rule redirects rather than rewrites.
func (r *Rule) Redirects() bool { return r.Status/100 == 3 }

// Host returns the scheme and host of an absolute source; "" where the source is a path.
func (r *Rule) Host() (scheme, host string) { return r.scheme, r.host }

// pathOf returns the path of a source that may be absolute.
func pathOf(source string) string {
	if source == "" || source[0] == '/' {
		return source
	}
	_, rest, _ := strings.Cut(source, "://")
	_, rest, _ = strings.Cut(rest, "/")
	return "/" + rest
}

// A Fault is a line that the host ignores, or a whole file that it ignores.
type Fault struct {
	File string
	Line int    // from 1; 0 for the whole file
	Text string // the line, at most 200 bytes of it
	Why  string
}

// A Refusal says why a host refuses a file, so that nothing of the build is deployed, or why it is
// not known what the host reads in it.
type Refusal struct {
	File string
	Line int // from 1; 0 for the whole file
	Why  string
}

// Error returns the refusal with its place.
func (r *Refusal) Error() string {
	if r.Line == 0 {
		return r.File + ": " + r.Why
	}
	return fmt.Sprintf("%s line %d: %s", r.File, r.Line, r.Why)
}

// A Set is the rules that a host reads from its rule files.
type Set struct {
	Format Format // that of its _redirects or vercel.json
	Rules  []Rule // in the order of their files
	Faults []Fault

	headers []headerRule
	file    string             // that is read
	shared  map[options]*needs // of its rules
}

// fault adds a fault of the file that is read.
func (s *Set) fault(line int, text, why string) {
	s.Faults = append(s.Faults, Fault{File: s.file, Line: line, Text: text[:min(len(text), 200)], Why: why})
}

// add adds a rule of a line, or a fault where why says what is wrong with it.
func (s *Set) add(line int, text string, d draft, why string) {
	if why == "" && len(d.source) > MaxAddress {
		why = "the source is longer than any URL"
	}
	if why != "" {
		s.fault(line, text, why)
		return
	}
	rest, ok := strings.CutPrefix(text, d.source)
	if rest = strings.TrimLeftFunc(rest, unicode.IsSpace); !ok || !strings.HasPrefix(rest, d.target) {
		rest, text = d.target, d.source+d.target
	}
	text = text[:len(text)-len(rest)+len(d.target)]
	n := s.shared[d.options]
	if own := d.scheme != "" || d.query != nil || d.Conditions != nil; own || n == nil {
		n = &needs{s.file, d.options, d.scheme, d.host, d.query, d.Conditions}
		if !own {
			s.shared[d.options] = n
		}
	}
	s.Rules = append(s.Rules, Rule{text, n, int32(line), d.status, uint16(len(d.source))})
}

// New returns a set without rules, for files of the host of a format.
func New(f Format) *Set { return &Set{Format: files[f].dialect} }

// Read adds the rules of a file of a format, which must be one of the host of the set. name is the
// name of the file in rules and faults. What the host ignores is a fault; an error is a *Refusal.
func (s *Set) Read(f Format, name, text string) error {
	s.file, s.shared = name, map[options]*needs{}
	return files[f].read(s, name, text)
}

// refuse returns the refusal of a file that makes the build fail.
func refuse(name string, line int, why string) error {
	return &Refusal{File: name, Line: line, Why: why + ": nothing of the build is deployed with it"}
}
