package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"sitemend/cmd/internal/cli"
)

// newGenerate returns a command for package maintainers, which `sitemend help` does not list.
func newGenerate() *cobra.Command {
	return &cobra.Command{
		Use:    "generate DIR",
		Short:  "Write the manual pages and the shell completions, for packages",
		Hidden: true,
		Long: `Write the manual pages to DIR/man and the completions to DIR/completions.

Exit status:
  0  done
  2  the files could not be written`,
		Example: "  sitemend generate extras",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.WithHint(errors.New("generate needs a folder"),
					"as in sitemend generate extras")
			}
			return atMost(1, "one DIR")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return errors.Join(writeManual(cmd.Root(), filepath.Join(args[0], "man")),
				writeCompletions(cmd.Root(), filepath.Join(args[0], "completions")))
		},
	}
}

// writeManual writes the manual pages of root and of all commands below it to dir, packed, as
// packages have them: man1/sitemend-audit.1.gz.
func writeManual(root *cobra.Command, dir string) error {
	for _, c := range documented(root) {
		folder := filepath.Join(dir, "man"+section(c))
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return err
		}
		var b bytes.Buffer
		z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // a valid level
		_, err := z.Write([]byte(manualPage(c)))
		if err := errors.Join(err, z.Close()); err != nil {
			return err
		}
		name := filepath.Join(folder, pageName(c)+"."+section(c)+".gz")
		if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// writeCompletions writes the completions of root to dir, under the names by which shells
// look for them.
func writeCompletions(root *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return errors.Join(
		root.GenBashCompletionFileV2(filepath.Join(dir, "sitemend.bash"), true),
		root.GenZshCompletionFile(filepath.Join(dir, "_sitemend")),
		root.GenFishCompletionFile(filepath.Join(dir, "sitemend.fish"), true),
		root.GenPowerShellCompletionFileWithDesc(filepath.Join(dir, "sitemend.ps1")),
	)
}
