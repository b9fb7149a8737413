package watch_test

import (
	"io"
	"log/slog"
	"testing"

	"github.com/spf13/pflag"

	"sitemend/cmd/internal/job"
	"sitemend/cmd/internal/watch"
	"sitemend/crawler/audit"
)

// must ends a test that cannot go on.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// loader reads configurations with a few of the flags of audit, of each type, and the given
// environment.
func loader(env map[string]string) watch.Loader {
	flags := func() (*pflag.FlagSet, func([]string) (job.Spec, error)) {
		s := &job.Spec{}
		fs := pflag.NewFlagSet("", pflag.ContinueOnError)
		fs.Float64Var(&s.Rate, "rate", 10, "requests a second")
		fs.IntVar(&s.KeepAudits, "keep-audits", 0, "audits that are left")
		fs.IntVar(&s.Parallel, "parallel", 4, "requests at once")
		fs.DurationVar(&s.Timeout, "timeout", 30e9, "time for a page")
		fs.BoolVar(&s.AllowPrivate, "allow-private", false, "let it lead to private addresses")
		fs.StringSliceVar(&s.FailOn, "fail-on", []string{"problem"}, "what fails")
		fs.StringArrayVar(&s.Resolve, "resolve", nil, "connect elsewhere")
		fs.StringVar(&s.User, "user", "", "NAME:PASS")
		fs.StringVar(&s.Out, "out", "", "where outputs go")
		fs.StringVar(&s.Exclude, "exclude", "", "leave out")
		fs.StringVar(&s.CA, "ca", "", "a PEM file")
		fs.StringVar(&s.As, "as", "googlebot", "the robot")
		fs.StringArrayVar(&s.Headers, "header", nil, "a header field")
		fs.StringArrayVar(&s.Map, "map", nil, "ask another host")
		fs.StringSliceVar(&s.Fix, "fix", nil, "what is corrected")
		fs.StringSliceVar(&s.Formats, "format", []string{"jsonl"}, "outputs")
		fs.StringVar(&s.MaxDrop, "max-drop", "10%", "what may be dropped")
		fs.StringVar(&s.Expect, "expect", "", "a map of addresses")
		fs.StringVar(&s.Lang, "lang", "en", "the language")
		fs.BoolVar(&s.Links, "links", false, "read links")
		fs.StringVar(&s.Servers.URL, "via", "", "servers")
		fs.StringVar(&s.Politeness, "politeness", job.PoliteSite, "one pace for")
		fs.StringVar(&s.Servers.Creds, "nats-creds", "", "credentials")
		return fs, func(targets []string) (job.Spec, error) {
			s.Also = []string{string(audit.AlsoAlternates)}
			s.Robots, s.Spelling, s.MaxHops = "obey", "googlebot", 10
			s.RateGiven, s.Targets = fs.Changed("rate"), targets
			return *s, nil
		}
	}
	getenv := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	return watch.Loader{Flags: flags, Getenv: getenv, Secrets: new(watch.Secrets), Lang: "en", Env: job.Env{Log: slog.New(slog.NewTextHandler(io.Discard, nil))}}
}
