package watch

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/audit"
)

// A reading is a configuration that was read again, or why it was not.
type reading struct {
	config *Config
	err    error
}

// reload begins to read the configuration again, beside all else: a disk that does not answer, as
// that of another machine, is to hold up neither audits nor the end. Whoever calls for it meanwhile
// has it read once more after that.
func (w *watcher) reload() {
	switch {
	case w.o.Reload == nil:
		return
	case w.reading:
		w.again = true
		w.log.Warn("the configuration is still being read; it is read once more after that")
		return
	}
	w.reading = true
	go func() {
		var r reading
		r.err = audit.Guard(func() (err error) { // a fault in reading a file ends no audit
			r.config, err = w.o.Reload()
			return err
		})
		w.readings <- r // it has room for the one that is read
	}()
}

// reloaded takes another configuration, or keeps the old one where that is wrong.
func (w *watcher) reloaded(r reading) {
	w.reading = false
	if w.again { // the file may have changed since
		w.again = false
		w.reload()
		return
	}
	c, err := r.config, r.err
	if err == nil {
		err = w.fits(c)
	}
	if err == nil {
		err = w.rename(append(slices.Clone(w.c.Sites), w.remembered()...), c.Sites)
	}
	if err != nil {
		w.log.Error("the configuration was not taken, the one before stays in force: " + err.Error())
		return
	}
	w.c = c
	for _, warning := range c.Warnings {
		w.log.Warn(warning)
	}
	w.metrics.forget()
	for _, s := range c.Sites {
		if err := w.restore(s); err != nil {
			w.log.Error(err.Error())
		}
	}
	w.log.Info("the configuration was read again: " + cli.Plural(len(c.Sites), "site", "sites"))
}

// fits rejects changes that need a restart.
func (w *watcher) fits(c *Config) error {
	for _, x := range []struct {
		key      string
		was, now string
	}{{"store", filepath.Clean(w.c.Store), filepath.Clean(c.Store)}, {"listen", w.c.Listen, c.Listen}, {"token", w.c.Token, c.Token}, {"url", w.c.URL, c.URL}} {
		if x.was != x.now {
			return fmt.Errorf("the key %s was changed, which takes a new start", x.key)
		}
	}
	return nil
}

// remembered returns the sites that the store knows, those audited last first.
func (w *watcher) remembered() (sites []Site) {
	for name, st := range w.states {
		if st.Scope != nil {
			sites = append(sites, Site{Name: name, scope: *st.Scope})
		}
	}
	slices.SortFunc(sites, func(a, b Site) int {
		return cmp.Or(cmp.Compare(w.states[b.Name].Seq, w.states[a.Name].Seq), strings.Compare(a.Name, b.Name))
	})
	return sites
}

// rename passes what is remembered of a site on to the name that it has in another configuration:
// it is not audited, nor reported, anew for that. What is remembered of a name goes with its
// targets where these are now another name's. known are the sites as they were; where several have
// the targets of one, the first.
func (w *watcher) rename(known, sites []Site) error {
	notes, states, holds := map[string][]byte{}, map[string]state{}, map[string]time.Time{}
	moved := func(s Site) (from string, ok bool) {
		for _, old := range known {
			switch {
			case !old.scope.Equal(s.scope):
			case old.Name == s.Name:
				return "", false
			case !ok:
				from, ok = old.Name, true
			}
		}
		return from, ok
	}
	gone := map[string]bool{}
	for _, s := range sites {
		from, ok := moved(s)
		if !ok {
			continue
		}
		gone[from] = true
		if st, ok := w.states[from]; ok {
			text, err := json.Marshal(st)
			if err != nil {
				return err
			}
			states[s.Name], notes[statePrefix+s.Name] = st, text
		} else {
			gone[s.Name] = true
		}
		if at, ok := w.hold[from]; ok {
			holds[s.Name] = at
		}
	}
	for name := range gone {
		if _, again := states[name]; !again {
			notes[statePrefix+name] = nil
		}
	}
	if len(notes) == 0 {
		return nil
	}
	if err := w.book.note(notes); err != nil {
		return err
	}
	for name := range gone {
		delete(w.states, name)
		delete(w.hold, name)
	}
	maps.Copy(w.states, states)
	maps.Copy(w.hold, holds)
	return nil
}
