package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// A program is a command line, with the exit status of a successful run.
type program struct {
	name string
	path string
	args []string
	also int    // another status of a successful run: 0 for none
	out  string // removed before the program runs; "" for nothing
}

// An arena has what the programs of a case share.
type arena struct {
	o    *options
	c    *benchCase
	dir  string
	base string
	ca   string
}

func (a *arena) file(name string) string { return filepath.Join(a.dir, name) }

// audit returns a program that makes a whole audit with its outputs, with one build of sitemend.
func (a *arena) audit(name, path string) program {
	out := a.file("out-" + name)
	args := []string{"audit", "-q", "--rate", "0", "--parallel", strconv.Itoa(a.o.parallel),
		"--fail-on", "none", "--out", out}
	if a.c.tls {
		args = append(args, "--ca", a.ca)
	}
	return program{name: name, path: path, args: append(args, a.base+"/sitemap.xml"), out: out}
}

// report returns a program that writes the outputs of a store again.
func (a *arena) report(audit program) program {
	return program{name: audit.name, path: audit.path,
		args: []string{"report", "--out", audit.out, "--format", "html,csv,jsonl"}}
}

// tool returns the command line of another program; ok is false where it is not installed.
func (a *arena) tool(name string) (program, bool) {
	p := program{name: name, path: name}
	many := strconv.Itoa(a.o.parallel)
	switch name {
	case "curl":
		p.args = []string{"-s", "-Z", "--parallel-max", many, "-L", "-K", a.file("curl.cfg")}
		if a.c.tls {
			p.args = append(p.args, "--http2", "--cacert", a.ca)
		}
	case "wget":
		p.also = 8 // an address answered with an error, as some do here
		p.args = []string{"-q", "-O", os.DevNull, "--no-hsts", "--tries=1", "-i",
			a.file("urls.txt")}
		if a.c.tls {
			p.args = append(p.args, "--ca-certificate="+a.ca)
		}
	case "muffet":
		p.also = 1 // it found broken links
		p.args = []string{"--one-page-only", "--ignore-fragments", "--buffer-size", "65536",
			"--max-connections", many}
		if a.c.tls {
			p.args = append(p.args, "--skip-tls-verification")
		}
		p.args = append(p.args, a.base+"/links.html")
		if a.o.muffet != "" {
			p.path = a.o.muffet
		}
	case "linkinator":
		p.also = 1 // it found broken links
		p.args = []string{a.base + "/links.html", "--concurrency", many, "--timeout", "60000",
			"--verbosity", "none"}
	case "wrk":
		p.args = []string{"-t", "1", "-c", many, "-d",
			fmt.Sprintf("%ds", int(math.Ceil(a.o.wrk.Seconds()))), "-s", a.file("wrk.lua"), a.base}
	}
	path, err := exec.LookPath(p.path)
	p.path = path
	return p, err == nil
}
