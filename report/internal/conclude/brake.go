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
	kept, key := 0, "brake-other"
	for v, n := range drops { // in the words of the verdict where all have one
		if kept += n; len(drops) == 1 && has("brake-"+string(v)) {
			key = "brake-" + string(v)
		}
	}
	out.said = say(key, "k", kept, "n", of)
	switch all := c.result.Sitemaps(); {
	case all == 1 || files == all:
	case files == 1:
		out.said = say("brake-in", "file", c.names[c.result.Files[last].Sitemap.N], "what", out.said)
	default:
		out.said = say("brake-in-some", "f", files, "all", all, "what", out.said)
	}
	then := "brake-kept-all"
	if lifts {
		then, out.command = "brake-kept", c.again()+" --max-drop 100%"
	}
	out.said = join("", out.said, say(then, "n", kept))
	return out
}
