package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/address"
	"sitemend/crawler/ground"
	"sitemend/report/messages"
	"sitemend/storage"
)

// The exit statuses (contract, section 1).
const (
	exitOK          = 0
	exitFound       = 1 // the audit ran and found what --fail-on names
	exitError       = 2 // it could not be audited
	exitInterrupted = 3 // the same command continues it
)

// stdio has the input and outputs of a command.
type stdio struct {
	in       io.Reader
	out, err io.Writer
}

// exit is the error of a command that ends with a status other than 0 or 2 and without a message.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// run is the whole program: it takes the arguments after the program's name and
// returns the exit status. All output goes to out and errOut: results to out,
// everything else to errOut; an error is one line that says what, and one line
// that begins "hint:".
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	root := newRoot(stdio{in, out, errOut})
	root.SetArgs(args)
	err := ground.Guard(func() error { return root.ExecuteContext(ctx) })
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

// plainFlagError replaces the flag library's message about parsing by what a number or a duration
// should look like. For an unknown letter it does not repeat the rest: in -uNAME:PASS, a form that
// other programs have, that is a password.
func plainFlagError(err error) error {
	var none *pflag.NotExistError
	if errors.As(err, &none) && none.GetSpecifiedShortnames() != "" {
		return fmt.Errorf("unknown flag: -%s", none.GetSpecifiedName())
	}
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return err
	}
	return fmt.Errorf("--%s %q is not %s", bad.GetFlag().Name, bad.GetValue(), cli.Wanted(bad.GetFlag()))
}

// flagHint returns the hint for a flag that a command does not accept: the similar flag, if there
// is one, and where all are listed.
func flagHint(cmd *cobra.Command, err error) string {
	like := ""
	var none *pflag.NotExistError
	if errors.As(err, &none) && len(none.GetSpecifiedName()) > 2 {
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
		like = cli.DidYouMean("--"+none.GetSpecifiedName(), known)
	}
	return like + helpOf(cmd) + " shows the flags"
}

// printError prints an error and its hint, one line each.
func printError(w io.Writer, err error) {
	fmt.Fprintf(w, "sitemend: %s\n", said(err))
	hint := "sitemend help shows the commands and flags"
	var h interface{ Hint() string }
	var s *storage.Error
	var file *fs.PathError
	switch {
	case errors.As(err, &h) && h.Hint() != "":
		hint = h.Hint()
	case errors.As(err, &s) && s.Hint != "":
		hint = s.Hint
	case errors.Is(err, ground.ErrOurs):
		hint = "this is a fault of sitemend: please report it with the line above; answers so far are kept, and earlier outputs are unchanged"
	case errors.Is(err, storage.ErrDamaged):
		hint = storage.HintDamaged
	case errors.As(err, &file):
		hint = "see whether there is room, and whether you may read or write there"
	}
	fmt.Fprintf(w, "hint: %s\n", cli.OneLine(address.MaskedText(hint)))
}

// saidAtMost is how many of several errors are printed.
const saidAtMost = 3

// said returns the text of an error on one line. Of joined errors it has each text once, and at
// most saidAtMost; of a file it names no call of the system.
func said(err error) string {
	text := err.Error()
	var file *fs.PathError
	if errors.As(err, &file) {
		text = strings.ReplaceAll(text, file.Error(), file.Path+": "+file.Err.Error())
	}
	var lines []string
	more := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case slices.ContainsFunc(lines, func(s string) bool { return strings.Contains(s, line) }):
		case len(lines) == saidAtMost:
			more++
		default:
			lines = append(lines, line)
		}
	}
	text = strings.Join(lines, "; ")
	if more > 0 {
		text += fmt.Sprintf("; and %s more", messages.Number(more))
	}
	return cli.OneLine(address.MaskedText(text)) // an argument may have a password
}

func newRoot(std stdio) *cobra.Command {
	root := &cobra.Command{
		Use:   "sitemend",
		Short: "Find out why sitemap URLs redirect, and write the sitemap that does not",
		Long: `sitemend reads a site's sitemaps, requests every URL as Googlebot would, byte for
byte, and writes the corrected sitemaps and a report of what was wrong and why.`,
		Example:                    "  sitemend demo\n  sitemend audit https://www.example.com",
		SilenceUsage:               true,
		SilenceErrors:              true,
		Args:                       knownCommand,
		RunE:                       func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		Version:                    version(),
		SuggestionsMinimumDistance: 2,
	}
	root.SetIn(std.in)
	root.SetOut(std.out)
	root.SetErr(std.err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return cli.WithHint(plainFlagError(err), flagHint(cmd, err))
	})
	root.AddCommand(newAudit(std), newDemo(std), newProbe(std), newURL(std), newLogs(std), newReport(std), newDiff(std), newList(std),
		newServe(std), newRules(std), newGoogle(std), newInspect(std), newSubmit(std), newWatch(std), newWorker(std), newFleet(std),
		newVersion(std), newFixTopic(), newFlagsTopic())
	root.InitDefaultHelpCmd()
	help, _, _ := root.Find([]string{"help"}) // it is there
	help.Args = func(_ *cobra.Command, args []string) error {
		if about, _, _ := root.Find(args); about == root {
			return knownCommand(root, args)
		}
		return nil
	}
	return root
}

// helpOf returns the command that shows the help of cmd.
func helpOf(cmd *cobra.Command) string {
	return strings.Replace(cmd.CommandPath(), "sitemend", "sitemend help", 1)
}

// knownCommand refuses arguments of the program itself: they are no command. Who
// forgets to name one most likely wants an audit.
func knownCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "sitemend help shows the commands"
	if like := root.SuggestionsFor(args[0]); len(like) > 0 {
		hint = "did you mean sitemend " + like[0] + "? " + hint
	} else if strings.ContainsAny(args[0], "./") {
		hint = "as in sitemend audit " + args[0]
	}
	return cli.WithHint(fmt.Errorf("there is no command %q", args[0]), hint)
}

// takes refuses fewer or more arguments, which are called what; most is -1 for any number.
func takes(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		name, hint := strings.TrimPrefix(cmd.CommandPath(), "sitemend "), helpOf(cmd)+" shows an example"
		switch {
		case len(args) < least:
			return cli.WithHint(fmt.Errorf("%s needs %s", name, what), hint)
		case most >= 0 && len(args) > most:
			return cli.WithHint(fmt.Errorf("%s takes %s: %q is too many", name, what, args[most]), hint)
		}
		return nil
	}
}
