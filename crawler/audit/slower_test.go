package audit_test

import (
	"testing"
	"time"

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

// The longest wait that anybody would keep to counts; of two alike, that of the first host by name.
func TestInfoWait(t *testing.T) {
	const year = 365 * 24 * time.Hour
	for _, c := range []struct {
		waits map[string]time.Duration
		host  string
		wait  time.Duration
	}{
		{nil, "", 0},
		{map[string]time.Duration{"a": year}, "", 0},
		{map[string]time.Duration{"a": year, "b": time.Hour, "c": time.Minute}, "b", time.Hour},
		{map[string]time.Duration{"c": time.Hour, "b": time.Hour}, "b", time.Hour},
	} {
		info := audit.Info{Waits: c.waits}
		if host, wait := info.Wait(); host != c.host || wait != c.wait {
			t.Errorf("%v: %q, %v", c.waits, host, wait)
		}
	}
}
