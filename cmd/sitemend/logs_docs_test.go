package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// blocksOf are the blocks of docs/logs.md in a language.
func blocksOf(t *testing.T, language string) []string {
	t.Helper()
	text, err := os.ReadFile("../../docs/logs.md")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllSubmatch(text, -1) {
		out = append(out, string(m[1]))
	}
	if len(out) != 2 {
		t.Fatalf("docs/logs.md has %d blocks for %s", len(out), language)
	}
	return out
}

// TestConfigurationsOfTheLogsPage runs what docs/logs.md has for nginx and Apache before an
// application that redirects from the bare spelling to the listed one: both are answered 200, and
// logged as they were sent, with the client's address from the proxy.
func TestConfigurationsOfTheLogsPage(t *testing.T) {
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.RequestURI != "/wiki/page-%284%29" && r.RequestURI != "/wiki/page-%284%29?x=%281)" {
			w.Header().Set("Location", "/wiki/page-%284%29")
			w.WriteHeader(http.StatusMovedPermanently)
		}
	}))
	defer app.Close()
	targets := []string{"/wiki/page-(4)", "/wiki/page-%284%29", "/wiki/page-%284)", "/wiki/page-(4)?x=%281)", "/old(4)"}
	want := map[string]string{"/wiki/page-(4)": "200x1", "/wiki/page-%284%29": "200x1", "/wiki/page-%284)": "200x1", "/wiki/page-(4)?x=%281)": "200x1", "/old(4)": "301x1"}
	nginx, apache := blocksOf(t, "nginx"), blocksOf(t, "apache")
	for name, s := range map[string]logging{
		"nginx": {program: "nginx", args: loggings["nginx"].args, conf: `
daemon off; master_process off; pid @DIR@/pid; worker_processes 1;
events {}
http {
	client_body_temp_path @DIR@/a; proxy_temp_path @DIR@/b; fastcgi_temp_path @DIR@/c; uwsgi_temp_path @DIR@/d; scgi_temp_path @DIR@/e;
	` + nginx[1] + `
	server { listen @ADDR@;
	` + nginx[0] + ` }
}`},
		"apache2": {program: "apache2", args: loggings["apache2"].args, late: true, conf: `
ServerRoot @DIR@
ServerName shop.example
PidFile @DIR@/pid
Mutex posixsem
Listen @ADDR@
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule rewrite_module /usr/lib/apache2/modules/mod_rewrite.so
LoadModule proxy_module /usr/lib/apache2/modules/mod_proxy.so
LoadModule proxy_http_module /usr/lib/apache2/modules/mod_proxy_http.so
LoadModule remoteip_module /usr/lib/apache2/modules/mod_remoteip.so
User www-data
Group www-data
ErrorLog @DIR@/error.log
` + apache[1] + apache[0]},
	} {
		t.Run(name, func(t *testing.T) {
			s.conf = strings.NewReplacer("127.0.0.1:8080", app.Listener.Addr().String(), "/var/log/nginx", "@DIR@", "/var/log/apache2", "@DIR@",
				"10.0.0.0/8", "127.0.0.0/8").Replace(s.conf)
			dir := s.log(t, targets)
			got := map[string]string{}
			for _, row := range crawledRows(t, dir, "https://shop.example/wiki/page-%284%29\nhttps://shop.example/wiki/page-%284%29?x=%281%29\n", `{"googlebot":["66.249.66.1/32"]}`) {
				got[row[2]] = row[8]
			}
			text, _ := os.ReadFile(filepath.Join(dir, "access.log"))
			for target, statuses := range want {
				if got[target] != statuses {
					t.Errorf("%s: %q, want %q\n%s", target, got[target], statuses, text)
				}
			}
			if !strings.Contains(string(text), `"shop.example"`) {
				t.Errorf("the host is not logged:\n%s", text)
			}
		})
	}
}
