package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/engine"
	"sitemend/cmd/internal/job"
	"sitemend/cmd/internal/prove"
	"sitemend/cmd/internal/scratch"
	"sitemend/crawler/address"
	"sitemend/crawler/rules/write"
	"sitemend/storage"
)

// rulesFlags are the flags of rules.
type rulesFlags struct {
	job.Spec
	format, host, verify string
	status               int
	all                  bool
}

// verifyHere is --verify without an origin.
const verifyHere = "here"

func newRules(std stdio) *cobra.Command {
	f := &rulesFlags{}
	cmd := &cobra.Command{
		Use:   "rules [AUDIT|FILE] --for FORMAT",
		Short: "Write redirect rules for a server or host, chains collapsed to one hop",
		Long: `Write rules that lead each URL of an audit, or of a map, to its page in one redirect.
AUDIT is an id of sitemend list, or latest (the default). FILE is a map: CSV of old,new
or lines of a _redirects file; - is standard input. --verify requests every source and
target: of the real server if it is installed, else of a model, or of a live ORIGIN.

Exit status:
  0  the rules are written, and hold where they were verified
  1  a rule does not hold (--verify)
  2  there is nothing to write, or it could not be written
  3  interrupted`,
		Example: "  sitemend rules --for nginx --out missing.map\n  sitemend rules --for netlify --verify --out _redirects\n  sitemend rules old-to-new.csv --for apache --verify https://staging.example",
		Args:    takes(0, 2, "one AUDIT or FILE"),
		RunE:    func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), std, args) },
	}
	declare(cmd.Flags(), asking(&f.Asking), []option{
		storeFlag(&f.Spec),
		{"for", &f.format, nil, "`FORMAT` of the rules: " + strings.Join(write.Names(), ", ")},
		{"out", &f.Out, "-", "`FILE` for the rules, - for standard output; for html the folder of the build"},
		{"host", &f.host, nil, "`NAME` of the host, where there are rules for several"},
		{"status", &f.status, 301, "301 or 308"},
		{"all", &f.all, nil, "also URLs that take one redirect today"},
		{"verify", &f.verify, nil, "ask whether the rules hold: here, or of a live `ORIGIN`"},
		{"rate", &f.Rate, 2.0, "requests a second of --verify ORIGIN; 0 = no ceiling"},
	})
	cmd.Flags().Lookup("verify").NoOptDefVal = verifyHere
	return cmd
}

// auditID matches the id of an audit.
var auditID = regexp.MustCompile(`^\d{8}T\d{6}Z`)

// prepare reads flags and arguments: the format, and the source of the rules.
func (f *rulesFlags) prepare(args []string) (format *write.Format, from string, err error) {
	if n := len(args) - 1; n >= 0 && f.verify == verifyHere && strings.Contains(args[n], "://") {
		f.verify, args = args[n], args[:n]
	}
	format, from = write.ByName(f.format), append(args, storage.Latest)[0]
	takes := cli.DidYouMean(f.format, write.Names()) + "--for takes " + strings.Join(write.Names(), ", ")
	switch {
	case len(args) > 1:
		err = cli.WithHint(fmt.Errorf("rules takes one AUDIT or FILE: %q is too many", args[1]), "sitemend help rules shows what it takes")
	case f.format == "":
		err = cli.WithHint(errors.New("rules needs --for FORMAT"), takes)
	case format == nil:
		err = cli.WithHint(fmt.Errorf("--for %q is unknown", f.format), takes)
	case !slices.Contains(format.Statuses, f.status):
		err = cli.WithHint(fmt.Errorf("--status %d cannot be written for %s", f.status, format.Name),
			"it takes "+strings.Trim(strings.ReplaceAll(fmt.Sprint(format.Statuses), " ", " or "), "[]"))
	case format.Name == "html" && f.Out == "-":
		err = cli.WithHint(errors.New("--for html writes a file for each rule"), "name the folder of the build: --out DIR")
	case from != "-" && filepath.Clean(f.Out) == filepath.Clean(from):
		err = cli.WithHint(fmt.Errorf("--out %s is the map itself", f.Out), "give the rules a file of their own")
	case f.verify != "":
		err = f.canVerify(format)
	}
	return format, from, cmp.Or(err, f.Check())
}

// canVerify rejects a --verify that could not check anything, before anything is written.
func (f *rulesFlags) canVerify(format *write.Format) error {
	const live = "ask a live server: --verify https://staging.example"
	switch {
	case !format.Text():
		return cli.WithHint(fmt.Errorf("--verify cannot prove %s", format.Name), "prove the rules in the format of the server that will use them")
	case address.HasUser(f.verify):
		return cli.NoUser("--verify", f.verify)
	case f.verify != verifyHere:
		if origin, err := address.Parse(f.verify); err != nil || origin.Target() != "/" {
			return cli.WithHint(fmt.Errorf("--verify %q is no origin", f.verify), "as in --verify https://staging.example")
		}
	case format.Server != "":
		if _, err := engine.Find(format.Server); err != nil {
			return cli.WithHint(err, "install "+format.Server+", or "+live)
		}
	case !prove.HasModel(format.Name):
		return cli.WithHint(fmt.Errorf("there is neither a server nor a model here for %s", format.Name), live)
	}
	return nil
}

func (f *rulesFlags) run(ctx context.Context, std stdio, args []string) error {
	format, from, err := f.prepare(args)
	if err != nil {
		return err
	}
	plan, asked, err := f.plan(ctx, std, format, from)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(std.err, account(plan, asked)); err != nil || f.verify == "" {
		return err
	}
	proof, by, err := f.prove(ctx, plan)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(std.err, proofText(proof, by)); err != nil {
		return err
	}
	if len(proof.Failures) > 0 {
		return exit(exitFound)
	}
	return nil
}

// plan reads the source of the rules and writes them. The store is open only meanwhile.
func (f *rulesFlags) plan(ctx context.Context, std stdio, format *write.Format, from string) (plan *write.Plan, asked *job.Redirects, err error) {
	if from == storage.Latest || auditID.MatchString(from) {
		var held job.Closers
		defer held.Close()
		s := job.Spec{Store: f.Store} // --out is that of the rules
		_, a, err := job.OpenStore(s.ReadStore, from, &held)
		if err == nil {
			asked, err = job.AuditRules(ctx, a, f.all)
		}
		if err != nil {
			return nil, nil, err
		}
	} else if asked, err = readMap(ctx, std, from); err != nil {
		return nil, nil, err
	}
	if plan, err = f.ofHost(ctx, format, asked); err != nil {
		return nil, nil, err
	}
	return plan, asked, f.write(std, plan, asked)
}

// readMap reads a map of old and new addresses.
func readMap(ctx context.Context, std stdio, from string) (*job.Redirects, error) {
	if from == "-" {
		text, err := io.ReadAll(cli.Reading(ctx, std.in))
		if err != nil {
			return nil, err
		}
		return job.MapRules("standard input", text)
	}
	text, err := cli.ReadFile(ctx, from, job.MapBytes)
	if err != nil {
		return nil, cli.WithHint(err, "rules takes the id of an audit, as sitemend list shows them, or a file with a map")
	}
	return job.MapRules(from, text)
}

// ofHost makes the rules of one host.
func (f *rulesFlags) ofHost(ctx context.Context, format *write.Format, asked *job.Redirects) (*write.Plan, error) {
	hosts, notes, host := map[string]int{}, map[string]int{}, strings.ToLower(f.host)
	for i := range asked.List {
		if x := &asked.List[i]; x.Note != "" {
			notes[x.Note]++
		} else {
			hosts[x.Host]++
		}
	}
	switch {
	case len(hosts) == 0:
		return nil, nothing(notes)
	case host == "" && len(hosts) > 1:
		return nil, cli.WithHint(fmt.Errorf("there are rules for %d hosts: %s", len(hosts), hostList(hosts)), "--host NAME takes those of one")
	case host == "":
		for host = range hosts {
		}
	case hosts[host] == 0 && hosts[""] == 0:
		return nil, cli.WithHint(fmt.Errorf("there is no rule for %s", host), "--host takes one of "+hostList(hosts))
	}
	if format.PerHost && host == "" {
		return nil, cli.WithHint(fmt.Errorf("%s names the host in each rule, and the map has only paths", format.Name), "name it: --host www.example.com")
	}
	return asked.Plan(ctx, format, host, f.status)
}

// nothing returns the error where there is no rule to write, for the notes of what is left out.
func nothing(notes map[string]int) error {
	if len(notes) > 0 {
		return cli.WithHint(fmt.Errorf("nothing to write: all redirects are left out: %s", noteList(notes)), "docs/rules.md in the source of sitemend says what each means")
	}
	return cli.WithHint(errors.New("nothing to write: no URL takes two redirects, or one to another encoding of itself"),
		"--all also takes URLs with one redirect; a server that redirects another encoding back to the listed one must answer both (sitemend probe)")
}

func hostList(hosts map[string]int) string {
	var list []string
	for host, n := range hosts {
		if host == "" {
			host = "paths without a host"
		}
		list = append(list, fmt.Sprintf("%s (%s)", host, cli.Plural(n, "rule", "rules")))
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// write writes the rules to --out.
func (f *rulesFlags) write(std stdio, p *write.Plan, asked *job.Redirects) error {
	switch p.Format.Name {
	case "html":
		return writePages(f.Out, p)
	case "csv":
		return save(std, f.Out, func(w io.Writer) error { return writeRulesCSV(w, p, asked) })
	}
	return save(std, f.Out, p.Write)
}

// save writes the output of write to a file, which never exists half-written; - is standard output.
// What is no regular file, as a link, /dev/null or a pipe, is written to, and not replaced.
func save(std stdio, name string, write func(io.Writer) error) error {
	if name == "-" {
		return write(std.out)
	}
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_TRUNC, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(file), file.Close())
	}
	return scratch.Replace(filepath.Dir(name), filepath.Base(name), write)
}
