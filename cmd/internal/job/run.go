package job

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler"
	"sitemend/crawler/audit"
	"sitemend/crawler/build"
	"sitemend/crawler/discover"
	"sitemend/crawler/fetch"
	"sitemend/crawler/google"
	"sitemend/crawler/ground"
	"sitemend/report/messages"
	"sitemend/storage"
)

// An Env is what an audit has around it, which no Spec can hold.
type Env struct {
	Stdin    io.Reader    // for the target -
	Log      *slog.Logger // what people may want to know while it runs
	Progress Progress     // nil for none
	Tool     string       // name and version, as the store keeps it
	NoProxy  bool         // no proxy of the environment is used, for a server of our own
	// Clock is by whose time Google is asked; nil for the system's.
	Clock google.Clock
	// Store is the store of the Spec where the caller has it open for writing: audits of one
	// process share it. Run does not close it. nil where Run opens it.
	Store *storage.Store
	// Paces are shared by audits that run beside one another in this process; nil for none.
	Paces *crawler.Paces
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
	failOn  []failItem
	o       crawler.Options
	d       discover.Options
	inputs  string         // a digest of the files of --search-console and --expect, and of --site
	google  *google.Client // of --inspect, else nil
	via     *via           // of --via, else nil
	build   *build.Build   // of --site, else nil
	closers *Closers

	store  *storage.Store
	a      *storage.Audit
	c      *crawler.Crawler
	before audit.Info // of the runs before
	began  time.Time  // this run

	outdated []int           // audit.Info.Outdated
	last     string          // id of the last audit like it, "" for none
	seen     *storage.Sorter // what it sees, for the next one
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

// hold returns what make makes. The Outcome holds open, until it is closed, what make has added to the
// Closers; without an Outcome that is closed now.
func hold(make func(*Closers) (*Outcome, error)) (*Outcome, error) {
	var c Closers
	out, err := make(&c)
	if out == nil {
		return nil, errors.Join(err, c.Close())
	}
	out.closers = c
	return out, err
}

// Run audits what s says, or continues the audit of the same Spec that was stopped, and
// writes the outputs. It ends soon after ctx does.
//
// An error says that it could not be audited, and what to do (Hint() string). The Outcome is nil
// then, but where the outputs were written all the same: a corrected sitemap failed its check, or
// more than half of the entries could not be seen. The caller closes the Outcome; until then its
// rows can be read.
func Run(ctx context.Context, s Spec, env Env) (*Outcome, error) {
	return hold(func(c *Closers) (*Outcome, error) {
		j, err := newJob(ctx, &s, env, c)
		if err != nil {
			return nil, err
		}
		return j.run(ctx)
	})
}

// newJob checks the Spec and its targets. It touches neither network nor store. c lets go of what the
// job holds.
func newJob(ctx context.Context, f *Spec, env Env, c *Closers) (*job, error) {
	env.Progress = cmp.Or[Progress](env.Progress, quiet{})
	j := &job{env: env, f: f, closers: c}
	for _, read := range []func() error{f.check, j.judging, j.discovery, func() error { return j.readLists(ctx) }, j.asking, j.site} {
		if err := read(); err != nil { // each builds on what the one before has found
			return nil, err
		}
	}
	return j, nil
}

// judging reads the flags that say how entries are judged, and what fails, and looks for the
// credentials of --inspect.
func (j *job) judging() (err error) {
	if j.o.Rules, err = j.f.rules(); err != nil {
		return err
	}
	if j.f.Inspect > 0 {
		if j.google, err = j.env.Google(google.ReadOnly); err != nil {
			return err
		}
	}
	j.failOn, err = parseFailOn(j.f.FailOn, j.f.Expect != "")
	return err
}

// discovery reads the targets and the filters.
func (j *job) discovery() error {
	f := j.f
	include, err1 := pattern("--include", f.Include)
	exclude, err2 := pattern("--exclude", f.Exclude)
	if err := cmp.Or(err1, err2, words("--also", f.Also, AlsoNames())); err != nil {
		return err
	}
	j.d = discover.Options{Open: j.openTarget, Include: include, Exclude: exclude, Sample: f.Sample, NoFetch: f.NoFetch, Audited: &fetch.Audited{},
		Say: j.says(slog.LevelDebug), Warn: j.says(slog.LevelWarn), Words: messages.StableFault}
	j.d.Also.Sorter = func() (ground.Sorter, io.Closer) {
		s := new(storage.Sorter)
		return s, s
	}
	for _, l := range audit.AlsoLists() { // in this order, whatever that of the flag
		if slices.Contains(f.Also, string(l)) {
			j.d.Also.Lists = append(j.d.Also.Lists, l)
		}
	}
	for _, s := range f.Targets {
		t, err := discover.ParseTarget(s)
		if err != nil {
			return cmp.Or(cli.NoUser("TARGET", s), cli.WithHint(err, "TARGET is a site (https://shop.example), the URL of a sitemap, a local file, or - for standard input"))
		}
		if !slices.Contains(j.targets(), t.Text) {
			j.d.Targets = append(j.d.Targets, t)
		}
	}
	return nil
}

// asking reads the flags that say how to ask.
func (j *job) asking() (err error) {
	f := j.f
	for _, t := range j.d.Targets {
		for _, a := range t.URLs {
			if len(f.Targets) > 0 { // else an export names that site, not the user
				f.Hosts = append(f.Hosts, a.Host())
			}
		}
	}
	j.o, err = f.options(j.d.Audited, j.o.Rules)
	j.o.Warn, j.o.Paces = j.d.Warn, j.env.Paces
	j.o.Ask.NoProxy, j.o.Ask.Links = j.env.NoProxy, f.Links
	return err
}

func (j *job) targets() []string {
	var targets []string
	for _, t := range j.d.Targets {
		targets = append(targets, t.Text)
	}
	return targets
}

// run prepares the folder and the store, begins or continues the audit, and makes it.
func (j *job) run(ctx context.Context) (out *Outcome, err error) {
	if err := j.connect(ctx); err != nil {
		return nil, err
	}
	if j.store = j.env.Store; j.store == nil {
		if j.store, err = storage.Open(j.f.StoreFile()); err != nil {
			return nil, err
		}
		j.closers.Add(j.store.Close)
	}
	if err := j.begin(j.shape()); err != nil {
		return nil, err
	}
	j.seen = new(storage.Sorter)
	j.closers.Add(j.seen.Close)
	err = ground.Guard(func() (err error) { // what was asked is kept all the same
		out, err = j.audit(ctx)
		return err
	})
	var nothing *discover.Error
	if errors.As(err, &nothing) { // there is nothing to continue: the next audit looks again
		err = errors.Join(err, j.a.Close(), j.store.Remove(j.a.ID()))
	}
	return out, err
}

// openTarget is discover.Options.Open.
func (j *job) openTarget(ctx context.Context, name string) (io.ReadCloser, error) {
	if name == "-" {
		return cli.Reading(ctx, j.env.Stdin), nil
	}
	return cli.Open(ctx, name)
}

// shape is a digest of the targets and of the flags that shape requests or
// entries: an audit is continued only with the same. Secrets go into it salted.
func (j *job) shape() string {
	f, asking := j.f, j.f.Asking
	asking.Rate, asking.Timeout, asking.CA = 0, 0, ""
	h := sha256.New()
	h.Write(j.store.Salt())
	_ = json.NewEncoder(h).Encode([]any{j.inputs, f.Site, j.targets(), asking, f.Spelling, f.Include, f.Exclude, f.Sample, f.NoFetch,
		f.Links, f.Logs, j.d.Also.Lists}) // a hash takes all
	return hex.EncodeToString(h.Sum(nil))
}

// continueWithin is how long after it was stopped an audit is continued
// (contract, --fresh).
const continueWithin = 24 * time.Hour

// info is what is known of the audit before it begins.
func (j *job) info() audit.Info {
	return audit.Info{Targets: j.targets(), Given: j.f.Given, Identity: j.o.Ask.Identity.Name, Agent: j.o.Ask.Identity.Agent, Rules: j.o.Rules,
		Tool: j.env.Tool, Started: time.Now(), NoFetch: j.f.NoFetch, Part: fmt.Sprintf("%q %q %d %t", j.f.Include, j.f.Exclude, j.f.Sample, j.f.NoFetch),
		Site: j.f.Site.Dir, Partial: j.f.NoFetch || j.f.Sample > 0}
}

// begin continues the unfinished audit of the same shape, or begins one, and looks up the last one like
// it.
func (j *job) begin(shape string) (err error) {
	var id string
	if !j.f.Fresh && !slices.Contains(j.targets(), "-") { // that of standard input may have another content now
		id, err = j.store.Unfinished(shape, time.Now().Add(-continueWithin))
	}
	if id != "" {
		j.a, err = j.store.Audit(id)
	} else if err == nil {
		info := j.info()
		info.Rules.MissingPath = "sitemend-" + strings.ToLower(rand.Text()[:16])
		j.a, err = j.store.Begin(info, shape)
	}
	if err != nil {
		return err
	}
	j.closers.Add(j.a.Close)
	j.began, j.before = time.Now(), j.a.Info()
	j.o.Rules.MissingPath, j.d.Now = j.before.Rules.MissingPath, j.began
	if id != "" {
		j.env.Log.Info(fmt.Sprintf("continuing the audit that began %s: %s answers are remembered, sitemaps are read from the spool",
			j.before.Started.UTC().Format("2006-01-02 15:04 UTC"), messages.Number(j.a.Hops())))
	}
	j.last, j.d.Dropped, err = lastLike(j.store, j.before)
	return err
}

// quiet is the Progress of who wants to see none.
type quiet struct{}

func (quiet) Show(*crawler.Progress, bool) func() { return func() {} }
func (quiet) Aside(say func())                    { say() }

// says returns what logs at a level, aside of the progress that is shown.
func (j *job) says(level slog.Level) func(format string, args ...any) {
	return func(format string, args ...any) {
		j.env.Progress.Aside(func() { j.env.Log.Log(context.Background(), level, fmt.Sprintf(format, args...)) })
	}
}
