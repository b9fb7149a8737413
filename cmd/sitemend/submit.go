package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/job"
	"sitemend/cmd/internal/submit"
)

// submitFlags are the flags of submit.
type submitFlags struct {
	submit.Submission
	logFlags
}

func newSubmit(std stdio) *cobra.Command {
	f := &submitFlags{}
	cmd := &cobra.Command{
		Use:   "submit [AUDIT]",
		Short: "Submit the corrected sitemaps to Search Console, Bing, IndexNow",
		Long: `Submit the corrected sitemaps that an audit offers for upload: each is fetched, and must
list what the written file lists; else nothing is sent. Google and Bing get the sitemap,
IndexNow the old and new URLs. Nothing is sent twice.

Credentials are as in sitemend help google, with SITEMEND_BING_KEY and
SITEMEND_INDEXNOW_KEY; docs/google.md says how to get them.

Exit status:
  0  everything was submitted, or nothing was corrected
  1  a corrected sitemap is not live, and nothing was sent; or a service refused
  2  no credentials, or no such audit or outputs
  3  interrupted`,
		Example: "  sitemend submit --dry-run\n  sitemend submit\n  sitemend submit --to indexnow,bing",
		Args:    takes(0, 1, "one AUDIT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Audit = auditNamed(args)
			if cmd.Flags().Changed("to") && len(f.To) == 0 {
				return cli.WithHint(errors.New("--to names nobody"), "--to takes any of "+strings.Join(submit.Receivers(), ", "))
			}
			return f.run(cmd.Context(), std)
		},
	}
	declare(cmd.Flags(), storeFlags(&f.Spec), f.flags(), []option{
		{"to", (*list)(&f.To), nil, "submit to: any of " + strings.Join(submit.Receivers(), ", ") + " (default: those with credentials)"},
		{"dry-run", &f.DryRun, nil, "say what would be sent, and send nothing"},
		{"property", &f.Property, nil, "submit in this `PROPERTY` of Search Console, as sitemend google lists it"},
		{"resolve", &f.Resolve, nil, "`HOST:PORT:ADDR`: connect to ADDR (or ADDR:PORT) instead; repeatable"},
		{"ca", &f.CA, nil, "trust the certificates in this PEM `FILE` too"},
		{"timeout", &f.Timeout, 30 * time.Second, "longest wait for the next byte of a sitemap"},
		{"allow-private", &f.AllowPrivate, nil, "let any host lead to private and loopback addresses"},
	})
	return cmd
}

func (f *submitFlags) run(ctx context.Context, std stdio) error {
	f.As, f.Robots = "googlebot", "obey"
	log, err := f.logger(std.err)
	if err = cmp.Or(err, f.Check()); err != nil {
		return err
	}
	f.Say = func(who, what, how string) {
		fmt.Fprintln(std.out, strings.TrimRight(fmt.Sprintf("%-9s %s  %s", who, cli.OneLine(what), cli.OneLine(how)), " "))
	}
	ok, err := submit.Run(ctx, f.Submission, job.Env{Log: log})
	switch {
	case errors.Is(err, context.Canceled):
		fmt.Fprint(std.err, "sitemend: interrupted: what was submitted stands above and is kept; what was on its way may have arrived\n"+
			"hint: the same command submits the rest, and nothing again that was accepted and is unchanged\n")
	case err == nil && !ok:
		return exit(exitFound)
	}
	return err
}
