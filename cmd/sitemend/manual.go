package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Manual pages are made of the texts of --help. github.com/spf13/cobra/doc takes these for
// Markdown: it would run the lines of an exit status together and read _headers as emphasis.

// documented returns root, its commands and its topics: everything with a manual page.
func documented(root *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{root}
	for _, c := range root.Commands() {
		if !c.Hidden && c.Name() != "help" && c.Name() != "completion" {
			all = append(all, documented(c)...)
		}
	}
	return all
}

// section is the section of the manual that a command belongs to; topics are in 7.
func section(c *cobra.Command) string {
	if c.IsAdditionalHelpTopicCommand() {
		return "7"
	}
	return "1"
}

// pageName returns the name of a command's manual page, without its section.
func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manualPage returns the manual page of a command, as man(7) has it. It has no date: the same
// program always gives the same page.
func manualPage(c *cobra.Command) string {
	var p page
	p.macro(".TH", strings.ToUpper(pageName(c)), section(c), "", "sitemend "+version(), "sitemend")
	p.macro(".SH", "NAME")
	p.text(pageName(c) + " - " + c.Short)
	about, status, _ := strings.Cut(c.Long, "\n\nExit status:")
	if c.Runnable() {
		p.macro(".SH", "SYNOPSIS")
		p.text(c.UseLine())
	}
	p.macro(".SH", "DESCRIPTION")
	p.prose(about)
	p.commands(c)
	p.flags(c.NonInheritedFlags())
	if status != "" {
		p.macro(".SH", "EXIT STATUS")
		p.statuses(status)
	}
	if c.Example != "" {
		p.macro(".SH", "EXAMPLES")
		p.asIs(c.Example)
	}
	p.related(c)
	return p.String()
}

// A page is a manual page that is being written.
type page struct{ strings.Builder }

// macro writes a line that begins with a macro. An empty argument stays one.
func (p *page) macro(name string, args ...string) {
	p.WriteString(name)
	for _, a := range args {
		p.WriteString(` "` + strings.ReplaceAll(escaped(a), `"`, `\(dq`) + `"`)
	}
	p.WriteString("\n")
}

// text writes text that is wrapped.
func (p *page) text(s string) {
	for line := range strings.Lines(s) {
		p.WriteString(escapedLine(strings.TrimRight(line, "\n")) + "\n")
	}
}

// prose writes paragraphs. One with an indented line is laid out by hand and stays as it is.
func (p *page) prose(s string) {
	for i, par := range strings.Split(strings.TrimSpace(s), "\n\n") {
		if i > 0 {
			p.macro(".PP")
		}
		if strings.HasPrefix(par, " ") || strings.Contains(par, "\n ") {
			p.asIs(par)
		} else {
			p.text(par)
		}
	}
}

// asIs writes lines that keep their line breaks.
func (p *page) asIs(s string) {
	p.macro(".EX")
	p.text(s)
	p.macro(".EE")
}

// item writes a term and its meaning.
func (p *page) item(term, text string) {
	p.macro(".TP")
	p.WriteString(term + "\n")
	p.text(text)
}

// commands lists the subcommands of a command.
func (p *page) commands(c *cobra.Command) {
	below := documented(c)[1:]
	if len(below) == 0 {
		return
	}
	p.macro(".SH", "COMMANDS")
	for _, c := range below {
		p.item(bold(c.CommandPath()), c.Short)
	}
}

// flags lists the options of a command.
func (p *page) flags(all *pflag.FlagSet) {
	if !all.HasAvailableFlags() {
		return
	}
	p.macro(".SH", "OPTIONS")
	all.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		term := bold("--" + f.Name)
		if f.Shorthand != "" {
			term = bold("-"+f.Shorthand) + ", " + term
		}
		if value != "" {
			term += " " + `\fI` + escaped(value) + `\fR`
		}
		if !slices.Contains([]string{"", "false", "0", "0s", "[]"}, f.DefValue) {
			usage += fmt.Sprintf(" (default %s)", strings.Trim(f.DefValue, "[]"))
		}
		p.item(term, usage)
	})
}

// statusLine is a line of an exit status: the number, and what it means.
var statusLine = regexp.MustCompile(`^  (\d)  (.*)`)

// statuses writes exit statuses: a table with a line for each, or a sentence.
func (p *page) statuses(s string) {
	for line := range strings.Lines(strings.TrimLeft(s, "\n")) {
		if m := statusLine.FindStringSubmatch(line); m != nil {
			p.item(bold(m[1]), m[2])
		} else {
			p.text(strings.TrimSpace(line))
		}
	}
}

// related names the page of the whole program, and the pages that this one has above it.
func (p *page) related(c *cobra.Command) {
	var pages []string
	c.VisitParents(func(up *cobra.Command) {
		pages = append(pages, pageName(up)+"("+section(up)+")")
	})
	if len(pages) == 0 {
		return
	}
	slices.Reverse(pages)
	p.macro(".SH", "SEE ALSO")
	p.text(strings.Join(pages, ", "))
}

func bold(s string) string { return `\fB` + escaped(s) + `\fR` }

// plainOctets escapes the characters that troff would print as typographic ones: a command copied
// from the page must run.
var plainOctets = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`,
	"~", `\(ti`)

// escaped returns s escaped for a line of a manual page.
func escaped(s string) string { return plainOctets.Replace(s) }

// escapedLine returns s as a line of a manual page, on which a dot at the beginning is not a macro.
func escapedLine(s string) string {
	if strings.HasPrefix(s, ".") {
		return `\&` + escaped(s)
	}
	return escaped(s)
}
