package audit

// A Tally is how many of each thing an audit found that --fail-on can name.
type Tally struct {
	N        map[string]int // by verdict, and by the names below
	Entries  int            // of the whole audit: what a share is of
	Expected int            // old URLs of a map: what a share of the unmet ones is of
}

// What a Tally counts beside verdicts (contract, --fail-on).
const (
	TallyProblems = "problem"
	TallyAny      = "any"
	TallyFaults   = "faults"
	TallyUnmet    = "unmet"
)

// Count counts entries by verdict, places of errors in the sitemap files, sitemaps that could not be
// read to their end, and old URLs that do not lead where they should.
func (c *Tally) Count(verdicts map[Verdict]int, faults, unread, unmet int) {
	c.N = map[string]int{TallyFaults: faults, TallyUnmet: unmet, TallyAny: faults + unmet, TallyProblems: unread + unmet}
	for v, n := range verdicts {
		c.N[string(v)] = n
		if v.Facts().Problem {
			c.N[TallyProblems] += n
		}
		if v != OK && v != Skipped {
			c.N[TallyAny] += n
		}
	}
}

// Tally counts what the whole audit found.
func (t *Result) Tally() Tally {
	c := Tally{Entries: t.Counts.Entries}
	faults, unread, unmet := t.Build.Errors(), t.number(func(s *Sitemap) bool { return !s.Whole() }), 0
	if x := t.Expected; x != nil {
		c.Expected, unmet = x.Addresses, x.Unmet()
	}
	for i := range t.Files {
		for _, f := range t.Files[i].Sitemap.Faults {
			if f.Severity == severityError {
				faults += f.Places()
			}
		}
	}
	c.Count(t.Counts.Verdicts, faults, unread, unmet)
	return c
}
