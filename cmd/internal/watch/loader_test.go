package watch

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/pflag"

	"sitemend/cmd/internal/job"
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
func loader(env map[string]string) Loader {
	flags := func() (*pflag.FlagSet, func([]string) (job.Spec, error)) {
		s := &job.Spec{Also: []string{"alternates"}, Spelling: "googlebot", MaxDrop: "10%"}
		s.Robots, s.MaxHops, s.Politeness = "obey", 10, job.PoliteSite
		fs := pflag.NewFlagSet("", pflag.ContinueOnError)
		fs.Float64Var(&s.Rate, "rate", 10, "")
		fs.IntVar(&s.KeepAudits, "keep-audits", 0, "")
		fs.IntVar(&s.Parallel, "parallel", 4, "")
		fs.DurationVar(&s.Timeout, "timeout", 30e9, "")
		fs.BoolVar(&s.Links, "links", false, "")
		fs.StringSliceVar(&s.FailOn, "fail-on", []string{"problem"}, "")
		fs.StringSliceVar(&s.Formats, "format", []string{"jsonl"}, "")
		fs.StringArrayVar(&s.Resolve, "resolve", nil, "")
		fs.StringArrayVar(&s.Headers, "header", nil, "")
		for name, to := range map[string]*string{"user": &s.User, "out": &s.Out, "exclude": &s.Exclude, "ca": &s.CA, "as": &s.As, "expect": &s.Expect, "lang": &s.Lang, "via": &s.Servers.URL} {
			fs.StringVar(to, name, map[string]string{"as": "googlebot", "lang": "en"}[name], "")
		}
		return fs, func(targets []string) (job.Spec, error) {
			s.RateGiven, s.Targets = fs.Changed("rate"), targets
			return *s, nil
		}
	}
	getenv := func(name string) string { return env[name] }
	return Loader{Flags: flags, Getenv: getenv, Secrets: new(Secrets), Lang: "en", Env: job.Env{Log: slog.New(slog.DiscardHandler)}}
}

// load reads a configuration from a file of a folder.
func load(t *testing.T, dir string, env map[string]string, text string) (*Config, error) {
	t.Helper()
	path := filepath.Join(dir, "watch.yaml")
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return loader(env).Load(t.Context(), path)
}
