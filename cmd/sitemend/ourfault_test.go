package main

import (
	"testing"

	"sitemend/crawler/audit"
)

// A sitemap that a fault of ours kept from being read makes the exit status 2, also where
// the outputs are written again.
func TestASitemapNotReadByUsIsTold(t *testing.T) {
	told := &audit.Result{Files: []audit.File{{}, {Sitemap: audit.Sitemap{Faults: []audit.SitemapFault{{Sitemap: "http://a.example/s.xml", Key: audit.NotReadByUs, Text: "it was not read"}}}}}}
	out := &telling{told: told}
	if err := out.faults(); err == nil || err.Error() != "http://a.example/s.xml: it was not read" {
		t.Errorf("told %v", err)
	}
	told.Files = told.Files[:1]
	if err := out.faults(); err != nil {
		t.Errorf("told %v of nothing", err)
	}
}
