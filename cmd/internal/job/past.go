package job

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/diff"
	"sitemend/report/serve"
	"sitemend/storage"
)

// The records of an audit that later ones read. They are stored before the audit ends, or together with
// its end: where it has ended, they are there.
const (
	newsKey    = "news"    // News
	droppedKey = "dropped" // what it dropped, as it was listed
)

// News is what a finished audit has to say to lists, to later audits, and to who reads only what is
// new. It is bounded however much changed.
type News struct {
	audit.Info `json:"-"`
	Before     string // id of the last audit like it; "" for none
	Counts     serve.Counts
	Verdicts   map[audit.Verdict]int
	// Trouble says in English why it could not be audited, though the outputs were written; ""
	// where it could.
	Trouble string
	// Worse and Better are what changed since Before; both empty where there is none.
	Worse, Better diff.Turn
	Last          *audit.Last
}

// keepNews remembers the news of an audit that is about to end, and what it dropped.
func (j *job) keepNews(ctx context.Context, out *Outcome) error {
	t := out.Result
	n := News{Verdicts: t.Counts.Verdicts, Counts: serve.CountsOf(t), Last: t.Last}
	if d := out.since; d != nil {
		n.Before = d.Old.ID
		n.Worse, n.Better = d.Turns()
	}
	if out.trouble != nil {
		n.Trouble = out.trouble.Error()
	}
	var dropped []string
	if !t.Info.Partial {
		for e, err := range t.Dropped(ctx) {
			if err != nil {
				return err
			}
			dropped = append(dropped, e.Loc)
		}
	}
	return errors.Join(j.a.Save(newsKey, n), j.a.Save(droppedKey, dropped))
}

// NewsOf returns the news of a finished audit; ok is false where it has none, for it was stopped,
// or made by a version that kept none.
func NewsOf(store *storage.Store, id string) (n News, ok bool, err error) {
	a, err := store.Audit(id)
	if err != nil {
		return n, false, err
	}
	defer a.Close()
	ok, err = a.Load(newsKey, &n)
	n.Info = a.Info()
	return n, ok, err
}

// A Scope says which entries are audited as which robot: audits of the same Scope can be set
// beside one another.
type Scope string

func scopeOf(i *audit.Info) Scope {
	return Scope(strings.Join(append([]string{i.Identity, i.Part, i.Site}, address.SpeltTargets(i.Targets)...), "\x00"))
}

// Has reports whether an audit is of the scope.
func (s Scope) Has(info audit.Info) bool { return s == scopeOf(&info) }

// Check looks at a Spec as Run does before it begins, and returns the scope of its audits. It
// reads the files that the Spec names, and touches neither network nor store.
func Check(s Spec, env Env) (Scope, error) {
	var c Closers
	j, err := newJob(context.Background(), &s, env, &c)
	if err != nil {
		return "", errors.Join(err, c.Close())
	}
	info := j.info()
	return scopeOf(&info), c.Close()
}

// lastLike returns the id of the audit to compare another one with, and what it dropped: the last finished
// one before that of the same scope that can be read and was made without trouble; "" for none.
func lastLike(store *storage.Store, of audit.Info) (id string, dropped []string, err error) {
	for a, err := range store.Each(earlier(of)) {
		var n News
		ended := false
		if err == nil {
			ended, err = a.Load(newsKey, &n)
		}
		if err == nil && ended && n.Trouble == "" {
			if _, err = a.Load(droppedKey, &dropped); err == nil {
				return a.ID(), dropped, nil
			}
		}
		if err != nil && !errors.Is(err, storage.ErrDamaged) {
			return "", nil, err
		}
	}
	return "", nil, nil
}

// prune removes older audits of the scope of one, so that keep finished ones are left, that one included; 0
// keeps all. One
// that could not be made, as where the site did not answer, removes only others that could not.
func prune(store *storage.Store, of audit.Info, keep int, failed bool) (err error) {
	infos, err := store.Audits()
	like, kept := earlier(of), 1
	for _, info := range slices.Backward(infos) {
		if keep <= 0 || !like(&info) {
			continue
		}
		if n, _, unread := NewsOf(store, info.ID); kept < keep || failed && (unread != nil || n.Trouble == "") {
			if !info.Ended.IsZero() {
				kept++
			}
		} else if removed := store.Remove(info.ID); !errors.Is(removed, storage.ErrOpen) { // somebody reads it: the next audit removes it
			err = errors.Join(err, removed)
		}
	}
	return err
}

// seenFile is the file of an audit's spool that says what the audit saw (package diff). It is
// written as the audit ends.
const seenFile = "seen"

// seenOf returns what an audit saw. It is read again whenever it is compared, also once the store is
// closed.
func seenOf(ctx context.Context, store *storage.Store, id string) (*diff.Seen, error) {
	a, err := store.Audit(id)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	seen, err := diff.Open(ctx, a.Info(), func(ctx context.Context) (io.ReadCloser, error) { return a.OpenSpool(ctx, seenFile) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil, cli.WithHint(fmt.Errorf("audit %s cannot be compared: it has not ended, or an older version made it", a.ID()), "sitemend list shows which audits have ended; audit the targets again")
	}
	return seen, err
}

// Compare compares two audits of the store, by their ids.
func Compare(ctx context.Context, store *storage.Store, older, newer string) (*diff.Result, error) {
	old, err1 := seenOf(ctx, store, older)
	new, err2 := seenOf(ctx, store, newer)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	return diff.Compare(ctx, old, new)
}

// compareLast keeps what an audit saw, and compares it with the last one like it; nil where there is
// none. An earlier audit that cannot be compared is said to the log: it is no reason to write nothing of
// this one.
func (j *job) compareLast(ctx context.Context, t *audit.Result) (*diff.Result, error) {
	w, err := j.a.SpoolWriter(seenFile)
	if err != nil {
		return nil, err
	}
	err = diff.Write(ctx, w, t, j.seen)
	if err := errors.Join(err, w.Close(), j.seen.Close()); err != nil || j.last == "" {
		return nil, err
	}
	d, err := Compare(ctx, j.store, j.last, j.a.ID())
	if err != nil && ctx.Err() == nil {
		j.env.Log.Error("what changed since the audit " + j.last + " is not told: " + err.Error())
		return nil, nil
	}
	if err == nil {
		t.Last = &audit.Last{At: d.Old.Started, Fixed: d.Counts[diff.Fixed], New: d.Problems(), Open: d.Open}
	}
	return d, err
}

// Pair returns the ids of two audits of the store to compare: those named, else the last finished
// one and the last before it like it that was made without trouble.
func Pair(store *storage.Store, args []string) (older, newer string, err error) {
	if len(args) == 2 {
		return args[0], args[1], nil
	}
	a, err := store.Audit(storage.Latest)
	if err != nil {
		return "", "", err
	}
	of := a.Info()
	older, _, err = lastLike(store, of)
	if err = errors.Join(err, a.Close()); err == nil && older == "" {
		err = cli.WithHint(fmt.Errorf("%s: the store has no earlier finished audit of %s to compare with %s", store.Path(), strings.Join(of.Targets, " "), of.ID),
			"audit the same targets again, or name two audits of sitemend list: sitemend diff OLD NEW")
	}
	return older, of.ID, err
}

// onlyNew counts for --fail-on what the last audit like this one did not have, and says how many that
// are; if they make the audit fail, with -q too, for whoever reads a mail of cron. If there is no such
// audit everything counts: the first run hides nothing.
func (j *job) onlyNew(d *diff.Result, all audit.Tally) audit.Tally {
	if d == nil {
		j.env.Log.Info("--new: there is no earlier audit of the same targets, robot and filters to compare with; everything counts")
		return all
	}
	counts := all
	faults, _ := d.Errors()
	counts.Count(d.NewVerdicts, faults, d.Lost(), all.N[audit.TallyUnmet])
	name, said := audit.TallyProblems, j.env.Log.Info
	if list := over(&counts, j.failOn); len(list) > 0 {
		name, said = list[0].name, j.env.Log.Error
	}
	said(fmt.Sprintf("--new: %s new since %s; %s lists what changed", cli.Of(counts.N[name], all.N[name], "problem is", "problems are"),
		d.Old.Started.UTC().Format("2006-01-02 15:04 UTC"), j.f.Command("diff")+" "+d.Old.ID+" "+d.New.ID))
	return counts
}
