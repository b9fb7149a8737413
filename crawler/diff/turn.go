package diff

import "sitemend/crawler/audit"

// A Turn is what got worse, or better, between two audits: plain data, bounded however much changed.
type Turn struct {
	Addresses int                   // with a problem that the older audit did not have there, or without one that it had
	Sitemaps  int                   // of which less can be read than before; of what got worse alone
	Errors    int                   // places of errors in the sitemaps that are new, or gone
	Problems  map[audit.Verdict]int // Addresses by verdict; of what got worse alone
	// Files and First are the first sitemaps and addresses, at most turnFirst together.
	Files []SitemapChange
	First []Change
}

// turnFirst is how many changes a Turn has.
const turnFirst = 5

// Any reports whether anything turned.
func (t *Turn) Any() bool { return t.Addresses+t.Sitemaps+t.Errors > 0 }

func (t *Turn) first(list []Change) {
	room := turnFirst - len(t.Files) - len(t.First)
	t.First = append(t.First, list[:min(room, len(list))]...)
}

// Turns returns what got worse and what got better.
func (r *Result) Turns() (worse, better Turn) {
	worse = Turn{Addresses: r.Problems(), Sitemaps: r.Lost(), Problems: map[audit.Verdict]int{}}
	better = Turn{Addresses: r.Counts[Fixed]}
	for i := range r.Sitemaps {
		c := &r.Sitemaps[i]
		added, gone := c.errors()
		if !c.lost() { // else that says it
			worse.Errors += added
		}
		better.Errors += gone
		if (c.lost() || added > 0) && len(worse.Files) < turnFirst {
			worse.Files = append(worse.Files, *c)
		}
		if gone > 0 && len(better.Files) < turnFirst {
			better.Files = append(better.Files, *c)
		}
	}
	for _, v := range audit.Verdicts() {
		if list := r.problems[v]; len(list) > 0 {
			worse.Problems[v] = r.NewVerdicts[v]
			worse.first(list)
		}
	}
	better.first(r.First[Fixed])
	return worse, better
}
