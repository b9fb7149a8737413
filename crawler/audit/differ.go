package audit

import "sitemend/crawler/address"

// Differ says in what two audits were asked differently. What follows from that
// alone is no change of the site.
type Differ struct {
	As       bool // the robot or its header: nothing is said to be worse or better
	Robots   bool // --robots
	Spelling bool // --spelling, or one alone had access logs
	MaxHops  bool
	Soft404  bool // one did not look for soft 404s
	Targets  bool
	Part     bool // one asked only a part: a filter, a sample, the files alone, or it was stopped
	Reversed bool // no difference, but an order: the newer of the two is the earlier audit
}

// Asked is how an audit asked, as far as what it sees depends on it.
type Asked struct {
	Robots   string           // --robots
	Spelling address.Spelling // --spelling
	Logs     bool             // access logs said which spelling Googlebot uses
	MaxHops  int
	Soft404  bool // it looked for soft 404s
}

func askedOf(i *Info) Asked {
	r := &i.Rules
	return Asked{Robots: r.Robots, Spelling: r.Spelling, Logs: r.Evidence != nil, MaxHops: r.MaxHops, Soft404: r.MissingPath != ""}
}

// differ says what b asked otherwise than a.
func (a *Asked) differ(b *Asked) Differ {
	return Differ{Robots: a.Robots != b.Robots, Spelling: a.Spelling != b.Spelling || a.Logs != b.Logs, MaxHops: a.MaxHops != b.MaxHops, Soft404: a.Soft404 != b.Soft404}
}

func differ(old, new *Info) Differ {
	a, b := askedOf(old), askedOf(new)
	d := a.differ(&b)
	d.As, d.Targets = old.Identity != new.Identity || old.Agent != new.Agent, !SameTargets(old.Targets, new.Targets)
	d.Reversed = new.Before(old)
	d.Part = old.Part != new.Part || old.Partial != new.Partial || old.NoFetch != new.NoFetch || old.Ended.IsZero() != new.Ended.IsZero()
	return d
}

// Options reports whether an option was another one that says what an answer is taken for.
func (d *Differ) Options() bool { return d.Robots || d.Spelling || d.MaxHops || d.Soft404 }

// Names returns what differs, by name: "as", "robots", "spelling", "max-hops",
// "soft-404", "targets", "part", "reversed"; nil for nothing.
func (d *Differ) Names() []string {
	var names []string
	for _, x := range []struct {
		is   bool
		name string
	}{{d.As, "as"}, {d.Robots, "robots"}, {d.Spelling, "spelling"}, {d.MaxHops, "max-hops"}, {d.Soft404, "soft-404"}, {d.Targets, "targets"}, {d.Part, "part"}, {d.Reversed, "reversed"}} {
		if x.is {
			names = append(names, x.name)
		}
	}
	return names
}

// comparable says of each of two sights of one address whether it can be
// compared with the other.
func (d *Differ) comparable(old, new *Observation) (a, b bool) {
	a, b = old.seen(), new.seen()
	if !a || !b {
		return a, b
	}
	either := func(v Verdict) bool { return old.Verdict == v || new.Verdict == v }
	forbidden := func(x, y *Observation) bool {
		return x.Verdict == Disallowed && y.Verdict != Disallowed && (d.Robots || y.Verdict.Problem())
	}
	switch {
	// What stands behind robots.txt was not seen; that it stands there now is
	// worse than a page, and says nothing of what was wrong before.
	case forbidden(old, new):
		return false, true
	case forbidden(new, old):
		return true, false
	case d.MaxHops && either(TooManyRedirects), d.Soft404 && either(Soft404):
		return old.Verdict == new.Verdict, old.Verdict == new.Verdict
	}
	return true, true
}

// align takes out of two sights what only one of the audits asked for: the
// second spelling of an address is asked in samples.
func (d *Differ) align(old, new *Observation) {
	if old.AltSpelling && new.AltSpelling && !d.Spelling {
		return
	}
	for _, s := range []*Observation{old, new} {
		if s.Verdict == SpellingBounce || s.Verdict == SpellingConflict {
			s.Verdict, s.Label, s.Leads = OK, "", ""
		}
	}
}
