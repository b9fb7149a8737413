package audit

import (
	"fmt"

	"sitemend/crawler/address"
)

// Rules is what a user decides about judging: the flags that shape which
// requests are needed and what may be written. It is stored with the audit,
// so that it can be evaluated again.
type Rules struct {
	MaxHops  int // redirects followed from one entry
	Spelling address.Spelling
	Robots   string // "obey", "note" or "ignore"
	// Fix overrides the default action of a verdict; Lift the rules of what
	// may be written that are switched off; KeepAll (--fix all=keep) edits
	// nothing.
	Fix     map[Verdict]Action
	Lift    map[Note]bool
	KeepAll bool
	MaxDrop float64 // share of a file's entries, 0 to 1
	// Lastmod is set where the date of the audit is written as the lastmod of replaced entries,
	// and, in an index, of sitemaps that are written anew.
	Lastmod bool
	// Split is set where a corrected file that lists too much is written as several.
	Split bool
	// MissingPath is a name that cannot exist, made anew for each audit: what a host
	// answers for it in its root is a soft 404 where it is no error. "" asks for no
	// such name.
	MissingPath string
	// Sections is the first path segments under which that name is asked for, too, by scheme, host
	// and port (FindSections).
	Sections map[string][]string

	// Secret is the origins ("https://shop.example", sorted) that are sent the
	// user's headers and credentials; empty where there are none.
	Secret []string
	// Evidence is what access logs say of Googlebot's spelling, nil for nothing. It is not stored
	// with the rules.
	Evidence *Evidence `json:"-"`
}

// Settle says how rows are settled: rows that the same program settled in the same way for an audit
// need not be settled again.
func (r Rules) Settle() string {
	r.MaxDrop, r.Lastmod, r.Split, r.Evidence = 0, false, false, nil // these do not change what a row is, or belong to the audit
	return fmt.Sprint(r)
}
