package job

import (
	"context"
	"errors"

	"sitemend/crawler/audit"
	"sitemend/storage"
)

// keepListedLast keeps, of each sitemap that could not be read to its end, what it listed when an
// earlier audit read it, with what the sitemaps listed that it named: what it may list still is
// written into no other sitemap.
func (j *job) keepListedLast(ctx context.Context, a *storage.Audit) (err error) {
	sitemaps, err := a.Sitemaps()
	if err != nil || j.last == "" {
		return err
	}
	now := map[string]*audit.Sitemap{}
	unread := false
	for i := range sitemaps {
		if s := &sitemaps[i]; s.Listed() {
			now[s.URL] = s
			unread = unread || hides(s)
		}
	}
	if !unread {
		return nil
	}
	older, err := j.open.Audit(j.last)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, older.Close()) }()
	olds, err := older.Sitemaps()
	if err != nil {
		return err
	}
	last := map[string]*audit.Standing{}
	for i := range olds {
		at, ok := hiddenBy(now, olds, &olds[i])
		if !ok {
			continue
		}
		if last[at] == nil {
			last[at] = &audit.Standing{}
		}
		if err := addListed(ctx, older, &olds[i], last[at]); err != nil {
			return err
		}
	}
	for at, s := range last {
		if err := a.PutStanding(audit.ListedLast(at), s); err != nil {
			return err
		}
	}
	return nil
}

// hides reports whether a sitemap was not read to its end, and may be there all the same. One that two
// audits in a row did not find lists nothing.
func hides(s *audit.Sitemap) bool {
	return s.Kind == "" && !s.Again() && (!s.GoneTwice || s.Before > 0 || s.Former != "") || s.InPart()
}

// hiddenBy returns which sitemap of an audit hides what one of an older audit, of all of olds, may list
// still: itself, or what named it. ok is false where nothing does.
func hiddenBy(now map[string]*audit.Sitemap, olds []audit.Sitemap, old *audit.Sitemap) (url string, ok bool) {
	for s := old; s.Listed(); s = &olds[s.Parent] {
		if n := now[s.URL]; n != nil {
			return n.URL, hides(n)
		}
		if s.Parent < 0 {
			break
		}
	}
	return "", false
}

// addListed adds to s what a sitemap of an audit listed, and where that could not read it to its end,
// what an audit before knew of it.
func addListed(ctx context.Context, a *storage.Audit, sm *audit.Sitemap, s *audit.Standing) error {
	if known, err := a.Standing(audit.ListedLast(sm.URL)); err != nil {
		return err
	} else if known != nil {
		s.Join(known)
	}
	for e, err := range a.Entries(ctx, sm.First, sm.First+sm.Entries) {
		if err != nil {
			return err
		}
		if at, err := e.Parse(); err == nil && !s.Add(at, 0) {
			return nil
		}
	}
	return nil
}
