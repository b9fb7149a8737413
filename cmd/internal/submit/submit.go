package submit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/job"
	"sitemend/crawler/discover"
	"sitemend/crawler/fetch"
	"sitemend/crawler/google"
	"sitemend/crawler/google/handin"
	"sitemend/report"
	"sitemend/storage"
)

// Receivers returns the services that Run can submit to.
func Receivers() []string { return []string{"google", "bing", "indexnow"} }

// A Submission says what to submit, and to which services.
type Submission struct {
	job.Spec        // the folder of the outputs, the store, and the options of requests
	Audit    string // id, or storage.Latest
	To       []string
	DryRun   bool // say what would be sent, also where there are no credentials, and send nothing
	// Say is called for each line of the output: the service, the sitemap or URL, and the outcome.
	Say func(who, what, how string)
}

// Run submits the corrected sitemaps of an audit that it offers for upload. They must be live: each
// must answer 200 at its address, and list the same URLs as the written file, octet for octet.
// Where one does not, nothing is submitted, and ok is false; ok is also false where a service
// refused something. What was answered is recorded in the store.
func Run(ctx context.Context, s Submission, env job.Env) (ok bool, err error) {
	h := &handing{Submission: s, env: env}
	var c job.Closers
	ok, err = h.run(ctx, &c)
	return ok, errors.Join(err, c.Close())
}

// handing is the state of one Run.
type handing struct {
	Submission
	env       job.Env
	to        []*receiver
	store     *storage.Store
	id        string
	partial   map[string]bool // the URLs of the sitemaps that were read in part
	corrected *report.Corrected
	client    *fetch.Client
	files     []liveFile
	changes   []changedHost
	refused   bool
}

// A receiver is a service to submit to; what it does not take is nil. In a dry run without credentials
// it has no functions.
type receiver struct {
	name string
	// sites lists the properties of the account, and feed submits a sitemap in one.
	sites func(context.Context) ([]google.Site, error)
	feed  func(ctx context.Context, site, url string) error
	// urls sends the URLs that changed; sites are those that have a sitemap now.
	urls func(ctx context.Context, sites []google.Site) error
}

// fails reports that a submission failed.
func (h *handing) fails(who, what string, err error) {
	var hint interface{ Hint() string }
	how := "not submitted: " + err.Error()
	if errors.As(err, &hint) && hint.Hint() != "" {
		how += " (" + hint.Hint() + ")"
	}
	h.refused = true
	h.Say(who, what, how)
}

func (h *handing) run(ctx context.Context, c *job.Closers) (ok bool, err error) {
	if err := cmp.Or(h.open(c), h.receivers()); err != nil {
		return false, err
	}
	live, err := h.look(ctx)
	if err != nil || !live || len(h.files) == 0 {
		return live, err
	}
	if err := h.changed(); err != nil {
		return false, err
	}
	for _, to := range h.to {
		if err := h.submit(ctx, to); err != nil {
			return false, err
		}
	}
	return live && !h.refused, nil
}

const howToGet = "docs/google.md in the source of sitemend says how to get "

// receivers makes the clients of the services: of those that are named, else of those with
// credentials.
func (h *handing) receivers() error {
	for _, to := range h.To {
		if !slices.Contains(Receivers(), to) {
			return cli.WithHint(fmt.Errorf("--to %q is unknown", to), cli.DidYouMean(to, Receivers())+"--to takes any of "+strings.Join(Receivers(), ", "))
		}
	}
	for _, name := range Receivers() {
		if h.To != nil && !slices.Contains(h.To, name) {
			continue
		}
		r, err := h.receiver(name)
		if err != nil {
			return err
		}
		if r != nil {
			h.to = append(h.to, r)
		}
	}
	if len(h.to) == 0 {
		return cli.WithHint(errors.New("there is nothing to submit to: no credentials are set"),
			"SITEMEND_GOOGLE_CREDENTIALS, SITEMEND_BING_KEY, SITEMEND_INDEXNOW_KEY; "+howToGet+"them")
	}
	return nil
}

// receiver makes the client of a service; nil where there are no credentials, which is an error for a
// service that is named, but for a dry run.
func (h *handing) receiver(name string) (*receiver, error) {
	optional := h.To == nil || h.DryRun
	without := map[bool]*receiver{true: {name: name}}[h.DryRun]
	if name == "google" {
		client, err := h.env.Google(google.ReadWrite)
		if optional && errors.Is(err, google.ErrNone) {
			return without, nil
		}
		if err != nil {
			return nil, err
		}
		return &receiver{name: name, sites: client.Sites, feed: client.Submit}, nil
	}
	r := &receiver{name: name}
	variable := "SITEMEND_" + strings.ToUpper(name) + "_"
	key, base := os.Getenv(variable+"KEY"), os.Getenv(variable+"API")
	switch {
	case key == "" && optional:
		return without, nil
	case key == "":
		return nil, cli.WithHint(errors.New(variable+"KEY is not set"), howToGet+"a key; --to leaves others out")
	case name == "bing":
		bing, err := handin.NewBing(key, base, h.env.Time())
		if err == nil {
			r.feed = bing.SubmitFeed
			r.sites = func(ctx context.Context) (sites []google.Site, err error) {
				urls, err := bing.Sites(ctx)
				for _, url := range urls {
					sites = append(sites, google.Site{URL: url})
				}
				return sites, err
			}
			r.urls = func(ctx context.Context, sites []google.Site) error { return h.toBing(ctx, bing, sites) }
		}
		return r, err
	case !handin.ValidKey(key):
		return nil, cli.WithHint(errors.New("SITEMEND_INDEXNOW_KEY is no key of IndexNow"),
			"a key is 8 to 128 letters, digits and hyphens; "+howToGet+"one")
	}
	indexNow, err := handin.NewIndexNow(key, base, h.env.Time())
	r.urls = func(ctx context.Context, _ []google.Site) error { return h.toIndexNow(ctx, indexNow) }
	return r, err
}

// open opens the store and the outputs of the audit.
func (h *handing) open(c *job.Closers) (err error) {
	var a *storage.Audit
	if h.store, a, err = job.OpenStore(h.ChangeStore, h.Audit, c); err != nil {
		return err
	}
	info := a.Info()
	h.id = info.ID
	if info.Site != "" {
		return cli.WithHint(fmt.Errorf("audit %s is of the build in %s: its sitemaps are not live yet", info.ID, info.Site), "deploy the build, audit the site, then submit")
	}
	sitemaps, err := a.Sitemaps()
	if err != nil {
		return err
	}
	h.partial = map[string]bool{}
	for i := range sitemaps {
		h.partial[sitemaps[i].URL] = sitemaps[i].InPart()
	}
	dir := h.Folder(info.Targets)
	if h.corrected, err = report.ReadCorrected(dir); err != nil {
		return cli.WithHint(err, "--out names the folder of the outputs; "+h.Command("report "+info.ID)+" writes them again")
	}
	c.Add(h.corrected.Close)
	if h.corrected.ID != info.ID {
		return cli.WithHint(fmt.Errorf("%s has the outputs of audit %s, not of %s", dir, h.corrected.ID, info.ID), "--out names the folder of those; "+h.Command("report "+info.ID)+" writes them again")
	}
	return h.connect(info.Targets, c)
}

// connect makes the client that fetches sitemaps and key files.
func (h *handing) connect(targets []string, c *job.Closers) error {
	var hosts []string
	for _, text := range targets {
		if t, err := discover.ParseTarget(text); err == nil {
			for _, a := range t.URLs {
				hosts = append(hosts, a.Host())
			}
		}
	}
	ask, err := h.Options(hosts, &fetch.Audited{})
	if err != nil {
		return err
	}
	ask.NoProxy = h.env.NoProxy
	h.client = fetch.New(ask)
	c.Add(func() error { h.client.Close(); return nil })
	return nil
}

// look checks whether the corrected sitemaps are live, of those that are offered for upload.
func (h *handing) look(ctx context.Context) (live bool, err error) {
	live = true
	changed := false
	for i := range h.corrected.Files {
		f := &h.corrected.Files[i]
		switch {
		case f.Written == "":
			continue
		case f.BelongsAt == "":
			h.Say("sitemap", f.URL, "not submitted: it was read from a file, and has no address")
		case h.partial[f.URL]:
			h.Say("sitemap", f.URL, "not submitted: it was read in part, and is not offered for upload")
		default:
			found := liveFile{CorrectedFile: f}
			how, err := h.lookAt(ctx, &found)
			if err != nil {
				return false, err
			}
			if live = live && how == ""; how == "" {
				how = "is live: " + cli.Plural(found.urls, "URL", "URLs")
			}
			h.Say("sitemap", f.BelongsAt, how)
			h.files = append(h.files, found)
		}
		changed = true
	}
	switch {
	case !changed:
		h.Say("sitemap", "audit "+h.id, "corrected no sitemap: there is nothing to submit")
	case !live:
		h.Say("", "nothing is submitted: upload the corrected sitemaps, purge their caches, and run this again", "")
	}
	return live, nil
}
