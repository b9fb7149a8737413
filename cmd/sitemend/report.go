package main

import (
	"github.com/spf13/cobra"

	"sitemend/cmd/internal/job"
	"sitemend/storage"
)

func newReport(std stdio) *cobra.Command {
	f := &common{}
	cmd := &cobra.Command{
		Use:   "report [AUDIT]",
		Short: "Write the outputs again from the store, without a request",
		Long: `Write the outputs of an audit again from the store, without a request. AUDIT is an id of
sitemend list, or latest (the default). --fix and --max-drop change what the audit decided.

Exit status:
  0  nothing that --fail-on names (by default nothing)
  1  the audit found it
  2  there is no such audit, or the outputs could not be written`,
		Example: "  sitemend report\n  sitemend report --max-drop 100% --fix locale=replace\n  sitemend report 20261121T101502Z --format jsonl --out -\n  sitemend report latest --format xlsx --out - > entries.xlsx",
		Args:    takes(0, 1, "one AUDIT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id := auditNamed(args)
			f.Named = id != storage.Latest
			f.Repeat = given(cmd.Flags(), "lang", "format", "fix", "max-drop", "lastmod", "split", "fail-on")
			if !cmd.Flags().Changed("max-drop") {
				f.MaxDrop = ""
			}
			log, err := f.begin(std)
			if err != nil {
				return err
			}
			out, err := job.Report(cmd.Context(), f.Spec, id, job.Env{Log: log})
			return conclude(cmd.Context(), std, log, &f.Spec, out, err)
		},
	}
	fs := cmd.Flags()
	declare(fs, outputFlags(&f.Spec), reporting(&f.Spec))
	fs.Lookup("fail-on").DefValue = "none"
	f.FailOn = []string{"none"}
	return cmd
}
