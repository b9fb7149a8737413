package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// bigBuild writes a build of so many pages, and as many rules, to the folder public: one page
// in ten is listed as it was named before, and a rule leads on.
func bigBuild(b *testing.B, pages int) {
	b.Helper()
	var list, rules bytes.Buffer
	list.WriteString(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for i := range pages {
		name := fmt.Sprintf("d%d/p%d", i%500, i)
		page := fmt.Sprintf("<!doctype html><title>Page %d</title><h1>Page %d</h1><p>%s", i, i, strings.Repeat("some words of a page ", 100))
		mustWrite(b, filepath.Join("public", name+".html"), []byte(page))
		if i%10 == 0 {
			name = "old/" + name
		}
		fmt.Fprintf(&list, "<url><loc>https://www.example.com/%s</loc></url>\n", name)
		fmt.Fprintf(&rules, "/old/d%d/p%d /d%d/p%d 301\n", i%500, i, i%500, i)
	}
	list.WriteString("</urlset>\n")
	mustWrite(b, filepath.Join("public", "sitemap.xml"), list.Bytes())
	mustWrite(b, filepath.Join("public", "_redirects"), rules.Bytes())
	mustWrite(b, filepath.Join("public", "404.html"), []byte("<title>Away</title><p>Nothing is here."))
}

// BenchmarkSite is what the audit of a build of 50,000 pages and rules takes: in seconds, and
// as often as reading its files once takes.
func BenchmarkSite(b *testing.B) {
	b.Chdir(b.TempDir())
	bigBuild(b, 50_000)
	read := time.Duration(0)
	for b.Loop() {
		started := time.Now()
		err := fs.WalkDir(os.DirFS("public"), ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			_, err = os.ReadFile(filepath.Join("public", name))
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
		read += time.Since(started)
		var said bytes.Buffer
		args := []string{"audit", "-q", "--site", "public", "--served-by", "netlify", "--fail-on", "none", "--fresh"}
		if status := run(context.Background(), args, strings.NewReader(""), io.Discard, &said); status != exitOK {
			b.Fatalf("exit status %d\n%s", status, said.String())
		}
	}
	audit := b.Elapsed() - read
	b.ReportMetric(audit.Seconds()/float64(b.N), "s/audit")
	b.ReportMetric(audit.Seconds()/read.Seconds(), "x-reading")
	b.ReportMetric(0, "ns/op")
}
