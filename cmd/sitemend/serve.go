package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/netip"
	"os"
	"strings"

	"github.com/cli/browser"
	"github.com/spf13/cobra"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/job"
	"sitemend/cmd/internal/scratch"
	"sitemend/report/serve"
	"sitemend/storage"
)

// serveFlags are the flags of serve.
type serveFlags struct {
	job.Spec
	addr   string
	remote bool
	open   bool
}

func newServe(std stdio) *cobra.Command {
	f := &serveFlags{}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Browse the store in a browser",
		Long: `Browse the audits of a store. The address to open is printed; it has a token, and only
this machine can connect unless --allow-remote says otherwise. Ctrl-C ends it.

Exit status:
  0  ended by Ctrl-C
  2  there is no such store, or the address cannot be listened on`,
		Example: "  sitemend serve --open\n  sitemend serve --store audits.db --addr 127.0.0.1:8080",
		Args:    atMost(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return serveStore(cmd.Context(), std, f)
		},
	}
	declare(cmd.Flags(), storeFlags(&f.Spec), []option{
		langFlag(&f.Spec),
		{"addr", &f.addr, "127.0.0.1:0", "`HOST:PORT` to listen on, of this machine alone; port 0 is a free one"},
		{"allow-remote", &f.remote, nil, "let --addr be one that other machines reach; nothing is encrypted"},
		{"open", &f.open, nil, "open it in the browser"},
	})
	return cmd
}

// serveStore serves until ctx ends.
func serveStore(ctx context.Context, std stdio, f *serveFlags) error {
	lang, err := language(f.Lang)
	if err != nil {
		return err
	}
	file := f.StoreFile()
	f.Named = true // each page is of one audit
	if err := readable(file); err != nil {
		return err
	}
	ln, host, err := f.listen(ctx)
	if err != nil {
		return err
	}
	temporary, err := scratch.New()
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	site, err := serve.New(serve.Options{Library: job.Library{File: file, Again: f.Again},
		Store: file.Path, Lang: lang, Token: rand.Text(), Hosts: []string{host},
		Dir: temporary.Dir})
	if err != nil {
		return errors.Join(err, ln.Close(), temporary.Close())
	}
	_, port, _ := net.SplitHostPort(ln.Addr().String()) // a TCP address has both
	url := "http://" + net.JoinHostPort(host, port) + site.Path()
	if f.remote {
		fmt.Fprintln(std.err, "sitemend: other machines can connect: who sees the address below can read the store, and nothing is encrypted")
	}
	fmt.Fprintf(std.err, "sitemend: serving %s; Ctrl-C ends it\n", cli.OneLine(file.Path))
	fmt.Fprintln(std.out, url)
	if f.open {
		go openBrowser(std.err, url)
	}
	return errors.Join(site.Serve(ctx, ln, log.New(std.err, "sitemend: ", 0)), site.Close(),
		temporary.Close())
}

// readable reports whether there is a store. One that an audit holds is there.
func readable(file job.StoreFile) error {
	s, err := file.Read()
	if errors.Is(err, storage.ErrLocked) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.Close()
}

// listen listens on --addr and returns the host by which a browser reaches it.
func (f *serveFlags) listen(ctx context.Context) (ln net.Listener, host string, err error) {
	host, _, err = net.SplitHostPort(f.addr)
	if err != nil {
		return nil, "", cli.WithHint(fmt.Errorf("--addr %q is not HOST:PORT", f.addr),
			"as in --addr 127.0.0.1:8080")
	}
	far := cli.WithHint(fmt.Errorf("--addr %s can be reached from other machines", f.addr),
		"take 127.0.0.1, or a tunnel to it (ssh -L); --allow-remote listens there all the same, unencrypted")
	if host == "" && !f.remote { // all addresses
		return nil, "", far
	}
	ln, err = new(net.ListenConfig).Listen(ctx, "tcp", f.addr)
	if err != nil {
		return nil, "", cli.WithHint(fmt.Errorf("--addr: %w", err),
			"--addr 127.0.0.1:0 takes a free port")
	}
	at, _ := netip.ParseAddrPort(ln.Addr().String()) // a TCP listener's is one
	if !at.Addr().Unmap().IsLoopback() && !f.remote {
		return nil, "", errors.Join(far, ln.Close())
	}
	if host == "" || at.Addr().IsUnspecified() {
		if host, err = os.Hostname(); err != nil {
			return nil, "", errors.Join(err, ln.Close())
		}
	}
	return ln, strings.ToLower(host), nil
}

// openBrowser opens the address; what the browser prints is nobody's concern.
func openBrowser(errOut io.Writer, url string) {
	browser.Stdout, browser.Stderr = io.Discard, io.Discard
	if err := browser.OpenURL(url); err != nil {
		fmt.Fprintf(errOut, "sitemend: no browser could be opened (%s); open the address yourself\n", cli.OneLine(err.Error()))
	}
}
