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

// fleetStates are what fleet can make of an audit.
var fleetStates = map[string]string{"pause": fleet.Paused, "resume": fleet.Running, "cancel": fleet.Canceled}

func newFleet(std stdio) *cobra.Command {
	f := &fleet.Options{Name: "sitemend fleet"}
	cmd := &cobra.Command{
		Use:   "fleet [pause|resume|cancel AUDIT] --via URL",
		Short: "List the audits and workers at NATS servers; pause, resume or cancel an audit",
		Long: `List the audits whose requests workers send, and the workers. While an audit is paused,
its process waits. A canceled one ends with exit status 3, and the same command continues
it; where its process has ended already, what is left of it at the servers is deleted.

Exit status:
  0  done
  2  there is no server, or no such audit`,
		Example: "  sitemend fleet --via nats://127.0.0.1:4222\n  sitemend fleet pause 20261121T101502Z-5f1c22aa --via nats://127.0.0.1:4222",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) == 2 && fleetStates[args[0]] != "" {
				return nil
			}
			return cli.WithHint(fmt.Errorf("fleet takes nothing, or one of pause, resume and cancel with an AUDIT, not %q", args), "sitemend help fleet shows an example")
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			at, err := fleet.Connect(cmd.Context(), *f)
			if err != nil {
				return err
			}
			defer at.Close()
			if len(args) > 0 {
				return at.Control(cmd.Context(), args[1], fleetStates[args[0]])
			}
			return listFleet(cmd.Context(), std.out, at)
		},
	}
	declare(cmd.Flags(), serverFlags(f))
	return cmd
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
		fmt.Fprintf(out, "  %s  %-8s  %s at work\n", cli.OneLine(a.ID), a.State, cli.Column(a.Keys, 9, "site or host", "sites or hosts"))
	}
	_, err = fmt.Fprintln(out, cli.Plural(len(workers), "worker", "workers"))
	for _, w := range workers {
		fmt.Fprintf(out, "  %s  since %s  %s  %s\n", cli.OneLine(w.ID), w.Since.Local().Format(time.DateTime), cli.Column(w.Keys, 9, "site or host", "sites or hosts"), cli.OneLine(w.Host))
	}
	return err
}
