package audit_test

import (
	"testing"
	"time"

	"sitemend/crawler/audit"
)

// What is to crawl more slowly never says the rate that refused us, nor a higher one.
func TestSlower(t *testing.T) {
	for _, c := range []struct {
		given         string
		refused       map[string]float64
		rate, slowest string
	}{
		{"", map[string]float64{"a": 2}, "1", ""},
		{"1.5", nil, "1", ""},
		{"1", nil, "0.5", ""},
		{"", map[string]float64{"a": 1}, "0.5", "1"},
		{"10", map[string]float64{"a": 2, "b": 0.1}, "0.05", "0.1"},
		{"0.5", map[string]float64{"a": 0.5}, "0.25", ""},
		{"0.5", map[string]float64{"a": 0.3333}, "0.17", "0.33"},
	} {
		info := audit.Info{Given: []string{"--rate=" + c.given}, Refused: c.refused}
		if rate, _, slowest := info.Slower(); rate != c.rate || slowest != c.slowest {
			t.Errorf("--rate %q, refused %v: %q and %q, want %q and %q", c.given, c.refused, rate, slowest, c.rate, c.slowest)
		}
	}
}

// The longest wait counts; of two alike, that of the first host by name.
func TestInfoWait(t *testing.T) {
	const day = 24 * time.Hour
	const year = 365 * day
	for _, c := range []struct {
		waits map[string]time.Duration
		host  string
		wait  time.Duration
		long  bool
	}{
		{nil, "", 0, false},
		{map[string]time.Duration{"a": 30 * day}, "a", 30 * day, false},
		{map[string]time.Duration{"a": 30*day + time.Second}, "a", 30*day + time.Second, true},
		{map[string]time.Duration{"a": year, "b": time.Hour, "c": time.Minute}, "a", year, true},
		{map[string]time.Duration{"c": time.Hour, "b": time.Hour}, "b", time.Hour, false},
	} {
		info := audit.Info{Waits: c.waits}
		if host, wait, long := info.Wait(); host != c.host || wait != c.wait || long != c.long {
			t.Errorf("%v: %q, %v, %v", c.waits, host, wait, long)
		}
	}
}
