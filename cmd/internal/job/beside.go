package job

import (
	"fmt"
	"log/slog"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/audit"
	"sitemend/report"
)

// warnOfOthers logs what became of the outputs of other audits in the folder of the outputs, and
// names what lies there and is not of this one: nobody is to upload that with it.
func (f *Spec) warnOfOthers(log *slog.Logger, targets []string, w *report.Written) {
	dir := cli.OneLine(f.Out)
	if of := w.Beside.Targets; !w.Spared && len(of) > 0 && !audit.SameTargets(of, targets) {
		log.Warn(fmt.Sprintf("%s had the outputs of %s, and has those of %s now", dir, firstOf(of), firstOf(targets)))
	}
	if len(w.Left) > 0 {
		log.Warn(fmt.Sprintf("%s/sitemaps has files that this audit did not write: %s", dir, firstOf(w.Left)))
	}
}

// warnOfNewer logs that the outputs of a newer audit gave way to those of one that was written again.
func (f *Spec) warnOfNewer(log *slog.Logger, id string, w *report.Written) {
	if newer := w.Beside.Audit; newer > id {
		log.Warn(fmt.Sprintf("%s had the outputs of the newer audit %s, and has those of %s now",
			cli.OneLine(f.Out), cli.OneLine(newer), id))
	}
}

// firstOf is the first of some names, and how many there are beside it.
func firstOf(names []string) string {
	first := cli.OneLine(names[0])
	if len(names) == 1 {
		return first
	}
	return first + " and " + cli.Plural(len(names)-1, "more", "more")
}
