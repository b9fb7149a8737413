package main

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/job"
	"sitemend/cmd/internal/watch"
)

// watchFlags are the flags of watch.
type watchFlags struct {
	logFlags
	check, once bool
	test        string
}

func newWatch(std stdio) *cobra.Command {
	f := &watchFlags{}
	cmd := &cobra.Command{
		Use:   "watch CONFIG",
		Short: "Audit many sites on a schedule, and say what is new",
		Long: `Audit each site of CONFIG when it is due, and tell receivers what is new, once.
docs/watch.md has the whole CONFIG; a site takes any flag of audit under its long name:

  store: /var/lib/sitemend
  defaults: { schedule: "@daily", notify: [ops] }
  sites:
    - name: shop
      targets: [https://www.shop.example]
  notify:
    ops: { url: "${SLACK}" }      # a service URL: Slack, Teams, mail, ntfy, ...

SIGHUP reads CONFIG again. SIGTERM and Ctrl-C end it within ten seconds.

Exit status:
  0  ended by a signal; --once: nothing that fail-on names; --check: CONFIG has no mistake
  1  --once: an audit found what fail-on names
  2  CONFIG is wrong, the store cannot be opened or written to, or --once: a site could
     not be audited
  3  --once: interrupted, or this machine has no network; the same command continues it`,
		Example: "  sitemend watch --check watch.yaml\n  sitemend watch watch.yaml\n  sitemend watch --once watch.yaml\n  sitemend watch --test-notify ops watch.yaml",
		Args:    takes(1, 1, "one CONFIG"),
		RunE:    func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), std, args) },
	}
	declare(cmd.Flags(), f.flags(), []option{
		{"check", &f.check, nil, "name mistakes in CONFIG, or print the next five runs of each site"},
		{"once", &f.once, nil, "audit what is due now, deliver what waits, and end"},
		{"test-notify", &f.test, nil, "send a test message to the receiver of this `NAME`, and end"},
	})
	cmd.MarkFlagsMutuallyExclusive("check", "once", "test-notify")
	return cmd
}

// run does what the flags say.
func (f *watchFlags) run(ctx context.Context, std stdio, args []string) error {
	hangup := make(chan os.Signal, 1) // from now on: one that comes early is not to end it
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	secrets := new(watch.Secrets)
	log, err := f.logger(secrets.Writer(std.err))
	if err != nil {
		return err
	}
	l := watchLoader(log, secrets)
	c, err := l.Load(ctx, args[0])
	if err != nil {
		return err
	}
	switch {
	case f.check:
		return printRuns(std, c, time.Now())
	case f.test != "":
		if err := watch.SendTest(ctx, c, f.test); err != nil {
			return err
		}
		_, err := fmt.Fprintf(std.out, "the receiver %s took the message\n", cli.OneLine(f.test))
		return err
	}
	return f.watch(ctx, std, l, watch.Options{Config: c, Hangup: hangup, Reload: func() (*watch.Config, error) { return l.Load(ctx, args[0]) }})
}

// watch watches until ctx ends, or what is due was done.
func (f *watchFlags) watch(ctx context.Context, std stdio, l watch.Loader, o watch.Options) error {
	o.Once, o.Env = f.once, l.Env
	o.Serving = func(url string) { fmt.Fprintln(std.out, url) }
	summary, err := watch.Run(ctx, o)
	switch {
	case err != nil:
		return err
	case !f.once:
		return nil
	case summary.Trouble && ctx.Err() == nil:
		return exit(exitError)
	case summary.Stopped || ctx.Err() != nil:
		return exit(exitInterrupted)
	case summary.Found:
		return exit(exitFound)
	}
	return nil
}

// watchLoader reads configurations with the flags of audit.
func watchLoader(log *slog.Logger, secrets *watch.Secrets) watch.Loader {
	lang, _ := language("") // the locale is no error
	flags := func() (*pflag.FlagSet, func([]string) (job.Spec, error)) {
		f, fs := &common{}, newFlagSet()
		f.add(fs)
		return fs, func(targets []string) (_ job.Spec, err error) {
			if err = f.take(fs, targets); err == nil {
				f.Lang, err = language(f.Lang)
			}
			return f.Spec, err
		}
	}
	return watch.Loader{Flags: flags, Getenv: os.Getenv, Secrets: secrets, Lang: lang,
		Env: job.Env{Stdin: strings.NewReader(""), Log: log, Tool: version()}}
}

// nextRuns is how many runs of each site --check prints.
const nextRuns = 5

// printRuns prints when each site is due next.
func printRuns(std stdio, c *watch.Config, now time.Time) error {
	w := bufio.NewWriter(std.out)
	for _, s := range c.Sites {
		fmt.Fprintf(w, "%s    %s\n", s.Name, s.Schedule)
		at := now
		for range nextRuns {
			at = s.Schedule.Next(at)
			fmt.Fprintf(w, "    %s\n", at.In(c.Location).Format("Mon 2006-01-02 15:04 MST"))
		}
	}
	return w.Flush()
}
