package fetch

import (
	"strings"
	"testing"

	"sitemend/crawler/audit"
)

func TestIdentities(t *testing.T) {
	tests := map[string]struct{ token, agent, from string }{
		"":                  {"Googlebot", "Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "googlebot(at)googlebot.com"},
		"GoogleBot":         {"Googlebot", "Android 6.0.1; Nexus 5X Build/MMB29P", "googlebot(at)googlebot.com"},
		"googlebot-desktop": {"Googlebot", "(KHTML, like Gecko; compatible; Googlebot/2.1; +http://www.google.com/bot.html) Chrome/" + Chrome.Value + " Safari/537.36", "googlebot(at)googlebot.com"},
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

func TestWithAgentChangesTheHeaderOnly(t *testing.T) {
	id, _ := LookupIdentity("googlebot")
	other := id.WithAgent("mine/1")
	if other.Agent != "mine/1" || other.Token != id.Token || other.From != id.From {
		t.Errorf("%+v", other)
	}
	if id.WithAgent("") != id {
		t.Error("an empty agent changes something")
	}
}

// Google reads images and videos under other names; other identities do not, and a header that the
// user chose stays.
func TestIdentitiesForFiles(t *testing.T) {
	tests := []struct{ name, agent, wantAgent, wantImage, wantVideo string }{
		{"googlebot", "", "Googlebot-Image/1.0", "Googlebot-Image", "Googlebot-Video"},
		{"googlebot-desktop", "", "Googlebot-Image/1.0", "Googlebot-Image", "Googlebot-Video"},
		{"googlebot", "mine/1", "mine/1", "Googlebot-Image", "Googlebot-Video"},
		{"browser", "", "Windows NT", "Googlebot-Image", "Googlebot-Video"},
		{"bingbot", "", "bingbot/2.0", "bingbot", "bingbot"},
	}
	for _, x := range tests {
		id, _ := LookupIdentity(x.name)
		id = id.WithAgent(x.agent)
		image, video := id.For(audit.AsImage|audit.WithoutSecrets), id.For(audit.AsVideo)
		if !strings.Contains(image.Agent, x.wantAgent) || image.Token != x.wantImage || video.Token != x.wantVideo {
			t.Errorf("%s: %+v, %+v", x.name, image, video)
		}
		for _, page := range []audit.Purpose{audit.AsRobot, audit.AsBrowser, audit.AsProof} {
			if id.For(page) != id {
				t.Errorf("%s: a page is asked as %+v", x.name, id.For(page))
			}
		}
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
