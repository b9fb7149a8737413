package watch

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/job"
	"sitemend/cmd/internal/scratch"
	"sitemend/crawler/audit"
	"sitemend/report/serve"
)

// A site is the pages of the store while it is watched.
type site struct {
	url     string // of the list, with the token
	cancel  context.CancelFunc
	served  chan error
	pages   *serve.Site
	scratch *scratch.Folder

	mu      sync.Mutex
	running []job.Scope // of the audits that run
}

// pages begins to serve the pages where the configuration wants them.
func (w *watcher) pages(ctx context.Context) error {
	if w.c.Listen == "" {
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
	temporary, err := scratch.New()
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	s := &site{served: make(chan error, 1), scratch: temporary}
	base := "http://" + reachable(ln.Addr())
	spec := job.Spec{Out: w.c.Store, Store: filepath.Join(w.c.Store, "audits.db"), Named: true}
	library := job.Library{File: job.StoreIn(w.c.Store), Again: spec.Again, Open: w.store, Running: s.runs}
	s.pages, err = serve.New(serve.Options{Library: library, Store: w.store.Path(), Lang: w.c.Lang, Token: token, Hosts: hostsOf(base), Dir: temporary.Dir,
		Plain: map[string]http.Handler{"/healthz": http.HandlerFunc(w.metrics.health), "/metrics": bearer(token, w.metrics.handler())},
		More:  map[string]http.Handler{"metrics": w.metrics.handler()}})
	if err != nil {
		return errors.Join(err, ln.Close(), temporary.Close())
	}
	s.url = base + s.pages.Path()
	ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx)) // while audits end, their pages can be read
	w.site = s
	errorLog := log.New(logWriter{w.log}, "", 0)
	go func() {
		s.served <- audit.Guard(func() error { return s.pages.Serve(ctx, ln, errorLog) })
	}()
	if w.o.Serving != nil {
		w.o.Serving(s.url)
	}
	return nil
}

// token is drawn once for a store: the addresses in messages are to lead there after the next
// start, too.
func (w *watcher) token() (string, error) {
	if kept, ok, err := w.store.Noted(tokenNote); ok || err != nil {
		return string(kept), err
	}
	drawn := rand.Text()
	return drawn, w.store.Note(tokenNote, []byte(drawn))
}

// reachable is HOST:PORT by which this machine reaches a listener.
func reachable(addr net.Addr) string {
	host, port, _ := net.SplitHostPort(addr.String()) // a TCP address has both
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		if name, err := os.Hostname(); err == nil {
			host = strings.ToLower(name)
		}
	}
	return net.JoinHostPort(host, port)
}

// hostsOf returns the host names under which the pages may be requested.
func hostsOf(base string) (hosts []string) {
	if u, err := url.Parse(base); err == nil {
		hosts = append(hosts, strings.ToLower(u.Hostname()))
	}
	if name, err := os.Hostname(); err == nil {
		hosts = append(hosts, strings.ToLower(name))
	}
	return hosts
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

// showRunning tells the pages which audits run.
func (w *watcher) showRunning() {
	if w.site == nil {
		return
	}
	w.site.mu.Lock()
	defer w.site.mu.Unlock()
	w.site.running = w.site.running[:0]
	for _, r := range w.running {
		w.site.running = append(w.site.running, r.site.scope)
	}
}

// runs reports whether an audit is being made.
func (s *site) runs(info audit.Info) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, scope := range s.running {
		if info.Ended.IsZero() && scope.Has(info) {
			return true
		}
	}
	return false
}

// close ends the pages; it does nothing for nil.
func (s *site) close() error {
	if s == nil {
		return nil
	}
	s.cancel()
	return errors.Join(<-s.served, s.pages.Close(), s.scratch.Close())
}

// reportOf is where the report of an audit is: its page, else the file that was written last. The
// pages of a run that ends are gone when somebody reads a message.
func (w *watcher) reportOf(name, id string) string {
	if w.site != nil && !w.o.Once {
		return w.site.url + "audits/" + id + "/"
	}
	return filepath.Join(w.c.Store, name, "report.html")
}

// logWriter writes the server's messages to the log.
type logWriter struct{ log *slog.Logger }

func (l logWriter) Write(p []byte) (int, error) {
	l.log.Warn(strings.TrimSpace(string(p)))
	return len(p), nil
}

// noLink refuses a link in the place of a site's folder, which nobody named: who may write to
// the store's folder would have us write and remove files elsewhere with our rights.
func noLink(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil || info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) == 0 { // a junction of Windows is irregular
		return nil // what else is wrong is said by who writes there
	}
	return cli.WithHint(fmt.Errorf("%s is a link, and nothing is written or removed through one", dir),
		"remove or rename it: the next run makes the folder")
}
