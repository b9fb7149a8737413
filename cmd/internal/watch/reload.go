package watch

import (
	"fmt"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/audit"
)

// reload reads the configuration again, and keeps the old one where the new one is wrong, or asks
// for what needs a restart.
func (w *watcher) reload() {
	var c *Config
	err := audit.Guard(func() (err error) { // a fault in reading a file ends no audit
		c, err = w.o.Reload()
		return err
	})
	if err == nil && (c.Store != w.c.Store || c.Listen != w.c.Listen) {
		err = fmt.Errorf("the keys store and listen take a new start")
	}
	if err != nil {
		w.log.Error("the configuration was not taken, the one before stays in force: " + err.Error())
		return
	}
	w.c = c
	w.metrics.forget()
	for _, s := range c.Sites {
		if err := w.restore(s); err != nil {
			w.log.Error(err.Error())
		}
	}
	w.log.Info("the configuration was read again: " + cli.Plural(len(c.Sites), "site", "sites"))
}
