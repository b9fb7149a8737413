package main

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"testing"

	"sitemend/cmd/internal/nginx"
)

// A small run of every case: the number of requests is known beforehand.
func TestBench(t *testing.T) {
	if _, err := nginx.Find(); err != nil && os.Getenv("SITEMEND_NO_SKIP") == "" {
		t.Skip(err)
	}
	var out, said bytes.Buffer
	if err := run(t.Context(), []string{"-scale", "0.002"}, &out, &said); err != nil {
		t.Fatalf("%v\n%s", err, &said)
	}
	seen := 0
	for line := range strings.Lines(out.String()) {
		cells := strings.Split(line, "|")
		if len(cells) != len(headings)+2 || strings.TrimSpace(cells[2]) != "sitemend" {
			continue
		}
		seen++
		// Of 100 entries. Beside them: robots.txt, sitemaps, an unknown address, the second look at
		// what is gone, the proof, and what other readers get.
		asked, err := strconv.Atoi(strings.TrimSpace(cells[3]))
		if err != nil || asked < 139 || asked > 220 || strings.TrimSpace(cells[4]) == "0.00" {
			t.Errorf("measured %q", cells)
		}
	}
	if seen != 2 {
		t.Errorf("printed\n%s", &out)
	}
}
