package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/job"
	"sitemend/crawler/audit"
	"sitemend/report/messages"
	"sitemend/report/serve"
)

func newList(std stdio) *cobra.Command {
	f := &job.Spec{}
	var remove string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the audits in the store",
		Long: `List the audits in the store, the oldest first.

Exit status:
  0  done
  2  there is no such store or audit`,
		Example: "  sitemend list\n  sitemend list --remove 20261121T101502Z",
		Args:    takes(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("remove") {
				return removeAudit(f, remove)
			}
			return listAudits(std, f)
		},
	}
	declare(cmd.Flags(), storeFlags(f), []option{{"remove", &remove, nil, "delete this `AUDIT`"}})
	return cmd
}

// removeAudit removes an audit from the store.
func removeAudit(f *job.Spec, id string) error {
	store, err := f.ChangeStore()
	if err != nil {
		return err
	}
	if err := store.Remove(id); err != nil {
		return errors.Join(cli.WithHint(err, "sitemend list shows the audits of a store"), store.Close())
	}
	return store.Close()
}

func listAudits(std stdio, f *job.Spec) error {
	audits, err := job.Library{File: f.StoreFile(), Damaged: func(err error) { fmt.Fprintln(std.err, "sitemend: left out, list --remove deletes it:", said(err)) }}.List()
	if err != nil {
		return err
	}
	if len(audits) == 0 {
		fmt.Fprintf(std.err, "sitemend: %s holds no audit that can be read; --store FILE or --out DIR names another store\n", cli.OneLine(f.StoreFile()))
	}
	for i := 0; i < len(audits) && err == nil; i++ {
		_, err = fmt.Fprintln(std.out, listLine(&audits[i]))
	}
	return err
}

// listLine returns an audit as a line; of one that was stopped nothing was counted.
func listLine(x *serve.Audit) string {
	a := &x.Info
	state, counted, unseen := "stopped", "", ""
	if !a.Ended.IsZero() {
		state = messages.Took(a.Duration).Plain(messages.Of("en"))
	}
	if c := x.Counts; c != nil {
		counted = cli.Column(c.Entries, 9, "URL", "URLs") + "  " + cli.Column(c.Open(), 9, "to fix or decide", "to fix or decide")
		if c.NotRead > 0 {
			unseen += "  " + cli.Plural(c.NotRead, "sitemap was not read in full", "sitemaps were not read in full")
		}
		if n := c.Groups[audit.NotChecked] + c.Groups[audit.LeftOut]; n > 0 {
			unseen += "  " + cli.Plural(n, "URL is unknown", "URLs are unknown")
		}
	}
	of := strings.Join(a.Targets, " ")
	if a.Site != "" {
		of += " (the build in " + a.Site + ")"
	}
	return fmt.Sprintf("%-18s  %s  %8s  %s  %36s  %s%s", a.ID, a.Started.UTC().Format("2006-01-02 15:04"), state,
		cli.Column(a.Requests, 9, "request", "requests"), counted, cli.OneLine(of), unseen)
}
