package job

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sitemend/cmd/internal/cli"
	"sitemend/crawler/audit"
	"sitemend/report"
	"sitemend/report/command"
	"sitemend/storage"
	"slices"
)

// Report writes the outputs of audit id of the store again, without a request: id may be
// storage.Latest. Of s it looks at what is written and how it is judged; the fixes are those
// of the audit, changed by s.Fix and s.MaxDrop where they are given. It ends with ctx.
// For its results see Run.
func Report(ctx context.Context, s Spec, id string, env Env) (*Outcome, error) {
	var c Closers
	out, err := rewriteOf(ctx, &s, id, env, &c)
	if out == nil {
		return nil, errors.Join(err, c.Close())
	}
	out.close = c.Close
	return out, err
}

func rewriteOf(ctx context.Context, f *Spec, id string, env Env, c *Closers) (*Outcome, error) {
	if err := f.checkOutputs(); err != nil {
		return nil, err
	}
	failOn, err := parseFailOn(f.FailOn)
	if err != nil {
		return nil, err
	}
	store, err := f.StoreFile().Read()
	if err != nil {
		return nil, err
	}
	c.Add(store.Close)
	if id == storage.Latest {
		if id, err = Latest(store); err != nil {
			return nil, err
		}
	}
	a, err := store.Audit(id)
	if err != nil {
		return nil, cli.WithHint(err, "sitemend list shows the audits of a store")
	}
	c.Add(a.Close)
	f.Place(a.Info().Targets)
	if err := f.storeApart(); err != nil {
		return nil, err
	}
	out, err := f.rewrite(ctx, store, a)
	if err != nil {
		return nil, err
	}
	f.warnOfOthers(env.Log, out.Result.Info.Targets, &out.Written)
	f.warnOfNewer(env.Log, a.ID(), &out.Written)
	if out.Result.Expected == nil {
		if err := noMap(failOn); err != nil {
			return out, err
		}
	}
	counts := countsOf(out.Result)
	if f.New {
		if counts, err = (baseline{env.Log, failOn, f.Command("diff"), nil}).count(ctx, store, a, out.Result); err != nil {
			return out, err
		}
	}
	out.Failed, out.FailedOn = fails(counts, failOn)
	return out, nil
}

// rewrite judges an audit of the store again and writes its outputs.
func (f *Spec) rewrite(ctx context.Context, store *storage.Store, a *storage.Audit) (*Outcome, error) {
	info, err := Kept(a)
	if err != nil {
		return nil, err
	}
	then := info.Rules
	if err := f.written(&info.Rules, then.MaxDrop); err != nil {
		return nil, err
	}
	changeFixes(&info.Rules, then)
	info.Rules.Lastmod = then.Lastmod && !f.NoLastmod || f.Lastmod
	info.Rules.Split = then.Split && !f.NoSplit || f.Split
	result, err := Evaluate(ctx, a, info)
	if err != nil {
		return nil, err
	}
	out, err := newOutcome(ctx, f, store, a, result)
	if err != nil {
		return nil, err
	}
	err = out.files(ctx, f.Out)
	if err != nil {
		err = errors.Join(err, out.links())
	}
	if errors.Is(err, report.ErrFinished) {
		return nil, cli.WithHint(err, "nothing was changed; sitemend report "+a.ID()+" --out DIR --store "+command.Word(store.Path())+" writes them elsewhere, or let sitemend audit end it: it replaces them then")
	}
	if err == nil && out.Written.Spared {
		return nil, errors.Join(sparedError(store, a, f.Out), out.links())
	}
	if err != nil {
		return nil, cli.Lossless(err, "nothing is lost: it can be written again, elsewhere with --store FILE --out DIR")
	}
	return out, nil
}

// sparedError is why nothing was written of an audit without an entry, and how it is.
func sparedError(store *storage.Store, a *storage.Audit, dir string) error {
	return cli.WithHint(fmt.Errorf("%s: it has the outputs of another audit, and this one found no URL", dir),
		"nothing was changed; sitemend report "+a.ID()+" --out DIR --store "+command.Word(store.Path())+" writes its report elsewhere")
}

// changeFixes adds what --fix says now to the fixes of the audit: where both decide, now
// counts.
func changeFixes(now *audit.Rules, then audit.Rules) {
	fix, lift := map[audit.Verdict]audit.Action{}, map[audit.Note]bool{}
	maps.Copy(fix, then.Fix)
	maps.Copy(fix, now.Fix)
	maps.Copy(lift, then.Lift)
	maps.Copy(lift, now.Lift)
	now.Fix, now.Lift, now.KeepAll = fix, lift, now.KeepAll || then.KeepAll
}

// Latest is the id of the latest finished audit; of the latest at all where none
// is finished.
func Latest(store *storage.Store) (string, error) {
	infos, err := store.Audits()
	if err != nil {
		return "", err
	}
	for _, info := range slices.Backward(infos) {
		if !info.Ended.IsZero() {
			return info.ID, nil
		}
	}
	return storage.Latest, nil
}
