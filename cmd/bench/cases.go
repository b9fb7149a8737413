package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// A benchCase is one comparison.
type benchCase struct {
	name    string
	about   string
	entries int
	path    func(i int) string
	tls     bool
	slow    bool     // each answer waits for -latency
	own     bool     // no nginx serves it
	tools   []string // beside sitemend
	again   bool     // evaluate a store a second time
}

var cases = []benchCase{
	{name: "mixed", about: "70 % direct, 19 % one redirect, 10 % two, 1 % gone", entries: 50_000, path: mixed,
		tools: []string{"curl", "wget", "muffet", "linkinator", "wrk"}},
	{name: "tls", about: "the same over TLS, HTTP/2 where spoken", entries: 50_000, path: mixed, tls: true,
		tools: []string{"curl", "wget", "muffet"}},
	{name: "shared", about: "all redirect to one page", entries: 40_000, path: shared,
		tools: []string{"curl", "wget", "muffet"}},
	{name: "pages", about: "pages as shops and magazines have them, 10 to 60 KB of HTML, each another", entries: 10_000, path: rich, own: true,
		tools: []string{"curl", "wget"}},
	{name: "latency", about: "as mixed, each answer waits", entries: 5_000, path: mixed, slow: true,
		tools: []string{"curl", "muffet"}},
	{name: "million", about: "as mixed", entries: 1_000_000, path: mixed,
		tools: []string{"curl", "wget", "muffet"}},
	{name: "again", about: "as mixed, reported again from the store: html, csv, jsonl, sitemaps", entries: 1_000_000, path: mixed, again: true},
}

func caseNames() []string {
	var names []string
	for _, c := range cases {
		names = append(names, c.name)
	}
	return names
}

// A row has the usage of one program in one case.
type row struct {
	usage
	of       *benchCase
	entries  int
	program  string
	requests int64
	least    int // requests without which the case is not complete
}

// run runs all programs of a case, each -runs times, and returns the usage of each in its run with
// the least CPU time.
func (c *benchCase) run(ctx context.Context, o *options) (rows []row, err error) {
	dir := filepath.Join(o.dir, c.name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	s, err := c.serve(o, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	web := site{base: s.plain, entries: max(1, int(float64(c.entries)*o.scale)), path: c.path}
	if c.tls {
		web.base = s.secure
	}
	if err := web.write(dir); err != nil {
		return nil, err
	}
	a := &arena{o: o, c: c, dir: dir, base: web.base, ca: s.ca}
	todo, err := c.programs(ctx, a)
	if err != nil {
		return nil, err
	}
	for range o.runs {
		for _, p := range todo {
			r := row{of: c, entries: web.entries, program: p.name, least: web.requests()}
			fmt.Fprintf(o.log, "bench: %s, %d entries: %s\n", c.name, web.entries, p.name)
			before, err := s.count()
			if err != nil {
				return nil, err
			}
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

// keepBest adds r, or replaces an earlier run of the same program that used more CPU time; of wrk,
// which runs for a given time, more for a request.
func keepBest(rows []row, r row) []row {
	i := slices.IndexFunc(rows, func(old row) bool { return old.program == r.program })
	switch {
	case i < 0:
		return append(rows, r)
	case r.program == "wrk" && int64(r.cpu)*rows[i].requests < int64(rows[i].cpu)*r.requests,
		r.program != "wrk" && r.cpu < rows[i].cpu:
		rows[i] = r
	}
	return rows
}

func (c *benchCase) serve(o *options, dir string) (*server, error) {
	latency := time.Duration(0)
	if c.slow {
		latency = o.latency
	}
	if o.nginx != "" && !c.slow && !c.own {
		return startNginx(o.nginx, dir)
	}
	return startOwn(dir, latency)
}

// programs returns the installed programs of a case. Where a case evaluates a store a second time,
// this makes the store.
func (c *benchCase) programs(ctx context.Context, a *arena) ([]program, error) {
	all := []program{a.audit("sitemend", a.o.sitemend)}
	if a.o.before != "" {
		all = append(all, a.audit("before", a.o.before))
	}
	if c.again {
		fmt.Fprintf(a.o.log, "bench: %s: an audit fills the store\n", c.name)
		var again []program
		for _, p := range all {
			if _, err := measure(ctx, p); err != nil {
				return nil, err
			}
			again = append(again, a.report(p))
		}
		return again, nil
	}
	for _, name := range c.tools {
		p, ok := a.tool(name)
		if !ok {
			fmt.Fprintf(a.o.log, "bench: %s is not installed\n", name)
			continue
		}
		all = append(all, p)
	}
	return all, nil
}
