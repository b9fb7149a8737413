package conclude

import (
	"sitemend/crawler/audit"
)

// A brake is the question that is the first to decide where --max-drop kept entries in the sitemap
// that would be removed otherwise.
type brake struct {
	said    Sentence // "12 of 13 URLs say noindex: is that meant? Their removal was held back."
	command string   // removes them without another crawl; "" where nothing would be left of any file
}

// brake is what was held back, of all files together; zero for nothing, and where no file would
// have been written anyway.
func (c *concluding) brake() (out brake) {
	drops, of, files, last, lifts := map[audit.Verdict]int{}, 0, 0, 0, false
	for i := range c.result.Files {
		f := &c.result.Files[i]
		if len(f.Braked) == 0 {
			continue
		}
		for v, n := range f.Braked {
			drops[v] += n
		}
		of, files, last, lifts = of+f.Counts.Entries, files+1, i, lifts || !f.AllBraked
	}
	if files == 0 || c.unwritten() {
		return brake{}
	}
	out.said = braked(drops, of)
	switch all := c.result.Sitemaps(); {
	case all == 1 || files == all:
	case files == 1:
		out.said = say("brake-in", "file", c.names[c.result.Files[last].Sitemap.N], "what", out.said)
	default:
		out.said = say("brake-in-some", "f", files, "all", all, "what", out.said)
	}
	then := "brake-kept"
	if !lifts {
		then = "brake-kept-all"
	}
	out.said = join("", out.said, say(then, "n", sum(drops)))
	if lifts {
		out.command = c.maxDrop()
	}
	return out
}

// maxDrop is the command that writes what --max-drop held back.
func (c *concluding) maxDrop() string { return c.again() + " --max-drop 100%" }

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
