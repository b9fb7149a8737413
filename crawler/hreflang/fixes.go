package hreflang

import (
	"context"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/sitemap"
)

// fixes returns what becomes of each link, as package report writes it.
func (j *joining) fixes(ctx context.Context, at place, own []sitemap.Entry,
	links []sitemap.Link) ([]fix, error) {
	all := make([]fix, len(links))
	if !j.result.EditsLinks() || !j.written(at.file) {
		return all, nil
	}
	fixes, gone, err := j.result.Links(ctx, j.own(at, own), alternatesOf(links, nil))
	if err != nil {
		return nil, err
	}
	if gone != "" {
		j.keep(at.file, gone, links[0].Line)
	}
	for i := range links {
		if links[i].Kind != sitemap.Alternate {
			continue
		}
		if f := &fixes[0]; f.Action == audit.Keep && f.Verdict == audit.Noindex {
			j.keep(at.file, audit.GoneNoindex, links[i].Line)
		}
		all[i], fixes = fixOf(&fixes[0]), fixes[1:]
	}
	return all, nil
}

// own returns the entries of an element.
func (j *joining) own(at place, own []sitemap.Entry) []audit.Own {
	e := element{own: own}
	return e.entries(j.result.Files[at.file].Sitemap.First, nil)
}

// keep records links of a file that stay although their entry is removed.
func (j *joining) keep(file int, gone audit.Gone, line int) {
	j.kept[file] = audit.WithGone(j.kept[file], j.result.Files[file].Sitemap.URL, gone, line)
}

// fixOf returns the fix that a decision comes to.
func fixOf(f *audit.LinkFix) fix {
	switch {
	case f.Action != audit.Keep:
		return fixed
	case f.Held == audit.HeldLanguage:
		return heldLanguage
	case f.Held == audit.HeldDisputed:
		return heldDisputed
	case f.Held == audit.HeldSelf:
		return heldSelf
	case f.Held == audit.HeldListed:
		return heldListed
	case f.Verdict == audit.NotFound || f.Verdict == audit.Noindex:
		return handled
	}
	return fixNone
}

// assets reports images and videos whose address is not valid, or that robots.txt disallows to the
// crawler that reads them, at their address or at the one that they moved to, and those that stay
// though they moved, where nothing else says so.
func (j *joining) assets(ctx context.Context, at place, own []sitemap.Entry,
	links []sitemap.Link) error {
	if !j.result.ReadsAssets() {
		return nil
	}
	var assets []audit.Asset
	var places []int
	for i := range links {
		if links[i].Kind != sitemap.Alternate {
			assets, places = append(assets, links[i].Asset()), append(places, i)
		}
	}
	fixes, err := j.result.Assets(ctx, j.own(at, own), assets)
	if err != nil {
		return err
	}
	for i, n := range places {
		at.link = n
		if err := j.asset(at, &assets[i], &fixes[i]); err != nil {
			return err
		}
	}
	return nil
}

func (j *joining) asset(at place, a *audit.Asset, f *audit.LinkFix) error {
	as := a.As
	if !j.result.Reads(as) {
		return nil
	}
	blocked, toBlocked, noAddress := imageBlocked, imageToBlocked, imageNoAddress
	if as == audit.AsVideo {
		blocked, toBlocked, noAddress = videoBlocked, videoToBlocked, videoNoAddress
	}
	if _, err := address.Parse(a.Href); err != nil {
		j.find(noAddress, at)
		return nil
	}
	mended := f.Action == audit.Relink && j.written(at.file)
	line, err := j.result.Forbidden(as, a.Href)
	switch {
	case err != nil:
		return err
	case line != "":
		j.add(blocked, finding{place: at, said: []string{excerpt(line)}, mended: mended})
	case f.Held == audit.HeldRobots:
		j.find(toBlocked, at)
	case f.Also == "" && f.Held != "": // of what no sitemap lists as an entry its list says why
		j.find(heldAs[f.Held], at)
	}
	return nil
}

// heldAs are the kinds of images and videos that stay though the entry at their address is replaced.
var heldAs = map[audit.LinkHeld]kind{audit.HeldTwice: imageTwice, audit.HeldVideo: videoTwice, audit.HeldPage: videoOwn}
