package submit

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/address"
	"sitemend/crawler/fetch"
	"sitemend/crawler/google"
	"sitemend/crawler/google/handin"
	"sitemend/crawler/ground"
	"sitemend/report/messages"
)

// A record is what a service answered: a note of the store.
type record struct {
	To      string    `json:"to"`
	In      string    `json:"in"` // the property, site or host
	Sitemap string    `json:"sitemap,omitempty"`
	Digest  string    `json:"digest,omitempty"` // of the sitemap
	Sent    int       `json:"sent,omitempty"`   // how many of the URLs that an audit changed there, in their order
	Audit   string    `json:"audit"`
	At      time.Time `json:"at"`
	Answer  string    `json:"answer"`
	Refused bool      `json:"refused,omitempty"`
}

// The beginnings of the names of the notes: of a sitemap the last answer of each service is kept, of
// URLs that of each service, host and audit.
const (
	sitemapNote = "submitted "
	urlsNote    = "sent to "
)

// errRefused is that a service refused something, which was told: it is asked nothing more.
var errRefused = errors.New("refused")

// recall reads a record; known is false where there is none.
func (h *handing) recall(name string, r *record) (known bool, err error) {
	text, known, err := h.store.Noted(name)
	if err == nil && known {
		err = ground.Damaged("what was submitted", json.Unmarshal(text, r))
	}
	return known, err
}

// send makes a call, and records its answer under a name, for so many URLs; a dry run makes none.
func (h *handing) send(ctx context.Context, name string, r *record, urls int, call func() (string, error)) error {
	if h.DryRun {
		return nil
	}
	answer, refused := call()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r.Audit, r.At, r.Answer, r.Refused = h.id, h.env.Time().Now().UTC(), answer, refused != nil
	if refused == nil {
		r.Sent += urls
	} else {
		h.fails(r.To, cmp.Or(r.Sitemap, r.In), refused)
		r.Answer, refused = refused.Error(), errRefused
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return errors.Join(h.store.NoteAll(map[string][]byte{name: text}), refused)
}

// sendURLs sends URLs that changed in batches of a size, at most as many as the quota, but for those
// that were sent before of this audit, and tells how many; note, where it is not nil, is added.
func (h *handing) sendURLs(ctx context.Context, to, in string, urls []string, size, quota int, note *string, call func(batch []string) (string, error)) error {
	r := record{To: to, In: in}
	name := urlsNote + to + " " + in + " " + h.id
	if _, err := h.recall(name, &r); err != nil {
		return err
	}
	before := min(r.Sent, len(urls))
	left := urls[before:]
	now := left[:min(quota, len(left))]
	for batch := range slices.Chunk(now, size) {
		err := h.send(ctx, name, &r, len(batch), func() (string, error) { return call(batch) })
		if err != nil {
			return err
		}
	}
	said := []string{h.sent(len(now))}
	if note != nil && *note != "" {
		said = append(said, *note)
	}
	if before > 0 {
		said = append(said, messages.Number(before)+" sent before: not sent again")
	}
	if more := len(left) - len(now); more > 0 {
		said = append(said, messages.Number(more)+" more than the quota that is left")
	}
	if len(urls) > 0 {
		h.Say(to, in, strings.Join(said, "; "))
	}
	return nil
}

// A changedHost is the URLs of a host that changed, those that stand in the corrected sitemaps now
// first.
type changedHost struct {
	host string
	urls []string
}

// changed reads the URLs of changes.csv, each once; only those of the sites of live sitemaps.
func (h *handing) changed() error {
	live := map[string]bool{}
	var sites []string
	for i := range h.files {
		f := &h.files[i]
		live[f.URL] = f.Kind != "index" // an index lists files
		for _, at := range []string{f.AnsweredAt, f.BelongsAt} {
			a, _ := address.Parse(at)
			sites = append(sites, a.Site())
		}
	}
	seen, by := map[string]bool{}, map[string][]string{}
	for _, now := range []bool{true, false} {
		for x, err := range h.corrected.Changes() {
			if err != nil {
				return err
			}
			url, host := x.Address.String(), x.Address.HostPort()
			if x.New == now && live[x.Sitemap] && !seen[url] && slices.Contains(sites, x.Address.Site()) {
				seen[url], by[host] = true, append(by[host], url)
			}
		}
	}
	for _, host := range slices.Sorted(maps.Keys(by)) {
		h.changes = append(h.changes, changedHost{host, by[host]})
	}
	return nil
}

// submit submits to one service. What it refuses is told, and it is asked nothing more.
func (h *handing) submit(ctx context.Context, to *receiver) error {
	if to.feed == nil && to.urls == nil {
		for i := range h.files {
			if in := consoles[to.name]; in != "" {
				h.Say(to.name, h.files[i].BelongsAt, "would be submitted in "+in)
			}
		}
		for _, c := range h.changes {
			if to.name != "google" {
				h.Say(to.name, c.host, h.sent(len(c.urls)))
			}
		}
		return nil
	}
	sites, err := h.sitesOf(ctx, to)
	var fed []google.Site
	for i := 0; err == nil && to.feed != nil && i < len(h.files); i++ {
		var site google.Site
		if site, err = h.feed(ctx, to, sites, &h.files[i]); err == nil && site.URL != "" && !slices.Contains(fed, site) {
			fed = append(fed, site)
		}
	}
	if err == nil && to.urls != nil {
		err = to.urls(ctx, fed)
	}
	if errors.Is(err, errRefused) {
		return nil
	}
	return err
}

// consoles are where sitemaps are submitted, by service.
var consoles = map[string]string{"google": "Search Console", "bing": "Bing Webmaster"}

// sitesOf returns the properties of the account at a service.
func (h *handing) sitesOf(ctx context.Context, to *receiver) ([]google.Site, error) {
	if to.sites == nil {
		return nil, nil
	}
	sites, err := to.sites(ctx)
	if err != nil {
		return nil, h.gaveUp(ctx, to.name, consoles[to.name], err)
	}
	if h.Property == "" || to.name != "google" {
		return sites, nil
	}
	at := slices.IndexFunc(sites, func(s google.Site) bool { return s.URL == h.Property })
	if at < 0 {
		return nil, cli.WithHint(fmt.Errorf("--property %q is not one of this account", h.Property),
			"sitemend google lists them, to the letter")
	}
	return sites[at : at+1], nil
}

// gaveUp tells that a service was asked in vain.
func (h *handing) gaveUp(ctx context.Context, who, what string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	h.fails(who, what, err)
	return errRefused
}

// feed submits a sitemap, unless it was submitted before as it is, and returns the property that
// has it now.
func (h *handing) feed(ctx context.Context, to *receiver, sites []google.Site, f *liveFile) (site google.Site, err error) {
	site, ok := google.Choose(sites, f.at)
	switch {
	case !ok:
		err = cli.WithHint(errors.New("no verified property of this account covers it"), "add and verify the site there, or name other credentials")
	case site.Level() == "restricted":
		err = cli.WithHint(fmt.Errorf("in %s this account may only read", site.URL), "Full or Owner is needed: Search Console, Settings, Users and permissions")
	}
	if err != nil {
		h.fails(to.name, f.BelongsAt, err)
		return google.Site{}, nil
	}
	r := record{To: to.name, In: site.URL, Sitemap: f.BelongsAt}
	name := sitemapNote + r.To + " " + r.In + " " + r.Sitemap
	known, err := h.recall(name, &r)
	if err != nil {
		return site, err
	}
	how := "submitted in " + site.URL
	switch {
	case known && !r.Refused && r.Digest == f.digest:
		how += r.At.Format(" on 2006-01-02 15:04 UTC, and unchanged since: not submitted again")
	case h.DryRun:
		how = "would be " + how
	default:
		r.Digest = f.digest
		err = h.send(ctx, name, &r, 0, func() (string, error) { return "taken", to.feed(ctx, site.URL, f.BelongsAt) })
	}
	if err == nil {
		h.Say(to.name, f.BelongsAt, how)
	}
	return site, err
}

// sent says that so many URLs were sent.
func (h *handing) sent(n int) string {
	sent := "sent " + cli.Plural(n, "changed URL", "changed URLs")
	if h.DryRun {
		return "would be " + sent
	}
	return sent
}

// toBing submits changed URLs of sites to Bing, as many as its quota of today allows.
func (h *handing) toBing(ctx context.Context, bing *handin.Bing, sites []google.Site) error {
	for _, site := range sites {
		var urls []string
		for _, c := range h.changes {
			for _, url := range c.urls {
				if site.Covers(address.Wire(url)) {
					urls = append(urls, url)
				}
			}
		}
		quota, err := bing.Quota(ctx, site.URL)
		if err != nil {
			return h.gaveUp(ctx, "bing", site.URL, err)
		}
		err = h.sendURLs(ctx, "bing", site.URL, urls, handin.BingBatch, quota, nil, func(batch []string) (string, error) {
			return "taken", bing.SubmitURLs(ctx, site.URL, batch)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// toIndexNow sends the URLs that changed, host by host.
func (h *handing) toIndexNow(ctx context.Context, to *handin.IndexNow) error {
	for _, c := range h.changes {
		at := max(0, slices.IndexFunc(c.urls, func(u string) bool { return strings.HasPrefix(u, "https:") }))
		keyFile := to.KeyFile(address.Wire(c.urls[at]))
		open, err := h.vouched(ctx, to, c.host, keyFile)
		if err != nil {
			return err
		}
		if !open {
			continue
		}
		note := ""
		err = h.sendURLs(ctx, "indexnow", c.host, c.urls, handin.IndexNowBatch, len(c.urls), &note, func(batch []string) (string, error) {
			status, err := to.Submit(ctx, c.host, keyFile, batch)
			if status == 202 {
				note = "the key is to be looked at yet (202)"
			}
			return fmt.Sprint(status), err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// maxKeyFile is the most bytes of a key file that are read.
const maxKeyFile = 4 << 10

// vouched reports whether the key file of a host holds the key.
func (h *handing) vouched(ctx context.Context, to *handin.IndexNow, host string, at address.Address) (ok bool, err error) {
	var content bytes.Buffer
	got, err := h.client.Get(ctx, fetch.File{URL: at, Limit: maxKeyFile}, &content)
	why := fmt.Sprintf("status %d", got.Status)
	switch {
	case err != nil:
		return false, err
	case got.Fault != "":
		why = "no answer: " + got.Fault.Words()
	case got.Status == 200 && to.HasKey(content.String()):
		return true, nil
	case got.Status == 200:
		why = "it holds something else"
	}
	h.fails("indexnow", host, cli.WithHint(
		fmt.Errorf("the key file was not seen at its place (%s)", why),
		"put a file with the key alone, named KEY.txt, into the root of "+host))
	return false, nil
}
