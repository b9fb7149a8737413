package job

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler"
	"sitemend/crawler/audit"
	"sitemend/crawler/diff"
	"sitemend/crawler/ground"
	"sitemend/report"
	"sitemend/report/command"
	"sitemend/report/html"
	"sitemend/report/messages"
	"sitemend/storage"
)

// An Outcome is what became of a Spec.
type Outcome struct {
	// Result is nil if the audit was stopped before its end: the same Spec continues it. All else is zero
	// then, but Outage, what failed on this machine; nil if ctx ended, or somebody canceled it.
	Result  *audit.Result
	Outage  *crawler.OutageError
	Written report.Written
	Failed  bool // there is more than Spec.FailOn allows
	// FailedOn has a line for each item of Spec.FailOn that allows less than was found; none for the default.
	FailedOn []string

	o       report.Options
	since   *diff.Result // what changed since the last audit like it; nil where there is none
	trouble error        // why it could not be audited, though the outputs are written
	closers Closers
}

// newOutcome completes the result of an audit, and prepares its outputs. c lets go of what
// its rows need.
func newOutcome(ctx context.Context, f *Spec, store *storage.Store, a *storage.Audit, t *audit.Result, c *Closers) (out *Outcome, err error) {
	if err := complete(ctx, a, t, c); err != nil {
		return nil, err
	}
	again, dir := f.Again(t.Info.ID), f.Folder(t.Info.Targets)
	t.NoFiles = dir == "-" && slices.Contains(t.Info.Given, "--out=-")
	page := func(ctx context.Context, w io.Writer, t *audit.Result) (report.Page, error) {
		return html.New(ctx, w, t, html.Options{Lang: f.Lang, Again: again})
	}
	out = &Outcome{Result: t, o: report.Options{Dir: dir, Formats: f.Formats, Lang: f.Lang, Again: again, Open: opener(a, t), HTML: page}}
	if dir != "-" {
		out.o.Record, err = recordOf(store, dir)
	}
	return out, err
}

// opener opens the sitemaps of an audit as they were fetched.
func opener(a *storage.Audit, t *audit.Result) report.Open {
	return func(ctx context.Context, file int) (io.ReadCloser, error) {
		return a.OpenSpool(ctx, t.Files[file].Sitemap.Spool)
	}
}

// files writes the files; with - there are none, and what is written says the same. The log is told what
// looks like an output and is not of this audit: nobody is to upload or read it as such.
func (o *Outcome) files(ctx context.Context, log *slog.Logger) (err error) {
	if o.o.Dir == "-" {
		o.Result, err = report.Marked(ctx, o.Result, o.o.Open)
	} else if o.Written, err = report.WriteAll(ctx, o.Result, o.o); err == nil {
		o.Result = o.Written.Result
	}
	if errors.Is(err, ground.ErrOurs) {
		err = cli.WithHint(err, "a fault of sitemend, not of the site: the outputs are not written, the audit is in the store; please report it, with the sitemap")
	}
	if err != nil {
		return fmt.Errorf("write the outputs: %w", err)
	}
	if left := o.Written.Left; len(left) > 0 {
		log.Warn(fmt.Sprintf("%s has %s that this audit did not write, the first is %s", cli.OneLine(o.o.Dir), cli.Plural(len(left), "file", "files"), cli.OneLine(left[0])))
	}
	o.trouble = unseen(o.Result)
	return nil
}

// unseen is an error where more than half of the entries could not be seen.
func unseen(t *audit.Result) error {
	hidden, asked := t.Counts.Verdicts[audit.Unverified], t.Counts.Entries-t.Counts.Verdicts[audit.Skipped]
	if sc := t.SearchConsole; sc != nil && t.Counts.Entries == 0 {
		hidden, asked = sc.Upshots[audit.UpshotUnseen], sc.Addresses-sc.OtherSite
	}
	if 2*hidden <= asked {
		return nil
	}
	return cli.WithHint(fmt.Errorf("%s could not be checked", cli.Of(hidden, asked, "URL", "URLs")), letIn(&t.Info, t.Counts.Unseen)+" The report says what came back.")
}

// letIn is the hint of an error that says that a site refused us, or did not answer.
// unseen counts what could not be seen by why, as audit.Counts.Unseen does.
func letIn(info *audit.Info, unseen map[string]int) string {
	ways := strings.Join(messages.Of("en").LetIn(info, unseen), " ")
	return strings.ReplaceAll(cmp.Or(ways, "check the name, its DNS record, the port and whether the server runs, or ask more slowly (--rate 1); --resolve or --map audit from inside, --allow-private lets the audit lead to private addresses."), "`", "")
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
func (o *Outcome) Close() error { return o.closers.Close() }

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
	for _, w := range f.Repeat {
		words = append(words, command.Word(w))
	}
	return strings.Join(words, " ")
}

// Command is a command about the store of this one, to be pasted: with the folder and the
// store that were named.
func (f *Spec) Command(verb string) string {
	words := []string{"sitemend " + verb}
	for _, flag := range [][2]string{{"--out", f.Out}, {"--store", f.Store}} {
		if flag[1] != "" && flag[1] != "-" {
			words = append(words, flag[0], command.Word(flag[1]))
		}
	}
	return strings.Join(words, " ")
}

// writtenKey is the note of a store that lists what was written to a folder, whose path follows.
const writtenKey = "written "

// recordOf is what the store remembers of the files in the folder of the outputs.
func recordOf(store *storage.Store, dir string) (*report.Record, error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	key := writtenKey + path
	r := &report.Record{}
	text, ok, err := store.Noted(key)
	if err == nil && ok {
		err = ground.Damaged("what was written to "+dir, json.Unmarshal(text, &r.Written))
	}
	r.Keep = func(names []string) error {
		text, err := json.Marshal(names)
		if err == nil {
			err = store.NoteAll(map[string][]byte{key: text})
		}
		return err
	}
	return r, err
}

// failItem is one item of --fail-on: what is counted, and how many are still
// well.
type failItem struct {
	text, name string // as it was given, and without its limit
	limit      float64
	share      bool // limit is a share of all entries
}

// parseFailOn reads --fail-on. Without a map nothing can be unmet.
func parseFailOn(items []string, isMap bool) (list []failItem, err error) {
	var all []string
	for _, s := range items {
		name, _, _ := strings.Cut(s, ":")
		all = append(all, name)
	}
	if err := words("--fail-on", all, append(names(audit.Verdicts()), audit.TallyProblems, audit.TallyAny, audit.TallyFaults, audit.TallyUnmet, "none")); err != nil {
		return nil, err
	}
	if slices.Contains(all, audit.TallyUnmet) && !isMap {
		return nil, cli.WithHint(errors.New("--fail-on unmet counts the old URLs of --expect, and there is no map"), "name it: sitemend audit --expect FILE")
	}
	for n, s := range items {
		_, limit, limited := strings.Cut(s, ":")
		item := failItem{text: s, name: all[n], share: strings.HasSuffix(limit, "%")}
		ok := true
		if item.share {
			item.limit, ok = percent(limit)
		} else if limited {
			most, err := strconv.ParseUint(limit, 10, 32)
			item.limit, ok = float64(most), err == nil
		}
		if !ok {
			return nil, cli.WithHint(fmt.Errorf("--fail-on %q is not possible", s), "a limit is as in moved:1% or not-found:20")
		}
		list = append(list, item)
	}
	return list, nil
}

// over returns the items that allow less than was found: 29 % of 100 is 29, though 0.29 in binary is a bit
// less.
func over(c *audit.Tally, items []failItem) (list []failItem) {
	for _, i := range items {
		of := 1
		switch {
		case i.share && i.name == audit.TallyUnmet:
			of = c.Expected
		case i.share:
			of = c.Entries
		}
		if c.N[i.name] > int(i.limit*float64(of)+1e-6) {
			list = append(list, i)
		}
	}
	return list
}

// fail notes what items do not allow. Of the default item it says nothing: the summary says that there
// are problems.
func (o *Outcome) fail(c audit.Tally, items []failItem) {
	for _, i := range over(&c, items) {
		if o.Failed = true; i.text != audit.TallyProblems {
			o.FailedOn = append(o.FailedOn, "--fail-on "+i.text+": "+messages.Number(c.N[i.name])+" found")
		}
	}
}
