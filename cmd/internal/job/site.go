package job

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/build"
	"sitemend/crawler/rules/hosts"
	"sitemend/report/command"
)

// A Site is the build that is audited before it is deployed; none without Dir.
type Site struct {
	Dir      string
	ServedBy string   // one of hosts.Names; "" where files of the build say it
	Rules    []string // rule files; nil where they are looked for
	Options  []string // NAME=VALUE or NAME
	Online   bool     // other hosts are requested over the network
}

// siteTarget finds the target of a build, where none is named.
func (f *Spec) siteTarget() error {
	s := &f.Site
	if s.Dir == "" {
		return nil
	}
	s.Dir = filepath.Clean(s.Dir) // "public" and "./public/" are one build
	if len(f.Targets) > 1 {
		return cli.WithHint(errors.New("--site takes one TARGET"), "the site that the build is for, as in sitemend audit --site "+command.Word(s.Dir)+" https://www.example.com")
	}
	if len(f.Targets) == 1 {
		return nil
	}
	at, err := build.Origin(s.Dir)
	f.Targets = []string{at.Origin()}
	return err
}

// site opens the build, once it is known how to ask.
func (j *job) site() error {
	s := &j.f.Site
	if s.Dir == "" {
		return nil
	}
	target := &j.d.Targets[0]
	if len(target.URLs) == 0 {
		return cli.WithHint(fmt.Errorf("--site takes a site as TARGET, not %s", target.Text), "its sitemaps are read from the build; as in sitemend audit --site "+command.Word(s.Dir)+" https://www.example.com")
	}
	target.URLs = target.URLs[:1] // http leads to https, where no scheme is named
	settings := map[string]string{}
	for _, o := range s.Options {
		name, value, _ := strings.Cut(o, "=")
		settings[name] = value
	}
	b, err := build.Open(s.Dir, build.Options{Origin: target.URLs[0], Host: hosts.Name(s.ServedBy), Rules: s.Rules, Settings: settings, Online: s.Online})
	if err != nil {
		return err
	}
	j.build = b
	j.closers.Add(b.Close)
	j.o.Ask.Site = b
	if !j.f.RateGiven {
		j.o.Rate, j.o.GivenRate = 0, true
	}
	j.o.Parallel = max(j.o.Parallel, 2*runtime.GOMAXPROCS(0))
	return nil
}
