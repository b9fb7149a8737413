package audit

import (
	"fmt"
	"slices"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
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
	// and port.
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

// Follow walks the remembered answers from an address, asked as as (with WithoutSecrets where a stranger
// named it), through at most MaxHops redirects (Google: 10; crawling docs, "http-status-codes").
func (r *Rules) Follow(mem answers.Memory, from address.Address, as answers.Purpose) answers.Trail {
	return answers.Follow(nil, mem, from, as, r.MaxHops, r.withheld(as))
}

// withheld returns a Withheld for a trail that begins as as.
func (r *Rules) withheld(as answers.Purpose) answers.Withheld {
	if len(r.Secret) == 0 {
		return answers.Withheld{}
	}
	return answers.Withheld{Has: r.sends, Way: as & answers.WithoutSecrets}
}

// sends reports whether an address is sent secrets.
func (r *Rules) sends(a address.Address) bool {
	_, ok := slices.BinarySearch(r.Secret, a.Origin())
	return ok
}

// withoutSecrets reports whether the answer of an address that was asked as as may be another
// with the user's secrets, which it was asked without: a staging site may hide what
// is there by a 401, a 404, a login page or a page that says noindex. Of hosts that are
// sent none whatever the scheme and port there is nothing more to know: nobody
// is said to have an account there.
func (r *Rules) withoutSecrets(a address.Address, as answers.Purpose) bool {
	return as&answers.WithoutSecrets != 0 || !r.sends(a) && r.knows(a.Host())
}

// knows reports whether a host is sent secrets, over one scheme and port at least.
func (r *Rules) knows(host string) bool {
	return slices.ContainsFunc(r.Secret, func(origin string) bool { return address.Wire(origin+"/").Host() == host })
}

// ledWithoutSecrets is withoutSecrets of the answers of a trail, but for what every site answers
// that moved to https: a redirect to the same address there.
func (r *Rules) ledWithoutSecrets(t *answers.Trail) bool {
	return len(r.Secret) > 0 && slices.ContainsFunc(t.Steps, func(s answers.Step) bool {
		at := address.Wire(s.Hop.URL)
		return !(s.Kind == answers.ByHTTP && s.Next.Secures(at)) && r.withoutSecrets(at, s.Hop.Purpose)
	})
}

// asked returns as whom an address is asked, where as says of the way to it whether
// secrets are withheld. It is the key of the answer.
func (r *Rules) asked(as answers.Purpose, at address.Address) answers.Purpose {
	w := r.withheld(as)
	return w.As(as, at)
}

// canonical returns the way to an address that the page at an address names, where as
// is the way to that page: the robot's, with WithoutSecrets where they are withheld on it.
func (r *Rules) canonical(as answers.Purpose, at, to address.Address) answers.Purpose {
	w := r.withheld(as)
	w.Next(at, to, "")
	return w.Way
}
