package job

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/scratch"
	"sitemend/crawler"
	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/build"
	"sitemend/crawler/diff"
	"sitemend/crawler/discover"
	"sitemend/crawler/fetch"
	"sitemend/crawler/fleet"
	"sitemend/crawler/google"
	"sitemend/crawler/sitemap"
	"sitemend/report/messages"
	"sitemend/storage"
	"slices"
	"strings"
	"time"
)

// continueWithin is how long after it was stopped an audit is continued
// (contract, --fresh).
const continueWithin = 24 * time.Hour

// An Env is what an audit has around it, which no Spec can hold.
type Env struct {
	Stdin    io.Reader    // for the target -
	Log      *slog.Logger // what people may want to know while it runs
	LogLang  string       // its language, one of messages.Langs; that of the Spec where it is ""
	Progress Progress     // nil for none
	Tool     string       // name and version, as the store keeps it
	// RootCAs replaces the certificates that are trusted, and NoProxy the proxies of the
	// environment, for a server of our own.
	RootCAs *x509.CertPool
	NoProxy bool
	// Getenv returns a variable of the environment, as os.Getenv, which it is where it is nil.
	Getenv func(name string) string
	// Clock is by whose time Google is asked; nil for the system's.
	Clock google.Clock
	// Store is the store of the Spec where the caller has it open for writing: audits of one
	// process share it. Run does not close it. nil where Run opens it.
	Store *storage.Store
	// Politeness is what audits that run beside one another in this process share of the hosts
	// that they request; nil for nothing.
	Politeness *crawler.Politeness
}

// A Progress shows how far an audit is.
type Progress interface {
	// Show shows p until stop is called. reading is set while sitemaps are read, when nobody
	// knows how much there will be.
	Show(p *crawler.Progress, reading bool) (stop func())
	// Aside runs say, which writes where the progress is shown, without mixing the two.
	Aside(say func())
}

// A job is one audit, from a Spec to its Outcome.
type job struct {
	env     Env
	f       *Spec
	log     *slog.Logger
	rules   audit.Rules
	failOn  []failItem
	o       crawler.Options
	d       discover.Options
	stdin   io.Reader // what came from standard input
	audited *fetch.Audited
	// noTarget is set where the user named no TARGET: the site is that of an export or a map.
	noTarget bool

	store   StoreFile
	expects string         // digest of the map of --expect
	exports string         // digest of the files of --search-console
	google  *google.Client // of --inspect, else nil
	via     *via           // of --via, else nil
	build   *build.Build   // of --site, else nil
	open    *storage.Store
	closers Closers
	since   *diff.Result // with the last audit like it; nil where there was none
	// continued is when this run began, where it goes on with an audit that was stopped.
	continued time.Time
	outdated  []int // audit.Info.Outdated
	news      News  // what the audit has to say to who reads only what is new
}

// Closers are what is let go of at the end, the last first.
type Closers []func() error

// Add adds what Close lets go of before what was added earlier.
func (c *Closers) Add(fn func() error) { *c = append(*c, fn) }

// Close lets go of all, once.
func (c *Closers) Close() error {
	var errs []error
	for _, fn := range slices.Backward(*c) {
		errs = append(errs, fn())
	}
	*c = nil
	return errors.Join(errs...)
}

// Run audits what s says, or continues the audit of the same Spec that was stopped, and
// writes the outputs. It ends soon after ctx does.
//
// An error says that it could not be audited, and what to do (Hint() string). The Outcome is nil
// then, but where the outputs were written all the same: no sitemap could be read, a corrected
// sitemap failed its check, or more than half of the entries could not be seen. The caller closes
// the Outcome; until then its rows can be read.
func Run(ctx context.Context, s Spec, env Env) (*Outcome, error) {
	j, err := newJob(ctx, &s, env)
	if err != nil {
		return nil, err
	}
	out, err := j.run(ctx)
	if out == nil {
		return nil, errors.Join(err, j.closers.Close())
	}
	out.close = j.closers.Close
	return out, err
}

// newJob checks the Spec and its targets. It touches neither network nor store.
func newJob(ctx context.Context, f *Spec, env Env) (*job, error) {
	j := &job{env: env, f: f, log: env.Log, audited: &fetch.Audited{}, store: f.StoreFile()}
	err := cmp.Or(f.withoutUsers(), f.viaFlags(), f.checkSite(), f.checkLinks(), f.checkLogs())
	if err != nil {
		return nil, err
	}
	if j.rules, err = f.rules(); err != nil {
		return nil, err
	}
	if j.failOn, err = parseFailOn(f.FailOn); err != nil {
		return nil, err
	}
	if f.Expect == "" {
		if err := noMap(j.failOn); err != nil {
			return nil, err
		}
	}
	if err := f.checkOutputs(); err != nil {
		return nil, err
	}
	if err := j.inspecting(); err != nil {
		return nil, err
	}
	for _, read := range []func() error{func() error { return j.discovery(f.Targets) }, func() error { return j.searchConsole(ctx) },
		func() error { return j.expecting(ctx) }, j.asking, j.checkLogs, j.site} {
		if err := read(); err != nil { // each builds on what the one before has found
			return nil, err
		}
	}
	f.Place(j.targets())
	return j, f.storeApart()
}

// discovery reads the targets and the filters.
func (j *job) discovery(targets []string) error {
	include, exclude, err := j.f.filters()
	if err != nil {
		return err
	}
	j.d = discover.Options{Open: j.openFile, Include: include, Exclude: exclude, Sample: j.f.Sample, NoFetch: j.f.NoFetch,
		Audited: j.audited, Say: j.says(slog.LevelDebug), Warn: j.says(slog.LevelWarn), Words: messages.StableFault}
	if j.d.Also, err = j.f.also(); err != nil {
		return err
	}
	for _, s := range targets {
		t, err := discover.ParseTarget(s)
		if err != nil {
			return cli.WithHint(err, "TARGET is a site (https://shop.example), the URL of a sitemap, a local file that is there, or -; credentials go with --user NAME:PASS")
		}
		if !slices.ContainsFunc(j.d.Targets, func(u discover.Target) bool { return u.Text == t.Text }) {
			j.d.Targets = append(j.d.Targets, t)
		}
	}
	return nil
}

// asking reads the flags that say how to ask.
func (j *job) asking() error {
	f := j.f
	var targets []address.Address
	for _, t := range j.d.Targets {
		if !j.noTarget { // the export or the map names that site, not the user
			targets = append(targets, t.URLs...)
		}
	}
	ask, err := f.Options(targets, j.audited)
	if err != nil {
		return err
	}
	ask.Parallel, ask.NoProxy, ask.Links = f.Parallel, j.env.NoProxy, f.Links
	if j.env.RootCAs != nil {
		ask.RootCAs = j.env.RootCAs
	}
	j.o = crawler.Options{Rules: j.rules, Rate: f.Rate, GivenRate: f.RateGiven, Parallel: f.Parallel, Ask: ask, Warn: j.d.Warn, Backoff: f.Backoff, Politeness: j.env.Politeness}
	return nil
}

func (j *job) targets() []string {
	var targets []string
	for _, t := range j.d.Targets {
		targets = append(targets, t.Text)
	}
	return targets
}

// shape is a digest of the targets and of the flags that shape requests or
// entries: an audit is continued only with the same. Secrets go into it salted.
func (j *job) shape(salt []byte, stdin string) string {
	f := j.f
	ca := ""
	if f.CA != "" {
		if pem, err := readCA(f.CA); err == nil {
			ca = string(pem)
		}
	}
	h := sha256.New()
	h.Write(salt)
	io.WriteString(h, j.exports)
	io.WriteString(h, j.expects)
	if j.build != nil { // another build is another audit
		json.NewEncoder(h).Encode([]any{f.Site, j.build.Digest()})
	}
	json.NewEncoder(h).Encode([]any{j.targets(), stdin, f.As, f.Spelling, f.MaxHops, f.Robots, f.Headers, f.User,
		f.Resolve, f.Map, ca, f.AllowPrivate, f.Include, f.Exclude, f.Sample, f.NoFetch, f.Links, f.Logs, j.d.Also.Lists})
	return hex.EncodeToString(h.Sum(nil))
}

// run audits and writes the outputs.
func (j *job) run(ctx context.Context) (*Outcome, error) {
	if j.f.Out != "-" {
		if err := writable(j.f.Out); err != nil {
			return nil, err
		}
	}
	if j.f.Store == "" {
		if err := writable(filepath.Dir(j.store.Path)); err != nil {
			return nil, err
		}
	}
	if err := j.meet(ctx); err != nil {
		return nil, err
	}
	stdin, err := j.readStdin(ctx)
	if err != nil {
		return nil, err
	}
	store, err := j.openStore(ctx)
	if err != nil {
		return nil, err
	}
	if j.env.Store == nil {
		j.closers.Add(store.Close)
	}
	j.open = store
	if j.d.Dropped, err = lastDropped(store, j.targets(), j.f.Site.Dir); err != nil {
		return nil, err
	}
	a, err := j.begin(store, j.shape(store.Salt(), stdin))
	if err != nil {
		return nil, err
	}
	var nothing *discover.Error
	j.closers.Add(func() error {
		err := a.Close()
		if nothing != nil { // there is nothing to continue: the next audit looks again
			err = errors.Join(err, store.Remove(a.ID()))
		}
		return err
	})
	var out *Outcome
	err = audit.Guard(func() (err error) { // what was asked is kept all the same
		out, err = j.audit(ctx, store, a)
		return err
	})
	errors.As(err, &nothing)
	return out, err
}

// readPatience is how long an audit waits for readers of the store. To evaluate a
// million entries takes some seconds.
const readPatience = 10 * time.Minute

// openStore opens the store, unless the caller of Run has it open. Who only reads it (report, diff)
// is waited for; another audit is not, for that can take hours.
func (j *job) openStore(ctx context.Context) (*storage.Store, error) {
	if j.env.Store != nil {
		return j.env.Store, nil
	}
	patient, waiting := time.Now().Add(readPatience), false
	for {
		store, err := j.store.Write() // it tries for a second
		var held *storage.Error
		if !errors.As(err, &held) || !held.Read || time.Now().After(patient) {
			return store, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !waiting {
			waiting = true
			j.log.Info(held.Error() + ", which only reads it: waiting")
		}
	}
}

// writable makes the folder of the outputs and tries it, before anything is
// asked. The file that it tries with is a new one: what has its name already is
// somebody's.
func writable(dir string) error {
	err := os.MkdirAll(dir, 0o777)
	if err == nil {
		err = try(dir)
	}
	if err != nil {
		return cli.WithHint(fmt.Errorf("the outputs cannot be written: %w", err), "--out names a folder that you may write to")
	}
	return nil
}

func try(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	name := ".sitemend-try-" + strings.ToLower(rand.Text()[:10])
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), root.Remove(name))
}

// stdinBytes is how much of standard input is read: of a longer file no more than this
// is audited, and something that never ends must not fill the disk.
const stdinBytes = 1 << 30

// openFile opens a file of this machine, "-" for standard input.
func (j *job) openFile(ctx context.Context, name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(j.stdin), nil
	}
	return cli.Open(ctx, name)
}

// readStdin keeps what comes from standard input, where that is a target, in a file until
// the job ends. It returns a digest of it.
func (j *job) readStdin(ctx context.Context) (digest string, err error) {
	if !slices.ContainsFunc(j.d.Targets, func(t discover.Target) bool { return t.Kind == discover.TargetStdin }) {
		return "", nil
	}
	temporary, err := scratch.New()
	if err != nil {
		return "", err
	}
	j.closers.Add(temporary.Close)
	f, err := os.Create(filepath.Join(temporary.Dir, "stdin"))
	if err != nil {
		return "", err
	}
	j.closers.Add(func() error {
		_ = f.Close() // what was written to it was read again
		return nil
	})
	return j.keepStdin(ctx, f)
}

// keepStdin keeps standard input in a file, so that an unfinished audit of
// the same list can be recognized. It returns a digest of it.
func (j *job) keepStdin(ctx context.Context, f *os.File) (string, error) {
	h := sha256.New()
	in := cli.Reading(ctx, j.env.Stdin)
	defer in.Close()
	_, err := io.Copy(io.MultiWriter(f, h), io.LimitReader(in, stdinBytes+1))
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	j.stdin = f
	return hex.EncodeToString(h.Sum(nil)), err
}

// begin continues the unfinished audit of the same shape, or begins one.
func (j *job) begin(store *storage.Store, shape string) (*storage.Audit, error) {
	if !j.f.Fresh {
		id, ok, err := store.Unfinished(shape, time.Now().Add(-continueWithin))
		if err != nil {
			return nil, err
		}
		if ok {
			a, err := store.Audit(id)
			if err == nil {
				j.continued = time.Now()
				j.log.Info(fmt.Sprintf("continuing the audit that began %s: %s answers are remembered, sitemaps are read from the spool",
					a.Info().Started.UTC().Format("2006-01-02 15:04 UTC"), messages.Number(a.Hops())))
			}
			return a, err
		}
	}
	j.rules.MissingPath = "sitemend-" + strings.ToLower(rand.Text()[:16])
	return store.Begin(audit.Info{Targets: j.targets(), Given: j.f.Given, Identity: j.o.Ask.Identity.Name, Agent: j.o.Ask.Identity.Agent, Rules: j.rules,
		Tool: j.env.Tool, Started: time.Now(), NoFetch: j.f.NoFetch, Part: j.f.part(),
		Site: j.f.Site.Dir, Partial: j.f.NoFetch || j.f.Sample > 0}, shape)
}

// audit asks, evaluates and writes.
func (j *job) audit(ctx context.Context, store *storage.Store, a *storage.Audit) (*Outcome, error) {
	started := time.Now()
	j.rules.MissingPath = a.Info().Rules.MissingPath
	j.o.Rules = j.rules
	c := crawler.New(a, j.o)
	defer c.Close()
	before, err := beginRun(a, started)
	if err != nil {
		return nil, err
	}
	c.Progress.Requests.Store(int64(before.Requests))
	j.d.Now = time.Now()
	info := func() (audit.Info, error) {
		info := before
		info.Rules, info.Continued, info.Outdated = c.Rules(), j.continued, j.outdated
		info.Duration = before.Duration + time.Since(started)
		info.Abandoned, info.RobotsBad, info.RobotsDown, info.Proxy = c.Abandoned(), c.RobotsUnreachable(), c.RobotsDown(), c.Proxied()
		info.Servers, info.Waits, info.Refused = c.Servers(), c.Waits(), c.Refused()
		info.Requests, info.AltSpellingRequests, err = requests(c.OtherRequests(), a)
		return info, err
	}
	result, err := j.ask(ctx, c, a, info)
	if outage, stop := j.toContinue(ctx, err); stop {
		if _, err := endRun(a, info); err != nil {
			return nil, err
		}
		return j.stopped(ctx, c, a, outage)
	}
	if err != nil {
		return j.unread(ctx, store, a, info, err)
	}
	done, err := endRun(a, info)
	if err != nil {
		return nil, err
	}
	done.Ended = time.Now()
	result.Info = done
	if err := j.inspect(ctx, store, a, result); ctx.Err() != nil { // all is crawled; the same Spec goes on
		return j.stopped(ctx, c, a, nil)
	} else if err != nil {
		return nil, err
	}
	out, err := j.write(ctx, store, a, result)
	if errors.Is(err, context.Canceled) { // all is asked; the same Spec writes it
		return j.stopped(ctx, c, a, nil)
	}
	if err != nil {
		return nil, err
	}
	return out, j.conclude(ctx, store, a, out)
}

// toContinue reports whether an audit was stopped so that the same Spec continues it, and
// what failed on this machine, if that was it.
func (j *job) toContinue(ctx context.Context, err error) (outage *crawler.OutageError, stop bool) {
	if errors.Is(err, fleet.ErrCanceled) {
		j.log.Warn("the audit was canceled by sitemend fleet cancel")
		return nil, true
	}
	stop = errors.As(err, &outage) || ctx.Err() != nil
	return outage, stop
}

// write writes the files and what later audits want to know of this one. Then it has
// ended.
func (j *job) write(ctx context.Context, store *storage.Store, a *storage.Audit, result *audit.Result) (*Outcome, error) {
	if err := j.keepBuild(ctx, a, result); err != nil {
		return nil, err
	}
	out, err := newOutcome(ctx, j.f, store, a, result)
	if err != nil {
		return nil, err
	}
	err = j.compareLast(ctx, store, a, result)
	if err == nil {
		err = j.finish(ctx, a, out)
	}
	if err != nil {
		return nil, errors.Join(err, out.links())
	}
	return out, nil
}

// finish writes the files of an outcome and what later audits want to know of it, and ends the
// audit.
func (j *job) finish(ctx context.Context, a *storage.Audit, out *Outcome) error {
	if err := out.files(ctx, j.f.Out); err != nil {
		return cli.Lossless(err, "nothing is lost: the same command continues and writes them, and requests nothing again")
	}
	j.f.warnOfOthers(j.log, j.targets(), &out.Written)
	if err := keepDropped(ctx, a, out.Result); err != nil {
		return err
	}
	if err := keepCounts(a, out.Result); err != nil {
		return err
	}
	if err := j.keepNews(ctx, a, out); err != nil {
		return err
	}
	return a.Finish(out.Result.Info)
}

// conclude says what the audit found, and removes the audits that it makes needless. One that
// could not be made, as where the site did not answer, makes none needless but older ones that
// could not be made either.
func (j *job) conclude(ctx context.Context, store *storage.Store, a *storage.Audit, out *Outcome) error {
	trouble := out.faults()
	if trouble == nil {
		trouble = unseen(ctx, out.Result)
	}
	if trouble != nil {
		return errors.Join(trouble, prune(store, out.Result.Info, j.f.KeepAudits, true))
	}
	counts := countsOf(out.Result)
	if j.f.New {
		var err error
		if counts, err = (baseline{j.log, j.failOn, j.f.Command("diff"), j.since}).count(ctx, store, a, out.Result); err != nil {
			if errors.Is(err, context.Canceled) {
				j.log.Error("stopped; the audit is done and its outputs are written, but what is new was not counted: " + j.f.Again(out.Result.Info.ID) + " --new does that")
			}
			return err
		}
	}
	out.Failed, out.FailedOn = fails(counts, j.failOn)
	return prune(store, out.Result.Info, j.f.KeepAudits, false)
}

// ask reads the sitemaps, and asks for all that is needed.
func (j *job) ask(ctx context.Context, c *crawler.Crawler, a *storage.Audit, info func() (audit.Info, error)) (*audit.Result, error) {
	if err := j.readSitemaps(ctx, c, a); err != nil {
		return nil, letInto(err, info)
	}
	if now, err := info(); err != nil {
		return nil, err
	} else if err := a.SetInfo(now); err != nil { // it can be evaluated from now on, wherever it is killed
		return nil, err
	}
	if err := j.readLogs(ctx, c, a); err != nil {
		return nil, err
	}
	if j.f.NoFetch {
		now, err := info()
		if err != nil {
			return nil, err
		}
		return Evaluate(ctx, a, now)
	}
	if err := cmp.Or(j.announce(ctx, a), j.beginLinks(a)); err != nil {
		return nil, err
	}
	end, err := j.handOver(ctx, c, a)
	if err != nil {
		return nil, err
	}
	result, err := j.crawl(ctx, c, a, info)
	return result, end(err)
}

// crawled is an audit that is crawled: what it is evaluated for is what is still to be requested,
// and an answer after which another try is due is none. An audit that was stopped in between goes
// on there.
type crawled struct{ *storage.Audit }

// Hop implements audit.Answers.
func (c crawled) Hop(r audit.Request) (audit.Hop, bool) { return audit.WithoutPending(c.Audit).Hop(r) }

// crawl requests all that is needed, decides, and confirms that.
func (j *job) crawl(ctx context.Context, c *crawler.Crawler, a *storage.Audit, info func() (audit.Info, error)) (*audit.Result, error) {
	defer j.show(c, false)()
	if err := c.Run(ctx); err != nil {
		return nil, err
	}
	now, err := info()
	if err != nil {
		return nil, err
	}
	if err := withEvidence(ctx, a, &now); err != nil {
		return nil, err
	}
	plan, err := audit.NewPlan(ctx, crawled{a}, now, c.Settled())
	if err != nil {
		return nil, err
	}
	if err := j.lookAgain(ctx, c, a, plan); err != nil {
		return nil, err
	}
	if err := confirm(ctx, c, plan); err != nil {
		return nil, err
	}
	return plan.Result(ctx, new(sitemap.Names).Name)
}

// confirm requests what must be known before the edits are final. Some answers lead to more
// questions, as a redirect does; what is asked for stays the same.
func confirm(ctx context.Context, c *crawler.Crawler, plan *audit.Plan) error {
	for {
		needs, err := plan.Needs(ctx)
		if err != nil || len(needs) == 0 {
			return err
		}
		if err := c.AskAll(ctx, needs); err != nil {
			return err
		}
	}
}

// show shows how far c is until stop is called.
func (j *job) show(c *crawler.Crawler, reading bool) (stop func()) {
	if j.env.Progress == nil {
		return func() {}
	}
	return j.env.Progress.Show(&c.Progress, reading)
}

// says returns what logs at a level, aside of the progress that is shown.
func (j *job) says(level slog.Level) func(format string, args ...any) {
	return func(format string, args ...any) {
		say := func() { j.log.Log(context.Background(), level, fmt.Sprintf(format, args...)) }
		if j.env.Progress == nil {
			say()
			return
		}
		j.env.Progress.Aside(say)
	}
}

// readSitemaps finds and reads the sitemaps.
func (j *job) readSitemaps(ctx context.Context, c *crawler.Crawler, a *storage.Audit) error {
	defer j.show(c, true)()
	return c.Discover(ctx, a, j.d)
}

// unseen is an error where more than half of the entries could not be seen.
func unseen(ctx context.Context, t *audit.Result) error {
	if err := unseenExport(ctx, t); err != nil {
		return err
	}
	if err := unseenMap(ctx, t); err != nil {
		return err
	}
	asked := t.Counts.Entries - t.Counts.Verdicts[audit.Skipped]
	hidden := t.Counts.Verdicts[audit.Unverified]
	if !audit.MostlyUnseen(hidden, asked) {
		return nil
	}
	by := func(f audit.Fault) int { return t.Counts.Unseen[string(f)] }
	said, hint := "the site refuses us or does not answer", letIn(&t.Info, t.Counts.Unseen)+"; the report says what came back"
	robots := 0 // whose robots.txt answers 429 or 5xx
	for why, n := range t.Counts.Unseen {
		if audit.RobotsStatus(why) > 0 {
			robots += n
		}
	}
	switch hidden {
	case robots:
		said, hint = "robots.txt answers with an error, for which Google stops crawling, too", "repair it: 200, or 404 where there is none (after 429, --rate 1); --robots note asks all the same"
	case by(audit.FaultDNS):
		said, hint = "the name of "+hostUnseen(t)+" does not resolve", "check how the name is spelt and its DNS record; --resolve HOST:PORT:ADDR connects elsewhere"
	case by(audit.FaultPrivate) + by(audit.FaultAddress) + by(audit.FaultRobotsAddress):
		said, hint = "they lead to an address inside a private network", "nobody outside can reach that address; --allow-private lets the audit lead there"
	case by(audit.FaultOutside) + by(audit.FaultUnmodelled):
		said, hint = "the build does not answer them", "TARGET is to be the site that its sitemap lists, as in --site DIR https://www.example.com; --online requests other hosts"
	}
	return cli.WithHint(fmt.Errorf("%s could not be checked: %s", cli.Of(hidden, asked, "URL", "URLs"), said), hint)
}

// hostUnseen names the host of the first cause of what could not be checked, "its host" where none
// is known.
func hostUnseen(t *audit.Result) string {
	for i := range t.Causes {
		if x := &t.Causes[i]; x.Group.Lane() == audit.Unseen && len(x.Finals) > 0 {
			return cli.OneLine(address.Wire(x.Finals[0]).HostPort())
		}
	}
	return "its host"
}
