package job

import (
	"fmt"
	"log/slog"
	"path/filepath"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/audit"
	"sitemend/report"
)

// warnOfOthers logs what became of the outputs of other audits in the folder of the outputs: nobody
// is to upload them as those of this one, or to look for what is gone.
func (f *Spec) warnOfOthers(log *slog.Logger, targets []string, w *report.Written) {
	if of := w.Beside.Targets; !w.Spared && len(of) > 0 && !audit.SameTargets(of, targets) {
		log.Warn(fmt.Sprintf("%s had the outputs of %s, its corrected sitemaps too, and has those of %s now; an --out of its own for each site keeps both%s",
			cli.OneLine(f.Out), firstOf(of), firstOf(targets), f.anew(w.Beside.Audit)))
	}
	const own = "; an --out of its own for each --store keeps both"
	if n := len(w.Removed); n > 0 {
		log.Warn(fmt.Sprintf("%s had %s of an audit in another store, now removed: %s%s", cli.OneLine(f.Out),
			cli.Plural(n, "corrected sitemap", "corrected sitemaps"), firstOf(w.Removed), own))
	}
	if n := len(w.Left); n > 0 {
		log.Warn(fmt.Sprintf("%s/sitemaps has %s that this audit did not write, not to be uploaded with its own: %s%s", cli.OneLine(f.Out),
			cli.Plural(n, "file", "files"), firstOf(w.Left), own))
	}
}

// warnOfNewer logs that the outputs of a newer audit gave way to those of one that was written again.
func (f *Spec) warnOfNewer(log *slog.Logger, id string, w *report.Written) {
	if newer := w.Beside.Audit; newer > id {
		log.Warn(fmt.Sprintf("%s had the outputs of the newer audit %s, and has those of %s now: what they call today is the day of that one",
			cli.OneLine(f.Out), cli.OneLine(newer), id))
	}
}

// anew says how the outputs of another audit are written again, into a folder of their own: of one
// whose store was named nobody knows whether it is the same.
func (f *Spec) anew(id string) string {
	if f.Store != "" {
		return ""
	}
	x := *f
	x.Named, x.Store, x.Out = true, f.StoreFile().Path, filepath.Join(f.Out, id)
	return ", and this writes those again: " + cli.OneLine(x.Again(id))
}

// firstOf is the first of some names, and how many there are beside it.
func firstOf(names []string) string {
	first := cli.OneLine(names[0])
	if len(names) == 1 {
		return first
	}
	return first + " and " + cli.Plural(len(names)-1, "more", "more")
}
