package main

import (
	"github.com/spf13/cobra"

	"sitemend/cmd/internal/job"
	"sitemend/crawler/fleet"
)

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
		Args:    takes(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
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
