package watch

import "time"

// An illness is that the store cannot be written to. Nothing is started or sent meanwhile: it
// could not be noted, and so would be done again.
type illness struct {
	why   string    // "" for none
	again time.Time // when the store is tried again
}

// illFor is how long is waited before the store is tried again.
const illFor = time.Minute

// rests reports whether the store is not tried yet.
func (w *watcher) rests() bool { return w.ill.why != "" && w.clock.Now().Before(w.ill.again) }

// fallIll takes an error of the store. It is said once, not every minute.
func (w *watcher) fallIll(err error) {
	why := w.reason(err)
	if why != w.ill.why {
		w.log.Error("nothing can be written: until it can, nothing is audited and no message is sent; it is tried every minute: " + why)
	}
	w.ill = illness{why, w.clock.Now().Add(illFor)}
	w.metrics.sick("nothing can be written: " + why)
}

// recover writes to the store what it owes, and takes what ended meanwhile. It does nothing where
// all is well.
func (w *watcher) recover() error {
	if w.ill.why == "" {
		return nil
	}
	if err := w.book.owe(map[string][]byte{aliveNote: []byte(w.clock.Now().UTC().Format(time.RFC3339))}); err != nil {
		return err
	}
	if err := w.catchUp(); err != nil {
		return err
	}
	w.ill = illness{}
	w.metrics.sick("")
	w.log.Info("the store can be written to again")
	return nil
}
