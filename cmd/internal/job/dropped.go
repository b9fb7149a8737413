package job

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"sitemend/crawler/audit"
	"sitemend/storage"
)

// droppedKey is the record of an audit that lists what it dropped.
const droppedKey = "dropped"

// lastDropped returns what the last finished audit of the same targets, or of the same build for them,
// dropped from their sitemaps; nothing where there is none.
func lastDropped(store *storage.Store, targets []string, site string) ([]string, error) {
	infos, err := store.Audits()
	if err != nil {
		return nil, err
	}
	for _, info := range slices.Backward(infos) {
		if info.Ended.IsZero() || info.Partial || info.Site != site || !audit.SameTargets(info.Targets, targets) {
			continue
		}
		a, err := store.Audit(info.ID)
		if err != nil {
			return nil, err
		}
		list, err := droppedBy(a)
		return list, errors.Join(err, a.Close())
	}
	return nil, nil
}

// droppedBy returns what an audit keeps of what it dropped; nil where it keeps nothing.
func droppedBy(a *storage.Audit) (urls []string, err error) {
	text, ok, err := a.Get(droppedKey)
	var list []droppedURL
	if err == nil && ok {
		err = audit.Damaged("what audit "+a.ID()+" dropped", json.Unmarshal(text, &list))
	}
	for _, x := range list {
		urls = append(urls, x.Loc)
	}
	return urls, err
}

type droppedURL struct {
	Loc string `json:"loc"`
}

// keepDropped remembers what the audit dropped, for the next audit of the same targets.
func keepDropped(ctx context.Context, a *storage.Audit, t *audit.Result) error {
	if t.Info.Partial {
		return nil
	}
	list := []droppedURL{}
	for e, err := range t.Dropped(ctx) {
		if err != nil {
			return err
		}
		list = append(list, droppedURL{e.Loc})
	}
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return a.Put(droppedKey, text)
}
