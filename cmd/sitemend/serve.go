package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log"
	"net"

	"github.com/cli/browser"
	"github.com/spf13/cobra"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/job"
	"sitemend/report/serve"
	"sitemend/storage"
)

// serveFlags are the flags of serve.
type serveFlags struct {
	common
	addr string
	open bool
}

func newServe(std stdio) *cobra.Command {
	f := &serveFlags{}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Browse the store in a browser",
		Long: `Browse the audits of a store. The URL to open is printed; it has a token, and only
this machine can connect. Ctrl-C ends it.

Exit status:
  0  ended by Ctrl-C
  2  there is no such store, or --addr cannot be listened on`,
		Example: "  sitemend serve --open\n  sitemend serve --store audits.db --addr 127.0.0.1:8080",
		Args:    takes(0, 0, "no arguments"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return serveStore(cmd.Context(), std, f) },
	}
	declare(cmd.Flags(), storeFlags(&f.Spec), []option{
		langFlag(&f.Spec),
		{"addr", &f.addr, "127.0.0.1:0", "`HOST:PORT` to listen on, of this machine alone; port 0 is a free one"},
		{"open", &f.open, nil, "open it in the browser"},
	})
	return cmd
}

// serveStore serves until ctx ends.
func serveStore(ctx context.Context, std stdio, f *serveFlags) error {
	f.Named = true // each page is of one audit
	_, err := f.begin(std)
	if err != nil {
		return err
	}
	if s, err := f.ReadStore(); err == nil {
		_ = s.Close()
	} else if !errors.Is(err, storage.ErrLocked) { // one that an audit holds is there
		return err
	}
	ln, err := f.listen(ctx)
	if err != nil {
		return err
	}
	site, err := serve.New(serve.Options{Library: job.Library{File: f.StoreFile(), Again: f.Again}, Store: f.StoreFile(), Lang: f.Lang, Token: rand.Text()})
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	url := "http://" + ln.Addr().String() + site.Path()
	fmt.Fprintf(std.err, "sitemend: serving %s; Ctrl-C ends it\n", cli.OneLine(f.StoreFile()))
	fmt.Fprintln(std.out, url)
	if f.open {
		go openBrowser(std.err, url)
	}
	return errors.Join(site.Serve(ctx, ln, log.New(std.err, "sitemend: ", 0)), site.Close())
}

// listen listens on --addr, which is of this machine alone: nothing is encrypted.
func (f *serveFlags) listen(ctx context.Context) (net.Listener, error) {
	at, err := net.ResolveTCPAddr("tcp", f.addr)
	if err == nil && (at.IP == nil || !at.IP.IsLoopback()) {
		err = fmt.Errorf("%s can be reached from other machines", f.addr)
	}
	var ln net.Listener
	if err == nil {
		ln, err = new(net.ListenConfig).Listen(ctx, "tcp", at.String())
	}
	if err != nil {
		return nil, cli.WithHint(fmt.Errorf("--addr: %w", err), "as in --addr 127.0.0.1:8080; port 0 is a free one; a tunnel (ssh -L) leads there from elsewhere")
	}
	return ln, nil
}

// openBrowser opens the address; what the browser prints is nobody's concern.
func openBrowser(errOut io.Writer, url string) {
	browser.Stdout, browser.Stderr = io.Discard, io.Discard
	if err := browser.OpenURL(url); err != nil {
		fmt.Fprintf(errOut, "sitemend: no browser could be opened (%s); open the address yourself\n", cli.OneLine(err.Error()))
	}
}
