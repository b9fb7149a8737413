package fetch

import (
	"strings"
	"testing"
)

func TestIdentities(t *testing.T) {
	tests := map[string]struct{ token, agent, from string }{
		"":                  {"Googlebot", "Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "googlebot(at)googlebot.com"},
		"GoogleBot":         {"Googlebot", "Android 6.0.1; Nexus 5X Build/MMB29P", "googlebot(at)googlebot.com"},
		"googlebot-desktop": {"Googlebot", "(KHTML, like Gecko; compatible; Googlebot/2.1; +http://www.google.com/bot.html) Chrome/" + chrome + " Safari/537.36", "googlebot(at)googlebot.com"},
		"bingbot":           {"bingbot", "bingbot/2.0", "bingbot(at)microsoft.com"},
		"browser":           {"Googlebot", "Windows NT", ""},
	}
	for name, want := range tests {
		id, err := LookupIdentity(name)
		if err != nil || id.Token != want.token || !strings.Contains(id.Agent, want.agent) || id.From != want.from {
			t.Errorf("%s: %+v, %v", name, id, err)
		}
		if strings.Contains(id.Agent, "W.X.Y.Z") {
			t.Errorf("%s: agent %q", name, id.Agent)
		}
	}
	_, err := LookupIdentity("yandex")
	if err == nil || !strings.Contains(err.Error(), "googlebot, googlebot-desktop, bingbot, browser") {
		t.Errorf("unknown name: %v", err)
	}
}

func TestParseHeader(t *testing.T) {
	h, err := ParseHeader("X-Token:  a: b ")
	if err != nil || h != (Header{"X-Token", "a: b"}) {
		t.Errorf("%+v, %v", h, err)
	}
	for _, bad := range []string{"", "X", ": v", "X Y: v", "X: a\r\nY: b", "X: \x00", "Host:", "Host: a b", "host: a/b"} {
		if h, err := ParseHeader(bad); err == nil {
			t.Errorf("%q: %+v", bad, h)
		}
	}
	for _, bad := range []string{"s3cret", "Authorization s3cret", "Authorization Basic s3cret: x", "X-Key: s3cret\n" + "x"} {
		if _, err := ParseHeader(bad); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: the error is %v", bad, err)
		}
	}
}
