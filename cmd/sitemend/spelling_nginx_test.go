package main

import (
	"net/http"
	"strings"
	"testing"

	"sitemend/cmd/internal/nginx"
	"sitemend/crawler/address"
	"sitemend/report/html"
)

// The rule that the report hands out for nginx, in a real one: every spelling of
// the page is answered, and only other bytes are redirected to it, as before.
func TestSpellingRuleInNginx(t *testing.T) {
	const (
		path = "/wiki/wiki.cgi"
		page = path + "?mod_cache%A4%C7a+b%28!$'*,:@/?~;%3B4%29"
	)
	rule := html.NginxRule("http://wiki.example" + page)
	s := nginx.Start(t, rule+`
server {
	listen @HTTP@;

	location /wiki/ {
		if ($other_page) { return 301 /elsewhere; }
		return 200 "the page";
	}
}`)
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	t.Cleanup(client.CloseIdleConnections)
	a, err := address.Parse("http://wiki.example" + page)
	if err != nil {
		t.Fatal(err)
	}
	same := []string{page, path + "?mod_cache%a4%c7a%20b(%21%24%27%2a%2c%3A%40%2F%3F%7E%3b%3B4)", "/%77iki/wiki%2Ecgi" + a.Target()[len(path):],
		address.Googlebot.Spell(a).Target(), address.SpellHex(a, false).Target()}
	for _, c := range address.Choices(a) {
		same = append(same, address.Choose(a, []address.Choice{c}).Target())
	}
	for _, target := range same {
		if got := statusOf(t, &client, s.HTTPAddr, target); got != 200 {
			t.Errorf("%s: the same bytes are answered %d", target, got)
		}
	}
	for _, target := range []string{path, page + "5", path + "?mod_cache", "/wiki/Wiki.cgi" + a.Target()[len(path):], path + "?mod_cache%A4%C8a+b%28!$'*,:@/?~;%3B4%29"} {
		if got := statusOf(t, &client, s.HTTPAddr, target); got != 301 {
			t.Errorf("%s: other bytes are answered %d", target, got)
		}
	}
}

// nginx has no if within another: a redirect that stands in one is replaced as the remark of the rule
// says, what its condition captured included.
func TestSpellingRuleInNginxForARedirectInAnIf(t *testing.T) {
	rule := html.NginxRule("http://wiki.example/wiki/a%28b%29")
	_, remark, _ := strings.Cut(rule, "in place of that one:\n")
	replaced := strings.NewReplacer("#", "", "(...)", `($request_uri ~ "^/wiki/([a-z])\((.)\)$")`, "return 301 ...;", "return 301 /wiki/$1%28$2%29;").Replace(remark)
	s := nginx.Start(t, rule+`
server {
	listen @HTTP@;
`+replaced+`
	location / { return 200 "the page"; }
}`)
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	t.Cleanup(client.CloseIdleConnections)
	for target, want := range map[string]string{"/wiki/a%28b%29": "", "/wiki/a(b)": "", "/wiki/c(d)": "/wiki/c%28d%29", "/wiki/c%28d%29": "", "/b(c)": ""} {
		if status, to := ask(t, &client, s.HTTPAddr, target); to != want || (status == 200) != (want == "") {
			t.Errorf("%s: %d to %q, want %q", target, status, to, want)
		}
	}
}

// The rule works for a value of each byte.
func TestSpellingRuleInNginxForEachByte(t *testing.T) {
	value := ""
	for c := 1; c < 256; c++ { // nginx refuses %00
		value += string([]byte{byte(c)})
	}
	target := "/w?" + address.EncodeValue(value)
	s := nginx.Start(t, html.NginxRule("http://wiki.example"+target)+`
server {
	listen @HTTP@;
	location /w { if ($other_page) { return 301 /elsewhere; } return 200 "the page"; }
}`)
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	t.Cleanup(client.CloseIdleConnections)
	all := ""
	for i := range len(value) {
		all += "%" + string("0123456789abcdef"[value[i]>>4]) + string("0123456789abcdef"[value[i]&15])
	}
	for target, want := range map[string]int{target: 200, "/w?" + all: 200, "/w?" + all[3:]: 301, target + "1": 301} {
		if got := statusOf(t, &client, s.HTTPAddr, target); got != want {
			t.Errorf("%s: %d, want %d", target, got, want)
		}
	}
}

// statusOf asks for a target byte for byte.
func statusOf(t *testing.T, client *http.Client, addr, target string) int {
	t.Helper()
	status, _ := ask(t, client, addr, target)
	return status
}

// ask is statusOf with the path to which the answer redirects, "" for none.
func ask(t *testing.T, client *http.Client, addr, target string) (status int, to string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+addr, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.URL.Opaque = "//" + addr + target
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if u, err := res.Location(); err == nil {
		to = u.EscapedPath()
	}
	return res.StatusCode, to
}
