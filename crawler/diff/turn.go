package diff

import "sitemend/crawler/audit"

// A Turn is what got worse, or better, between two audits: plain data, bounded however much changed.
type Turn struct {
	Addresses int                   // with a problem that the older audit did not have there, or without one that it had
	Sitemaps  int                   // of which less can be read than before; of what got worse alone
	Errors    int                   // places of errors in the sitemaps that are new, or gone
	Problems  map[audit.Verdict]int // Addresses by verdict; of what got worse alone
	// Files and First are the first sitemaps and addresses, at most TurnFirst together.
	Files []SitemapChange
	First []Change
}

// TurnFirst is how many changes a Turn has.
const TurnFirst = 5

// Any reports whether anything turned.
func (t *Turn) Any() bool { return t.Addresses+t.Sitemaps+t.Errors > 0 }

func (t *Turn) file(c *SitemapChange, here bool) {
	if here && len(t.Files) < TurnFirst {
		t.Files = append(t.Files, *c)
	}
}

func (t *Turn) first(list []Change) {
	room := TurnFirst - len(t.Files) - len(t.First)
	t.First = append(t.First, list[:min(room, len(list))]...)
}

// Turns returns what got worse and what got better.
func (r *Result) Turns() (worse, better Turn) {
	worse = Turn{Addresses: r.Problems(), Sitemaps: r.Lost(), Problems: map[audit.Verdict]int{}}
	better = Turn{Addresses: r.Counts[Fixed]}
	for i := range r.Sitemaps {
		c := &r.Sitemaps[i]
		added, gone := c.Errors()
		if !c.Lost() { // else that says it
			worse.Errors += added
		}
		better.Errors += gone
		worse.file(c, c.Lost() || added > 0)
		better.file(c, gone > 0)
	}
	for _, v := range audit.Verdicts() {
		if count := r.NewVerdicts[v]; count > 0 && v.Problem() {
			worse.Problems[v] = count
			worse.first(r.Newest[v])
		}
	}
	better.first(r.First[Fixed])
	return worse, better
}
