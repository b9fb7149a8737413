package submit

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
	"sitemend/crawler/google"
	"sitemend/crawler/handin"
	"sitemend/report/messages"
	"sitemend/storage"
)

// A record is what a service answered last to a sitemap, or to the URLs of a site or host: a note
// of the store.
type record struct {
	To      string    `json:"to"`
	In      string    `json:"in"` // the property, site or host
	Sitemap string    `json:"sitemap,omitempty"`
	Digest  string    `json:"digest,omitempty"`
	URLs    int       `json:"urls,omitempty"`
	Audit   string    `json:"audit"`
	At      time.Time `json:"at"`
	Answer  string    `json:"answer"`
	Refused bool      `json:"refused,omitempty"`
}

func (r *record) name() string { return "submitted " + r.To + " " + r.In + " " + r.Sitemap }

// sentNote begins the names of the notes with the URLs that a service, whose name follows, was sent
// recently: a batch each, as hashes of 8 bytes.
const sentNote = "sent to "

type sentBatch struct {
	At     time.Time `json:"at"`
	Hashes []byte    `json:"hashes"`
}

// sentFor is for how long a URL is not sent again (contract, section 8; Bing counts by the day).
var sentFor = map[string]time.Duration{"indexnow": 10 * time.Minute, "bing": 24 * time.Hour}

// send makes a call, and records its answer and what it sent; a dry run makes none. ok is false
// where the service refused, which is told.
func (h *handing) send(ctx context.Context, r record, urls []string, call func() (string, error)) (ok bool,
	err error) {
	if h.s.DryRun {
		return true, nil
	}
	answer, refused := call()
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	r.Audit, r.At, r.URLs, r.Answer = h.id, h.env.Time().Now().UTC(), len(urls), answer
	if refused != nil {
		h.fails(r.To, cmp.Or(r.Sitemap, r.In), refused)
		r.Answer, r.Refused = h.clean(refused.Error()), true
	} else {
		h.taken++
	}
	text, err := json.Marshal(r)
	notes := map[string][]byte{r.name(): text}
	if err == nil && len(urls) > 0 && refused == nil {
		batch := sentBatch{At: r.At}
		for _, url := range urls {
			batch.Hashes = binary.LittleEndian.AppendUint64(batch.Hashes, xxhash.Sum64String(url))
		}
		name := fmt.Sprintf("%s%s %s %d", sentNote, r.To, r.At.Format(time.RFC3339Nano), h.taken)
		notes[name], err = json.Marshal(batch)
	}
	if err != nil {
		return false, err
	}
	return refused == nil, h.store.NoteAll(notes)
}

// lately returns the hashes of the URLs that a service was sent recently, and forgets older ones.
func (h *handing) lately(to string) (has map[uint64]bool, err error) {
	has = map[uint64]bool{}
	old := map[string][]byte{}
	err = h.store.NotedUnder(sentNote+to+" ", func(name string, text []byte) error {
		var b sentBatch
		if err := json.Unmarshal(text, &b); err != nil {
			return audit.Damaged("what was sent to "+to, err)
		}
		if h.env.Time().Now().Sub(b.At) >= sentFor[to] {
			old[name] = nil
			return nil
		}
		for ; len(b.Hashes) >= 8; b.Hashes = b.Hashes[8:] {
			has[binary.LittleEndian.Uint64(b.Hashes)] = true
		}
		return nil
	})
	if err == nil && len(old) > 0 {
		err = h.store.NoteAll(old)
	}
	return has, err
}

// changes are the URLs that changed, sorted by host, in a temporary file.
type changes struct{ sorter *storage.Sorter }

// How a URL changed: the values of the records.
const (
	isNew byte = iota // it stands in the corrected sitemap now
	isOld
)

// changed reads changes.csv for the sitemaps that are live; only URLs of their sites.
func (h *handing) changed() (*changes, error) {
	c := &changes{storage.NewSorter(h.dir)}
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
	for x, err := range h.corrected.Changes() {
		how := isOld
		if x.New {
			how = isNew
		}
		if err == nil && live[x.Sitemap] && slices.ContainsFunc(homes, x.Address.SameSite) {
			err = c.sorter.Add(x.Address.HostPort()+" "+x.Address.String(), []byte{how})
		}
		if err != nil {
			return nil, errors.Join(err, c.sorter.Close())
		}
	}
	return c, nil
}

// each calls fn with each URL once; new ones that are old ones, too, are new.
func (c *changes) each(fn func(host, url string, how byte) error) error {
	last := ""
	for r, err := range c.sorter.Records() {
		if err != nil {
			return err
		}
		if string(r.Key) == last {
			continue
		}
		last = string(r.Key)
		host, url, _ := strings.Cut(last, " ")
		if err := fn(host, url, r.Value[0]); err != nil {
			return err
		}
	}
	return nil
}

// batches calls fn with the URLs of one host after the other, size at most, without those to skip.
func (c *changes) batches(size int, skip func(url string) bool,
	fn func(host string, urls []string) error) error {
	of, urls := "", []string(nil)
	flush := func() (err error) {
		if len(urls) > 0 {
			err = fn(of, urls)
		}
		urls = nil
		return err
	}
	err := c.each(func(host, url string, _ byte) error {
		if host != of || len(urls) == size {
			if err := flush(); err != nil {
				return err
			}
			of = host
		}
		if !skip(url) {
			urls = append(urls, url)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// sitemaps submits each sitemap to a service, unless it was submitted there before as it is. in
// returns where it belongs there; done are the places of those that the service has now.
func (h *handing) sitemaps(ctx context.Context, to string, in func(*liveFile) (string, error),
	submit func(in, url string) error) (done []string, err error) {
	for i := range h.files {
		f := &h.files[i]
		place, err := in(f)
		if err != nil {
			h.fails(to, f.BelongsAt, err)
			continue
		}
		r := record{To: to, In: place, Sitemap: f.BelongsAt, Digest: f.digest}
		var last record
		text, known, err := h.store.Noted(r.name())
		if err == nil && known {
			err = audit.Damaged("what was submitted", json.Unmarshal(text, &last))
		}
		if err != nil {
			return done, err
		}
		how := "submitted in " + place
		switch {
		case known && !last.Refused && last.Digest == r.Digest:
			how += last.At.Format(" on 2006-01-02 15:04 UTC, and unchanged since: not submitted again")
		case h.s.DryRun:
			how = "would be " + how
		default:
			var refusal error
			ok, err := h.send(ctx, r, nil, func() (string, error) {
				refusal = submit(place, f.BelongsAt)
				return "taken", refusal
			})
			var e *google.Error
			ofThis := errors.As(refusal, &e) && (e.Status == 400 || e.Status == 404)
			if err != nil || !ok && !ofThis {
				return nil, err
			}
			if !ok {
				continue
			}
		}
		h.say(to, f.BelongsAt, how)
		if !slices.Contains(done, place) {
			done = append(done, place)
		}
	}
	return done, nil
}

// wouldSend says what a dry run without credentials would send.
func (h *handing) wouldSend(to, place string) (err error) {
	if !h.s.DryRun {
		return nil
	}
	if place != "" {
		_, err = h.sitemaps(context.Background(), to,
			func(*liveFile) (string, error) { return place, nil }, nil)
	}
	if err == nil && to != "google" {
		err = h.changes.batches(handin.IndexNowBatch, func(string) bool { return false },
			func(host string, urls []string) error {
				h.say(to, host, "would be sent "+changedURLs(len(urls)))
				return nil
			})
	}
	return err
}

func changedURLs(n int) string { return cli.Plural(n, "changed URL", "changed URLs") }

// left reports that a service was asked in vain, and is asked nothing more. Its error is that of
// ctx.
func (h *handing) left(ctx context.Context, who, what string, err error) error {
	if ctx.Err() == nil {
		h.fails(who, what, err)
	}
	return ctx.Err()
}

// toGoogle submits the sitemaps in Search Console.
func (h *handing) toGoogle(ctx context.Context) error {
	if h.google == nil {
		return h.wouldSend("google", "Search Console")
	}
	sites, err := h.google.Sites(ctx)
	if err != nil {
		return h.left(ctx, "google", "Search Console", err)
	}
	named := slices.IndexFunc(sites, func(s google.Site) bool { return s.URL == h.s.Property })
	if h.s.Property != "" && named < 0 {
		return cli.WithHint(fmt.Errorf("--property %q is not one of this account", h.s.Property),
			"sitemend google lists them, to the letter")
	}
	_, err = h.sitemaps(ctx, "google", func(f *liveFile) (string, error) {
		site, ok := google.Choose(sites, f.at)
		if h.s.Property != "" {
			site, ok = sites[named], sites[named].Covers(f.at)
		}
		switch level := site.Level(); {
		case !ok:
			return "", cli.WithHint(errors.New("no property of this account covers it"),
				"sitemend google lists them")
		case level == "restricted" || level == "unverified":
			return "", cli.WithHint(fmt.Errorf("in %s this account may only read", site.URL),
				"Full or Owner is needed: Search Console, Settings, Users and permissions")
		}
		return site.URL, nil
	}, func(site, url string) error { return h.google.Submit(ctx, site, url) })
	return err
}

// toBing submits the sitemaps to Bing, and as many changed URLs as its quota of today allows.
func (h *handing) toBing(ctx context.Context) error {
	if h.bing == nil {
		return h.wouldSend("bing", "Bing Webmaster")
	}
	sites, err := h.bing.Sites(ctx)
	if err != nil {
		return h.left(ctx, "bing", "Bing Webmaster", err)
	}
	fed, err := h.sitemaps(ctx, "bing", func(f *liveFile) (string, error) {
		site := handin.ChooseSite(sites, f.at)
		if site == "" {
			return "", cli.WithHint(errors.New("no verified site of this account covers it"),
				"add and verify the site in Bing Webmaster")
		}
		return site, nil
	}, func(site, url string) error { return h.bing.SubmitFeed(ctx, site, url) })
	for _, site := range fed {
		if err = errors.Join(err, h.bingURLs(ctx, site)); err != nil {
			return err
		}
	}
	return err
}

// bingURLs submits changed URLs of a site, the new ones first.
func (h *handing) bingURLs(ctx context.Context, site string) error {
	quota, err := h.bing.Quota(ctx, site)
	if err != nil {
		return h.left(ctx, "bing", site, err)
	}
	lately, err := h.lately("bing")
	var urls []string
	again, more := 0, 0
	for _, how := range []byte{isNew, isOld} {
		err = errors.Join(err, h.changes.each(func(_, url string, is byte) error {
			switch {
			case is != how || handin.ChooseSite([]string{site}, address.Wire(url)) == "":
			case lately[xxhash.Sum64String(url)]:
				again++
			case len(urls) == quota:
				more++
			default:
				urls = append(urls, url)
			}
			return nil
		}))
	}
	if err != nil || len(urls)+again+more == 0 {
		return err
	}
	for batch := range slices.Chunk(urls, handin.BingBatch) {
		ok, err := h.send(ctx, record{To: "bing", In: site}, batch, func() (string, error) {
			return "taken", h.bing.SubmitURLs(ctx, site, batch)
		})
		if err != nil || !ok {
			return err
		}
	}
	what := h.sent(len(urls))
	if again > 0 {
		what += fmt.Sprintf("; %s sent within a day: not sent again", messages.Number(again))
	}
	if more > 0 {
		what += fmt.Sprintf("; %s more than the quota that is left", messages.Number(more))
	}
	h.say("bing", site, what)
	return nil
}

func (h *handing) sent(n int) string {
	if h.s.DryRun {
		return "would be sent " + changedURLs(n)
	}
	return "sent " + changedURLs(n)
}

// errEnough ends a walk over the changes.
var errEnough = errors.New("enough")

// toIndexNow sends the URLs that changed, host by host.
func (h *handing) toIndexNow(ctx context.Context) error {
	if h.indexNow == nil {
		return h.wouldSend("indexnow", "")
	}
	lately, err := h.lately("indexnow")
	if err != nil {
		return err
	}
	again, asked, open := 0, "", false // the host whose key file was asked for, and whether it is sent
	var keyFile address.Address
	err = h.changes.batches(handin.IndexNowBatch, func(url string) bool {
		was := lately[xxhash.Sum64String(url)]
		if was {
			again++
		}
		return was
	}, func(host string, urls []string) (err error) {
		if host != asked {
			asked = host
			if keyFile, open, err = h.vouched(ctx, host, address.Wire(urls[0])); err != nil {
				return err
			}
		}
		if !open {
			return nil
		}
		var refusal error
		how := h.sent(len(urls))
		open, err = h.send(ctx, record{To: "indexnow", In: host}, urls, func() (string, error) {
			status := 0
			if status, refusal = h.indexNow.Submit(ctx, host, keyFile, urls); status == 202 {
				how += "; the key is to be looked at yet (202)"
			}
			return fmt.Sprint(status), refusal
		})
		var e *handin.Error
		switch {
		case err == nil && open:
			h.say("indexnow", host, how)
		case err == nil && errors.As(refusal, &e) && e.Status == 429: // concerns the sender
			return errEnough
		}
		return err
	})
	if again > 0 {
		h.say("indexnow", "earlier", fmt.Sprintf("%s sent within the last ten minutes: not sent again",
			messages.Number(again)))
	}
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// maxKeyFile is the most bytes of a key file that are read.
const maxKeyFile = 4 << 10

// vouched fetches the key file of a host: over https, else with the scheme of the URL.
func (h *handing) vouched(ctx context.Context, host string, of address.Address) (at address.Address,
	ok bool, err error) {
	places := []address.Address{h.indexNow.KeyFile(of)}
	if of.Scheme() == "http" && of.Port() == "" {
		places = slices.Insert(places, 0,
			address.Wire("https"+strings.TrimPrefix(places[0].String(), "http")))
	}
	why := ""
	for _, at := range places {
		var content bytes.Buffer
		got, err := h.client.Get(ctx, fetch.File{URL: at, Limit: maxKeyFile}, &content)
		if err != nil {
			return at, false, err
		}
		switch {
		case got.Fault == "" && got.Status == 200 && h.indexNow.HasKey(content.String()):
			return at, true, nil
		case got.Fault != "":
			why = "no answer: " + got.Fault.Words()
		case got.Status == 200:
			why = "it holds something else"
		default:
			why = fmt.Sprintf("status %d", got.Status)
		}
	}
	h.fails("indexnow", host, cli.WithHint(
		fmt.Errorf("the key file was not seen at its place (%s)", why),
		"put a file with the key alone, named KEY.txt, into the root of "+host))
	return at, false, nil
}
