package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/job"

	"github.com/spf13/cobra"
)

// auditFlags are the flags of audit.
type auditFlags struct {
	job.Spec
	logFlags
}

func newAudit(std stdio) *cobra.Command {
	f := &auditFlags{}
	cmd := &cobra.Command{
		Use:   "audit [TARGET...]",
		Short: "Read the sitemaps, fetch every entry as Googlebot would, judge, write the outputs",
		Long: `Read the sitemaps of each TARGET, fetch every entry as Googlebot would, follow
its redirects hop by hop, judge, and write the report, the tables and the
corrected sitemaps.

TARGET is a site (https://shop.example, or shop.example), the URL of a sitemap, a
local file, or - for standard input: a sitemap of any format, or a list of URLs.

--search-console FILE is an export of Search Console (the ZIP, CSV or workbook of
one reason of its Page indexing report), one of Bing, or a list of URLs. Its
addresses are crawled, too, and sorted: which are in a sitemap, which need anything at
all. Without a TARGET the site is that of the export.

--expect FILE is a map of a migration: CSV of old,new or lines of a _redirects file. Each
old address is crawled, too, and held against it: does it lead with one permanent redirect
to exactly that page? expectations.csv has a line for each, with a page where one was
forgotten. --fail-on unmet counts those that do not; problem does, too.

--access-log FILE is an access log of the site: where verified Googlebot asks for an
entry in another spelling, that is the second one; where it asks for the listed form
alone, three times or more, there is none. googlebot.csv says what it asked for.

--links reads the links of the pages that are fetched anyway: which addresses that redirect
or are gone they still link to, which no sitemap lists, and which entries no page links to.
links.csv has a line for each.

--site DIR audits a static build before it is deployed: its files and rules (_redirects,
_headers, vercel.json, netlify.toml) answer as --served-by NAME would, and nothing is
requested. TARGET is the site that it is for (default: as its sitemap says).

An audit that was stopped is continued by the same command for 24 hours.

Exit status:
  0  nothing that --fail-on names
  1  the audit ran and found it
  2  it could not be audited
  3  interrupted, or something lasts that fails on this machine (no route, no name
     server, too many open files); the same command continues it`,
		Example: "  sitemend audit https://shop.example\n  sitemend audit --rate 2 --fix noindex=keep https://shop.example/sitemap.xml\n  sitemend audit --out - --format jsonl sitemap.xml\n  sitemend audit --search-console shop.example-Coverage-Drilldown-2026-11-21.zip\n  sitemend audit --site public https://www.example.com\n  sitemend audit --expect old-to-new.csv --map www.example.com=staging.example.com https://www.example.com",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 && len(f.SearchConsole) == 0 && f.Site.Dir == "" && f.Expect == "" {
				return cli.WithHint(errors.New("audit needs a TARGET"),
					"as in sitemend audit https://shop.example")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Targets, f.RateGiven = args, cmd.Flags().Changed("rate")
			f.Repeat, f.Given = givenFlags(cmd.Flags(), "lang"), allGiven(cmd.Flags())
			return f.run(cmd.Context(), std, job.Env{})
		},
	}
	f.add(cmd.Flags())
	return cmd
}

// run makes the audit in the environment env, and prints its outcome.
func (f *auditFlags) run(ctx context.Context, std stdio, env job.Env) error {
	log, err := f.logger(std.err)
	if err != nil {
		return err
	}
	env.LogLang = f.logLang(f.Lang)
	if err := prepare(&f.Spec, std); err != nil {
		return err
	}
	env.Stdin, env.Log, env.Tool = std.in, log, version()
	env.Progress = f.progress(std.err, log, cmp.Or(env.LogLang, f.Lang))
	out, err := job.Run(ctx, f.Spec, env)
	return conclude(ctx, std, log, &f.Spec, out, err)
}

// prepare sets what depends on the environment of the command: the language, and whether standard
// output is a terminal.
func prepare(s *job.Spec, std stdio) (err error) {
	if s.Lang, err = language(s.Lang); err != nil {
		return err
	}
	if s.Out == "-" && len(s.Formats) == 1 && s.Formats[0] == "xlsx" && isTerminal(std.out) {
		return cli.WithHint(errors.New("a workbook is no text for a terminal"),
			"write it to a file, as in --out - --format xlsx > entries.xlsx")
	}
	return nil
}

// conclude prints the summary of an outcome, or the one format that goes to standard
// output, and returns how the command ends.
func conclude(ctx context.Context, std stdio, log *slog.Logger, s *job.Spec, out *job.Outcome,
	err error) (end error) {
	if out == nil {
		return err
	}
	defer func() { end = cmp.Or(out.Close(), end) }() // also where the summary panics
	if out.Stopped != nil {
		return errors.Join(err, stopped(std, log, out.Stopped))
	}
	if out.Hint != "" {
		log.Info("hint: " + out.Hint)
	}
	// A reader of the output that stops early (head) ends the program, and has no other effect.
	printed := print(ctx, std, s, out)
	if printed != nil {
		printed = cli.WithHint(printed,
			s.Again(out.Result.Info.ID)+" writes this again from the store")
	}
	if err := errors.Join(printed, err); err != nil {
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

func print(ctx context.Context, std stdio, s *job.Spec, out *job.Outcome) error {
	if s.Out == "-" {
		return out.Write(ctx, std.out, s.Formats[0])
	}
	if err := out.WriteSummary(std.out, colored(std.out), columnsOf(std.out)); err != nil {
		return err
	}
	return out.WriteInspections(ctx, std.out)
}

// stopped prints that an audit was stopped, the cause where that was not the user, and how to see
// the results so far.
func stopped(std stdio, log *slog.Logger, s *job.Stopped) error {
	if s.Outage != nil {
		defer fmt.Fprintf(std.err, "hint: %s\n", s.Outage.Hint())
	}
	log.Error(s.Says) // an error, for with -q it is printed, too
	if s.Shows != "" {
		log.Info("hint: " + s.Shows)
	}
	return exit(exitInterrupted)
}
