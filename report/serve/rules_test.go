package serve

import (
	"archive/zip"
	"bytes"
	"context"
	"strings"
	"testing"
)

// A ruleless library has audits without a rule.
type ruleless struct{ *library }

func (ruleless) Ruled(context.Context, string) ([]string, error) { return nil, nil }

func (ruleless) Rules(context.Context, string, string, string) ([]string, error) { return nil, nil }

// Redirect rules are a download: a file for one host, those of several packed, and a page that
// says so where there are none. The format of the server that answers stands first.
func TestDownloadsOfRules(t *testing.T) {
	l := shops()
	s := newSite(t, l)
	one := ask(s, "GET", "audits/"+latestID+"/rules/apache")
	protected(t, one)
	if got := one.Header().Get("Content-Disposition"); one.Code != 200 || one.Body.String() != "/old /new\n" || !strings.Contains(got, latestID+"-shop.example.apache.txt") {
		t.Errorf("rules of one host: %d, %q as %s", one.Code, one.Body, got)
	}
	two := ask(s, "GET", "audits/"+latestID+"/rules/nginx")
	z, err := zip.NewReader(bytes.NewReader(two.Body.Bytes()), int64(two.Body.Len()))
	if err != nil || len(z.File) != 2 || z.File[1].Name != "www.shop.example.nginx.txt" {
		t.Errorf("rules of two hosts: %d, %v, %v", two.Code, two.Header(), err)
	}
	if w := ask(s, "GET", "audits/"+latestID+"/rules/html"); w.Code != 404 || !strings.Contains(w.Body.String(), "No such page") {
		t.Errorf("of a format that is none: %d", w.Code)
	}
	if w := ask(newSite(t, ruleless{l}), "GET", "audits/"+latestID+"/rules/nginx"); w.Code != 404 || !strings.Contains(w.Body.String(), "No rules to write") {
		t.Errorf("where there is no rule: %d", w.Code)
	}
	if text := ask(newSite(t, ruleless{l}), "GET", "audits/"+latestID+"/files").Body.String(); strings.Contains(text, "rules/") {
		t.Error("a link leads to rules that there are none of")
	}
	for server, want := range map[string][]string{"nginx": {"Rules for nginx", "nginx answers here.", "Other servers and hosts"}, "Tomcat": {"Choose your server or host"}} {
		for _, k := range l.kept {
			k.Info.Servers = map[string]string{"shop.example": server}
		}
		text := ask(newSite(t, l), "GET", "audits/"+latestID+"/files").Body.String()
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("of a site that %s serves %q is not said", server, w)
			}
		}
		if is := strings.Contains(text, "Rules for"); is != (server == "nginx") {
			t.Errorf("of a site that %s serves a format is recommended: %v", server, is)
		}
	}
}
