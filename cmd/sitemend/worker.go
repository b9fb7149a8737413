package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/job"
	"sitemend/crawler/fleet"
)

// needsServers refuses to go on without servers.
func needsServers(cmd *cobra.Command, s *fleet.Options) error {
	if s.URL != "" {
		return nil
	}
	return cli.WithHint(fmt.Errorf("%s needs --via", cmd.CommandPath()),
		"as in "+cmd.CommandPath()+" --via nats://127.0.0.1:4222")
}

func newWorker(std stdio) *cobra.Command {
	f := &fleet.Options{}
	var logs logFlags
	cmd := &cobra.Command{
		Use:   "worker --via URL",
		Short: "Send requests for audits elsewhere",
		Long: `Send the requests of audits that run elsewhere with the same --via. A worker keeps
nothing and may be stopped at any moment.

Exit status:
  0  it was told to end
  2  there is no server, or one that is too old`,
		Example: "  sitemend worker --via nats://127.0.0.1:4222\n  sitemend worker --via tls://nats.example:4222 --nats-creds worker.creds",
		Args:    atMost(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := needsServers(cmd, f); err != nil {
				return err
			}
			log, err := logs.logger(std.err)
			if err != nil {
				return err
			}
			return job.Work(cmd.Context(), *f, job.Env{Log: log})
		},
	}
	declare(cmd.Flags(), serverFlags(f), logs.flags())
	return cmd
}
