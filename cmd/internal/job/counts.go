package job

import (
	"encoding/json"

	"sitemend/crawler/audit"
	"sitemend/report/serve"
	"sitemend/storage"
)

// countsKey is the record of a finished audit that holds what it counted.
const countsKey = "counts"

// counted is what an audit leaves for later ones.
type counted struct {
	Entries  int                 `json:"entries"`
	Problems int                 `json:"problems"`
	Groups   map[audit.Group]int `json:"groups"`
	Noindex  int                 `json:"noindex,omitempty"`  // of Groups, removed for their noindex
	NotRead  int                 `json:"not_read,omitempty"` // sitemaps that were not read, or only in part
}

// shown is what others are shown of it.
func (c *counted) shown() serve.Counts {
	return serve.Counts{Entries: c.Entries, Problems: c.Problems, Groups: c.Groups, Noindex: c.Noindex, NotRead: c.NotRead}
}

// keepCounts remembers what an audit counted.
func keepCounts(a *storage.Audit, t *audit.Result) error {
	c := counted{Entries: t.Counts.Entries, Problems: t.Counts.Problems(), Groups: map[audit.Group]int{}, Noindex: t.Counts.Removed(audit.Noindex)}
	for group := range t.Counts.Groups {
		c.Groups[group] = t.Counts.Total(group)
	}
	for i := range t.Files {
		if f := &t.Files[i].Sitemap; f.Unread() || f.InPart() {
			c.NotRead++
		}
	}
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return a.Put(countsKey, text)
}

// lastOf returns the last audit like one before it that was made without trouble, of which is known what became
// of its entries; nil for none. Where the one was compared with it at its end, it says what
// became of it.
func lastOf(store *storage.Store, of audit.Info) (*audit.Last, error) {
	since, err := sinceOf(store, of.ID)
	if err != nil {
		return nil, err
	}
	for info, err := range allLike(store, of) {
		if err != nil {
			return nil, err
		}
		c, ok, err := Counted(store, info)
		if err != nil {
			return nil, err
		}
		if !ok || c.Groups == nil {
			continue
		}
		last := &audit.Last{At: info.Started, Groups: c.Groups, Noindex: c.Noindex}
		if since != nil && since.Of == info.ID {
			last.Since = &since.Since
		}
		return last, nil
	}
	return nil, nil
}

// Counted returns what a finished audit counted; ok is false where it was stopped before it did.
func Counted(store *storage.Store, info audit.Info) (counts serve.Counts, ok bool, err error) {
	a, err := store.Audit(info.ID)
	if err != nil {
		return counts, false, err
	}
	defer a.Close()
	c, ok, err := keptCounts(a)
	return c.shown(), ok, err
}

// keptCounts returns what an audit counted at its end; ok is false where it was
// stopped before.
func keptCounts(a *storage.Audit) (c counted, ok bool, err error) {
	text, ok, err := a.Get(countsKey)
	if err == nil && ok {
		err = audit.Damaged("what audit "+a.ID()+" counted", json.Unmarshal(text, &c))
	}
	return c, ok && err == nil, err
}
