package audit_test

import (
	"testing"

	"sitemend/crawler/audit"
)

// What is to crawl more slowly never says the rate that refused us, nor a higher one.
func TestSlower(t *testing.T) {
	for given, want := range map[string]string{"": "1", "0": "1", "10": "1", "1.5": "1", "1": "0.5", "0.5": "0.25"} {
		info := audit.Info{Given: []string{"--as=browser"}}
		if given != "" {
			info.Given = append(info.Given, "--rate="+given)
		}
		if rate, was := info.Slower(); rate != want || was != given {
			t.Errorf("after --rate %q: %q and %q, want %q", given, rate, was, want)
		}
	}
}
