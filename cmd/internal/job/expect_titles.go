package job

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"sitemend/crawler/audit"
	"sitemend/storage"
)

// titlesKey is the record of the titles that addresses had in earlier audits.
const titlesKey = "old-titles"

// titledAudits is how many earlier audits are looked through for titles.
const titledAudits = 3

// recall looks up which titles the addresses had that lead to no page now, in earlier audits
// of the store, remembers them, and evaluates the audit again with them: a page with the same
// title is likely what became of them. Without a map, or where nothing is found, result stays.
func (j *job) recall(ctx context.Context, store *storage.Store, a *storage.Audit, result *audit.Result) (*audit.Result, error) {
	if result.Expected == nil {
		return result, nil
	}
	var lost []string
	for r, err := range result.ExpectedRows(ctx) {
		switch {
		case err != nil:
			return nil, err
		case len(lost) == audit.MaxSuggestions:
		case (r.Forgotten || r.Why == audit.UnmetNotFound) && r.Suggestion.IsZero() && r.Status/100 != 2:
			lost = append(lost, r.Address.String())
		}
	}
	titles, err := titlesOf(store, &result.Info, lost)
	if err != nil || len(titles) == 0 {
		return result, err
	}
	text, err := json.Marshal(titles)
	if err == nil {
		err = a.Put(titlesKey, text)
	}
	if err != nil {
		return nil, err
	}
	return Evaluate(ctx, crawled{a}, result.Info)
}

// titlesOf returns the titles that addresses had in the last audits before one, where they
// answered 200: the newest counts.
func titlesOf(store *storage.Store, before *audit.Info, at []string) (map[string]string, error) {
	if len(at) == 0 {
		return nil, nil
	}
	infos, err := store.Audits()
	if err != nil {
		return nil, err
	}
	titles, looked := map[string]string{}, 0
	for _, i := range slices.Backward(infos) {
		if !i.Before(before) || i.Ended.IsZero() || looked == titledAudits {
			continue
		}
		looked++
		older, err := store.Audit(i.ID)
		if err != nil {
			return nil, err
		}
		for _, url := range at {
			hop, ok := older.Hop(audit.Request{URL: url, Purpose: audit.AsRobot})
			if ok && hop.Status == 200 && hop.Page.Title != "" && titles[url] == "" {
				titles[url] = hop.Page.Title
			}
		}
		if err := errors.Join(older.Err(), older.Close()); err != nil {
			return nil, err
		}
	}
	return titles, nil
}

// keptTitles returns what recall remembered; nil where it found nothing.
func keptTitles(a *storage.Audit) (titles map[string]string, err error) {
	if a == nil {
		return nil, nil
	}
	text, ok, err := a.Get(titlesKey)
	if err != nil || !ok {
		return nil, err
	}
	return titles, json.Unmarshal(text, &titles)
}
