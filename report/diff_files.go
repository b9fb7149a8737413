package report

import (
	"bufio"
	"context"
	"io"

	"sitemend/crawler/audit"
	"sitemend/crawler/diff"
)

// WriteDiffJSON writes a comparison as one JSON object: the two audits, the counts, the sitemaps, and
// every address that is not as before, a line each. It returns the first error of w or of the changes.
func WriteDiffJSON(ctx context.Context, w io.Writer, d *diff.Result) error {
	bw := bufio.NewWriterSize(w, 64<<10)
	counts, sitemaps := map[diff.Kind]int{}, []members{}
	for _, k := range diff.Kinds() {
		counts[k] = d.Counts[k]
	}
	for _, c := range d.Sitemaps {
		sitemaps = append(sitemaps, members{"url", c.URL, "old", sitemapJSON(c.Old), "new", sitemapJSON(c.New)})
	}
	text := members{"old", auditJSON(&d.Old), "new", auditJSON(&d.New), "both", d.Both, "open_decisions", d.Open, "counts", counts, "new_verdicts", d.NewVerdicts, "sitemaps", sitemaps}.append(nil)
	bw.Write(text[:len(text)-1])
	bw.WriteString(`,"changes":[`)
	between := "\n"
	for c, err := range d.Changes(ctx) {
		if err != nil {
			return err
		}
		sitemap, line := d.Place(&c)
		text = members{"url", c.URL, "kind", c.Kind, "sitemap", sitemap, "line", line, "old?", seenJSON(c.Old), "new?", seenJSON(c.New)}.append(append(text[:0], between...))
		if _, err := bw.Write(text); err != nil {
			return err
		}
		between = ",\n"
	}
	bw.WriteString("]}\n")
	return bw.Flush()
}

func auditJSON(i *audit.Info) members {
	return members{"id", i.ID, "start", when(i.Started), "end", when(i.Ended), "targets", i.Targets, "as", i.Identity}
}

func sitemapJSON(s *diff.Sitemap) any {
	if s == nil {
		return nil
	}
	faults := map[string]int{} // places, by name
	for _, f := range s.Faults {
		faults[f.Name] = f.Places
	}
	return members{"read", s.Read, "faults", faults}
}

func seenJSON(o *diff.Observation) members {
	if o == nil {
		return nil
	}
	return members{"verdict", o.Verdict, "status?", o.Status, "target?", o.Target, "fix", o.Fix}
}
