package conclude

import (
	"sitemend/crawler/audit"
)

// A Brake is the question that an audit opens with where --max-drop kept entries in the sitemap
// that would be removed otherwise.
type Brake struct {
	Said    Sentence // "12 of 13 entries say noindex: is that meant? They were not removed."
	If      Sentence // what stands before Command
	Command string   // removes them without another crawl; "" where nothing would be left of any file
}

// IsZero reports whether nothing was held back.
func (b Brake) IsZero() bool { return b.Said.IsZero() }

// brake is what was held back, of all files together; zero for nothing, and where no file would
// have been written anyway.
func (c *concluding) brake() (out Brake) {
	drops, of, files, last, lifts := map[audit.Verdict]int{}, 0, 0, 0, false
	for i := range c.told.Files {
		f := &c.told.Files[i]
		if len(f.Braked) == 0 {
			continue
		}
		for v, n := range f.Braked {
			drops[v] += n
		}
		of, files, last, lifts = of+f.Counts.Entries, files+1, i, lifts || !f.AllBraked
	}
	if files == 0 || c.unwritten() {
		return Brake{}
	}
	out.Said = braked(drops, of)
	switch all := c.told.Sitemaps(); {
	case all == 1 || files == all:
	case files == 1:
		out.Said = say("brake-in", "file", c.names[c.told.Files[last].Sitemap.N], "what", out.Said)
	default:
		out.Said = say("brake-in-some", "f", files, "all", all, "what", out.Said)
	}
	then := "brake-kept"
	if !lifts {
		then = "brake-kept-all"
	}
	out.Said = join("", out.Said, say(then, "n", sum(drops)))
	if lifts {
		out.If, out.Command = say("brake-if"), c.again()+" --max-drop 100%"
	}
	return out
}

// braked asks whether the drops of so many entries are meant, in the words of their verdict where
// all have one.
func braked(drops map[audit.Verdict]int, of int) Sentence {
	key := "brake-other"
	for v := range drops {
		if len(drops) == 1 && has("brake-"+string(v)) {
			key = "brake-" + string(v)
		}
	}
	return say(key, "k", sum(drops), "n", of)
}

func sum(counts map[audit.Verdict]int) (n int) {
	for _, k := range counts {
		n += k
	}
	return n
}
