package discover

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"sitemend/crawler/audit"
)

// file spools and reads a file of this machine. It reads a named pipe like standard input, and
// waits for it until ctx ends.
func (w *discovery) file(ctx context.Context, name string) error {
	if _, ok := w.done[name]; ok {
		return w.local(ctx, name, nil) // a pipe cannot be read again
	}
	f, err := openFile(ctx, name)
	if err != nil {
		return unreadable(ctx, err)
	}
	defer f.Close()
	stop := context.AfterFunc(ctx, func() { f.Close() })
	defer stop()
	return w.local(ctx, name, f)
}

// openFile is os.Open that ends with ctx: opening a named pipe blocks until a writer opens it.
func openFile(ctx context.Context, name string) (*os.File, error) {
	type result struct {
		file *os.File
		err  error
	}
	opened := make(chan result, 1)
	go func() {
		f, err := os.Open(name)
		opened <- result{f, err}
	}()
	select {
	case r := <-opened:
		return r.file, r.err
	case <-ctx.Done():
		return nil, ctx.Err() // the open file is never closed: the program ends
	}
}

// unreadable returns the error for a file of this machine that could not be read, unless the audit
// was stopped.
func unreadable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &Error{What: err.Error(), Fix: "name a file that can be read, a site or a sitemap URL"}
}

// local spools what it reads from r, up to the limit of a file, and reads that. It skips what an
// earlier run has read.
func (w *discovery) local(ctx context.Context, name string, r io.Reader) error {
	if sm, ok := w.done[name]; ok {
		return w.children(ctx, &sm, 0)
	}
	sm := audit.Sitemap{URL: name, Parent: -1, Spool: w.spoolName(), FetchedAt: w.Now}
	out, err := w.store.SpoolWriter(sm.Spool)
	if err != nil {
		return err
	}
	in := &noting{r: r}
	_, err = io.CopyN(out, in, sitemapPacked)
	if errors.Is(err, io.EOF) {
		err = nil
	} else if more, _ := in.Read(make([]byte, 1)); err == nil && more > 0 {
		sm.Cut = true
		said := say("first-read", strconv.Itoa(sitemapPacked))
		sm.Faults = append(sm.Faults, said.fault(&sm, source{}, "Sitemap file size error", "error"))
	}
	closing := out.Close()
	if in.err != nil {
		return unreadable(ctx, in.err)
	}
	if err = errors.Join(err, closing); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	problem, err := w.read(ctx, &sm, source{parent: -1}, 0)
	if err != nil {
		return w.noSitemap(name, err)
	}
	if problem != nil {
		w.tried.failed(problem)
	}
	return nil
}

// noting is a reader that keeps the error of its last Read, except io.EOF.
type noting struct {
	r   io.Reader
	err error
}

func (n *noting) Read(b []byte) (int, error) {
	read, err := n.r.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		n.err = err
	}
	return read, err
}
