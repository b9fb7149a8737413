package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/job"
	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/probe"
	"sitemend/report/messages"
)

// probeRequests is how many requests one URL may take, redirects and tries included.
const probeRequests = 40

func newProbe(std stdio) *cobra.Command {
	f := &job.Asking{}
	cmd := &cobra.Command{
		Use:   "probe URL...",
		Short: "Which encodings of one URL does the server accept?",
		Long: `Request each URL as it is given, then in every other encoding, one difference at a
time, and print how each was answered and where it leads.

Exit status:
  0  all encodings of the URL that were answered are answered alike
  1  some are answered differently (letter case and slashes do not count)
  2  the given form, or every other encoding, could not be requested
  3  interrupted`,
		Example: "  sitemend probe 'http://wiki.example/wiki.cgi?mod_cache%A4%C7Wiki%284%29'\n  sitemend probe --rate 1 'https://shop.example/offers/spring%20(2026)'",
		Args:    takes(1, -1, "a URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runProbe(cmd.Context(), std, f, args)
		},
	}
	declare(cmd.Flags(), asking(f), []option{{"rate", &f.Rate, 2.0, "requests a second for each host; 0 = no ceiling"}})
	return cmd
}

// runProbe probes each URL and prints what was found.
func runProbe(ctx context.Context, std stdio, f *job.Asking, args []string) error {
	if err := f.Check(); err != nil {
		return err
	}
	var urls []address.Address
	for _, arg := range args {
		a, err := address.Parse(arg)
		if err == nil && len(a.String()) > address.MaxLength {
			err = fmt.Errorf("a URL of %d bytes is too long to request", len(a.String()))
		}
		if err != nil {
			return cli.WithHint(err, "URL is a whole URL, as https://shop.example/a%28b%29")
		}
		urls = append(urls, a)
	}
	o, err := single(f, urls...)
	if err != nil {
		return err
	}
	p := probe.New(o, probeRequests)
	defer p.Close()
	var unseen error
	otherwise, refused := false, map[string]int{}
	for i, a := range urls {
		fmt.Fprintf(std.err, "sitemend: requesting %s and its other encodings, %s at most\n", a, cli.Plural(probeRequests, "request", "requests"))
		found, err := p.Probe(ctx, a)
		if err != nil {
			return err
		}
		otherwise = otherwise || found.Respelled()
		if !found.Seen() {
			unseen = errors.Join(unseen, fmt.Errorf("%s could not be seen: %s", found.Given, probe.WhyUnseen(&found.Trail)))
			refused[(&audit.Row{Verdict: audit.Unverified, Trail: found.Trail}).UnseenBy()]++
		} else if len(found.Answers) > 0 && !slices.ContainsFunc(found.Answers, func(s probe.Answer) bool { return s.Lead.Known() }) {
			unseen = errors.Join(unseen, fmt.Errorf("no other encoding of %s could be requested", found.Given))
		}
		if i > 0 {
			fmt.Fprintln(std.out)
		}
		if err := printProbe(std.out, found, o.Ask.Identity.Label); err != nil {
			return err
		}
	}
	if unseen != nil {
		ways := messages.Of("en").LetIn(&audit.Info{Identity: o.Ask.Identity.Name, Rules: o.Rules}, refused)
		hint := cmp.Or(strings.ReplaceAll(strings.Join(ways, " "), "`", ""), "check the name; --robots note requests what robots.txt forbids, or where it does not answer")
		return cli.WithHint(unseen, hint)
	}
	if otherwise {
		fmt.Fprintln(std.err, "sitemend: another encoding of the URL is answered differently")
		return exit(exitFound)
	}
	return nil
}

// printProbe prints how a URL and its other encodings were answered.
func printProbe(w io.Writer, p *probe.Result, label string) error {
	head := p.Given.String() // escapes of ASCII are what is asked about: they stay
	if text := address.Readable(head); text.Charset != "" {
		head = text.Text + "    " + text.Charset
	}
	fmt.Fprintf(w, "%s    requested as %s, %s\n\n", head, label, cli.Plural(p.Requests, "request", "requests"))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "  form\tanswer\tcompared\trequested\n")
	given := ""
	if len(p.Trail.Steps) > 1 {
		given = "to " + p.Trail.Last().Hop.URL
	}
	fmt.Fprintf(table, "  as given\t%s\t%s\t%s\n", probe.Statuses(&p.Trail), given, p.Given.Target())
	for i := range p.Answers {
		s := &p.Answers[i]
		leads := string(s.Lead)
		if s.Lead == probe.LeadElsewhere {
			leads += ": " + s.Trail.Last().Hop.URL
		}
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\n", strings.Join(s.Names, " = "), probe.Statuses(&s.Trail), leads, s.URL.Target())
	}
	err := table.Flush()
	if p.Unsteady {
		fmt.Fprint(w, "\nThe given form was answered differently at the end: this proves nothing.\n")
	}
	return err
}
