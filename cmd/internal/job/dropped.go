package job

import (
	"context"
	"encoding/json"
	"slices"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/discover"
	"sitemend/storage"
)

// droppedKey is the record of an audit that lists what it took out.
const droppedKey = "dropped"

// lastAudit sets in o what the last finished audit of the same targets, or of the same build for
// them, took out of their sitemaps, how many entries these had, and its rules, and returns its ID;
// nothing where there is none.
func lastAudit(store *storage.Store, targets []string, site string, o *discover.Options) (id string, err error) {
	infos, err := store.Audits()
	if err != nil {
		return "", err
	}
	for _, info := range slices.Backward(infos) {
		if info.Ended.IsZero() || info.Partial || info.Site != site || !audit.SameTargets(info.Targets, targets) {
			continue
		}
		a, err := store.Audit(info.ID)
		if err != nil {
			return "", err
		}
		defer a.Close()
		o.Last = &info.Rules
		list, err := takenOut(a)
		if err != nil {
			return "", err
		}
		for _, d := range list {
			if d.By != "" {
				o.Replaced = append(o.Replaced, d)
			} else {
				o.Dropped = append(o.Dropped, d)
			}
		}
		o.Before, o.Named, err = entriesBefore(a)
		return info.ID, err
	}
	return "", nil
}

// entriesBefore returns how many entries each sitemap had that an audit read, or that it could not
// read and one before it did, and which robots.txt named those that it read. Of one that was not there
// nothing is known any more.
func entriesBefore(a *storage.Audit) (before map[string]int, named map[string]string, err error) {
	sitemaps, err := a.Sitemaps()
	before, named = map[string]int{}, map[string]string{}
	for i := range sitemaps {
		switch s := &sitemaps[i]; {
		case !s.Listed(), s.GoneTwice && s.Former == "":
		case s.Kind != "":
			before[s.URL] = s.Entries
			if s.NamedBy != "" {
				named[s.URL] = s.NamedBy
			}
		default:
			before[s.URL] = s.Before
		}
	}
	return before, named, err
}

// takenOut returns what an audit keeps of what it took out; nil where it keeps nothing.
func takenOut(a *storage.Audit) (list []discover.Dropped, err error) {
	text, ok, err := a.Get(droppedKey)
	if err != nil || !ok {
		return nil, err
	}
	err = json.Unmarshal(text, &list)
	return list, audit.Damaged("what audit "+a.ID()+" took out", err)
}

// editedOut returns what an audit takes out of its sitemaps, and then what it replaces.
func editedOut(ctx context.Context, t *audit.Result) (list []discover.Dropped, err error) {
	for e, err := range t.TakenOut(ctx) {
		if err != nil {
			return nil, err
		}
		list = append(list, discover.Dropped{Loc: e.Loc, Sitemap: t.SitemapURL(e.Sitemap), Line: e.Line, Plain: e.WithoutSecrets})
	}
	for _, r := range t.Replaced() {
		list = append(list, discover.Dropped{Loc: r.Loc, Sitemap: t.SitemapURL(r.Sitemap), Line: r.Line, Plain: r.WithoutSecrets, By: address.Masked(r.By)})
	}
	return list, nil
}

// mostReplaced bounds how many addresses that earlier audits replaced are remembered.
const mostReplaced = 20_000

// stillReplaced returns what earlier audits replaced, but for what list replaces, or replaces anew by the same.
func stillReplaced(list, earlier []discover.Dropped) (still []discover.Dropped) {
	again := map[string]bool{}
	for _, d := range list {
		if d.By != "" {
			again[d.Loc], again[d.By] = true, true
		}
	}
	for _, d := range earlier {
		if !again[d.Loc] && !again[d.By] && len(again)/2+len(still) < mostReplaced {
			still = append(still, d)
		}
	}
	return still
}

// keepDropped remembers what the audit took out, for later audits of the same
// targets. What an earlier one took out and no sitemap lists again, or was left out
// by --include and --exclude, stays on the list: what is fine again is reported until it is
// listed.
func (j *job) keepDropped(ctx context.Context, a *storage.Audit, t *audit.Result) error {
	if t.Info.Partial {
		return nil
	}
	list := []discover.Dropped{}
	for _, d := range j.d.Dropped {
		if j.d.Include != nil && !j.d.Include.MatchString(d.Loc) || j.d.Exclude != nil && j.d.Exclude.MatchString(d.Loc) {
			list = append(list, d)
		}
	}
	out, err := editedOut(ctx, t)
	if err != nil {
		return err
	}
	list = append(list, out...)
	for row, err := range t.StillUnlisted(ctx) {
		if err != nil {
			return err
		}
		list = append(list, discover.Dropped{Loc: row.Entry.Loc, Sitemap: t.SitemapURL(row.Entry.Sitemap), Line: row.Entry.Line, Plain: row.Entry.WithoutSecrets})
	}
	text, err := json.Marshal(append(list, stillReplaced(out, j.d.Replaced)...))
	if err != nil {
		return err
	}
	return a.Put(droppedKey, text)
}
