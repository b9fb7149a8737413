package hreflang_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"sitemend/crawler/hreflang"
)

// BenchmarkFaults joins sets of ten languages: the time is for a link.
func BenchmarkFaults(b *testing.B) {
	const languages = 10
	var lines []string
	for page := range 5_000 {
		var set strings.Builder
		for l := range languages {
			fmt.Fprintf(&set, " a%c=/a%c/%d", 'a'+l, 'a'+l, page)
		}
		for l := range languages {
			lines = append(lines, fmt.Sprintf("/a%c/%d%s", 'a'+l, page, set.String()))
		}
	}
	s := site{lines}
	text := s.file(0)
	result := s.result()
	open := func(context.Context, int) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(text)), nil
	}
	links := len(lines) * languages
	for b.Loop() {
		all, err := hreflang.Faults(b.Context(), result, open, &memory{})
		if err != nil || len(all[0]) > 0 {
			b.Fatal(err, all)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*links), "ns/link")
}
