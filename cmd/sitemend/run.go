package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sitemend/report"
	"sitemend/storage"
)

// The exit statuses (contract, section 1).
const (
	exitOK          = 0
	exitFound       = 1 // the audit ran and found what --fail-on names
	exitError       = 2 // it could not be audited
	exitInterrupted = 3 // the same command continues it
)

// stdio is where a command reads and writes.
type stdio struct {
	in       io.Reader
	out, err io.Writer
}

// A hinted error says what is wrong, and what to do.
type hinted struct {
	err  error
	hint string
}

func (h *hinted) Error() string { return h.err.Error() }
func (h *hinted) Unwrap() error { return h.err }
func (h *hinted) Hint() string  { return h.hint }

// withHint adds to an error what the user can do.
func withHint(err error, hint string) error { return &hinted{err, hint} }

// exit ends a command with a status other than 0 or 2 and nothing to print.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// run is the whole program: it takes the arguments after the program's name and
// returns the exit status. All output goes to out and errOut: results to out,
// everything else to errOut; an error is one line that says what, and one line
// that begins "hint:".
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	root := newRoot(stdio{in, out, errOut})
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var code exit
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &code):
		return int(code)
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	printError(errOut, err)
	return exitError
}

// plainFlagError says what a number or a duration should have been, where the flag
// library tells how it was parsed.
func plainFlagError(err error) error {
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return err
	}
	f := bad.GetFlag()
	if kind := map[string]string{"int": "a whole number", "float64": "a number", "duration": "a duration, as 30s or 2m"}[f.Value.Type()]; kind != "" {
		return fmt.Errorf("--%s %q is not %s", f.Name, bad.GetValue(), kind)
	}
	return err
}

// printError prints what is wrong and what to do, one line each.
func printError(w io.Writer, err error) {
	fmt.Fprintf(w, "sitemend: %s\n", oneLine(err.Error()))
	hint := "sitemend help shows the commands and flags"
	var h interface{ Hint() string }
	var s *storage.Error
	var file *fs.PathError
	switch {
	case errors.As(err, &h) && h.Hint() != "":
		hint = h.Hint()
	case errors.As(err, &s) && s.Hint != "":
		hint = s.Hint
	case errors.As(err, &file):
		hint = "see whether there is room, and whether you may read or write there"
	}
	fmt.Fprintf(w, "hint: %s\n", oneLine(hint))
}

// oneLine makes a text safe for a terminal and keeps it on one line.
func oneLine(s string) string {
	return report.Visible(strings.NewReplacer("\n", " ", "\t", " ").Replace(strings.TrimSpace(s)))
}

func newRoot(std stdio) *cobra.Command {
	root := &cobra.Command{
		Use:   "sitemend",
		Short: "Find out why sitemap entries redirect, and write the sitemap that does not",
		Long: `sitemend reads a site's sitemaps, asks for every entry as Googlebot would, byte
for byte, says in plain words what is wrong and where, and writes the corrected
sitemaps and a report.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(std.in)
	root.SetOut(std.out)
	root.SetErr(std.err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return withHint(plainFlagError(err), "sitemend help "+cmd.Name()+" shows the flags")
	})
	root.AddCommand(newAudit(std), newDemo(std), newProbe(std), newURL(std), newReport(std), newDiff(std), newList(std), newServe(std), newVersion(std), newVerdictsTopic())
	return root
}
