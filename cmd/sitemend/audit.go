package main

import (
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
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"sitemend/crawler"
	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
	"sitemend/report"
	"sitemend/storage"
)

// continueWithin is how long after it was stopped an audit is continued
// (contract, --fresh).
const continueWithin = 24 * time.Hour

func newAudit(std stdio) *cobra.Command {
	f := &auditFlags{}
	cmd := &cobra.Command{
		Use:   "audit [TARGET...]",
		Short: "Read the sitemaps, ask for every entry as Googlebot would, judge, write the outputs",
		Long: `Read the sitemaps of each TARGET, ask for every entry as Googlebot would, follow
its redirects hop by hop, judge, and write the report, the tables and the
corrected sitemaps.

TARGET is a site (https://shop.example, or shop.example), the URL of a sitemap, a
local file, or - for standard input: a sitemap of any format, or a list of URLs.

--search-console FILE is an export of Search Console (the ZIP, CSV or workbook of
one reason of its Page indexing report), one of Bing, or a list of URLs. Its
addresses are asked, too, and sorted: which are in a sitemap, which need anything at
all. Without a TARGET the site is that of the export.

An audit that was stopped is continued by the same command for 24 hours.

Exit status:
  0  nothing that --fail-on names
  1  the audit ran and found it
  2  it could not be audited
  3  interrupted, or something lasts that fails on this machine (no route, no name
     server, too many open files); the same command continues it`,
		Example: "  sitemend audit https://shop.example\n  sitemend audit --rate 2 --fix noindex=keep https://shop.example/sitemap.xml\n  sitemend audit --out - --format jsonl sitemap.xml\n  sitemend audit --search-console shop.example-Coverage-Drilldown-2026-11-21.zip",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 && len(f.searchConsole) == 0 {
				return withHint(errors.New("audit needs a TARGET"), "as in sitemend audit https://shop.example")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.rateGiven = cmd.Flags().Changed("rate")
			j, err := newJob(std, f, args)
			if err != nil {
				return err
			}
			return j.run(cmd.Context())
		},
	}
	f.add(cmd.Flags())
	return cmd
}

// job is one audit, from flags to outputs.
type job struct {
	std      stdio
	f        *auditFlags
	log      *slog.Logger
	rules    audit.Rules
	failOn   []failItem
	o        crawler.Options
	d        crawler.Discovery
	audited  *fetch.Audited
	store    storeFile
	noResume bool   // the demo begins anew each time
	exports  string // digest of the files of --search-console
	open     *storage.Store
	shown    atomic.Pointer[progress] // the last one
}

// newJob checks the flags and targets. It touches neither network nor store.
func newJob(std stdio, f *auditFlags, targets []string) (*job, error) {
	j := &job{std: std, f: f, audited: &fetch.Audited{}, store: f.storeFile()}
	var err error
	if j.log, err = newLog(std.err, f); err != nil {
		return nil, err
	}
	if j.rules, err = f.rules(); err != nil {
		return nil, err
	}
	if j.failOn, err = parseFailOn(f.failOn); err != nil {
		return nil, err
	}
	if err := f.checkOutputs(std.out); err != nil {
		return nil, err
	}
	for _, read := range []func() error{func() error { return j.discovery(targets) }, j.searchConsole, j.asking} {
		if err := read(); err != nil { // each builds on what the one before has found
			return nil, err
		}
	}
	return j, nil
}

// dir is the folder of the outputs and the store.
func (f *auditFlags) dir() string {
	if f.out == "-" {
		return "sitemend-out"
	}
	return f.out
}

func (f *auditFlags) checkOutputs(out io.Writer) error {
	if len(f.formats) == 0 { // a variable that is not set, most likely
		return withHint(errors.New("--format names nothing"), "--format takes any of "+strings.Join(report.Formats(), ", "))
	}
	for _, name := range f.formats {
		if !slices.Contains(report.Formats(), name) {
			return withHint(fmt.Errorf("--format %q is unknown", name), didYouMean(meant(name, report.Formats(), formatFor))+"--format takes any of "+strings.Join(report.Formats(), ", "))
		}
	}
	if f.out == "-" && len(f.formats) != 1 {
		return withHint(errors.New("--out - writes exactly one format"), "name it, as in --out - --format jsonl")
	}
	if f.out == "-" && f.formats[0] == "xlsx" && isTerminal(out) {
		return withHint(errors.New("a workbook is no text for a terminal"), "write it to a file, as in --out - --format xlsx > entries.xlsx")
	}
	if _, err := f.language(); err != nil {
		return err
	}
	return nil
}

// discovery reads the targets and the filters.
func (j *job) discovery(targets []string) error {
	include, exclude, err := j.f.filters()
	if err != nil {
		return err
	}
	j.d = crawler.Discovery{Stdin: j.std.in, Include: include, Exclude: exclude, Sample: j.f.sample, NoFetch: j.f.noFetch,
		Audited: j.audited, Say: j.says(slog.LevelDebug), Warn: j.says(slog.LevelWarn)}
	for _, s := range targets {
		t, err := crawler.ParseTarget(s)
		if err != nil {
			return withHint(err, "TARGET is a site (https://shop.example), the URL of a sitemap, a local file that is there, or -; credentials go with --user NAME:PASS")
		}
		if !slices.ContainsFunc(j.d.Targets, func(u crawler.Target) bool { return u.Text == t.Text }) {
			j.d.Targets = append(j.d.Targets, t)
		}
	}
	return nil
}

// says returns what logs at a level, aside of the progress that is shown.
func (j *job) says(level slog.Level) func(format string, args ...any) {
	return func(format string, args ...any) {
		say := func() { j.log.Log(context.Background(), level, fmt.Sprintf(format, args...)) }
		if p := j.shown.Load(); p != nil {
			p.aside(say)
		} else {
			say()
		}
	}
}

// asking reads the flags that say how to ask.
func (j *job) asking() error {
	f := j.f
	var targets []address.Address
	for _, t := range j.d.Targets {
		if !j.d.ExportsAlone { // who made the export named that site, not the user
			targets = append(targets, t.URLs...)
		}
	}
	ask, err := f.options(targets, j.audited)
	if err != nil {
		return err
	}
	ask.Parallel, ask.Conditional, ask.AtOnce = f.parallel, f.conditional, fetch.AtOnce(f.parallelAll)
	j.o = crawler.Options{Rules: j.rules, Rate: f.rate, GivenRate: f.rateGiven, Parallel: f.parallel, Ask: ask, Warn: j.d.Warn}
	return nil
}

// certificates reads --ca on top of the system's.
func certificates(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, withHint(fmt.Errorf("--ca: %w", err), "--ca names a PEM file")
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, withHint(fmt.Errorf("--ca %s holds no certificate", file), "--ca names a PEM file (-----BEGIN CERTIFICATE-----)")
	}
	return pool, nil
}

// newLog returns the log on standard error.
func newLog(w io.Writer, f *auditFlags) (*slog.Logger, error) {
	level := slog.LevelInfo
	switch {
	case f.quiet:
		level = slog.LevelError
	case f.verbose:
		level = slog.LevelDebug
	}
	switch f.log {
	case "json":
		return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level})), nil
	case "text", "":
		return slog.New(plainLog{w: w, level: level}), nil
	}
	return nil, withHint(fmt.Errorf("--log %q is unknown", f.log), "--log takes text or json")
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
	if f.ca != "" {
		if pem, err := os.ReadFile(f.ca); err == nil {
			ca = string(pem)
		}
	}
	h := sha256.New()
	h.Write(salt)
	io.WriteString(h, j.exports)
	json.NewEncoder(h).Encode([]any{j.targets(), stdin, f.as, f.agent, f.spelling, f.spellingSample, f.maxHops, f.robots, f.headers, f.user,
		f.resolve, f.mapping, ca, f.allowPrivate, f.include, f.exclude, f.sample, f.noFetch})
	return hex.EncodeToString(h.Sum(nil))
}

// run audits and writes the outputs.
func (j *job) run(ctx context.Context) error {
	if j.f.out != "-" || j.f.store == "" { // else nothing is written there
		if err := writable(j.f.dir()); err != nil {
			return err
		}
	}
	return j.withStdin(ctx)
}

// withStore opens the store and audits; stdin is a digest of standard input.
func (j *job) withStore(ctx context.Context, stdin string) error {
	store, err := j.openStore(ctx)
	if err != nil {
		return err
	}
	j.open = store
	j.d.Dropped, j.d.Last, err = lastAudit(store, j.targets())
	if err != nil {
		return errors.Join(err, store.Close())
	}
	a, err := j.begin(store, j.shape(store.Salt(), stdin))
	if err == nil {
		err = audit.Guard(func() error { return j.audit(ctx, store, a) }) // what was asked is kept all the same
		err = errors.Join(err, a.Close())
		var nothing *crawler.DiscoverError
		if errors.As(err, &nothing) {
			// There is nothing to continue: the next audit looks again.
			err = errors.Join(err, store.Remove(a.ID()))
		}
	}
	return errors.Join(err, store.Close())
}

// readPatience is how long an audit waits for who reads the store. To tell a million
// entries takes some seconds.
const readPatience = 10 * time.Minute

// openStore opens the store. Who only reads it (report, diff) is waited for; another
// audit is not, for that can take hours.
func (j *job) openStore(ctx context.Context) (*storage.Store, error) {
	patient, waiting := time.Now().Add(readPatience), false
	for {
		store, err := j.store.write() // it tries for a second
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
		return withHint(fmt.Errorf("the outputs cannot be written: %w", err), "--out names a folder that you may write to")
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

// withStdin audits with what came from standard input, where that is a target.
func (j *job) withStdin(ctx context.Context) error {
	if !slices.ContainsFunc(j.d.Targets, func(t crawler.Target) bool { return t.Kind == crawler.TargetStdin }) {
		sweepScratch()
		return j.withStore(ctx, "")
	}
	temporary, err := newScratch()
	if err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(temporary.dir, "stdin"))
	if err != nil {
		return errors.Join(err, temporary.Close())
	}
	digest, err := j.keepStdin(ctx, f)
	if err == nil {
		err = j.withStore(ctx, digest)
	}
	_ = f.Close() // what was written to it was read again
	return errors.Join(err, temporary.Close())
}

// keepStdin keeps standard input in a file, so that it can be told whether an
// unfinished audit was of the same list. It returns a digest of it.
func (j *job) keepStdin(ctx context.Context, f *os.File) (string, error) {
	h := sha256.New()
	copied := make(chan error, 1)
	go func() {
		copied <- audit.Guard(func() error {
			_, err := io.Copy(io.MultiWriter(f, h), io.LimitReader(j.std.in, stdinBytes+1))
			return err
		})
	}()
	var err error
	select {
	case err = <-copied:
	case <-ctx.Done(): // whoever writes to us may never end
		return "", ctx.Err()
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	j.d.Stdin = f
	return hex.EncodeToString(h.Sum(nil)), err
}

// begin continues the unfinished audit of the same shape, or begins one.
func (j *job) begin(store *storage.Store, shape string) (*storage.Audit, error) {
	if !j.f.fresh && !j.noResume {
		id, ok, err := store.Unfinished(shape, time.Now().Add(-continueWithin))
		if err != nil {
			return nil, err
		}
		if ok {
			a, err := store.Audit(id)
			if err == nil {
				j.log.Info(fmt.Sprintf("continuing the audit that began %s: %s answers are remembered, sitemaps are read from the spool",
					a.Info().Started.Local().Format("2006-01-02 15:04"), thousands(int64(a.Hops()))))
			}
			return a, err
		}
	}
	j.rules.MissingPath = "sitemend-" + strings.ToLower(rand.Text()[:16])
	return store.Begin(audit.Info{Targets: j.targets(), Identity: j.o.Ask.Identity.Name, Agent: j.o.Ask.Identity.Agent, Rules: j.rules,
		Tool: version(), Started: time.Now(), NoFetch: j.f.noFetch, Part: j.f.part(), Partial: j.f.noFetch || j.f.sample > 0}, shape)
}

// audit asks, tells and writes.
func (j *job) audit(ctx context.Context, store *storage.Store, a *storage.Audit) error {
	started := time.Now()
	j.rules.MissingPath = a.Info().Rules.MissingPath
	j.o.Rules = j.rules
	c := crawler.New(ending{a, ctx}, j.o)
	defer c.Close()
	before := a.Info()
	sent, _, err := requests(c, a)
	if err != nil {
		return err
	}
	c.Progress.Requests.Store(int64(sent))
	j.d.Now = time.Now()
	info := func() (audit.Info, error) {
		info := before
		info.Rules = c.Rules()
		info.Duration = before.Duration + time.Since(started)
		info.Abandoned, info.RobotsBad, info.Proxy = c.Abandoned(), c.RobotsUnreachable(), c.Proxied()
		info.Requests, info.AltSpellingRequests, err = requests(c, a)
		return info, err
	}
	told, err := j.ask(ctx, c, a, info)
	var outage *crawler.OutageError
	if ctx.Err() != nil || errors.As(err, &outage) {
		now, err := info()
		if err == nil {
			err = a.SetInfo(now)
		}
		if err != nil {
			return err
		}
		return j.stopped(c, outage)
	}
	if err != nil {
		return err
	}
	done, err := info()
	if err != nil {
		return err
	}
	done.Ended = time.Now()
	told.Info = done
	if err := a.Flush(); err != nil {
		return err
	}
	return j.tell(ctx, c, store, a, told)
}

// tell writes the outputs and says how the audit ends.
func (j *job) tell(ctx context.Context, c *crawler.Crawler, store *storage.Store, a *storage.Audit, told *audit.Result) error {
	out, err := newTelling(j.std, j.f, store, ending{a, ctx}, told)
	if err == nil {
		err = j.finish(ctx, a, out)
	}
	if errors.Is(err, context.Canceled) { // all is asked; the same command tells it again
		return j.stopped(c, nil)
	}
	if err != nil {
		return err
	}
	// The audit has ended: who reads only the first lines of what is printed (head) ends
	// us, and no more.
	if err := out.print(); err != nil {
		return withHint(err, "the audit is done: "+j.f.again(told.Info.ID)+" writes this again from the store")
	}
	end := out.faults()
	if end == nil {
		end = j.verdict(ctx, store, a, out.told)
	}
	return j.tidied(store, told.Info, end)
}

// finish writes the files and what later audits want to know of this one. Then it has
// ended.
func (j *job) finish(ctx context.Context, a *storage.Audit, out *telling) error {
	if err := out.files(ctx); err != nil {
		return lossless(err, "nothing is lost: the same command continues and writes them, and asks nothing again")
	}
	if err := j.keepDropped(a, out.told); err != nil {
		return err
	}
	if err := keepCounts(a, out.told); err != nil {
		return err
	}
	return a.Finish(out.told.Info)
}

// stopped says that the audit was stopped, and why, where that was not the user.
func (j *job) stopped(c *crawler.Crawler, outage *crawler.OutageError) error {
	why := ""
	if outage != nil {
		why = ": " + outage.Error()
		defer fmt.Fprintf(j.std.err, "hint: %s\n", outage.Hint())
	}
	// An error, for -q has it told, too.
	j.log.Error(fmt.Sprintf("stopped%s; %s of %s entries are done. The same command continues it.", why,
		thousands(c.Progress.Done.Load()), thousands(c.Progress.Entries.Load())))
	return exit(exitInterrupted)
}

// requests counts what was sent for an audit, also before it was stopped or
// killed: it follows from what is remembered.
func requests(c *crawler.Crawler, a *storage.Audit) (all, second int, err error) {
	all, second = a.Sent()
	all += c.FileRequests()
	sitemaps, err := a.Sitemaps()
	for _, sm := range sitemaps {
		all += sm.Requests
	}
	return all, second, err
}

// ask reads the sitemaps, asks for all that is needed, and proves the result.
func (j *job) ask(ctx context.Context, c *crawler.Crawler, a *storage.Audit, info func() (audit.Info, error)) (*audit.Result, error) {
	if err := j.readSitemaps(ctx, c, a); err != nil {
		return nil, letInto(err, info)
	}
	if now, err := info(); err != nil {
		return nil, err
	} else if err := a.SetInfo(now); err != nil { // it can be told from now on, wherever it is killed
		return nil, err
	}
	if !j.f.noFetch {
		if err := j.announce(ending{a, ctx}); err != nil {
			return nil, err
		}
		p := j.progress(c, 1)
		defer p.end()
		if err := j.runWith(ctx, c, a); err != nil {
			return nil, err
		}
	}
	now, err := info()
	if err != nil {
		return nil, err
	}
	told, err := tell(ending{a, ctx}, now)
	if err != nil || j.f.noFetch {
		return told, err
	}
	return prove(ctx, c, ending{a, ctx}, told)
}

// prove asks what stands where files would belong that moved, and the addresses that
// are written once more. One that does not pass is not written: then the audit is told
// again, and the proof taken again, until it holds.
func prove(ctx context.Context, c *crawler.Crawler, src ending, told *audit.Result) (*audit.Result, error) {
	for asked := true; ; {
		if at := told.Unasked(); len(at) > 0 {
			err := c.Stand(ctx, src, at)
			if err == nil {
				told, err = tell(src, told.Info)
			}
			if err != nil {
				return nil, err
			}
			continue
		}
		if err := told.Prove(); err != nil {
			return nil, err
		}
		if told.Failed() && asked { // what was asked since is told by telling once
			var err error
			if told, err = tell(src, told.Info); err != nil {
				return nil, err
			}
			asked = false
			continue
		}
		rs, err := told.ProofRequests()
		if err != nil || len(rs) == 0 {
			return told, err
		}
		if err := c.AskAll(ctx, rs); err != nil {
			return nil, err
		}
		asked = true
	}
}

// progress begins to show how far c is.
func (j *job) progress(c *crawler.Crawler, most int64) *progress {
	p := startProgress(j.std.err, j.log, !j.f.quiet && j.f.log != "json", most, &c.Progress)
	j.shown.Store(p)
	return p
}

// readSitemaps finds and reads the sitemaps.
func (j *job) readSitemaps(ctx context.Context, c *crawler.Crawler, a *storage.Audit) error {
	p := j.progress(c, -1)
	defer p.end()
	return c.Discover(ctx, ending{a, ctx}, j.d)
}

// verdict says how the audit ends: exit status 2 where more than half of the
// entries could not be seen, else what --fail-on says.
func (j *job) verdict(ctx context.Context, store *storage.Store, a *storage.Audit, t *audit.Result) error {
	if err := unseenExport(t); err != nil {
		return err
	}
	asked := t.Counts.Entries - t.Counts.Verdicts[audit.Skipped]
	if hidden := t.Counts.Verdicts[audit.Unverified]; 2*hidden > asked {
		unseen := func(f audit.Fault) int { return t.Counts.Unseen[string(f)] }
		said, hint := "the site refuses us or does not answer", letIn(&t.Info, t.Counts.Unseen)+"; the report says what came back"
		switch hidden {
		case unseen(audit.FaultAddress) + unseen(audit.FaultRobotsAddress):
			said, hint = "its host, or what its robots.txt redirects to, is an address that is not allowed", "--allow-private lets the audit lead to private addresses; --robots note asks where only robots.txt leads there"
		case unseen(audit.FaultDNS) + unseen(audit.FaultRobots):
			said, hint = "its host or its robots.txt does not answer", "check the name and the network; --resolve HOST:PORT:ADDR connects elsewhere, --robots note asks all the same; the report says what came back"
		}
		return withHint(fmt.Errorf("%s of %s entries could not be checked: %s", thousands(int64(hidden)), thousands(int64(asked)), said), hint)
	}
	counts := countsOf(t)
	if j.f.onlyNew {
		var err error
		if counts, err = (baseline{j.log, j.failOn, j.f.command("diff")}).count(ctx, store, a, t); err != nil {
			if errors.Is(err, context.Canceled) {
				j.log.Error("stopped; the audit is done and its outputs are written, but what is new was not counted: " + j.f.again(t.Info.ID) + " --new does that")
			}
			return err
		}
	}
	return status(t, counts, j.failOn)
}
