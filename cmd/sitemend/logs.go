package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/job"
	"sitemend/cmd/internal/logfiles"
	"sitemend/crawler/audit"
	"sitemend/report"
)

// logsFlags are the flags of logs.
type logsFlags struct {
	job.Spec
	logFlags
}

func newLogs(std stdio) *cobra.Command {
	f := &logsFlags{}
	cmd := &cobra.Command{
		Use:   "logs FILE...",
		Short: "What verified Googlebot and Bingbot really asked for, beside the sitemap",
		Long: `Read access logs and say in which encoding Googlebot asks for the URLs of the latest
audit (of --log-host, where it is named), or of --sitemap; googlebot.csv has a line for
each. No page is requested. FILE is a log of any usual format, plain, gzip or zstd, or -.

Googlebot is who asks from a range that Google published. No client's IP is stored or
printed; --dns sends those in no range to the name server.

Exit status:
  0  the logs were read
  2  no line could be read, or it is not known whose log it is
  3  interrupted`,
		Example: "  sitemend logs /var/log/nginx/access.log*\n  sitemend logs --sitemap https://shop.example/sitemap.xml access.log.gz\n  zcat access.log.*.gz | sitemend logs --since 2026-11-01 --log-host shop.example -",
		Args:    atLeastOne("logs needs a FILE", "as in sitemend logs /var/log/nginx/access.log"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Logs.Files = args
			f.nameServer()
			return f.run(cmd.Context(), std)
		},
	}
	f.add(cmd.Flags())
	return cmd
}

func (f *logsFlags) add(fs *pflag.FlagSet) {
	f.Spec = *newAuditSpec() // how it asks counts where --sitemap is fetched
	fs.StringVar(&f.Out, "out", "", "`DIR` for googlebot.csv (default sitemend-out/HOST)")
	addStore(fs, &f.Store)
	fs.StringArrayVar(&f.Targets, "sitemap", nil,
		"take the URLs of `TARGET`, as audit does: a site, a sitemap, a file; repeatable")
	addLogging(fs, &f.Logs)
	addAsking(fs, &f.Asking)
	addLang(fs, &f.Lang)
	f.addLog(fs)
}

// newAuditSpec returns the defaults of audit.
func newAuditSpec() *job.Spec {
	var f auditFlags
	f.add(newFlagSet())
	return &f.Spec
}

// addLogging declares the flags for reading access logs.
func addLogging(fs *pflag.FlagSet, l *logfiles.Spec) {
	fs.StringVar(&l.Host, "log-host", "",
		"`HOST` whose log it is, where lines have none (default: the one host of the URLs)")
	fs.StringVar(&l.Zone, "log-zone", "UTC",
		"time `ZONE` where times have none (HAProxy): Asia/Tokyo, +09:00")
	fs.StringVar(&l.Since, "since", "", "leave out requests before this `DATE` (2026-11-01, UTC)")
	fs.StringVar(&l.Until, "until", "", "leave out requests after this `DATE`, which is included")
	fs.StringArrayVar(&l.Ranges, "bot-ranges", []string{"known"}, "whose addresses are robots': known (all ranges ever published), web (today's lists, too), a file in the publishers' form; repeatable")
	fs.StringVar(&l.DNS, "dns", "", "look up, there and back, what bears a robot's name and is in no range: its address goes to the name server of the system, or to the one at `ADDR`; 1,000 at most")
	fs.Lookup("dns").NoOptDefVal = logfiles.SystemDNS
}

// nameServer accepts "--dns ADDR" for "--dns=ADDR": pflag does not take the next word as the value
// of a flag whose value is optional.
func (f *logsFlags) nameServer() {
	if f.Logs.DNS != logfiles.SystemDNS {
		return
	}
	i := slices.IndexFunc(f.Logs.Files, func(arg string) bool {
		_, err1 := netip.ParseAddr(strings.Trim(arg, "[]"))
		_, err2 := netip.ParseAddrPort(arg)
		_, err3 := os.Stat(arg)
		return (err1 == nil || err2 == nil) && errors.Is(err3, os.ErrNotExist)
	})
	if i >= 0 {
		f.Logs.DNS = f.Logs.Files[i]
		f.Logs.Files = slices.Delete(slices.Clone(f.Logs.Files), i, i+1)
	}
}

func (f *logsFlags) run(ctx context.Context, std stdio) error {
	log, err := f.logger(std.err)
	if err != nil {
		return err
	}
	logLang := f.logLang(f.Lang)
	if f.Lang, err = language(f.Lang); err != nil {
		return err
	}
	switch {
	case len(f.Logs.Files) == 0:
		return cli.WithHint(errors.New("logs needs a FILE"),
			"as in sitemend logs /var/log/nginx/access.log")
	case f.Out == "-":
		return cli.WithHint(errors.New("--out - is no folder"),
			"--out names the folder for googlebot.csv")
	case slices.Contains(f.Targets, "-") && slices.Contains(f.Logs.Files, "-"):
		return cli.WithHint(errors.New("standard input cannot be both the log and the sitemap"),
			"name a file for one of them")
	}
	defer collectWithin(logsMemory)()
	env := job.Env{Stdin: std.in, Log: log, LogLang: logLang, Progress: f.progress(std.err, log, cmp.Or(logLang, f.Lang)), Tool: version()}
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
