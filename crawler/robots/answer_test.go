package robots_test

import (
	"bytes"
	"testing"

	"sitemend/crawler/answers"
	"sitemend/crawler/robots"
)

// A stored robots.txt has the same rules and sitemaps, and no password of an address.
func TestStoredAnswer(t *testing.T) {
	const text = "\uFEFFUser-agent: *\nDisallow: /y\xff # https://me:hunter2@shop.example/\nSITEMAP : https://me:hunter2@shop.example/s.xml\nHost: https://me:hunter2@shop.example\nAllow: //me:x@a"
	answer := robots.Answer{Status: 200}
	answer.Read([]byte(text))
	packed := answer.Encode()
	if bytes.Contains(packed, []byte("hunter2")) {
		t.Fatalf("%q is stored", packed)
	}
	stored, err := robots.DecodeAnswer(packed)
	if err != nil {
		t.Fatal(err)
	}
	if got := stored.File.Sitemaps; len(got) != 1 || got[0] != (robots.Sitemap{URL: "https://***@shop.example/s.xml", Line: 3}) {
		t.Errorf("sitemaps %v", got)
	}
	for path, want := range map[string]string{"/y%FF": "no 2 Disallow: /y\xff", "/z": "", "//me:x@a": "yes 5 Allow: //me:x@a"} {
		if got := verdict(stored.File, "Googlebot", "https://shop.example"+path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// What an answer means: rules, none, or stop.
func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		answer robots.Answer
		want   string
	}{
		{robots.Answer{Status: 200}, "rules"}, {robots.Answer{Status: 204}, "rules"}, {robots.Answer{Status: 301}, ""}, {robots.Answer{Status: 401}, ""}, {robots.Answer{Status: 404}, ""}, {robots.Answer{Status: 499}, ""},
		{robots.Answer{}, "stop"}, {robots.Answer{Status: 100}, "stop"}, {robots.Answer{Status: 429}, "stop"}, {robots.Answer{Status: 500}, "stop"}, {robots.Answer{Status: 999}, "stop"},
		{robots.Answer{Status: 503, Challenge: "Cloudflare"}, "stop"}, {robots.Answer{Fault: answers.FaultTimeout}, "stop"}, {robots.Answer{Status: 500, Fault: answers.FaultReset}, "stop"},
	} {
		got := ""
		if c.answer.Read(nil); c.answer.File != nil {
			got = "rules"
		}
		if c.answer.Stopped() != "" {
			got += "stop"
		}
		if got != c.want {
			t.Errorf("%+v: %s, want %s", c.answer, got, c.want)
		}
	}
}
