package submit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/job"
	"sitemend/cmd/internal/scratch"
	"sitemend/crawler/address"
	"sitemend/crawler/discover"
	"sitemend/crawler/fetch"
	"sitemend/crawler/google"
	"sitemend/crawler/handin"
	"sitemend/report"
	"sitemend/report/messages"
	"sitemend/storage"
)

// Receivers returns the services that Run can submit to.
func Receivers() []string { return []string{"google", "bing", "indexnow"} }

// A Submission says what to submit, and to which services.
type Submission struct {
	job.Spec        // the folder of the outputs, the store, and the options of requests
	Audit    string // id, or storage.Latest
	To       []string
	DryRun   bool   // say what would be sent, and send nothing that changes anything
	Property string // of Search Console; "" for the longest that covers each sitemap
	// Say is called for each line of the output: the service, the sitemap or address, and the
	// outcome.
	Say func(who, what, how string)
}

// Run submits the corrected sitemaps of an audit, which must be live: each must answer 200 at its
// intended address, and list the same addresses as the written file, byte for byte. Where one does
// not, nothing is submitted, and ok is false; ok is also false where a service refused a
// submission. Submissions and answers are recorded in the store.
func Run(ctx context.Context, s Submission, env job.Env) (ok bool, err error) {
	h := &handing{s: &s, env: env}
	var c job.Closers
	ok, err = h.run(ctx, &c)
	if errors.Is(err, context.Canceled) {
		err = &Interrupted{Taken: h.taken, err: err}
	}
	return ok, errors.Join(err, c.Close())
}

// An Interrupted is the error of a Run that ctx ended.
type Interrupted struct {
	Taken int // how many submissions were accepted before, and are recorded
	err   error
}

// Error implements error.
func (e *Interrupted) Error() string { return e.err.Error() }

// Unwrap returns the cause, which wraps context.Canceled.
func (e *Interrupted) Unwrap() error { return e.err }

// handing is the state of one Run.
type handing struct {
	s         *Submission
	env       job.Env
	google    *google.Client
	bing      *handin.Bing
	indexNow  *handin.IndexNow
	store     *storage.Store
	id        string
	corrected *report.Corrected
	client    *fetch.Client
	dir       string // for temporary files
	files     []liveFile
	secrets   []string
	refused   bool
	taken     int // number of accepted submissions
}

// say reports a line, without secrets.
func (h *handing) say(who, what, how string) {
	for _, secret := range h.secrets {
		what, how = strings.ReplaceAll(what, secret, "..."), strings.ReplaceAll(how, secret, "...")
	}
	h.s.Say(who, what, how)
}

// fails reports that a submission failed.
func (h *handing) fails(who, what string, err error) {
	var hint interface{ Hint() string }
	how := "not submitted: " + err.Error()
	if errors.As(err, &hint) && hint.Hint() != "" {
		how += " (" + hint.Hint() + ")"
	}
	h.refused = true
	h.say(who, what, how)
}

func (h *handing) run(ctx context.Context, c *job.Closers) (ok bool, err error) {
	if err := h.receivers(); err != nil {
		return false, err
	}
	if err := h.open(c); err != nil {
		return false, err
	}
	live, err := h.look(ctx)
	if err != nil || !live || len(h.files) == 0 {
		return live, err
	}
	for _, hand := range []func(context.Context) error{h.toGoogle, h.toBing, h.toIndexNow} {
		if err := hand(ctx); err != nil {
			return false, err
		}
	}
	return !h.refused, nil
}

// receivers makes the clients of the services: of those that are named, else of those with
// credentials.
func (h *handing) receivers() error {
	for _, to := range h.s.To {
		if !slices.Contains(Receivers(), to) {
			return cli.WithHint(fmt.Errorf("--to %q is unknown", to),
				cli.DidYouMean(cli.Meant(to, Receivers(), nil))+"--to takes any of "+
					strings.Join(Receivers(), ", "))
		}
	}
	ask := h.env.GoogleOptions(google.ReadWrite)
	if h.s.DryRun {
		// a dry run requests no write access, but fails where it was not granted
		ask.Scope, ask.Granted = google.ReadOnly, google.ReadWrite
	}
	var err error
	if h.wanted("google") {
		h.google, err = h.env.Google(ask)
		if errors.Is(err, google.ErrNone) && h.s.To == nil {
			err = nil
		}
	}
	bing, indexNow := h.env.Var("SITEMEND_BING_KEY"), h.env.Var("SITEMEND_INDEXNOW_KEY")
	if err == nil && h.wanted("bing") && h.keyed("SITEMEND_BING_KEY", bing, &err) {
		h.bing, err = handin.NewBing(bing, h.env.Var("SITEMEND_BING_API"), h.env.Time())
	}
	if err == nil && h.wanted("indexnow") && h.keyed("SITEMEND_INDEXNOW_KEY", indexNow, &err) {
		if !handin.ValidKey(indexNow) {
			return cli.WithHint(errors.New("SITEMEND_INDEXNOW_KEY is no key of IndexNow"), "a key is 8 to 128 letters, digits and hyphens; docs/google.md in the source of sitemend says how to make one")
		}
		h.indexNow, err = handin.NewIndexNow(indexNow, h.env.Var("SITEMEND_INDEXNOW_API"),
			h.env.Time())
	}
	if err == nil && h.google == nil && h.bing == nil && h.indexNow == nil {
		return cli.WithHint(errors.New("there is nothing to submit to: no credentials are set"),
			"SITEMEND_GOOGLE_CREDENTIALS, SITEMEND_BING_KEY, SITEMEND_INDEXNOW_KEY; docs/google.md in the source of sitemend says how to get them")
	}
	return err
}

// wanted reports whether to submit to a service where there are credentials.
func (h *handing) wanted(to string) bool { return h.s.To == nil || slices.Contains(h.s.To, to) }

// keyed reports whether there is a key. A missing key is an error for a service that is named.
func (h *handing) keyed(variable, key string, err *error) bool {
	if key == "" && h.s.To != nil {
		*err = cli.WithHint(errors.New(variable+" is not set"), "docs/google.md in the source of sitemend says how to get a key; --to leaves others out")
	}
	if key != "" {
		h.secrets = append(h.secrets, key)
	}
	return key != ""
}

// open opens the store and the outputs of the audit.
func (h *handing) open(c *job.Closers) (err error) {
	if h.store, err = h.s.StoreFile().Write(); err != nil {
		return err
	}
	c.Add(h.store.Close)
	a, err := job.OpenAudit(h.store, h.s.Audit)
	if err != nil {
		return err
	}
	c.Add(a.Close)
	info := a.Info()
	h.id = info.ID
	if info.Site != "" {
		return cli.WithHint(fmt.Errorf(
			"audit %s is of the build in %s: its sitemaps are not live yet", info.ID, info.Site),
			"deploy the build, audit the site, then submit")
	}
	if h.corrected, err = report.ReadCorrected(h.s.Dir()); err != nil {
		return cli.WithHint(err, "--out names the folder of the outputs; "+
			h.s.Command("report "+info.ID)+" writes them again")
	}
	c.Add(h.corrected.Close)
	if h.corrected.ID != info.ID {
		return cli.WithHint(fmt.Errorf("%s has the outputs of audit %s, not of %s", h.s.Dir(),
			h.corrected.ID, info.ID),
			"--out names the folder of those; "+h.s.Command("report "+info.ID)+" writes them again")
	}
	temporary, err := scratch.New()
	if err != nil {
		return err
	}
	c.Add(temporary.Close)
	h.dir = temporary.Dir
	var targets []address.Address
	for _, text := range info.Targets {
		if t, err := discover.ParseTarget(text); err == nil {
			targets = append(targets, t.URLs...)
		}
	}
	ask, err := h.s.Options(targets, &fetch.Audited{})
	if err != nil {
		return err
	}
	if h.env.RootCAs != nil {
		ask.RootCAs = h.env.RootCAs
	}
	ask.NoProxy = h.env.NoProxy
	h.client = fetch.New(ask)
	c.Add(func() error { h.client.Close(); return nil })
	return nil
}

// look checks whether the corrected sitemaps are live. Only then is anything submitted.
func (h *handing) look(ctx context.Context) (live bool, err error) {
	check := liveCheck{h.corrected, h.client, h.env.Time(), h.dir}
	live = true
	changed := 0
	for i := range h.corrected.Files {
		f := &h.corrected.Files[i]
		if f.Written == "" {
			continue
		}
		changed++
		switch {
		case f.BelongsAt == "":
			h.say("sitemap", f.URL, "not submitted: it was read from a file, and has no address")
		default:
			found, err := check.look(ctx, f)
			if err != nil {
				return false, err
			}
			if found.wrong != "" {
				h.say("sitemap", f.BelongsAt, found.wrong)
				live = false
				continue
			}
			how := "is live: it is the file that was written, of %s"
			if !found.itself {
				how = "is live: it holds the same entries (%s), but is not the file that was written"
			}
			h.say("sitemap", f.BelongsAt,
				fmt.Sprintf(how, cli.Plural(found.entries, "address", "addresses")))
			h.files = append(h.files, found)
		}
	}
	switch {
	case changed == 0:
		h.say("sitemap", "audit "+h.id, "corrected no sitemap: there is nothing to submit")
	case !live:
		h.say("", "nothing was submitted: upload the corrected sitemaps, empty the caches before them, and run this again", "")
	case len(h.files) == 0:
		return false, nil
	}
	return live, nil
}

// toGoogle submits the sitemaps in Search Console.
func (h *handing) toGoogle(ctx context.Context) error {
	if h.google == nil {
		return nil
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
	for i := range h.files {
		f := &h.files[i]
		site, ok := google.Choose(sites, f.at)
		if h.s.Property != "" {
			site, ok = sites[named], sites[named].Covers(f.at)
		}
		switch {
		case !ok:
			h.fails("google", f.BelongsAt,
				cli.WithHint(errors.New("no property of this account covers it"),
					"sitemend google lists them"))
			continue
		case site.Level() == "restricted" || site.Level() == "unverified":
			h.fails("google", f.BelongsAt,
				cli.WithHint(fmt.Errorf("in %s this account may only read", site.URL),
					"Full or Owner is needed: Search Console, Settings, Users and permissions"))
			continue
		}
		if goOn, err := h.submit(ctx, f, &site); err != nil || !goOn {
			return err
		}
	}
	return nil
}

// submit submits one sitemap in Search Console, unless it was submitted before with the same
// content. goOn is false where the next one would fail in the same way.
func (h *handing) submit(ctx context.Context, f *liveFile, site *google.Site) (goOn bool,
	err error) {
	r := handedIn{To: "google", Audit: h.id, At: h.env.Time().Now().UTC(), Sitemap: f.BelongsAt,
		In: site.URL, Digest: f.digest}
	before, ok, err := h.before(&r)
	switch {
	case err != nil:
		return false, err
	case ok:
		h.say("google", f.BelongsAt,
			fmt.Sprintf("submitted in %s on %s, and unchanged since: not submitted again", site.URL,
				before.At.Local().Format("2006-01-02 15:04 MST")))
		return true, nil
	case h.s.DryRun:
		h.say("google", f.BelongsAt, "would be submitted in "+site.URL)
		return true, nil
	}
	if err := h.google.Submit(ctx, site.URL, f.BelongsAt); err != nil {
		var e *google.Error
		ofThis := errors.As(err, &e) && (e.Status == 400 || e.Status == 403 || e.Status == 404)
		return ofThis, errors.Join(h.left(ctx, "google", f.BelongsAt, err), h.keep(r.refused(err)))
	}
	h.say("google", f.BelongsAt, "submitted in "+site.URL)
	r.Answer = "taken"
	return true, h.keep(r)
}

// left reports that something was not submitted. Its error is that of ctx, after which nothing more
// is sent.
func (h *handing) left(ctx context.Context, who, what string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	h.fails(who, what, err)
	return nil
}

// toBing submits the sitemaps to Bing, and as many changed addresses as its quota of today allows.
func (h *handing) toBing(ctx context.Context) error {
	if h.bing == nil {
		return nil
	}
	sites, err := h.bing.Sites(ctx)
	if err != nil {
		return h.left(ctx, "bing", "Bing Webmaster", err)
	}
	var fed []string // sites
	for i := range h.files {
		f := &h.files[i]
		site := handin.ChooseSite(sites, f.at)
		if site == "" {
			h.fails("bing", f.BelongsAt,
				cli.WithHint(errors.New("no verified site of this account covers it"),
					"add and verify the site in Bing Webmaster"))
			continue
		}
		if taken, err := h.feed(ctx, f, site); err != nil || !taken {
			return err
		}
		if !slices.Contains(fed, site) {
			fed = append(fed, site)
		}
	}
	for _, site := range fed {
		if err := h.bingAddresses(ctx, site); err != nil {
			return err
		}
	}
	return nil
}

// feed submits one sitemap to Bing. taken is false where Bing refuses it: then Bing gets no further
// request.
func (h *handing) feed(ctx context.Context, f *liveFile, site string) (taken bool, err error) {
	if h.s.DryRun {
		h.say("bing", f.BelongsAt, "would be submitted in "+site)
		return true, nil
	}
	r := handedIn{To: "bing", Audit: h.id, At: h.env.Time().Now().UTC(), Sitemap: f.BelongsAt,
		In: site, Digest: f.digest}
	if err := h.bing.SubmitFeed(ctx, site, f.BelongsAt); err != nil {
		return false, errors.Join(h.left(ctx, "bing", f.BelongsAt, err), h.keep(r.refused(err)))
	}
	h.say("bing", f.BelongsAt, "submitted in "+site)
	r.Answer = "taken"
	return true, h.keep(r)
}

// bingAddresses submits addresses of a site, the new ones first.
func (h *handing) bingAddresses(ctx context.Context, site string) error {
	quota, err := h.bing.Quota(ctx, site)
	if err != nil {
		return h.left(ctx, "bing", site, err)
	}
	changes, sent, err := h.changed("bing")
	if err != nil {
		return err
	}
	defer changes.Close()
	urls, again, more, err := changes.ofSite(site, quota, sent)
	if err != nil || len(urls)+again+more == 0 {
		return err
	}
	what := cli.Plural(len(urls), "changed address", "changed addresses")
	if again > 0 {
		what += fmt.Sprintf("; %s sent within a day: not sent again", messages.Number(again))
	}
	if more > 0 {
		what += fmt.Sprintf("; %s more than the quota that is left", messages.Number(more))
	}
	if h.s.DryRun {
		h.say("bing", site, "would be sent "+what)
		return nil
	}
	for batch := range slices.Chunk(urls, handin.BingBatch) {
		r := handedIn{To: "bing", Audit: h.id, At: h.env.Time().Now().UTC(), In: site,
			Addresses: len(batch)}
		if err := h.bing.SubmitURLs(ctx, site, batch); err != nil {
			return errors.Join(h.left(ctx, "bing", site, err), h.keep(r.refused(err)))
		}
		r.Answer = "taken"
		if err := errors.Join(sent.keep(batch), h.keep(r)); err != nil {
			return err
		}
	}
	h.say("bing", site, "sent "+what)
	return nil
}
