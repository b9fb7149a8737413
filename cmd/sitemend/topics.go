package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// newFixTopic is the help topic "fix": what --fix and --fail-on may name. It is no command.
func newFixTopic() *cobra.Command {
	var b strings.Builder
	c := messages.Of("en")
	b.WriteString("--fix VERDICT=keep|drop|replace changes what is done about a verdict. The defaults:\n\n")
	for _, v := range audit.Verdicts() {
		fmt.Fprintf(&b, "  %-20s %-8s %s\n", v, v.Facts().Fix, c.Verdict(v).Name)
	}
	b.WriteString("\n--fix NOTE=replace lifts a rule that keeps URLs:\n\n")
	for _, n := range audit.Stops() {
		if n.Liftable() {
			fmt.Fprintf(&b, "  %-20s %s\n", n, c.Remark(n).What)
		}
	}
	b.WriteString("\n--fix all=keep only reports. --fail-on takes verdicts, too, and: problem (all but ok,\nskipped, unverified, disallowed, spelling-bounce, spelling-conflict; and sitemaps that\ncould not be read), any, faults, unmet, none; with limits as moved:1%, not-found:20.\n\nA page for each verdict: " + messages.Doc("VERDICT"))
	return &cobra.Command{Use: "fix", Short: "What --fix and --fail-on can name", Long: b.String()}
}

// newFlagsTopic is the help topic "flags": the flags of audit that its help leaves out.
func newFlagsTopic() *cobra.Command {
	var all common
	every, rest := newFlagSet(), newFlagSet()
	all.add(every)
	every.VisitAll(func(f *pflag.Flag) {
		if !strings.Contains(auditHelp, "--"+f.Name) && f.Shorthand == "" {
			rest.AddFlag(f)
		}
	})
	return &cobra.Command{Use: "flags", Short: "The flags of audit that few need",
		Long: "The flags of sitemend audit that sitemend help audit leaves out:\n\n" + strings.TrimRight(rest.FlagUsagesWrapped(100), "\n")}
}
