package job

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"sitemend/crawler/audit"
	"sitemend/report/serve"
	"sitemend/storage"
)

// The records of an audit that later ones read.
const (
	countsKey  = "counts"  // serve.Counts of a finished audit
	droppedKey = "dropped" // what it dropped, by URL
	lastKey    = "last"    // audit.Last: what changed since the last one like it
)

// get returns a record of an audit; ok is false where it has none.
func get[T any](a *storage.Audit, key string) (v T, ok bool, err error) {
	text, ok, err := a.Get(key)
	if err == nil && ok {
		err = audit.Damaged("the record "+key+" of audit "+a.ID(), json.Unmarshal(text, &v))
	}
	return v, ok && err == nil, err
}

// put keeps a record of an audit.
func put(a *storage.Audit, key string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return a.Put(key, text)
}

// A Scope says which entries are audited as which robot: audits of the same Scope can be set
// beside one another.
type Scope string

func scopeOf(i *audit.Info) Scope {
	return Scope(strings.Join(append([]string{i.Identity, i.Part, i.Site}, audit.SpeltTargets(i.Targets)...), "\x00"))
}

// Has reports whether an audit is of the scope.
func (s Scope) Has(info audit.Info) bool { return s == scopeOf(&info) }

// sameScope reports whether what two audits found can be set beside one another.
func sameScope(a, b *audit.Info) bool { return scopeOf(a) == scopeOf(b) }

// Check looks at a Spec as Run does before it begins, and returns the scope of its audits. It
// reads the files that the Spec names, and touches neither network nor store.
func Check(s Spec, env Env) (Scope, error) {
	j, err := newJob(context.Background(), &s, env)
	if err != nil {
		return "", err
	}
	scope := scopeOf(&audit.Info{Targets: j.targets(), Identity: j.o.Ask.Identity.Name, Part: j.f.part(), Site: j.f.Site.Dir})
	return scope, j.closers.Close()
}

// lastLike returns the last finished audit before one that can say what is new
// in it: one of its scope that was made without trouble. ok is false where there is none.
func lastLike(store *storage.Store, of *audit.Info) (last audit.Info, ok bool, err error) {
	infos, err := store.Audits()
	for _, i := range slices.Backward(infos) {
		if !i.Before(of) || i.Ended.IsZero() || !sameScope(&i, of) {
			continue
		}
		if n, _, err := NewsOf(store, i.ID); err != nil || n.Trouble == "" {
			return i, err == nil, err
		}
	}
	return last, false, err
}

// prune removes the older finished audits like one, so that keep that were made without trouble are
// left with it, and those like it that were stopped too long ago to be continued.
func prune(store *storage.Store, of audit.Info, keep int) error {
	if keep == 0 {
		return nil
	}
	infos, err := store.Audits()
	errs := []error{err}
	kept := 1
	for _, i := range slices.Backward(infos) {
		if !i.Before(&of) || !sameScope(&i, &of) {
			continue
		}
		gone := kept >= keep
		if i.Ended.IsZero() {
			gone, err = tooOld(store, i.ID)
			errs = append(errs, err)
		} else if n, _, err := NewsOf(store, i.ID); err != nil || n.Trouble == "" {
			errs = append(errs, err)
			kept++
		}
		if !gone {
			continue
		}
		if err := store.Remove(i.ID); !errors.Is(err, storage.ErrOpen) { // somebody reads it: the next audit removes it
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// tooOld reports whether a stopped audit was last written to so long ago that no
// command continues it any more.
func tooOld(store *storage.Store, id string) (bool, error) {
	a, err := store.Audit(id)
	if err != nil {
		return false, err
	}
	at, err := a.Active()
	return err == nil && time.Since(at) > continueWithin, errors.Join(err, a.Close())
}

// countsOf is what an audit counted.
func countsOf(t *audit.Result) serve.Counts {
	c := serve.Counts{Entries: t.Counts.Entries, Groups: map[audit.Group]int{}}
	for group := range t.Counts.Groups {
		c.Groups[group] = t.Counts.Total(group)
	}
	for i := range t.Files {
		if f := &t.Files[i].Sitemap; f.Unread() || f.InPart() {
			c.NotRead++
		}
	}
	return c
}

// lastDropped returns what the last finished audit of the same targets, or of the same build for them,
// dropped from their sitemaps; nothing where there is none.
func lastDropped(store *storage.Store, targets []string, site string) (urls []string, err error) {
	infos, err := store.Audits()
	for _, info := range slices.Backward(infos) {
		if info.Ended.IsZero() || info.Partial || info.Site != site || !audit.SameTargets(info.Targets, targets) {
			continue
		}
		a, err := store.Audit(info.ID)
		if err != nil {
			return nil, err
		}
		list, _, err := get[[]droppedURL](a, droppedKey)
		for _, x := range list {
			urls = append(urls, x.Loc)
		}
		return urls, errors.Join(err, a.Close())
	}
	return nil, err
}

// A droppedURL is a URL that an audit dropped, as it was listed.
type droppedURL struct {
	Loc string `json:"loc"`
}

// keepDropped remembers what the audit dropped, for the next audit of the same targets.
func keepDropped(ctx context.Context, a *storage.Audit, t *audit.Result) error {
	if t.Info.Partial {
		return nil
	}
	var list []droppedURL
	for e, err := range t.Dropped(ctx) {
		if err != nil {
			return err
		}
		list = append(list, droppedURL{e.Loc})
	}
	return put(a, droppedKey, list)
}
