package job

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"runtime/metrics"
	"strconv"
	"testing"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/hreflang"
	"sitemend/storage"
)

// setLanguages is how many pages a set of BenchmarkHreflang has.
const setLanguages = 5

// fileSets is how many sets a sitemap of BenchmarkHreflang has: 50,000 entries.
const fileSets = 50_000 / setLanguages

// A manySets is that many sets that are whole, in sitemaps that are made as they are read.
type manySets int

// of returns the first set of a sitemap, and the first of the next one.
func (n manySets) of(file int) (from, to int) {
	return file * fileSets, min((file+1)*fileSets, int(n))
}

func (n manySets) files() (files []audit.File) {
	for at := 0; at < int(n); at += fileSets {
		files = append(files, audit.File{Sitemap: audit.Sitemap{URL: "a.xml", Kind: "urlset", Links: true, Spool: "x"}})
	}
	return files
}

func (n manySets) page(set, lang int) string {
	return fmt.Sprintf("https://www.shop.example/%s/product/%07d", []string{"de", "en", "es", "fr", "it"}[lang], set)
}

// open opens a sitemap.
func (n manySets) open(_ context.Context, file int) (io.ReadCloser, error) {
	r, w := io.Pipe()
	from, end := n.of(file)
	go func() {
		b := bufio.NewWriterSize(w, 1<<16)
		b.WriteString(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">`)
		for set := from; set < end; set++ {
			for lang := range setLanguages {
				fmt.Fprintf(b, "<url><loc>%s</loc>\n", n.page(set, lang))
				for to := range setLanguages {
					at := n.page(set, to)
					fmt.Fprintf(b, "<xhtml:link rel=\"alternate\" hreflang=\"%s\" href=\"%s\"/>\n", at[25:27], at)
				}
				b.WriteString("</url>\n")
			}
		}
		b.WriteString("</urlset>")
		w.CloseWithError(b.Flush()) // once the reader has closed, writing ends
	}()
	return r, nil
}

func (n manySets) rows(file int) iter.Seq2[audit.Row, error] {
	from, end := n.of(file)
	return func(yield func(audit.Row, error) bool) {
		for set := from; set < end; set++ {
			for lang := range setLanguages {
				loc := n.page(set, lang)
				row := audit.Row{Entry: audit.Entry{Loc: loc}, Address: address.Wire(loc), Verdict: audit.OK, Fix: audit.Fix{Action: audit.Keep}}
				if !yield(row, nil) {
					return
				}
			}
		}
	}
}

// heap is how much memory the heap holds that was not given back.
func heap() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64() + s[1].Value.Uint64()
}

// A gauged is a shelf that looks at the memory now and then.
type gauged struct {
	shelf
	n    int
	most uint64
}

func (m *gauged) Add(key, value string) error {
	if m.n++; m.n%100_000 == 0 {
		m.most = max(m.most, heap())
	}
	return m.shelf.Add(key, value)
}

func (m *gauged) Sorted() iter.Seq2[[2]string, error] {
	return func(yield func([2]string, error) bool) {
		n := 0
		for r, err := range m.shelf.Sorted() {
			if n++; n%100_000 == 0 {
				m.most = max(m.most, heap())
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// BenchmarkHreflang joins the links of sets of five pages on disk: SITEMEND_HREFLANG_LINKS of them,
// else 100,000. It says how much memory the heap held at most.
func BenchmarkHreflang(b *testing.B) {
	links := 100_000
	if n, err := strconv.Atoi(os.Getenv("SITEMEND_HREFLANG_LINKS")); err == nil {
		links = n
	}
	n := manySets(links / (setLanguages * setLanguages))
	result := audit.MakeResult(audit.Result{Files: n.files()},
		n.rows, nil)
	var most uint64
	for b.Loop() {
		sorter := storage.NewSorter(b.TempDir())
		m := &gauged{shelf: shelf{sorter}}
		all, err := hreflang.Faults(b.Context(), result, n.open, m)
		if err != nil || len(all[0]) > 0 {
			b.Fatal(err, all)
		}
		if err := sorter.Close(); err != nil {
			b.Fatal(err)
		}
		most = max(most, m.most)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*links), "ns/link")
	b.ReportMetric(float64(most)/(1<<20), "MB-heap")
}
