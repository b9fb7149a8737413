package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/job"
	"sitemend/crawler/audit"
	"sitemend/crawler/google"
	"sitemend/report"
)

// inspectFlags are the flags of inspect.
type inspectFlags struct {
	common
	n int
}

func newInspect(std stdio) *cobra.Command {
	f := &inspectFlags{}
	cmd := &cobra.Command{
		Use:   "inspect [AUDIT]",
		Short: "What Google's index says of a chosen few URLs of an audit",
		Long: `Ask Google's index (the URL Inspection API) about a chosen few URLs of an audit, those
that need a decision first, and write google.csv. What is known from the last seven days
is not asked again. Credentials are as in sitemend help google.

Exit status:
  0  done, or the day's quota is used up
  2  no credentials, no property that covers the URLs, or Google refuses
  3  interrupted; what was got is kept`,
		Example: "  sitemend inspect\n  sitemend inspect -n 20 --property sc-domain:shop.example\n  sitemend audit --inspect 50 https://shop.example",
		Args:    takes(0, 1, "one AUDIT"),
		RunE:    func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), std, auditNamed(args)) },
	}
	declare(cmd.Flags(), storeFlags(&f.Spec), f.flags(), []option{
		langFlag(&f.Spec),
		{"number,n", &f.n, 100, "ask about `N` URLs at most"},
		{"property", &f.Property, nil, "ask in this `PROPERTY`, as sitemend google lists it (default: the longest that covers each URL)"},
	})
	return cmd
}

func (f *inspectFlags) run(ctx context.Context, std stdio, id string) error {
	if f.n < 1 || f.n > google.DayLimit {
		return cli.WithHint(fmt.Errorf("-n %d is not between 1 and 1,800", f.n), "as in sitemend inspect -n 20")
	}
	log, err := f.begin(std)
	if err != nil {
		return err
	}
	return job.Inspect(ctx, f.Spec, id, f.n, job.Env{Log: log}, func(t *audit.Result, w report.Written) error {
		return report.WriteInspectionSummary(context.WithoutCancel(ctx), std.out, t, report.Summary{Written: w, Lang: f.Lang})
	})
}
