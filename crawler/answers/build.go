package answers

import (
	"context"
	"iter"
)

// A Build is what an audit of a static build knows besides its entries: as whose host it
// answered, and what its rule files do.
type Build struct {
	Dir    string // as it was named
	Origin string // that it is for: "https://www.example.com"
	Host   string // whose model answered: "netlify"
	Date   string // of the model: "2026-11"
	Files  []RuleFile
	// Findings are what is wrong with the rules, at most MostFindings of each fault and file,
	// in the order of the files and their lines.
	Findings []RuleFinding
	// Busy are the rules that answered most entries, at most MostBusy.
	Busy []Rule
	// Paths are the files of the build that answered as sitemaps, by URL; the folder is part
	// of them.
	Paths map[string]string
	// Rules yields all rules, and the lines that are not rules, in the order of the files.
	Rules func(ctx context.Context) iter.Seq2[Rule, error] `json:"-"`
}

// The most that a Build lists.
const (
	MostFindings = 200
	MostBusy     = 1000
)

// A RuleFile is a file with redirect rules, or with headers.
type RuleFile struct {
	Name   string // as rules name it: "_redirects"
	Path   string // from where the audit ran: "public/_redirects"
	Rules  int
	Faults map[string]int // rules and lines, by fault
	Errors int            // of these
}

// A RuleFinding is a fault of a rule, or of a line that is not one.
type RuleFinding struct {
	_      struct{} `cbor:",toarray"` // beside its rule there is no need for more than Fault and Args
	RuleAt `cbor:"-"`
	Fault  string // "rule-loop"
	Error  bool   `cbor:"-"` // rather than a warning
	// Text is the rule, or the line, as it is shown.
	Text string   `cbor:"-"`
	Args []string // of what
}

// A Rule is a rule of a rule file, and how many entries it answered on their way.
type Rule struct {
	_ struct{} `cbor:",toarray"` // there may be a million
	RuleAt
	Source, Target string
	Status         int
	Hits           int
	Findings       []RuleFinding
}

// Errors counts the faults of the rules that are errors; 0 for no build.
func (b *Build) Errors() (n int) {
	if b == nil {
		return 0
	}
	for i := range b.Files {
		n += b.Files[i].Errors
	}
	return n
}

// PathOf returns the path of the rule file that rules name so; the name where it is not known.
func (b *Build) PathOf(file string) string {
	for i := range b.Files {
		if b.Files[i].Name == file {
			return b.Files[i].Path
		}
	}
	return file
}

// Rule returns a rule that answered many entries, false where At is none of these.
func (b *Build) Rule(at RuleAt) (Rule, bool) {
	if b != nil {
		for _, r := range b.Busy {
			if r.RuleAt == at {
				return r, true
			}
		}
	}
	return Rule{}, false
}
