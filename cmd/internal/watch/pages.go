package watch

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/job"
	"sitemend/crawler/audit"
	"sitemend/crawler/ground"
	"sitemend/report/serve"
)

// pages show the store while it is watched. Its methods do nothing for nil.
type pages struct {
	url     string // of the list, with the token
	cancel  context.CancelFunc
	served  chan error
	site    *serve.Site
	running atomic.Pointer[[]Site] // whose audits run
}

// serve begins to serve the pages where the configuration wants them; of a run that ends soon they would
// be gone when somebody opens them.
func (w *watcher) serve(ctx context.Context) error {
	if w.c.Listen == "" || w.o.Once {
		return nil
	}
	token, err := w.token()
	if err != nil {
		return err
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", w.c.Listen)
	if err != nil {
		return cli.WithHint(fmt.Errorf("listen: %w", err), "the key listen names an address of this machine and a free port, as 127.0.0.1:8080; port 0 is a free one")
	}
	host, port, _ := net.SplitHostPort(ln.Addr().String()) // a TCP address has both
	name, err := os.Hostname()
	if ip := net.ParseIP(host); err == nil && ip != nil && ip.IsUnspecified() {
		host = strings.ToLower(name)
	}
	p := &pages{served: make(chan error, 1)}
	spec := job.Spec{Out: w.c.Store, Store: w.store.Path(), Named: true}
	p.site, err = serve.New(serve.Options{
		Library: job.Library{File: job.StoreIn(w.c.Store), Again: spec.Again, Open: w.store, Running: p.runs},
		Store:   w.store.Path(), Lang: w.c.Lang, Token: token, Hosts: []string{host, strings.ToLower(name)},
		Plain: map[string]http.Handler{"/healthz": http.HandlerFunc(healthy), "/metrics": bearer(token, w.metrics)},
		More:  map[string]http.Handler{"metrics": w.metrics}})
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	p.url = "http://" + net.JoinHostPort(host, port) + p.site.Path()
	ctx, p.cancel = context.WithCancel(context.WithoutCancel(ctx)) // while audits end, their pages can be read
	w.pages = p
	go func() {
		p.served <- ground.Guard(func() error { return p.site.Serve(ctx, ln, slog.NewLogLogger(w.log.Handler(), slog.LevelWarn)) })
	}()
	w.o.Serving(p.url)
	return nil
}

// healthy answers /healthz: where nothing can be written, Run ends and with it the pages.
func healthy(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") }

// token is drawn once for a store: the addresses in messages are to lead there after the next
// start, too.
func (w *watcher) token() (string, error) {
	if kept, ok, err := w.store.Noted(tokenNote); ok || err != nil {
		return string(kept), err
	}
	drawn := rand.Text()
	return drawn, w.store.NoteAll(map[string][]byte{tokenNote: []byte(drawn)})
}

// bearer passes on requests with the token (RFC 6750).
func bearer(token string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shown, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if subtle.ConstantTimeCompare([]byte(shown), []byte(token)) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "Unauthorized: /metrics takes the token of the pages as a bearer token, or as /TOKEN/metrics.", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// show tells the pages whose audits run.
func (p *pages) show(running []Site) {
	if p != nil {
		list := slices.Clone(running)
		p.running.Store(&list)
	}
}

// runs reports whether an audit is being made.
func (p *pages) runs(info audit.Info) bool {
	list := p.running.Load()
	return list != nil && info.Ended.IsZero() && slices.ContainsFunc(*list, func(s Site) bool { return s.scope.Has(info) })
}

// close ends the pages.
func (p *pages) close() error {
	if p == nil {
		return nil
	}
	p.cancel()
	return errors.Join(<-p.served, p.site.Close())
}

// reportOf is where the report of an audit is: its page, else the file that was written last.
func (w *watcher) reportOf(site, id string) string {
	if w.pages != nil {
		return w.pages.url + "audits/" + id + "/"
	}
	return filepath.Join(w.c.Store, site, "report.html")
}
