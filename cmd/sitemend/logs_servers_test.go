package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A logging is a real server that writes an access log.
type logging struct {
	program string   // as it may be called
	conf    string   // with @ADDR@, @PORT@ and @DIR@
	args    []string // with @CONF@ and @DIR@
	bare    bool     // it takes and logs octets that are no ASCII
	late    bool     // it logs after it answered, and not what it has no time for
}

// common are targets that each server gives back; the others only some.
var (
	commonTargets = []string{"/a(4)", "/a%284%29", "/a%284)", "/caf%c3%a9", "/caf%C3%A9", "/tilde/~u", "/tilde/%7Eu", "/q?x=%5B(y)+z%20'", "/50%25?%2541", "/quote?%22"}
	bareTargets   = []string{"/bare/\xa4\xc7?\xe3\x81", `/back\slash\x41`, `/quote"d?"`}
)

var loggings = map[string]logging{
	"nginx": {program: "nginx", args: []string{"-p", "@DIR@", "-c", "@CONF@", "-e", "@DIR@/error.log"}, bare: true, conf: `
daemon off; master_process off; pid @DIR@/pid; worker_processes 1;
events {}
http {
	client_body_temp_path @DIR@/a; proxy_temp_path @DIR@/b; fastcgi_temp_path @DIR@/c; uwsgi_temp_path @DIR@/d; scgi_temp_path @DIR@/e;
	access_log @DIR@/access.log;
	server { listen @ADDR@; location / { return 200; } }
}`},
	"apache2": {program: "apache2", args: []string{"-f", "@CONF@", "-X"}, bare: true, late: true, conf: `
ServerRoot @DIR@
ServerName shop.example
PidFile @DIR@/pid
Mutex posixsem
Listen @ADDR@
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
User www-data
Group www-data
ErrorLog @DIR@/error.log
LogFormat "%h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\"" combined
CustomLog @DIR@/access.log combined
DocumentRoot @DIR@`},
	"caddy": {program: "caddy", args: []string{"run", "--config", "@CONF@", "--adapter", "caddyfile"}, conf: `
{
	admin off
	auto_https off
}
http://:@PORT@ {
	bind 127.0.0.1
	log {
		output file @DIR@/access.log
	}
	respond "ok"
}`},
	"haproxy": {program: "haproxy", args: []string{"-f", "@CONF@", "-db"}, late: true, conf: `
global
	log stdout format raw local0
defaults
	mode http
	log global
	option httplog
	timeout client 9s
	timeout server 9s
	timeout connect 9s
frontend f
	bind @ADDR@
	capture request header Host len 100
	capture request header User-Agent len 200
	http-request return status 200
`},
	"lighttpd": {program: "lighttpd", args: []string{"-D", "-f", "@CONF@"}, bare: true, conf: `
server.document-root = "@DIR@"
server.bind = "127.0.0.1"
server.port = @PORT@
server.errorlog = "@DIR@/error.log"
server.modules = ("mod_accesslog")
accesslog.filename = "@DIR@/access.log"
`},
}

// TestRealServersLogsGiveBackWhatWasSent sends octets to real servers and reads them from their
// logs.
func TestRealServersLogsGiveBackWhatWasSent(t *testing.T) {
	for name, s := range loggings {
		t.Run(name, func(t *testing.T) {
			targets := slices.Clone(commonTargets)
			if s.bare {
				targets = append(targets, bareTargets...)
			}
			dir := s.log(t, targets)
			got := askedIn(t, dir)
			slices.Sort(targets)
			slices.Sort(got)
			if !slices.Equal(got, targets) {
				text, _ := os.ReadFile(filepath.Join(dir, "access.log"))
				t.Errorf("got  %q\nwant %q\n%s", got, targets, text)
			}
		})
	}
}

// log runs the server in a directory of its own, sends a request for each target as Googlebot does,
// and returns the directory once the log is written.
func (s logging) log(t *testing.T, targets []string) string {
	t.Helper()
	program := s.find(t)
	dir := t.TempDir()
	for d := dir; d != filepath.Dir(d) && strings.HasPrefix(d, os.TempDir()) && d != os.TempDir(); d = filepath.Dir(d) {
		os.Chmod(d, 0o755) // Apache gives up its rights
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(addr)
	fill := strings.NewReplacer("@ADDR@", addr, "@PORT@", port, "@DIR@", dir, "@CONF@", filepath.Join(dir, "server.conf"))
	if err := os.WriteFile(filepath.Join(dir, "server.conf"), []byte(fill.Replace(s.conf)), 0o644); err != nil {
		t.Fatal(err)
	}
	var args []string
	for _, a := range s.args {
		args = append(args, fill.Replace(a))
	}
	said, err := os.Create(filepath.Join(dir, "stdout"))
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = said, said
	cmd.Env = append(os.Environ(), "TZ=UTC", "HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for _, target := range targets {
		s.send(t, addr, target, ended, said.Name())
	}
	log := filepath.Join(dir, "access.log")
	if s.program == "haproxy" { // its log is its output
		log = said.Name()
	}
	if s.late {
		await(t, log, len(targets))
	}
	cmd.Process.Signal(syscall.SIGTERM) // it may have ended meanwhile
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		cmd.Process.Kill()
		<-ended
	}
	if err := os.Rename(log, filepath.Join(dir, "access.log")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// await waits until a log has so many lines.
func await(t *testing.T, log string, lines int) {
	t.Helper()
	for give := time.Now().Add(20 * time.Second); ; {
		text, err := os.ReadFile(log)
		if bytes.Count(text, []byte("\n")) >= lines {
			return
		}
		if time.Now().After(give) {
			t.Fatalf("%d lines are not there: %v\n%s", lines, err, text)
		}
	}
}

// find looks for the program. The test is skipped without it, and fails where SITEMEND_NO_SKIP is
// set.
func (s logging) find(t *testing.T) string {
	t.Helper()
	for _, dir := range []string{"", "/usr/sbin/", "/usr/local/sbin/"} {
		if path, err := exec.LookPath(dir + s.program); err == nil {
			return path
		}
	}
	if os.Getenv("SITEMEND_NO_SKIP") != "" {
		t.Fatalf("%s is not installed", s.program)
	}
	t.Skipf("%s is not installed", s.program)
	return ""
}

// send sends one request as soon as the server listens.
func (s logging) send(t *testing.T, addr, target string, ended chan error, said string) {
	t.Helper()
	give := time.Now().Add(20 * time.Second)
	for {
		select {
		case err := <-ended:
			text, _ := os.ReadFile(said)
			t.Fatalf("%s ended: %v\n%s", s.program, err, text)
		default:
		}
		c, err := net.DialTimeout("tcp", addr, time.Second)
		if err != nil {
			if time.Now().After(give) {
				t.Fatal(err)
			}
			continue
		}
		defer c.Close()
		c.SetDeadline(give)
		fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: shop.example\r\nUser-Agent: %s\r\nX-Forwarded-For: 66.249.66.1\r\nConnection: close\r\n\r\n", target, googlebot)
		if _, err := io.Copy(io.Discard, c); err != nil {
			t.Errorf("%q: %v", target, err)
		}
		return
	}
}

// askedIn runs logs over access.log in dir, beside a sitemap that lists each target in a spelling,
// and returns what it says was asked for.
func askedIn(t *testing.T, dir string) []string {
	t.Helper()
	listed := "https://shop.example/a%284%29\nhttps://shop.example/caf%c3%a9\nhttps://shop.example/tilde/~u\nhttps://shop.example/q?x=%5B(y)%20z+'\n" +
		"https://shop.example/50%25?%2541\nhttps://shop.example/quote?%22\nhttps://shop.example/bare/%A4%C7?%E3%81\n" +
		"https://shop.example/back%5Cslash%5Cx41\nhttps://shop.example/quote%22d?%22\n"
	var asked []string
	for _, row := range crawledRows(t, dir, listed, `{"googlebot":["66.249.66.1/32","127.0.0.0/8"]}`) {
		if row[1] == "as-listed" || row[1] == "other-spelling" {
			if row[12] != "raw" || row[5] != "1" {
				t.Errorf("%q", row)
			}
			asked = append(asked, octets(row[2]))
		}
	}
	return asked
}

// crawledRows runs logs over access.log in dir, beside a list of addresses, and returns the lines
// of googlebot.csv.
func crawledRows(t *testing.T, dir, listed, ranges string) [][]string {
	t.Helper()
	for name, text := range map[string]string{"list.txt": listed, "ranges.json": ranges} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out, errOut bytes.Buffer
	code := run(context.Background(), []string{"logs", "--out", filepath.Join(dir, "out"), "--sitemap", filepath.Join(dir, "list.txt"),
		"--bot-ranges", filepath.Join(dir, "ranges.json"), filepath.Join(dir, "access.log")}, strings.NewReader(""), &out, &errOut)
	if code != 0 {
		t.Fatalf("exit %d\n%s%s", code, out.String(), errOut.String())
	}
	f, err := os.Open(filepath.Join(dir, "out", "googlebot.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows[1:]
}

// octets undoes \xHH for what is no printable ASCII.
func octets(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		var v byte
		if n, _ := fmt.Sscanf(s[i:], `\x%02X`, &v); n == 1 && (v < ' ' || v > '~') {
			b.WriteByte(v)
			i += 3
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
