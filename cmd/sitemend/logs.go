package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/job"
	"sitemend/cmd/internal/logfiles"
	"sitemend/crawler/audit"
	"sitemend/report"
)

func newLogs(std stdio) *cobra.Command {
	f := &common{}
	cmd := &cobra.Command{
		Use:   "logs FILE...",
		Short: "What verified Googlebot and Bingbot really requested, compared with the sitemap",
		Long: `Read access logs and say in which encoding Googlebot requests the URLs of the latest
audit, or of --sitemap; googlebot.csv has a line for each. No page is requested. FILE is
a log of any usual format, plain, gzip or zstd, or -.

A request is Googlebot's if its IP is in a range that Google published. No client's IP is
stored or printed; --dns sends those in no range to the name server.

Exit status:
  0  the logs were read
  2  no line could be read, or it is not known whose log it is
  3  interrupted`,
		Example: "  sitemend logs /var/log/nginx/access.log*\n  sitemend logs --sitemap https://shop.example/sitemap.xml access.log.gz\n  zcat access.log.*.gz | sitemend logs --since 2026-11-01 --log-host shop.example -",
		Args:    takes(1, -1, "a FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Logs.Files = args
			return logs(cmd.Context(), std, f)
		},
	}
	f.add(newFlagSet()) // how it asks counts where --sitemap is fetched
	declare(cmd.Flags(), storeFlags(&f.Spec), logging(&f.Logs), asking(&f.Asking), f.flags(), []option{
		langFlag(&f.Spec),
		{"sitemap", &f.Targets, nil, "take the URLs of `TARGET`, as audit does: a site, a sitemap, a file; repeatable"},
	})
	optionalDNS(cmd.Flags())
	return cmd
}

// logsMemory is the memory of the runtime for reading logs of any size, in bytes: with the program
// itself that is less than 64 MB.
const logsMemory = 26 << 20

func logs(ctx context.Context, std stdio, f *common) error {
	log, err := f.begin(std)
	switch {
	case err != nil:
		return err
	case f.Out == "-":
		return cli.WithHint(errors.New("--out - is no folder"), "--out names the folder for googlebot.csv")
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(logsMemory))
	env := job.Env{Stdin: std.in, Log: log, Progress: f.progress(std.err, log, f.Lang), Tool: version()}
	return job.Logs(ctx, f.Spec, env, func(l *audit.Logs) error {
		if err := report.WriteLogsSummary(std.out, l, f.Lang); err != nil {
			return err
		}
		for _, hint := range logfiles.Hints(l) {
			fmt.Fprintf(std.err, "hint: %s\n", hint)
		}
		return nil
	})
}
