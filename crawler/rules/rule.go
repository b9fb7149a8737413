package rules

import (
	"fmt"
	"strings"
)

// A Rule is one rule of a file, as its host understands it. There may be a million.
type Rule struct {
	Source string // as written
	Target string // as written; "" where the host derives it from the source
	Line   int32  // from 1
	// Status is the status of the answer: that of a redirect, 200 for a rewrite, 4xx for a page
	// with that status. Stated is false where it is the host's default.
	Status int16
	Stated bool
	// Force is set where the rule takes precedence over a file (Netlify's !).
	Force bool

	needs *needs // nil while its line is read
}

// needs is what a request needs besides its path, so that a rule applies. The rules of a file that
// depend on the path alone share theirs.
type needs struct {
	file string // of the rule

	scheme, host string  // of an absolute source
	query        []param // required parameters
	conditions   []string

	matchCase, keepQuery bool // Vercel bulk
}

// param is a name of a query with its required value, or with the placeholder for its value.
type param struct{ name, value string }

// Redirects reports whether the rule redirects rather than rewrites.
func (r *Rule) Redirects() bool { return r.Status/100 == 3 }

// File returns the name given to Read.
func (r *Rule) File() string { return r.needs.file }

// Host returns the scheme and host of an absolute source; "" where the source is a path.
func (r *Rule) Host() (scheme, host string) { return r.needs.scheme, r.needs.host }

// Conditions returns the words that make the rule depend on more than the address: country,
// language, role, cookie, header; nil for none.
func (r *Rule) Conditions() []string { return r.needs.conditions }

// need returns the needs of the rule, to add to them.
func (r *Rule) need() *needs {
	if r.needs == nil {
		r.needs = &needs{}
	}
	return r.needs
}

// path returns the path of a source that may be absolute.
func (r *Rule) path() string {
	if r.Source == "" || r.Source[0] == '/' {
		return r.Source
	}
	_, rest, _ := strings.Cut(r.Source, "://")
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		return rest[i:]
	}
	return "/"
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
	common  *needs // of the file that is read
}

// fault adds a fault.
func (s *Set) fault(file string, line int, text, why string) {
	s.Faults = append(s.Faults, Fault{File: file, Line: line, Text: text[:min(len(text), 200)], Why: why})
}

// add adds a rule of a line, or a fault where why says what is wrong with it.
func (s *Set) add(line int, text string, r Rule, why string) {
	if why == "" && len(r.Source) > MaxAddress {
		why = "the source is longer than any URL"
	}
	if why != "" {
		s.fault(s.common.file, line, text, why)
		return
	}
	if r.Line = int32(line); r.needs == nil {
		r.needs = s.common
	}
	r.needs.file = s.common.file
	s.Rules = append(s.Rules, r)
}

// New returns a set without rules, for files of the host of a format.
func New(f Format) *Set { return &Set{Format: files[f].dialect} }

// Read adds the rules of a file of a format, which must be one of the host of the set. name is the
// name of the file in rules and faults. What the host ignores is a fault; an error is a *Refusal.
func (s *Set) Read(f Format, name, text string) error {
	s.common = &needs{file: name}
	return files[f].read(s, name, text)
}

// refuse returns a refusal, and forgets the rules of a file.
func refuse(name string, line int, why string) error {
	return &Refusal{File: name, Line: line, Why: why + ": nothing of the build is deployed with it"}
}
