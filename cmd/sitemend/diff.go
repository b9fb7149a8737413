package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/job"
	"sitemend/report"
)

// diffFlags are the flags of diff.
type diffFlags struct {
	common
	asCSV bool
}

func newDiff(std stdio) *cobra.Command {
	f := &diffFlags{}
	cmd := &cobra.Command{
		Use:   "diff [OLD NEW]",
		Short: "Say what changed between two audits",
		Long: `Say what changed between two audits of the store, without a request, for each URL (once,
however many sitemaps list it): new problem, fixed, changed, added, no longer listed,
not comparable; and for each sitemap whether it is read. The default: the last two of
the same targets.

Exit status:
  0  nothing got worse
  1  a URL has a problem that the older audit did not have there, a sitemap has an
     error that it had not, or less of it can be read
  2  there are no such audits, or not two of the same targets`,
		Example: "  sitemend diff\n  sitemend diff 20261021T101502Z latest --csv > changes.csv",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 0 && len(args) != 2 {
				return cli.WithHint(fmt.Errorf("diff takes two audits or none, not %d", len(args)), "as in sitemend diff OLD NEW; sitemend list shows the audits of a store")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), std, args) },
	}
	declare(cmd.Flags(), storeFlags(&f.Spec), []option{
		langFlag(&f.Spec),
		{"csv", &f.asCSV, nil, "CSV: one line for each URL that changed; the statuses are the final ones"},
	})
	return cmd
}

func (f *diffFlags) run(ctx context.Context, std stdio, args []string) error {
	if _, err := f.begin(std); err != nil {
		return err
	}
	store, err := f.ReadStore()
	if err != nil {
		return err
	}
	defer store.Close()
	older, newer, err := job.Pair(store, args)
	if err != nil {
		return err
	}
	d, err := job.Compare(ctx, store, older, newer)
	if err != nil {
		return err
	}
	if f.asCSV {
		err = report.WriteDiffCSV(ctx, std.out, d)
	} else {
		err = report.WriteDiff(std.out, d, f.Lang)
	}
	if err == nil && d.Worse() {
		return exit(exitFound)
	}
	return err
}
