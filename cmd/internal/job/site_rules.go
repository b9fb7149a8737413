package job

import (
	"bufio"
	"cmp"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/rules/hosts"
	"sitemend/storage"
)

// buildKey is the record of an audit of a build that says what answered; the rules lie in
// rulesSpool, as gob: there may be a million.
const (
	buildKey   = "build"
	rulesSpool = "rules"
)

// keepBuild keeps with an audit what answered it, and what the rules did.
func (j *job) keepBuild(ctx context.Context, a *storage.Audit, t *audit.Result) error {
	b := j.build
	if b == nil {
		return nil
	}
	hits, err := ruleHits(ctx, t)
	if err != nil {
		return err
	}
	spool, err := a.SpoolWriter(rulesSpool)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(spool)
	k := keeping{hits: hits, to: gob.NewEncoder(w), files: map[string]*audit.RuleFile{}, listed: map[[2]string]int{}}
	k.out = audit.Build{Dir: b.Dir, Origin: b.Origin().Origin(), Host: string(b.Host), RecognizedBy: b.RecognizedBy, Date: hosts.Date,
		Online: j.f.Site.Online, Paths: map[string]string{}}
	paths := b.RuleFiles()
	k.out.Files = make([]audit.RuleFile, 0, len(paths))
	for _, name := range slices.Sorted(maps.Keys(paths)) {
		k.out.Files = append(k.out.Files, audit.RuleFile{Name: name, Path: paths[name], Faults: map[string]int{}})
		k.files[name] = &k.out.Files[len(k.out.Files)-1]
	}
	k.out.Untried = b.Check(ctx, k.line)
	if err := cmp.Or(k.err, errors.Join(w.Flush(), spool.Close()), ctx.Err()); err != nil {
		return err
	}
	slices.SortStableFunc(k.out.Busy, func(x, y audit.Rule) int { return y.Hits - x.Hits })
	k.out.Busy = k.out.Busy[:min(len(k.out.Busy), audit.MostBusy)]
	sitemaps, err := a.Sitemaps()
	if err != nil {
		return err
	}
	for _, s := range sitemaps {
		if path := b.PathOf(address.Wire(cmp.Or(s.AnsweredAt, s.URL))); path != "" {
			k.out.Paths[s.URL] = path
		}
	}
	text, err := json.Marshal(&k.out)
	if err == nil {
		err = a.Put(buildKey, text)
	}
	return errors.Join(err, a.Flush())
}

// ruleHits counts the entries that each rule answered.
func ruleHits(ctx context.Context, t *audit.Result) (map[audit.RuleAt]int, error) {
	hits := map[audit.RuleAt]int{}
	for file := range t.Files {
		for row, err := range t.Rows(ctx, file) {
			if err != nil {
				return nil, err
			}
			for _, at := range row.Trail.Rules() {
				hits[at]++
			}
		}
	}
	return hits, nil
}

// keeping spools the rules of a build, and adds them up.
type keeping struct {
	hits   map[audit.RuleAt]int
	to     *gob.Encoder
	err    error // the first of to
	files  map[string]*audit.RuleFile
	listed map[[2]string]int // findings in out, by file and fault
	out    audit.Build
}

// line takes a rule, or a line that is none.
func (k *keeping) line(l hosts.Line) {
	rule := audit.Rule{RuleAt: audit.RuleAt{File: l.File, Line: l.Line}, Source: strings.Join(strings.Fields(l.Text), " ")}
	text, file := rule.Source, k.files[l.File]
	if r := l.Rule; r != nil {
		rule.Source, rule.Target, rule.Status, rule.Hits = r.Source, r.Target, int(r.Status), k.hits[rule.RuleAt]
		text = strings.TrimSpace(r.Source + " -> " + r.Target)
		file.Rules++
	}
	if rule.Hits > 0 {
		k.out.Busy = append(k.out.Busy, rule)
	}
	for _, f := range l.Findings {
		x := audit.RuleFinding{RuleAt: rule.RuleAt, Fault: string(f.Fault), Error: f.Fault.IsError(), Text: text, Key: f.Why, Args: f.Args}
		rule.Findings = append(rule.Findings, x)
		if file.Faults[x.Fault]++; x.Error {
			file.Errors++
		}
		if key := [2]string{x.File, x.Fault}; k.listed[key] < audit.MostFindings {
			k.listed[key]++
			k.out.Findings = append(k.out.Findings, x)
		}
	}
	k.err = cmp.Or(k.err, k.to.Encode(&rule))
}

// buildOf returns what an audit of a build keeps; nil for an audit of the web.
func buildOf(a *storage.Audit) (*audit.Build, error) {
	text, ok, err := a.Get(buildKey)
	if err != nil || !ok {
		return nil, err
	}
	b := &audit.Build{}
	if err := json.Unmarshal(text, b); err != nil {
		return nil, audit.Damaged("what answered the audit of a build", err)
	}
	b.Rules = func(ctx context.Context) iter.Seq2[audit.Rule, error] { return spooledRules(ctx, a) }
	return b, nil
}

// spooledRules yields the rules that keepBuild has spooled.
func spooledRules(ctx context.Context, a *storage.Audit) iter.Seq2[audit.Rule, error] {
	return func(yield func(audit.Rule, error) bool) {
		r, err := a.OpenSpool(ctx, rulesSpool)
		if err != nil {
			yield(audit.Rule{}, err)
			return
		}
		defer r.Close()
		for d := gob.NewDecoder(bufio.NewReader(r)); ; {
			var rule audit.Rule
			err := d.Decode(&rule)
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(audit.Rule{}, audit.Damaged("the rules of a build", err))
				return
			}
			if !yield(rule, nil) {
				return
			}
		}
	}
}
