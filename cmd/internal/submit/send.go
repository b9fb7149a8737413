package submit

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
	"sitemend/crawler/google"
	"sitemend/crawler/google/handin"
	"sitemend/report/messages"
)

// A record is what a service answered: a note of the store.
type record struct {
	To      string    `json:"to"`
	In      string    `json:"in"` // the property, site or host
	Sitemap string    `json:"sitemap,omitempty"`
	Digest  string    `json:"digest,omitempty"` // of the sitemap
	Hashes  []byte    `json:"hashes,omitempty"` // of the URLs that were sent, 8 bytes each
	Audit   string    `json:"audit"`
	At      time.Time `json:"at"`
	Answer  string    `json:"answer"`
	Refused bool      `json:"refused,omitempty"`
}

// The beginnings of the names of the notes: of a sitemap the last answer of each service is kept, of
// URLs every one while they are not sent again.
const (
	sitemapNote = "submitted "
	urlsNote    = "sent to "
)

// sentFor is for how long a URL is not sent again.
const sentFor = 24 * time.Hour

// errRefused is that a service refused something, which was told: it is asked nothing more.
var errRefused = errors.New("refused")

// send makes a call, and records its answer under a name; a dry run makes none.
func (h *handing) send(ctx context.Context, name string, r record, call func() (string, error)) error {
	if h.DryRun {
		return nil
	}
	answer, refused := call()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r.Audit, r.At, r.Answer = h.id, h.env.Time().Now().UTC(), answer
	if refused != nil {
		h.fails(r.To, cmp.Or(r.Sitemap, r.In), refused)
		r.Answer, r.Refused, r.Hashes = refused.Error(), true, nil
		refused = errRefused
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return errors.Join(h.store.NoteAll(map[string][]byte{name: text}), refused)
}

// sendURLs is send for a batch of URLs.
func (h *handing) sendURLs(ctx context.Context, to, in string, urls []string, call func() (string, error)) error {
	r := record{To: to, In: in}
	for _, url := range urls {
		r.Hashes = binary.LittleEndian.AppendUint64(r.Hashes, xxhash.Sum64String(url))
	}
	return h.send(ctx, fmt.Sprintf("%s%s %x", urlsNote, to, r.Hashes[:8]), r, call)
}

// lately returns the hashes of the URLs that a service was sent recently, and forgets older ones.
func (h *handing) lately(to string) (has map[uint64]bool, err error) {
	has = map[uint64]bool{}
	old := map[string][]byte{}
	err = h.store.NotedUnder(urlsNote+to+" ", func(name string, text []byte) error {
		var r record
		if err := json.Unmarshal(text, &r); err != nil {
			return audit.Damaged("what was sent to "+to, err)
		}
		if h.env.Time().Now().Sub(r.At) >= sentFor {
			old[name] = nil
			return nil
		}
		for ; len(r.Hashes) >= 8; r.Hashes = r.Hashes[8:] {
			has[binary.LittleEndian.Uint64(r.Hashes)] = true
		}
		return nil
	})
	if err == nil && len(old) > 0 {
		err = h.store.NoteAll(old)
	}
	return has, err
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
	var homes []address.Address
	for i := range h.files {
		f := &h.files[i]
		live[f.URL] = f.Kind != "index" // an index lists files
		for _, at := range []string{f.AnsweredAt, f.BelongsAt} {
			if a, err := address.Parse(at); err == nil && !slices.ContainsFunc(homes, a.SameSite) {
				homes = append(homes, a)
			}
		}
	}
	seen, by := map[string]bool{}, map[string][]string{}
	for _, now := range []bool{true, false} {
		for x, err := range h.corrected.Changes() {
			if err != nil {
				return err
			}
			url, host := x.Address.String(), x.Address.HostPort()
			if x.New == now && live[x.Sitemap] && !seen[url] && slices.ContainsFunc(homes, x.Address.SameSite) {
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
	sites, err := h.sitesOf(ctx, to)
	var fed []google.Site
	for i := 0; err == nil && to.title != "" && i < len(h.files); i++ {
		var site google.Site
		if site, err = h.feed(ctx, to, sites, &h.files[i]); err == nil && site.URL != "" && !slices.Contains(fed, site) {
			fed = append(fed, site)
		}
	}
	switch {
	case err != nil:
	case to.urls != nil:
		err = to.urls(ctx, fed)
	case !to.ready() && to.name != "google":
		for _, c := range h.changes {
			h.Say(to.name, c.host, h.sent(len(c.urls)))
		}
	}
	if errors.Is(err, errRefused) {
		return nil
	}
	return err
}

// sitesOf returns the properties of the account at a service.
func (h *handing) sitesOf(ctx context.Context, to *receiver) ([]google.Site, error) {
	if to.sites == nil {
		return nil, nil
	}
	sites, err := to.sites(ctx)
	if err != nil {
		return nil, h.gaveUp(ctx, to.name, to.title, err)
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
	if site = (google.Site{URL: to.title}); to.ready() {
		found, ok := google.Choose(sites, f.at)
		switch level := found.Level(); {
		case !ok:
			err = cli.WithHint(errors.New("no verified property of this account covers it"),
				"add and verify the site there, or name other credentials")
		case level == "restricted":
			err = cli.WithHint(fmt.Errorf("in %s this account may only read", found.URL),
				"Full or Owner is needed: Search Console, Settings, Users and permissions")
		}
		if err != nil {
			h.fails(to.name, f.BelongsAt, err)
			return google.Site{}, nil
		}
		site = found
	}
	r := record{To: to.name, In: site.URL, Sitemap: f.BelongsAt, Digest: f.digest}
	name := sitemapNote + r.To + " " + r.In + " " + r.Sitemap
	var last record
	text, known, err := h.store.Noted(name)
	if err == nil && known {
		err = audit.Damaged("what was submitted", json.Unmarshal(text, &last))
	}
	if err != nil {
		return site, err
	}
	how := "submitted in " + site.URL
	switch {
	case known && !last.Refused && last.Digest == r.Digest:
		how += last.At.Format(" on 2006-01-02 15:04 UTC, and unchanged since: not submitted again")
	case h.DryRun:
		how = "would be " + how
	default:
		err = h.send(ctx, name, r, func() (string, error) { return "taken", to.feed(ctx, site.URL, f.BelongsAt) })
	}
	if err == nil {
		h.Say(to.name, f.BelongsAt, how)
	}
	return site, err
}

func (h *handing) sent(n int) string {
	sent := "sent " + cli.Plural(n, "changed URL", "changed URLs")
	if h.DryRun {
		return "would be " + sent
	}
	return sent
}

// toBing submits changed URLs of sites to Bing, as many as its quota of today allows.
func (h *handing) toBing(ctx context.Context, bing *handin.Bing, sites []google.Site) error {
	lately, err := h.lately("bing")
	if err != nil {
		return err
	}
	for _, site := range sites {
		var urls []string
		again := 0
		for _, c := range h.changes {
			for _, url := range c.urls {
				switch {
				case !site.Covers(address.Wire(url)):
				case lately[xxhash.Sum64String(url)]:
					again++
				default:
					urls = append(urls, url)
				}
			}
		}
		quota, err := bing.Quota(ctx, site.URL)
		if err != nil {
			return h.gaveUp(ctx, "bing", site.URL, err)
		}
		quota = min(quota, len(urls))
		for batch := range slices.Chunk(urls[:quota], handin.BingBatch) {
			err := h.sendURLs(ctx, "bing", site.URL, batch, func() (string, error) {
				return "taken", bing.SubmitURLs(ctx, site.URL, batch)
			})
			if err != nil {
				return err
			}
		}
		what := h.sent(quota)
		if again > 0 {
			what += fmt.Sprintf("; %s sent within a day: not sent again", messages.Number(again))
		}
		if more := len(urls) - quota; more > 0 {
			what += fmt.Sprintf("; %s more than the quota that is left", messages.Number(more))
		}
		if again+len(urls) > 0 {
			h.Say("bing", site.URL, what)
		}
	}
	return nil
}

// toIndexNow sends the URLs that changed, host by host.
func (h *handing) toIndexNow(ctx context.Context, to *handin.IndexNow) error {
	lately, err := h.lately("indexnow")
	if err != nil {
		return err
	}
	again := 0
	for _, c := range h.changes {
		urls := slices.DeleteFunc(slices.Clone(c.urls), func(url string) bool { return lately[xxhash.Sum64String(url)] })
		if again += len(c.urls) - len(urls); len(urls) == 0 {
			continue
		}
		at := max(0, slices.IndexFunc(urls, func(u string) bool { return strings.HasPrefix(u, "https:") }))
		keyFile := to.KeyFile(address.Wire(urls[at]))
		open, err := h.vouched(ctx, to, c.host, keyFile)
		if err != nil {
			return err
		}
		if !open {
			continue
		}
		how := h.sent(len(urls))
		for batch := range slices.Chunk(urls, handin.IndexNowBatch) {
			err := h.sendURLs(ctx, "indexnow", c.host, batch, func() (string, error) {
				status, err := to.Submit(ctx, c.host, keyFile, batch)
				if status == 202 {
					how += "; the key is to be looked at yet (202)"
				}
				return fmt.Sprint(status), err
			})
			if err != nil {
				return err
			}
		}
		h.Say("indexnow", c.host, how)
	}
	if again > 0 {
		h.Say("indexnow", "earlier", messages.Number(again)+" sent within a day: not sent again")
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
