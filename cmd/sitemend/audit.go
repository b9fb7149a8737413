package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/job"
	"sitemend/crawler"
	"sitemend/report/messages"

	"github.com/spf13/cobra"
)

// auditHelp is the help of audit: the flags that most need. The others are a topic of their own.
//
//go:embed help-audit.txt
var auditHelp string

func newAudit(std stdio) *cobra.Command {
	f := &common{}
	cmd := &cobra.Command{
		Use:   "audit [TARGET...]",
		Short: "Check a site's sitemaps, write a report and corrected sitemaps",
		Long: `Check every URL in a site's sitemaps as Googlebot would, and write a report and
corrected sitemaps. The target is a site, the URL of a sitemap, a local file, or - for
standard input. An interrupted audit continues where it stopped, for 24 hours.

Exit status:
  0  clean
  1  problems found
  2  could not audit
  3  interrupted (run again)`,
		Example: "  sitemend audit https://shop.example\n  sitemend audit --search-console Coverage-Drilldown.zip\n  sitemend audit --site public https://www.example.com",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 && len(f.SearchConsole) == 0 && f.Expect == "" && f.Site.Dir == "" {
				return cli.WithHint(errors.New("audit needs a TARGET"), "as in sitemend audit https://shop.example")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.take(cmd.Flags(), args); err != nil {
				return err
			}
			return f.run(cmd.Context(), std, job.Env{})
		},
	}
	f.add(cmd.Flags())
	cmd.SetHelpTemplate(auditHelp)
	return cmd
}

// run makes the audit in the environment env, and prints its outcome.
func (f *common) run(ctx context.Context, std stdio, env job.Env) error {
	log, err := f.begin(std)
	if err != nil {
		return err
	}
	env.Stdin, env.Log, env.Tool = std.in, log, version()
	env.Progress = f.progress(std.err, log, f.Lang)
	out, err := job.Run(ctx, f.Spec, env)
	if f.quiet && f.New && out != nil && !out.Failed && f.Out != "-" {
		std.out = io.Discard
	}
	return conclude(ctx, std, log, &f.Spec, out, err)
}

// conclude prints the summary of an outcome, or the one format that goes to standard
// output, and returns how the command ends.
func conclude(ctx context.Context, std stdio, log *slog.Logger, s *job.Spec, out *job.Outcome, err error) (end error) {
	if out == nil {
		return err
	}
	defer func() { end = cmp.Or(out.Close(), end) }() // also where the summary panics
	if out.Result == nil {
		return errors.Join(err, stopped(std, log, s.Lang, out.Outage))
	}
	// A reader of the output that stops early (head) ends the program, and has no other effect.
	printed := out.WriteSummary
	if s.Out == "-" {
		printed = func(w io.Writer) error { return out.Write(ctx, w, s.Formats[0]) }
	}
	if e := printed(std.out); e != nil {
		err = errors.Join(cli.WithHint(e, s.Again(out.Result.Info.ID)+" writes this again from the store"), err)
	}
	if err != nil {
		return err
	}
	for _, line := range out.FailedOn {
		log.Error(line)
	}
	if out.Failed {
		return exit(exitFound)
	}
	return nil
}

// stopped prints that an audit was stopped, and the cause where that was not the user.
func stopped(std stdio, log *slog.Logger, lang string, outage *crawler.OutageError) error {
	w := messages.Of(lang)
	if outage == nil {
		log.Error(w.Text("stop")) // an error, for with -q it is printed, too
	} else {
		log.Error(w.Text("stop-why", "why", outage.Error()))
		fmt.Fprintf(std.err, "hint: %s\n", outage.Hint())
	}
	return exit(exitInterrupted)
}
