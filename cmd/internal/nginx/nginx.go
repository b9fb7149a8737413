// Package nginx starts the nginx of the system on loopback, for tests that ask
// a real server. It is for tests alone, reads no configuration of the system
// and leaves nothing behind.
package nginx

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"sitemend/cmd/internal/web"
)

// patience is how long nginx may take to answer, and to end.
const patience = 20 * time.Second

// A Server is an nginx that runs until its test ends.
type Server struct {
	Dir       string // its own directory: logs are here, and what @DIR@ stands for
	HTTPAddr  string // 127.0.0.1:port, "" where the configuration has no @HTTP@
	HTTPSAddr string // the same of @HTTPS@
	CAPEM     []byte // of the authority that signed for @HTTPS@, nil without it
}

// HTTP is the base address of the plain server, "http://127.0.0.1:port".
func (s *Server) HTTP() string { return "http://" + s.HTTPAddr }

// HTTPS is the base address of the TLS server, "https://127.0.0.1:port".
func (s *Server) HTTPS() string { return "https://" + s.HTTPSAddr }

// Start runs nginx with conf as the inside of its http block, and waits until
// it answers on each of its ports. These words of conf are replaced:
//
//	@HTTP@     what to listen on: listen @HTTP@;
//	@HTTPS@    the same for TLS:  listen @HTTPS@ ssl;
//	@DIR@      a directory of its own, without a slash at the end
//
// Several servers may listen on one of them, told apart by server_name. Where
// @HTTPS@ stands, ssl_certificate is set for all of them, for the names in hosts
// and for 127.0.0.1. The test is skipped where there is no nginx, and fails
// instead where SITEMEND_NO_SKIP is set; it fails with nginx's own words where
// conf is wrong.
func Start(t testing.TB, conf string, hosts ...string) *Server {
	t.Helper()
	program := find(t)
	s := &Server{Dir: t.TempDir()}
	var ports []*os.File
	s.HTTPAddr, ports = s.open(t, conf, "@HTTP@", ports)
	s.HTTPSAddr, ports = s.open(t, conf, "@HTTPS@", ports)
	if s.HTTPSAddr != "" {
		conf = s.certify(t, hosts) + conf
	}
	conf = strings.NewReplacer("@HTTP@", s.HTTPAddr, "@HTTPS@", s.HTTPSAddr, "@DIR@", s.Dir).Replace(conf)
	s.write(t, "nginx.conf", fmt.Appendf(nil, frame, user(), s.Dir, conf))
	s.run(t, program, ports)
	return s
}

// frame is the configuration around that of a test: one worker, nothing written
// outside its directory. Without a master process nginx 1.22 crashes on ports
// that it inherits.
const frame = `
daemon off;
worker_processes 1;
%s
pid nginx.pid;
error_log error.log;
worker_rlimit_nofile 8192;
events { worker_connections 4096; }
http {
	access_log off;
	client_body_temp_path body;
	proxy_temp_path proxy;
	fastcgi_temp_path fastcgi;
	uwsgi_temp_path uwsgi;
	scgi_temp_path scgi;
	default_type text/html;
	root %s;
	%s
}
`

// user keeps the worker what it is: for root nginx takes another user by
// default, who could not read the directory of a test.
func user() string {
	if os.Geteuid() == 0 {
		return "user root;"
	}
	return ""
}

// find returns the path of nginx, which is not always in that of users.
func find(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"nginx", "/usr/sbin/nginx", "/usr/local/sbin/nginx"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	const missing = "nginx is not installed: apt-get install nginx-light"
	if os.Getenv("SITEMEND_NO_SKIP") != "" {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}

// open opens a port for word, if conf has it. The system chooses the port, and
// nginx inherits it open, so that nobody can take it in between.
func (s *Server) open(t testing.TB, conf, word string, ports []*os.File) (string, []*os.File) {
	t.Helper()
	if !strings.Contains(conf, word) {
		return "", ports
	}
	l, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	file, err := l.File()
	if err != nil {
		t.Fatal(err)
	}
	return l.Addr().String(), append(ports, file)
}

// certify makes an authority and a certificate, and returns the lines that name
// it.
func (s *Server) certify(t testing.TB, hosts []string) string {
	t.Helper()
	ca, err := web.NewCA()
	if err != nil {
		t.Fatal(err)
	}
	cert, key, err := ca.CertificatePEM(append([]string{"127.0.0.1"}, hosts...)...)
	if err != nil {
		t.Fatal(err)
	}
	s.CAPEM = ca.PEM()
	s.write(t, "cert.pem", cert)
	s.write(t, "key.pem", key)
	return "ssl_certificate @DIR@/cert.pem; ssl_certificate_key @DIR@/key.pem;\n"
}

func (s *Server) write(t testing.TB, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.Dir, name), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// run starts nginx, waits until it answers and ends it with the test.
func (s *Server) run(t testing.TB, program string, ports []*os.File) {
	t.Helper()
	log := filepath.Join(s.Dir, "error.log")
	cmd := exec.Command(program, "-p", s.Dir, "-c", filepath.Join(s.Dir, "nginx.conf"), "-e", log)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.ExtraFiles = ports
	cmd.Env = append(os.Environ(), "NGINX="+inherited(len(ports)))
	err := cmd.Start()
	for _, f := range ports {
		f.Close() // nginx has its own
	}
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		cmd.Wait() // how it ended is told by what it wrote
		close(ended)
	}()
	t.Cleanup(func() { stop(t, cmd, ended) })
	for _, addr := range []string{s.HTTPAddr, s.HTTPSAddr} {
		if addr != "" && !answers(addr, ended) {
			stop(t, cmd, ended)
			written, _ := os.ReadFile(log) // it may have died before it wrote any
			t.Fatalf("nginx does not answer on %s:\n%s%s", addr, said.String(), written)
		}
	}
}

// inherited names the descriptors of n open ports as nginx wants to be told of
// them: the way in which it hands them on to its own successor.
func inherited(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d;", 3+i)
	}
	return b.String()
}

// answers waits until whoever listens on addr answers a request that is none,
// which nginx refuses on a TLS port as well. It returns false when nginx ended.
func answers(addr string, ended <-chan struct{}) bool {
	give := time.Now().Add(patience)
	for time.Now().Before(give) {
		select {
		case <-ended:
			return false
		default:
		}
		if answered(addr, give) {
			return true
		}
	}
	return false
}

// answered asks once. Until nginx has started the system itself takes the
// connection, and reading waits; when nginx dies it fails.
func answered(addr string, give time.Time) bool {
	c, err := net.DialTimeout("tcp", addr, patience)
	if err != nil {
		return false
	}
	defer c.Close()
	c.SetDeadline(give)
	fmt.Fprintf(c, "GET / HTTP/1.0\r\nHost: nginx.invalid\r\n\r\n")
	head := make([]byte, len(http.MethodGet))
	n, err := c.Read(head)
	return n > 0 && err == nil
}

// stop ends nginx, and its process for sure.
func stop(t testing.TB, cmd *exec.Cmd, ended <-chan struct{}) {
	select {
	case <-ended:
		return
	default:
	}
	cmd.Process.Signal(syscall.SIGTERM) // it may have ended meanwhile
	select {
	case <-ended:
	case <-time.After(patience):
		cmd.Process.Kill()
		<-ended
		t.Error("nginx did not end and was killed")
	}
}
