package main

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sitemend/crawler/audit"
	"sitemend/report"
	"sitemend/storage"
)

func newReport(std stdio) *cobra.Command {
	f := &auditFlags{}
	cmd := &cobra.Command{
		Use:   "report [AUDIT]",
		Short: "Write the outputs again from the store, without a request",
		Long: `Write the outputs of an audit again from the store, without a request. AUDIT is an
id of sitemend list, or latest (the default: the latest that is finished). Fixes
are those of the audit, changed by --fix and --max-drop where they are given: so what
the brake or a rule held back is written without a new audit. Of an audit that was
stopped no sitemaps are written, and it never replaces the outputs of one that ended.

Exit status:
  0  nothing that --fail-on names (by default nothing)
  1  the audit found it
  2  there is no such audit, or the outputs could not be written`,
		Example: "  sitemend report\n  sitemend report --max-drop 100% --fix locale=replace\n  sitemend report 20261121T101502Z --format jsonl --out -\n  sitemend report latest --format xlsx --out - > entries.xlsx",
		Args:    atMost(1, "one AUDIT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id := storage.Latest
			if len(args) > 0 {
				id = args[0]
			}
			f.named = id != storage.Latest
			return retell(cmd.Context(), std, f, id, cmd.Flags())
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&f.out, "out", "sitemend-out", "`DIR` for the outputs; - writes one format to standard output")
	fs.StringVar(&f.store, "store", "", "the bbolt `FILE` (default audits.db in DIR; with --out - in sitemend-out)")
	addFormat(fs, &f.formats)
	f.addTelling(fs)
	fs.Lookup("fail-on").DefValue = "none"
	f.failOn = []string{"none"}
	return cmd
}

// retell tells an audit of the store again, until ctx ends.
func retell(ctx context.Context, std stdio, f *auditFlags, id string, flags *pflag.FlagSet) error {
	if err := f.checkOutputs(std.out); err != nil {
		return err
	}
	f.retold = decided(flags)
	failOn, err := parseFailOn(f.failOn)
	if err != nil {
		return err
	}
	store, err := f.storeFile().read()
	if err != nil {
		return err
	}
	defer store.Close()
	if id == storage.Latest {
		if id, err = latest(store); err != nil {
			return err
		}
	}
	a, err := store.Audit(id)
	if err != nil {
		return withHint(err, "sitemend list shows the audits of a store")
	}
	info := a.Info()
	rules := info.Rules
	if err := f.telling(&info.Rules); err != nil {
		return err
	}
	if !flags.Changed("max-drop") {
		info.Rules.MaxDrop = rules.MaxDrop
	}
	changeFixes(&info.Rules, rules)
	info.Partial = unwritten(info)
	told, err := tell(ending{a, ctx}, info)
	if err == nil {
		err = told.Prove()
	}
	if err == nil {
		told, err = rewrite(ctx, std, f, store, a, told)
	}
	var counts failCounts
	if err == nil {
		counts, err = f.counts(ctx, std, store, a, told, failOn)
	}
	if err = errors.Join(err, a.Close()); err != nil {
		return err
	}
	return status(told, counts, failOn)
}

// changeFixes adds what --fix says now to the fixes of the audit: where both decide, now
// counts.
func changeFixes(now *audit.Rules, then audit.Rules) {
	fix, lift := map[audit.Verdict]audit.Action{}, map[audit.Note]bool{}
	maps.Copy(fix, then.Fix)
	maps.Copy(fix, now.Fix)
	maps.Copy(lift, then.Lift)
	maps.Copy(lift, now.Lift)
	now.Fix, now.Lift, now.KeepAll = fix, lift, now.KeepAll || then.KeepAll
}

// rewrite writes the outputs of an audit of the store, and returns what they say.
func rewrite(ctx context.Context, std stdio, f *auditFlags, store *storage.Store, a *storage.Audit, told *audit.Result) (*audit.Result, error) {
	out, err := newTelling(std, f, store, ending{a, ctx}, told)
	if err != nil {
		return nil, err
	}
	err = out.files(ctx)
	if errors.Is(err, report.ErrFinished) {
		return nil, withHint(err, "nothing was changed; --out DIR with --store "+shellWord(store.Path())+" writes them elsewhere, or let sitemend audit end it: it replaces them then")
	}
	if err != nil {
		return nil, lossless(err, "nothing is lost: it can be written again, elsewhere with --store FILE --out DIR")
	}
	return out.told, errors.Join(out.print(), out.faults())
}

// counts is what --fail-on counts in: all, or with --new what is new.
func (f *auditFlags) counts(ctx context.Context, std stdio, store *storage.Store, a *storage.Audit, t *audit.Result, items []failItem) (failCounts, error) {
	if !f.onlyNew {
		return countsOf(t), nil
	}
	log, err := newLog(std.err, f)
	if err != nil {
		return failCounts{}, err
	}
	return baseline{log, items, f.command("diff")}.count(ctx, store, a, t)
}

// latest is the id of the latest finished audit; of the latest at all where none
// is finished.
func latest(store *storage.Store) (string, error) {
	infos, err := store.Audits()
	if err != nil {
		return "", err
	}
	for _, info := range slices.Backward(infos) {
		if !info.Ended.IsZero() {
			return info.ID, nil
		}
	}
	return storage.Latest, nil
}

var _ audit.Source = (*storage.Audit)(nil)
