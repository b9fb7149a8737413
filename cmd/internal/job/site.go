package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fxamacker/cbor/v2"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
	"sitemend/crawler/build"
	"sitemend/crawler/rules/hosts"
	"sitemend/storage"
)

// A Site is the build that is audited before it is deployed; none without Dir. Its Origin is that of the
// target.
type Site struct {
	Dir string
	build.Options
}

const siteHint = "name the site that the build is for, as in sitemend audit --site DIR https://www.example.com"

// siteTarget finds the target of a build, where none is named.
func (f *Spec) siteTarget() error {
	s := &f.Site
	if s.Dir == "" {
		return nil
	}
	s.Dir = filepath.Clean(s.Dir) // "public" and "./public/" are one build
	if len(f.Targets) > 0 {
		return refuse(len(f.Targets) > 1, "--site takes one TARGET", siteHint)
	}
	target, err := build.Target(s.Dir, s.Settings)
	f.Targets = []string{target}
	return err
}

// site opens the build, once it is known how to ask.
func (j *job) site() (err error) {
	s := j.f.Site
	if s.Dir == "" {
		return nil
	}
	target := &j.d.Targets[0]
	if len(target.URLs) == 0 {
		return cli.WithHint(fmt.Errorf("--site takes a site as TARGET, not %s: its sitemaps are read from the build", target.Text), siteHint)
	}
	target.URLs = target.URLs[:1] // http leads to https, where no scheme is named
	s.Origin = target.URLs[0]
	if j.build, err = build.Open(s.Dir, s.Options); err != nil {
		return err
	}
	j.closers.Add(j.build.Close)
	j.inputs += fmt.Sprint(j.build.Digest()) // another build is another audit
	j.o.Ask.Site = j.build
	if !j.f.RateGiven {
		j.o.Rate, j.o.GivenRate = 0, true
	}
	return nil
}

// buildKey is the record of an audit of a build that says what answered; the rules lie in
// rulesSpool.
const (
	buildKey   = "build"
	rulesSpool = "rules-of-site"
)

// keepBuild keeps with an audit what answered it, and what the rules did.
func (j *job) keepBuild(ctx context.Context, t *audit.Result) error {
	b, a := j.build, j.a
	if b == nil {
		return nil
	}
	hits := map[answers.RuleAt]int{}
	for row, err := range ruleRows(ctx, t) {
		if err != nil {
			return err
		}
		for _, at := range row.Trail.Rules() {
			hits[at]++
		}
	}
	out := answers.Build{Dir: b.Dir, Origin: b.Origin().Origin(), Host: string(b.Host), Date: hosts.Date,
		Paths: map[string]string{}}
	paths := b.RuleFiles()
	for _, name := range slices.Sorted(maps.Keys(paths)) {
		out.Files = append(out.Files, answers.RuleFile{Name: name, Path: paths[name], Faults: map[string]int{}})
	}
	file, err := a.SpoolWriter(rulesSpool)
	if err != nil {
		return err
	}
	to := cbor.NewEncoder(file)
	b.Check(ctx, func(l hosts.Line) {
		rule := ruleOf(&l, hits)
		addRule(&out, rule)
		err = cmp.Or(err, to.Encode(rule))
	})
	if err := cmp.Or(err, file.Close(), ctx.Err()); err != nil {
		return err
	}
	slices.SortStableFunc(out.Busy, func(x, y answers.Rule) int { return y.Hits - x.Hits })
	out.Busy = out.Busy[:min(len(out.Busy), answers.MostBusy)]
	sitemaps, err := a.Sitemaps()
	for _, s := range sitemaps {
		if path := b.PathOf(address.Wire(cmp.Or(s.AnsweredAt, s.URL))); path != "" {
			out.Paths[s.URL] = path
		}
	}
	return errors.Join(err, a.Save(buildKey, &out), a.Flush(), b.Close()) // its memory is for the outputs
}

// ruleOf is a rule, or a line that is none, with what is wrong with it.
func ruleOf(l *hosts.Line, hits map[answers.RuleAt]int) *answers.Rule {
	rule := &answers.Rule{RuleAt: answers.RuleAt{File: l.File, Line: l.Line}, Source: strings.Join(strings.Fields(l.Text), " ")}
	if r := l.Rule; r != nil {
		rule.Source, rule.Target, rule.Status, rule.Hits = r.Source(), r.Target(), int(r.Status), hits[rule.RuleAt]
	}
	for _, f := range l.Findings {
		rule.Findings = append(rule.Findings, answers.RuleFinding{RuleAt: rule.RuleAt, Fault: string(f.Fault), Error: f.Fault.IsError(), Args: f.Args})
	}
	return rule
}

// addRule counts a rule, and lists it as far as there is room.
func addRule(out *answers.Build, rule *answers.Rule) {
	file := &out.Files[slices.IndexFunc(out.Files, func(f answers.RuleFile) bool { return f.Name == rule.File })]
	if rule.Status != 0 {
		file.Rules++
	}
	if rule.Hits > 0 {
		out.Busy = append(out.Busy, *rule)
	}
	for _, x := range rule.Findings {
		if file.Faults[x.Fault]++; x.Error {
			file.Errors++
		}
		if file.Faults[x.Fault] <= answers.MostFindings {
			if x.Text = rule.Source; rule.Status != 0 {
				x.Text = strings.TrimSpace(rule.Source + " -> " + rule.Target)
			}
			out.Findings = append(out.Findings, x)
		}
	}
}

// buildOf adds to a result what an audit of a build keeps; nothing for an audit of the web.
func buildOf(a *storage.Audit, t *audit.Result) error {
	ok, err := a.Load(buildKey, &t.Build)
	if ok {
		t.Build.Rules = func(ctx context.Context) iter.Seq2[answers.Rule, error] {
			return storage.Spooled[answers.Rule](ctx, a, rulesSpool)
		}
	}
	return err
}
