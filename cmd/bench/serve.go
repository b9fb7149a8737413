package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"sitemend/cmd/internal/nginx"
	"sitemend/cmd/internal/web"
)

// Set in the environment of the server's process: the folder that it serves, and
// how long it waits before each answer.
const (
	serveEnv   = "SITEMEND_BENCH_SERVE"
	latencyEnv = "SITEMEND_BENCH_LATENCY"
)

// countPath is the path that answers with the number of requests so far.
const countPath = "/.requests"

// A server is a running server.
type server struct {
	plain, secure string // base addresses
	ca            string // file of the authority that signed for secure
	count         func() (int64, error)
	stop          func() error
}

// startOwn starts this program once more, as a server of what is in dir.
func startOwn(dir string, latency time.Duration) (*server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), serveEnv+"="+dir, latencyEnv+"="+latency.String())
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{ca: filepath.Join(dir, "ca.pem"),
		stop: func() error { return errors.Join(in.Close(), cmd.Wait()) }}
	line, err := bufio.NewReader(out).ReadString('\n')
	if _, scan := fmt.Sscan(line, &s.plain, &s.secure); err != nil || scan != nil {
		return nil, errors.Join(errors.New("the server did not start"), s.stop())
	}
	s.count = func() (int64, error) {
		text, err := get(s.plain + countPath)
		if err != nil {
			return 0, err
		}
		return strconv.ParseInt(text, 10, 64)
	}
	return s, nil
}

// get fetches a URL over a connection of its own.
func get(url string) (string, error) {
	t := &http.Transport{DisableKeepAlives: true}
	resp, err := (&http.Client{Transport: t}).Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return string(b), err
}

// serve serves dir until in ends, and writes the plain and the secure base address to out.
func serve(dir string, in io.Reader, out io.Writer) error {
	latency, err := time.ParseDuration(os.Getenv(latencyEnv))
	if err != nil {
		return err
	}
	ca, err := web.NewCA()
	if err != nil {
		return err
	}
	pem, key, err := ca.CertificatePEM("127.0.0.1")
	if err != nil {
		return err
	}
	cert, err := tls.X509KeyPair(pem, key)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "ca.pem"), ca.PEM(), 0o666); err != nil {
		return err
	}
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	secure, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	protocols := []string{"h2", "http/1.1"} // said here, for Serve alone would leave HTTP/2 out
	s := &http.Server{Handler: &pages{dir: dir, latency: latency},
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: protocols}}
	ended := make(chan error, 2)
	go func() { ended <- s.Serve(plain) }()
	go func() { ended <- s.ServeTLS(secure, "", "") }()
	fmt.Fprintf(out, "http://%s https://%s\n", plain.Addr(), secure.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, in) // the end of in is the signal to stop
		_ = s.Shutdown(context.Background())
	}()
	for range 2 {
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			return err
		}
	}
	return nil
}

// pages is the handler that answers for the site.
type pages struct {
	dir     string
	latency time.Duration
	asked   atomic.Int64
}

func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == countPath {
		fmt.Fprint(w, p.asked.Load())
		return
	}
	p.asked.Add(1)
	time.Sleep(p.latency)
	kind, rest, _ := strings.Cut(r.URL.Path[1:], "/")
	named := rest == "home" || strings.HasPrefix(rest, articles) // another name does not exist
	switch {
	case named && (kind == "ok" || kind == "new"):
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, page, r.URL.Path, r.URL.Path, r.URL.Path)
	case kind == "page":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		b := pageOf(r.URL.Path)
		w.Header().Set("Content-Length", strconv.Itoa(len(b)))
		_, _ = w.Write(b) // the client may be gone
	case kind == "once":
		p.redirect(w, "/new/"+rest)
	case kind == "twice":
		p.redirect(w, "/once/"+rest)
	case kind == "old":
		p.redirect(w, "/new/home")
	case kind == "sitemap.xml", kind == "links.html", strings.HasPrefix(kind, "sitemap-") && rest == "":
		http.ServeFile(w, r, filepath.Join(p.dir, kind))
	default:
		http.NotFound(w, r)
	}
}

const page = "<html><head><title>%s</title><link rel=canonical href=%s></head><body>hello from %s</body></html>"

// articles begins the last segment of all pages but one.
const articles = "an-article-about-something-"

func (p *pages) redirect(w http.ResponseWriter, to string) {
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusMovedPermanently)
}

// nginxSite is the configuration with which nginx serves the same site.
const nginxSite = `
keepalive_requests 100000000;
server {
	listen @HTTP@;
	listen @HTTPS@ ssl http2;
	root @DIR@;
	absolute_redirect off;
	location = /.requests { stub_status; }
	location = /links.html { }
	location ~ ^/sitemap { }
	location ~ ^/(ok|new)/(home|an-article-about-something-[0-9]+)$ { return 200 "<html><head><title>$uri</title><link rel=canonical href=$request_uri></head><body>hello from $uri</body></html>"; }
	location ~ ^/once/(.*)$ { return 301 /new/$1; }
	location ~ ^/twice/(.*)$ { return 301 /once/$1; }
	location /old/ { return 301 /new/home; }
	location / { return 404; }
}`

// startNginx starts an nginx that serves dir.
func startNginx(program, dir string) (*server, error) {
	n, err := nginx.Run(program, dir, nginxSite)
	if err != nil {
		return nil, err
	}
	s := &server{plain: n.HTTP(), secure: n.HTTPS(), ca: filepath.Join(dir, "ca.pem"), stop: n.Stop}
	questions := int64(0) // stub_status counts the requests of this program as well
	s.count = func() (int64, error) {
		text, err := get(s.plain + countPath)
		if err != nil {
			return 0, err
		}
		questions++
		_, numbers, _ := strings.Cut(text, "requests\n")
		fields := strings.Fields(numbers)
		if len(fields) < 3 {
			return 0, fmt.Errorf("nginx says %q", text)
		}
		all, err := strconv.ParseInt(fields[2], 10, 64)
		return all - questions, err
	}
	return s, os.WriteFile(s.ca, n.CAPEM, 0o666)
}
