package robots_test

import (
	"bytes"
	"fmt"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/crawler/robots"
)

// A stored robots.txt contains no password of an address, however the line with it is written, and
// has the same rules.
func TestAnswerWithoutPasswords(t *testing.T) {
	const secret = "me:hunter2"
	for _, line := range []string{
		"Sitemap: https://%s@shop.example/s.xml", "sitemap:http:%s@shop.example/s.xml", "\uFEFFSITE-MAP : https://%s@shop.example/s.xml",
		"Sitemap https://%s@shop.example/s.xml", "Sitemaps: https://%s@shop.example/s.xml", "  Sitemap: //%s@shop.example/s.xml # old",
		"# https://%s@shop.example/", "Disallow: /x # https://%s@shop.example/", "Host: https://%s@shop.example", "https://%s@shop.example/",
		"Sitemap: \x00https://%s@shop.example/",
	} {
		for _, end := range []string{"\n", "\r", "\r\n"} {
			body := fmt.Appendf(nil, "User-agent: *"+end+"Disallow: /y"+end+line+end+"Disallow: /z", secret)
			packed := (&robots.Answer{Status: 200, Body: body}).Encode()
			if bytes.Contains(packed, []byte(secret)) {
				t.Errorf("%q: %q is stored", line, packed)
			}
			sameRules(t, body, packed)
		}
	}
	for _, rule := range []string{"Disallow: /sitemap:https://me@shop.example/", "Disallow: //me:x@a", "Allow: /a@b", "Dissalow: //me@a/b", "user-agent: //me@a"} {
		body := []byte("User-agent: *\nDisallow: /\nAllow: /sitemap\n" + rule + "\nSitemap: https://me:x@shop.example/")
		packed := (&robots.Answer{Status: 200, Body: body}).Encode()
		if !bytes.Contains(packed, []byte(rule)) {
			t.Errorf("%q is stored as %q", rule, packed)
		}
		sameRules(t, body, packed)
	}
}

// sameRules compares a stored robots.txt with the original: it allows the same, by the same lines,
// and names as many sitemaps.
func sameRules(t *testing.T, body, packed []byte) {
	t.Helper()
	stored, err := robots.DecodeAnswer(packed)
	if err != nil {
		t.Fatal(err)
	}
	was := robots.Parse(body)
	for _, path := range []string{"/", "/x", "/y", "/z", "/a@b", "//me:x@a", "//me@a/b", "/sitemap:https://me@shop.example/", "/sitemap:https://you@shop.example/"} {
		allowed, _, line := was.Check("Googlebot", "https://shop.example"+path)
		if is, _, at := stored.File.Check("Googlebot", "https://shop.example"+path); is != allowed || at != line {
			t.Errorf("%q: %s is allowed %v by line %d, was %v by %d", body, path, is, at, allowed, line)
		}
	}
	if is, had := len(stored.File.Sitemaps()), len(was.Sitemaps()); is != had {
		t.Errorf("%q: %d sitemaps, %d before", body, is, had)
	}
}

// StopStatus returns the status of the host, not of a bot protection in front of it.
func TestStopStatus(t *testing.T) {
	for _, c := range []struct {
		answer robots.Answer
		want   int
	}{
		{robots.Answer{Status: 503}, 503},
		{robots.Answer{Status: 429}, 429},
		{robots.Answer{Status: 404}, 0},
		{robots.Answer{Status: 200}, 0},
		{robots.Answer{Status: 503, Challenge: "Cloudflare"}, 0},
		{robots.Answer{Fault: audit.FaultTimeout}, 0},
		{robots.Answer{Status: 500, Fault: audit.FaultReset}, 0},
	} {
		again, err := robots.DecodeAnswer(c.answer.Encode())
		if err != nil {
			t.Fatal(err)
		}
		if got := again.StopStatus(); got != c.want {
			t.Errorf("%+v: %d, want %d", c.answer, got, c.want)
		}
	}
}
