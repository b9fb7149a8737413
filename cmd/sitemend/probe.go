package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"
	"golang.org/x/text/unicode/norm"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/job"
	"sitemend/crawler"
	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
	"sitemend/crawler/probe"
	"sitemend/report/messages"
)

// probeFlags are the flags of probe.
type probeFlags struct{ job.Asking }

// probeRequests is how many requests one URL may take, redirects and tries included.
const probeRequests = 40

func newProbe(std stdio) *cobra.Command {
	f := &probeFlags{}
	cmd := &cobra.Command{
		Use:   "probe URL...",
		Short: "Which percent-encoded spellings of one URL does the server accept?",
		Long: `Request each URL as it is given, then in every other encoding, one difference at a
time, and print how each was answered and where it leads.

Exit status:
  0  all encodings of the address that were answered are answered alike
  1  some are answered otherwise (another letter case or slash does not count)
  2  the given form, or every other spelling, could not be requested
  3  interrupted`,
		Example: "  sitemend probe 'http://wiki.example/wiki.cgi?mod_cache%A4%C7Wiki%284%29'\n  sitemend probe --rate 1 'https://shop.example/offers/spring%20(2026)'",
		Args: atLeastOne("probe needs a URL",
			"as in sitemend probe 'https://shop.example/a%28b%29'; quote it for the shell"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runProbe(cmd.Context(), std, f, args)
		},
	}
	fs := cmd.Flags()
	addAsking(fs, &f.Asking)
	fs.Float64Var(&f.Rate, "rate", 2, "requests a second for each host; 0 = no ceiling")
	return cmd
}

// prepare checks flags and URLs.
func (f *probeFlags) prepare(args []string) (crawler.Options, []address.Address, error) {
	var o crawler.Options
	if err := f.Check(); err != nil {
		return o, nil, err
	}
	var urls []address.Address
	audited := &fetch.Audited{}
	for _, arg := range args {
		a, err := address.Parse(arg)
		if err == nil && len(a.String()) > audit.MaxAddress {
			err = fmt.Errorf("a URL of %d bytes is too long to request", len(a.String()))
		}
		if err != nil {
			return o, nil, cli.WithHint(err,
				"URL is a whole URL, as https://shop.example/a%28b%29")
		}
		audited.Add(a)
		urls = append(urls, a)
	}
	ask, err := f.Options(urls, audited)
	ask.Parallel = 1
	rules := audit.Rules{MaxHops: f.MaxHops, Robots: f.Robots, Spelling: address.None}
	if len(ask.Headers) > 0 || f.User != "" {
		rules.Secret = audited.Origins()
	}
	return crawler.Options{Rules: rules, Ask: ask, Rate: f.Rate, GivenRate: true, Parallel: 1},
		urls, err
}

// runProbe probes each URL and prints what was found.
func runProbe(ctx context.Context, std stdio, f *probeFlags, args []string) error {
	o, urls, err := f.prepare(args)
	if err != nil {
		return err
	}
	p := probe.New(o, probeRequests)
	defer p.Close()
	var unseen error
	otherwise, refused := false, map[string]int{}
	for i, a := range urls {
		f.announce(std.err, a)
		found, err := p.Probe(ctx, a)
		if err != nil {
			return err
		}
		otherwise = otherwise || found.Respelled()
		unseen = errors.Join(unseen, notSeen(found))
		if !found.Seen() {
			refused[probe.UnseenBy(&found.Trail)]++
		}
		if i > 0 {
			fmt.Fprintln(std.out)
		}
		if err := printProbe(std.out, found, o.Ask.Identity.Label); err != nil {
			return err
		}
	}
	switch {
	case unseen != nil:
		return cli.WithHint(unseen, unseenHint(&o, refused))
	case otherwise:
		return exit(exitFound)
	}
	return nil
}

// unseenHint returns the hint where nothing could be crawled; refused counts the causes.
func unseenHint(o *crawler.Options, refused map[string]int) string {
	info := audit.Info{Identity: o.Ask.Identity.Name, Rules: o.Rules}
	if ways := messages.Of("en").LetIn(&info, refused); len(ways) > 0 {
		return strings.ReplaceAll(strings.Join(ways, " "), "`", "")
	}
	return "check the name; --robots note requests what robots.txt forbids, or where it does not answer"
}

// announce prints on standard error what is requested, because that takes a while.
func (f *probeFlags) announce(w io.Writer, a address.Address) {
	rate := ""
	if f.Rate > 0 {
		rate = fmt.Sprintf(", %g a second", f.Rate)
	}
	fmt.Fprintf(w, "sitemend: requesting %s and its spellings, %s at most%s\n", a,
		cli.Plural(probeRequests, "request", "requests"), rate)
}

// notSeen returns the error of a probe without any usable answer.
func notSeen(p *probe.Result) error {
	switch hidden := p.Count(probe.LeadUnseen) + p.Count(probe.LeadForbidden) + p.Count(probe.LeadLeftOut); {
	case !p.Seen():
		return fmt.Errorf("%s could not be seen: %s", p.Given, probe.WhyUnseen(&p.Trail))
	case hidden == len(p.Answers) && hidden > 0:
		return fmt.Errorf("no other spelling of %s could be requested", p.Given)
	}
	return nil
}

func printProbe(w io.Writer, p *probe.Result, label string) error {
	text := address.Readable(p.Given.String())
	head := []string{text.Text}
	if words := charsetWords(text.Charset, text.Confidence); words != "" {
		head = append(head, words)
	}
	head = append(head, fmt.Sprintf("requested as %s, %s", label,
		cli.Plural(p.Requests, "request", "requests")))
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s\n\n", strings.Join(head, "    "), probeTable(p))
	for i, s := range p.Findings {
		mark := "Finding  "
		if i > 0 {
			mark = "         "
		}
		fmt.Fprintf(&b, "%s%s\n", mark, s)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// probeTable lists the spellings and their answers. Targets are shown readable, requested addresses
// as sent.
func probeTable(p *probe.Result) string {
	t := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "  ", ""
	style.Format = table.FormatOptions{}
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	t.AppendHeader(table.Row{"spelling", "answer", "leads", "requested"})
	t.AppendRow(table.Row{"as given", probe.Statuses(&p.Trail), givenLeads(p), p.Given.Target()})
	for i := range p.Answers {
		s := &p.Answers[i]
		t.AppendRow(table.Row{strings.Join(s.Names, " = "), probe.Statuses(&s.Trail), leads(p, s),
			s.URL.Target()})
	}
	return t.Render()
}

func givenLeads(p *probe.Result) string {
	if last := p.Trail.Last().Hop; len(p.Trail.Steps) > 1 {
		return "to " + leadsTo(last.URL, p.Given)
	}
	return ""
}

// leadsTo returns a target in readable form, or in wire form where one of the requested addresses
// reads the same, so that the difference shows.
func leadsTo(url string, asked ...address.Address) string {
	text := address.Readable(url).Text
	reads := func(s string) bool { return norm.NFC.String(s) == norm.NFC.String(text) }
	for _, a := range asked {
		if a.String() != url && reads(address.Readable(a.String()).Text) {
			return url
		}
	}
	return text
}

// leadWords are the texts for where a spelling leads. The address follows that of LeadElsewhere.
var leadWords = map[probe.Lead]string{
	probe.LeadSame: "the same", probe.LeadBack: "back to the given form",
	probe.LeadEnd: "it is where the given form leads", probe.LeadElsewhere: "elsewhere: ",
	probe.LeadNowhere: "nowhere: redirected without an end", probe.LeadAnswer: "another answer",
	probe.LeadPage: "another title", probe.LeadRefused: "refused to us",
	probe.LeadUnseen: "could not be seen", probe.LeadForbidden: "not requested: robots.txt",
	probe.LeadLeftOut: "left out: requests used up",
}

// leads returns where a spelling leads, in words.
func leads(p *probe.Result, s *probe.Answer) string {
	words := leadWords[s.Lead]
	if s.Lead == probe.LeadElsewhere {
		end := s.Trail.Last().Hop.URL
		words += leadsTo(end, p.Given, s.URL, address.Wire(p.Trail.Last().Hop.URL))
	}
	return words
}
