package job

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"sitemend/cmd/internal/cli"
	"sitemend/crawler"
	"sitemend/crawler/audit"
	"sitemend/crawler/sitemap"
	"sitemend/report"
	"sitemend/report/command"
	"sitemend/report/html"
	"sitemend/storage"
	"slices"
	"strings"
)

// Evaluate judges an audit as a whole from the store.
func Evaluate(ctx context.Context, a audit.Source, info audit.Info) (*audit.Result, error) {
	if err := withEvidence(ctx, a, &info); err != nil {
		return nil, err
	}
	return audit.Evaluate(ctx, a, info, new(sitemap.Names).Name)
}

// withEvidence adds to the rules of an audit what its access logs say, where it has any, and what
// its robots.txt files say.
func withEvidence(ctx context.Context, a audit.Source, info *audit.Info) (err error) {
	if info.Rules.Evidence == nil {
		info.Rules.Evidence, err = evidenceOf(ctx, unwatched(a))
	}
	if err == nil && info.Rules.Permits == nil {
		info.Rules.Permits, err = permitsOf(unwatched(a), info)
	}
	return err
}

// permitsOf is what the robots.txt files say that an audit read; nil where it did not heed them.
func permitsOf(a *storage.Audit, info *audit.Info) (audit.Permits, error) {
	if a == nil || info.Rules.Robots == "ignore" {
		return nil, nil
	}
	return crawler.NewPermits(a.Get, info.Identity)
}

// Unwritten reports whether no sitemap of an audit is written. Of a stopped audit
// nothing is that others could upload: what was not asked could change it.
func Unwritten(info audit.Info) bool { return info.Partial || info.Ended.IsZero() }

// An Outcome is what became of a Spec.
type Outcome struct {
	// Stopped is set where the audit was stopped before its end; all else is zero then.
	Stopped *Stopped
	Result  *audit.Result
	Written report.Written
	Failed  bool // there is more than Spec.FailOn allows
	// FailedOn has a line for each item of Spec.FailOn that allows less than was found; none for the default.
	FailedOn []string

	o     report.Options
	links func() error // lets go of the rows of Result.Linked
	close func() error
}

// complete adds to a result what the store knows besides the audit. links lets go of the rows of
// Result.Linked.
func complete(ctx context.Context, store *storage.Store, a *storage.Audit, t *audit.Result) (links func() error, err error) {
	if t.Last, err = lastOf(store, t.Info); err != nil {
		return nil, err
	}
	if t.Inspections, err = keptInspections(a); err != nil {
		return nil, err
	}
	if err := addLogs(ctx, a, t); err != nil {
		return nil, err
	}
	if err := addHreflang(ctx, a, t); err != nil {
		return nil, err
	}
	if t.Build, err = buildOf(a); err != nil {
		return nil, err
	}
	return addLinks(ctx, a, t)
}

// newOutcome looks up in the store what the outputs need besides the audit.
func newOutcome(ctx context.Context, f *Spec, store *storage.Store, a *storage.Audit, t *audit.Result) (*Outcome, error) {
	links, err := complete(ctx, store, a, t)
	if err != nil {
		return nil, err
	}
	again := f.Again(t.Info.ID)
	t.NoFiles = f.Out == "-" && !f.wrote(t.Info)
	page := func(ctx context.Context, w io.Writer, t *audit.Result) (report.Page, error) {
		return html.New(ctx, w, t, html.Options{Lang: f.Lang, Again: again, Written: func(file int) string {
			if !t.Files[file].Changed || t.NoFiles {
				return ""
			}
			return path.Join("sitemaps", t.Files[file].Name)
		}})
	}
	open := func(ctx context.Context, file int) (io.ReadCloser, error) {
		return a.OpenSpool(ctx, t.Files[file].Sitemap.Spool)
	}
	out := &Outcome{Result: t, links: links, o: report.Options{Dir: f.Out, Formats: f.Formats, Lang: f.Lang, Again: again, Open: open, HTML: page}}
	if f.Out != "-" {
		out.o.Record, err = recordOf(store, f.Out)
	}
	if err != nil {
		return nil, errors.Join(err, links())
	}
	return out, nil
}

// wrote reports whether the folder of the outputs has those of audit id: of outputs that go to
// standard output alone, because the same audit wrote there before.
func (f *Spec) wrote(info audit.Info) bool {
	c, err := report.ReadCorrected(folderOf(info.Targets))
	if err != nil {
		return false // whatever is there, or not, it is none of this audit
	}
	is := c.ID == info.ID
	return c.Close() == nil && is
}

// files writes the files to dir; with - there are none, and what is written says the same.
func (o *Outcome) files(ctx context.Context, dir string) (err error) {
	if dir == "-" {
		o.Result, err = report.Marked(ctx, o.Result, o.o.Open)
	} else if o.Written, err = report.WriteAll(ctx, o.Result, o.o); err == nil {
		o.Result = o.Written.Result
	}
	if errors.Is(err, audit.ErrOurs) {
		err = cli.WithHint(err, "a fault of sitemend, not of the site: the outputs are not written, the audit is in the store; please report it, with the sitemap")
	}
	if err != nil {
		return fmt.Errorf("write the outputs: %w", err)
	}
	return nil
}

// WriteSummary writes the summary for a terminal.
func (o *Outcome) WriteSummary(w io.Writer) error {
	return report.WriteSummary(w, o.Result, report.Summary{Written: o.Written, Lang: o.o.Lang, Again: o.o.Again})
}

// Write writes one format, as Spec.Formats names them, until ctx ends.
func (o *Outcome) Write(ctx context.Context, w io.Writer, format string) error {
	return report.Write(ctx, w, format, o.Result, o.o)
}

// Close lets go of the store, from which the rows of Result are read.
func (o *Outcome) Close() error {
	var errs []error
	for _, done := range []func() error{o.links, o.close} {
		if done != nil {
			errs = append(errs, done())
		}
	}
	return errors.Join(errs...)
}

// Again is the command that writes the outputs of audit id again from the store as they
// were written now: with the audit that was named, the store, the folder, the formats and
// Spec.Repeat. A flag that is added to it counts: the last --max-drop holds, and --fix adds up.
// What went to standard output goes into the usual folder: else no sitemap would be written.
func (f *Spec) Again(id string) string {
	verb := "report"
	if f.Named {
		verb += " " + id
	}
	words := []string{f.Command(verb)}
	if f.Out != "-" && f.Formats != nil && !slices.Equal(f.Formats, DefaultFormats) {
		words = append(words, "--format", command.Word(strings.Join(f.Formats, ",")))
	}
	for _, w := range f.Repeat {
		words = append(words, command.Word(w))
	}
	return strings.Join(words, " ")
}

// named reports whether a folder for the outputs was named.
func (f *Spec) named() bool { return !f.usual && f.Out != "" && f.Out != "-" }

// Command is a command about the store of this one, to be pasted: with the folder and the
// store that were named.
func (f *Spec) Command(verb string) string {
	words := []string{"sitemend " + verb}
	if f.named() {
		words = append(words, "--out", command.Word(f.Out))
	}
	if f.Store != "" {
		words = append(words, "--store", command.Word(f.Store))
	}
	return strings.Join(words, " ")
}
