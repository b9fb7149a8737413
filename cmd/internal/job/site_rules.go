package job

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/build"
	"sitemend/crawler/rules/hosts"
	"sitemend/storage"
)

// buildKey is the record of an audit of a build that says what answered; the rules lie in
// rulesSpool, a line of JSON each.
const (
	buildKey   = "build"
	rulesSpool = "rules"
)

// keepBuild keeps with an audit what answered it, and what the rules did.
func (j *job) keepBuild(ctx context.Context, a *storage.Audit, t *audit.Result) error {
	if j.build == nil {
		return nil
	}
	k := keeping{build: j.build, hits: map[audit.RuleAt]int{}, at: map[audit.RuleAt]int{}}
	if err := k.count(ctx, t); err != nil {
		return err
	}
	k.rules()
	if k.findings(ctx); ctx.Err() != nil {
		return ctx.Err()
	}
	for i := range k.list { // in the order in which the host reads them
		k.order(k.list[i].File)
	}
	slices.SortStableFunc(k.list, func(x, y audit.Rule) int {
		return cmp.Or(k.order(x.File)-k.order(y.File), x.Line-y.Line)
	})
	if err := k.spool(a); err != nil {
		return err
	}
	out, err := k.sum(a)
	if err != nil {
		return err
	}
	out.Online = j.f.Site.Online
	text, err := json.Marshal(out)
	if err == nil {
		err = a.Put(buildKey, text)
	}
	return errors.Join(err, a.Flush())
}

// keeping gathers the rules of a build.
type keeping struct {
	build *build.Build
	hits  map[audit.RuleAt]int
	list  []audit.Rule
	at    map[audit.RuleAt]int // places in list
	files []string             // names, in order

	untried int // rules that were not tried
}

// order is the place of a rule file among those that have rules or faults.
func (k *keeping) order(file string) int {
	if i := slices.Index(k.files, file); i >= 0 {
		return i
	}
	k.files = append(k.files, file)
	return len(k.files) - 1
}

// count counts the entries that each rule answered.
func (k *keeping) count(ctx context.Context, t *audit.Result) error {
	for file := range t.Files {
		for row, err := range t.Rows(ctx, file) {
			if err != nil {
				return err
			}
			for _, at := range row.Trail.Rules() {
				k.hits[at]++
			}
		}
	}
	return nil
}

// rules adds the rules that the host takes.
func (k *keeping) rules() {
	for _, r := range k.build.Rules() {
		at := audit.RuleAt{File: r.File, Line: r.Line}
		k.at[at] = len(k.list)
		k.list = append(k.list, audit.Rule{RuleAt: at, Source: r.Source, Target: r.Target, Status: r.Status, Hits: k.hits[at]})
	}
}

// findings adds what is wrong with them.
func (k *keeping) findings(ctx context.Context) {
	k.untried = k.build.Check(ctx, func(f hosts.Finding) {
		at := audit.RuleAt{File: f.File, Line: f.Line}
		x := audit.RuleFinding{RuleAt: at, Fault: string(f.Fault), Error: f.Fault.IsError(), Text: strings.Join(strings.Fields(f.Text), " "), Key: f.Why, Args: f.Args}
		if r := f.Rule; r != nil {
			x.Text = strings.TrimSpace(r.Source + " -> " + r.Target)
		}
		i, ok := k.at[at]
		if !ok {
			i = len(k.list)
			k.at[at] = i
			k.list = append(k.list, audit.Rule{RuleAt: at, Source: x.Text})
		}
		k.list[i].Findings = append(k.list[i].Findings, x)
	})
}

// spool writes all rules.
func (k *keeping) spool(a *storage.Audit) error {
	to, err := a.SpoolWriter(rulesSpool)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(to)
	e := json.NewEncoder(w)
	for i := range k.list {
		if err = e.Encode(&k.list[i]); err != nil {
			break
		}
	}
	return errors.Join(err, w.Flush(), to.Close())
}

// sum adds up the rules.
func (k *keeping) sum(a *storage.Audit) (*audit.Build, error) {
	b := k.build
	out := &audit.Build{Dir: b.Dir, Origin: b.Origin().Origin(), Host: string(b.Host), RecognizedBy: b.RecognizedBy, Date: hosts.Date, Untried: k.untried, Paths: map[string]string{}}
	files := map[string]*audit.RuleFile{}
	paths := b.RuleFiles()
	for _, name := range slices.Sorted(maps.Keys(paths)) {
		files[name] = &audit.RuleFile{Name: name, Path: paths[name], Faults: map[string]int{}}
		k.order(name)
	}
	listed := map[[2]string]int{}
	for i := range k.list {
		r := &k.list[i]
		f := files[r.File]
		if r.Status != 0 {
			f.Rules++
		}
		for _, x := range r.Findings {
			f.Faults[x.Fault]++
			if x.Error {
				f.Errors++
			}
			if key := [2]string{x.File, x.Fault}; listed[key] < audit.MostFindings {
				listed[key]++
				out.Findings = append(out.Findings, x)
			}
		}
		if r.Hits > 0 {
			out.Busy = append(out.Busy, audit.Rule{RuleAt: r.RuleAt, Source: r.Source, Target: r.Target, Status: r.Status, Hits: r.Hits})
		}
	}
	slices.SortStableFunc(out.Busy, func(x, y audit.Rule) int { return y.Hits - x.Hits })
	out.Busy = out.Busy[:min(len(out.Busy), audit.MostBusy)]
	for _, name := range slices.SortedFunc(maps.Keys(files), func(x, y string) int { return k.order(x) - k.order(y) }) {
		out.Files = append(out.Files, *files[name])
	}
	sitemaps, err := a.Sitemaps()
	for _, s := range sitemaps {
		if path := b.PathOf(address.Wire(cmp.Or(s.AnsweredAt, s.URL))); path != "" {
			out.Paths[s.URL] = path
		}
	}
	return out, err
}

// unreadRules says which rule files of a build were not read, or are refused by its host, and what
// may help; "" where there are none.
func unreadRules(b *audit.Build) (said, hint string) {
	if b == nil {
		return "", ""
	}
	var unread, refused, why []string
	for _, f := range b.Findings {
		name := cli.OneLine(f.File)
		switch {
		case len(f.Args) == 0:
			continue
		case f.Key == "rule-unread-file":
			unread = append(unread, name)
		case f.Key == "rule-unread-fails":
			refused = append(refused, name)
		default:
			continue
		}
		if f.Line > 0 {
			name += fmt.Sprintf(" line %d", f.Line)
		}
		why = append(why, name+": "+cli.OneLine(f.Args[0]))
	}
	switch {
	case len(refused) > 0:
		said = "with " + and(refused) + " the build fails, or is not modelled"
	case len(unread) == 1:
		said = unread[0] + " was not read, and may change what they answer"
	case len(unread) > 1:
		said = and(unread) + " were not read, and may change what they answer"
	default:
		return "", ""
	}
	return said, strings.Join(why, "; ") + "; --rules FILE reads one of this name"
}

// and joins names for a sentence.
func and(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
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
		for d := json.NewDecoder(bufio.NewReader(r)); ; {
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
