package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sitemend/cmd/internal/nginx"
)

// A benchCase is one comparison.
type benchCase struct {
	name string
	tls  bool
}

// entries is how many addresses a case has at scale 1.
const entries = 50_000

// A row has the usage of one program in one case.
type row struct {
	usage
	of, program string
	requests    int64
}

// A program is a command line, with another exit status of a successful run; 0 for none.
type program struct {
	name, path string
	args       []string
	also       int
	out        string // removed before the program runs; "" for nothing
}

// run runs all programs of a case, each -runs times, and returns the usage of each in its run with
// the least CPU time.
func (c benchCase) run(ctx context.Context, o *options) (rows []row, err error) {
	dir := filepath.Join(o.dir, c.name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	s, err := startNginx(o.nginx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()
	base := s.HTTP()
	if c.tls {
		base = s.HTTPS()
	}
	if err := writeSite(dir, base, max(1, int(entries*o.scale))); err != nil {
		return nil, err
	}
	for range o.runs {
		for _, p := range c.programs(o, dir, base) {
			fmt.Fprintf(o.log, "bench: %s: %s\n", c.name, p.name)
			before, err := s.count()
			if err != nil {
				return nil, err
			}
			r := row{of: c.name, program: p.name}
			if r.usage, err = measure(ctx, p); err != nil {
				return nil, err
			}
			after, err := s.count()
			if err != nil {
				return nil, err
			}
			r.requests = after - before
			rows = keepBest(rows, r)
		}
	}
	return rows, nil
}

// keepBest adds r, or replaces an earlier run of the same program that used more CPU time.
func keepBest(rows []row, r row) []row {
	i := slices.IndexFunc(rows, func(old row) bool { return old.program == r.program })
	if i < 0 {
		return append(rows, r)
	}
	if r.cpu < rows[i].cpu {
		rows[i] = r
	}
	return rows
}

// programs are the installed programs: sitemend makes a whole audit with its outputs, the others
// only fetch.
func (c benchCase) programs(o *options, dir, base string) (all []program) {
	many, ca := strconv.Itoa(o.parallel), filepath.Join(dir, "ca.pem")
	add := func(p program, tls ...string) {
		path, err := exec.LookPath(p.path)
		if err != nil {
			fmt.Fprintf(o.log, "bench: %s is not installed\n", p.name)
			return
		}
		if p.path = path; c.tls {
			p.args = append(p.args, tls...)
		}
		all = append(all, p)
	}
	for _, build := range []struct{ name, path string }{{"sitemend", o.sitemend}, {"before", o.before}} {
		if build.path != "" {
			out := filepath.Join(dir, "out-"+build.name)
			add(program{name: build.name, path: build.path, out: out, args: []string{"audit", base + "/sitemap.xml", "-q", "--rate", "0",
				"--parallel", many, "--fail-on", "none", "--out", out}}, "--ca", ca)
		}
	}
	add(program{name: "curl", path: "curl", args: []string{"-s", "-Z", "--parallel-max", many, "-L", "-K", filepath.Join(dir, "curl.cfg")}},
		"--http2", "--cacert", ca)
	const answeredWithError = 8 // of wget, for the addresses that are gone
	add(program{name: "wget", path: "wget", also: answeredWithError, args: []string{"-q", "-O", os.DevNull, "--no-hsts", "--tries=1",
		"-i", filepath.Join(dir, "urls.txt")}}, "--ca-certificate="+ca)
	return all
}

// nginxSite is the configuration with which nginx serves the site.
const nginxSite = `
keepalive_requests 100000000;
server {
	listen @HTTP@;
	listen @HTTPS@ ssl http2;
	root @DIR@;
	absolute_redirect off;
	location = /.requests { stub_status; }
	location ~ ^/sitemap { }
	location ~ ^/(ok|new)/an-article-about-something-[0-9]+$ { return 200 "<html><head><title>$uri</title><link rel=canonical href=$request_uri></head><body>hello from $uri</body></html>"; }
	location ~ ^/once/(.*)$ { return 301 /new/$1; }
	location ~ ^/twice/(.*)$ { return 301 /once/$1; }
	location / { return 404; }
}`

// A server is an nginx that counts.
type server struct {
	*nginx.Server
	questions int64 // of this program: nginx counts them as well
}

// startNginx starts an nginx that serves dir.
func startNginx(program, dir string) (*server, error) {
	n, err := nginx.Run(program, dir, nginxSite)
	if err != nil {
		return nil, err
	}
	return &server{Server: n}, os.WriteFile(filepath.Join(dir, "ca.pem"), n.CAPEM, 0o666)
}

// count is the number of requests so far.
func (s *server) count() (int64, error) {
	text, err := get(s.HTTP() + "/.requests")
	if err != nil {
		return 0, err
	}
	s.questions++
	_, numbers, _ := strings.Cut(text, "requests\n")
	fields := strings.Fields(numbers)
	if len(fields) < 3 {
		return 0, fmt.Errorf("nginx says %q", text)
	}
	all, err := strconv.ParseInt(fields[2], 10, 64)
	return all - s.questions, err
}
