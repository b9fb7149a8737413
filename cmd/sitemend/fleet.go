package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/fleet"
)

func newFleet(std stdio) *cobra.Command {
	f := &fleet.Options{}
	cmd := &cobra.Command{
		Use:   "fleet --via URL",
		Short: "List the audits and workers at NATS servers; pause, resume or cancel an audit",
		Long: `List the audits whose requests workers send, and the workers.

Exit status:
  0  done
  2  there is no server, or no such audit`,
		Example: "  sitemend fleet --via nats://127.0.0.1:4222\n  sitemend fleet pause 20261121T101502Z-5f1c22aa --via nats://127.0.0.1:4222",
		Args:    takes(0, 0, "no arguments but pause, resume or cancel"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withFleet(cmd, f, func(ctx context.Context, at *fleet.Fleet) error {
				return listFleet(ctx, std.out, at)
			})
		},
	}
	declare(cmd.PersistentFlags(), serverFlags(f))
	_ = cmd.MarkPersistentFlagRequired("via") // it is there
	for _, c := range []struct{ name, state, short, long string }{
		{"pause", fleet.Paused, "Ask for nothing more until it is resumed", "Workers ask for nothing more of the audit until it is resumed. Its process waits."},
		{"resume", fleet.Running, "Let an audit go on that was paused", "Let an audit go on that was paused."},
		{"cancel", fleet.Canceled, "Stop an audit", "Stop an audit. Its process ends with exit status 3, and the same command continues it.\nWhere the process has ended already, what is left of it at the servers is deleted."},
	} {
		cmd.AddCommand(newFleetState(f, c.name, c.state, c.short, c.long))
	}
	return cmd
}

// newFleetState returns a command that sets the state of an audit.
func newFleetState(f *fleet.Options, name, state, short, long string) *cobra.Command {
	return &cobra.Command{
		Use:   name + " AUDIT",
		Short: short,
		Long: long + `

Exit status:
  0  done
  2  there is no server, or no such audit`,
		Example: "  sitemend fleet " + name +
			" 20261121T101502Z-5f1c22aa --via nats://127.0.0.1:4222",
		Args: takes(1, 1, "one AUDIT of sitemend fleet"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withFleet(cmd, f, func(ctx context.Context, at *fleet.Fleet) error {
				return at.Control(ctx, args[0], state)
			})
		},
	}
}

// withFleet connects to the servers and calls a function.
func withFleet(cmd *cobra.Command, f *fleet.Options,
	do func(context.Context, *fleet.Fleet) error) error {
	f.Name = "sitemend fleet"
	at, err := fleet.Connect(cmd.Context(), *f)
	if err != nil {
		return err
	}
	defer at.Close()
	return do(cmd.Context(), at)
}

// listFleet prints the audits and the workers.
func listFleet(ctx context.Context, out io.Writer, at *fleet.Fleet) error {
	audits, err := at.Audits(ctx)
	if err != nil {
		return err
	}
	workers, err := at.Workers(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, cli.Plural(len(audits), "audit", "audits"))
	for _, a := range audits {
		fmt.Fprintf(out, "  %s  %-8s  %s at work\n", cli.OneLine(a.ID), a.State,
			cli.Column(a.Keys, 9, "site or host", "sites or hosts"))
	}
	fmt.Fprintln(out, cli.Plural(len(workers), "worker", "workers"))
	for _, w := range workers {
		if _, err := fmt.Fprintf(out, "  %s  since %s  %s  %s\n", cli.OneLine(w.ID),
			w.Since.Local().Format(time.DateTime),
			cli.Column(w.Keys, 9, "site or host", "sites or hosts"), cli.OneLine(w.Host)); err != nil {
			return err
		}
	}
	return nil
}
