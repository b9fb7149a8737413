package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// newVerdictsTopic is the help topic "verdicts": what --fix and --fail-on may
// name. It is no command.
func newVerdictsTopic() *cobra.Command {
	var b strings.Builder
	c := messages.Of("en")
	b.WriteString("The verdicts, in order of precedence, each with its default fix:\n\n")
	for _, v := range audit.Verdicts() {
		fmt.Fprintf(&b, "  %-20s %-8s %s\n", v, v.Facts().Fix, c.Verdict(v).Name)
	}
	b.WriteString("\nEach has a page in the source of sitemend, with an example, why Google minds, and what\nto do: " + messages.Doc("VERDICT") + "\n")
	b.WriteString("\nGroups of --fail-on: problem (all but ok, skipped, unverified, disallowed,\nspelling-bounce, spelling-conflict; and sitemaps that could not be read), any (all\nbut ok and skipped, and faults that are errors), faults, none.\n")
	b.WriteString("\nThe rules of what may be written, which --fix NOTE=replace lifts one by one:\n\n")
	for _, n := range audit.LiftableNotes() {
		fmt.Fprintf(&b, "  %-20s %s\n", n, c.Note(n))
	}
	return &cobra.Command{Use: "verdicts",
		Short: "The verdicts and rules that --fix and --fail-on name",
		Long:  strings.TrimRight(b.String(), "\n")}
}
