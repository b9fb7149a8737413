package main

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sitemend/cmd/internal/job"
	"sitemend/cmd/internal/web"
	"sitemend/report/messages"
)

// The demo's web: web.txt has the answer of each address, access.log earlier requests of robots;
// the other files are its sitemaps.
//
//go:embed demo
var demoFiles embed.FS

// demoTargets are the targets of the demo's audit.
var demoTargets = []string{"https://www.shop.example", "http://wiki.example/sitemap.txt"}

func newDemo(std stdio) *cobra.Command {
	f := demoFlags("")
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Audit a small web that sitemend serves itself on loopback; needs no network",
		Long: `Serve a small web of several hosts on loopback, with a case of each verdict, audit
it as audit does, and leave the same outputs in sitemend-out/www.shop.example.

Exit status:
  0  done
  2  the outputs could not be written
  3  interrupted`,
		Example: "  sitemend demo\n  sitemend demo --lang ja --format html,xlsx,md",
		Args:    takes(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.Repeat = given(cmd.Flags(), "lang", "format")
			text, err := demoFiles.ReadFile("demo/web.txt")
			if err == nil {
				err = demo(cmd.Context(), std, string(text), f)
			}
			if err == nil {
				_, err = fmt.Fprintln(std.err, messages.Of(f.Lang).Text("start-own"))
			}
			return err
		},
	}
	declare(cmd.Flags(), []option{langFlag(&f.Spec), formatFlag(&f.Spec)})
	return cmd
}

// demo audits the web that text describes, with the flags f (demoFlags).
func demo(ctx context.Context, std stdio, text string, f *common) error {
	files, err := fs.Sub(demoFiles, "demo")
	if err != nil {
		return err
	}
	log, err := files.Open("access.log")
	if err != nil {
		return err
	}
	defer log.Close()
	std.in, f.Logs.Files = log, []string{"-"}
	return auditOn(ctx, std, text, files, f, demoTargets)
}

// auditOn serves the web that text describes, with the files that it names, audits targets in it
// and writes the outputs, with the flags f (demoFlags).
func auditOn(ctx context.Context, std stdio, text string, files fs.FS, f *common, targets []string) error {
	w, err := web.Parse(text, files)
	if err != nil {
		return err
	}
	server, err := w.Start()
	if err != nil {
		return err
	}
	defer server.Close()
	ports := map[string]string{"http": ":80:", "https": ":443:"}
	for _, origin := range w.Origins() {
		scheme, host, _ := strings.Cut(origin, "://")
		f.Resolve = append(f.Resolve, host+ports[scheme]+server.Addr())
	}
	f.PEM, f.Targets, f.Fresh, f.Backoff = server.CAPEM(), targets, true, []time.Duration{time.Millisecond, time.Millisecond}
	return f.run(ctx, std, job.Env{NoProxy: true})
}

// demoFlags returns the defaults of audit for outputs in dir, without a limit on the rate, because
// the server is part of the program.
func demoFlags(dir string) *common {
	f := &common{}
	f.add(newFlagSet())
	f.Out, f.Rate, f.RateGiven, f.Parallel, f.Exclude = dir, 0, true, 8, "/internal/"
	f.FailOn = []string{"none"}
	return f
}
