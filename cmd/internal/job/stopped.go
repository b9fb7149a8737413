package job

import (
	"context"
	"path/filepath"
	"time"

	"sitemend/crawler"
	"sitemend/crawler/fetch"
	"sitemend/report/messages"
	"sitemend/storage"
)

// Stopped says how far an audit is that was stopped. The same Spec continues it.
type Stopped struct {
	Says   string               // in a sentence, in the language of the log
	Shows  string               // which command shows what is known so far; "" where nothing is
	Outage *crawler.OutageError // what failed on this machine; nil where ctx ended
}

// recountTime is how long a stopped audit counts what is known: whoever pressed Ctrl-C waits for
// it.
const recountTime = time.Second

// stopped is the Outcome of an audit that was stopped. It counts what is remembered, as the report
// does that is written from it, as far as that is done at once.
func (j *job) stopped(ctx context.Context, c *crawler.Crawler, a *storage.Audit, outage *crawler.OutageError) (*Outcome, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recountTime)
	defer cancel()
	so := soFar{least: c.Recount(ctx) != nil}
	p := &c.Progress
	so.entries = int(p.Entries.Load() - p.Filtered.Load())
	so.done = int(p.Done.Load() - p.Filtered.Load())
	sitemaps, err := a.Sitemaps()
	if err != nil {
		return nil, err
	}
	if so.entries == 0 {
		for i := range sitemaps { // stopped before the first entry was to be crawled
			if sitemaps[i].Listed() {
				so.entries += sitemaps[i].Entries
			}
		}
	}
	s := &Stopped{Says: so.says(j.words(), outage), Outage: outage}
	if len(sitemaps) > 0 && j.f.Out != "-" {
		s.Shows = j.words().Text("stop-shows", "command", j.f.shows(a.ID()))
	}
	return &Outcome{Stopped: s}, nil
}

// shows is the command that writes what is known of a stopped audit: by its ID, for the latest one
// that has ended would be written otherwise, and into a folder of its own, for the outputs of that
// one stay.
func (f *Spec) shows(id string) string {
	x := *f
	x.Named, x.Store, x.Out, x.usual = true, f.StoreFile().Path, filepath.Join(f.Out, "stopped"), false
	return x.Again(id)
}

// soFar is how far an audit is: of its entries, those that are done, or at least so many.
type soFar struct {
	done, entries int
	least         bool
}

// says puts it into a sentence.
func (s *soFar) says(w *messages.Catalogue, outage *crawler.OutageError) string {
	key := "stop-done"
	if s.entries == 0 {
		key = "stop-unread"
	}
	what := w.Text(key, "done", messages.Number(s.done), "all", messages.Number(s.entries))
	if outage != nil {
		return w.Text("stop-why", "why", lacks(w, outage), "what", what)
	}
	return w.Text("stop", "what", what)
}

// lacks says what failed on this machine, in the language of w where it has words for it.
func lacks(w *messages.Catalogue, outage *crawler.OutageError) string {
	keys := map[string]string{fetch.NoFiles: "stop-no-files", fetch.NoPorts: "stop-no-ports", fetch.NoRoute: "stop-no-route", fetch.NoServer: "stop-no-server"}
	if key, ok := keys[outage.Why]; ok {
		return w.Text(key)
	}
	return outage.Error()
}
