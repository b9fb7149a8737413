//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// Ctrl-C ends the command while it reads sitemaps that have no end, as it does while it
// asks: exit status 3, and no outputs.
func TestInterruptedWhileReading(t *testing.T) {
	const enough = 30
	entry := strings.Repeat("<url><loc>http://shop.example/a</loc></url>\n", 1000)
	for name, answer := range map[string]func(w io.Writer, path string, more func()){
		"indexes of indexes": func(w io.Writer, path string, more func()) {
			more()
			fmt.Fprint(w, "<sitemapindex>")
			for i := range 40 {
				fmt.Fprintf(w, "<sitemap><loc>http://shop.example%s/%d</loc></sitemap>", path, i)
			}
			fmt.Fprint(w, "</sitemapindex>")
		},
		"a sitemap without an end": func(w io.Writer, _ string, more func()) {
			_, err := io.WriteString(w, "<urlset>")
			for ; err == nil; more() {
				_, err = io.WriteString(w, entry)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			var done atomic.Int64
			begun := make(chan struct{})
			more := func() {
				if done.Add(1) == enough {
					close(begun)
				}
			}
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/robots.txt" {
					w.WriteHeader(http.StatusNotFound)
					return
				}
				answer(w, r.URL.Path, more)
			}))
			defer s.Close()
			dir := filepath.Join(t.TempDir(), "out")
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, "sitemend", "audit", "--rate", "0", "--lang", "en", "--out", dir, "--resolve", "shop.example:80:"+s.Listener.Addr().String(), "http://shop.example/sitemap.xml")
			var out, errOut bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errOut
			must(t, cmd.Start())
			select {
			case <-begun:
			case <-ctx.Done():
			}
			must(t, cmd.Process.Signal(os.Interrupt))
			err := cmd.Wait()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted || ctx.Err() != nil || out.Len() > 0 {
				t.Errorf("it ended with %v: %s%s", err, out.String(), errOut.String())
			}
			if !strings.Contains(errOut.String(), "The same command continues it") {
				t.Errorf("it said %s", errOut.String())
			}
			if _, err := os.Stat(filepath.Join(dir, "report.html")); err == nil {
				t.Error("outputs were written")
			}
		})
	}
}
