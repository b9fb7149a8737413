// Package nginx starts the system's nginx on loopback, for tests against a real server and for the
// bench. It reads no configuration of the system, and leaves nothing behind outside the directory
// that it was given.
package nginx

import (
	"bytes"
	"errors"
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

// A Server is an nginx that runs until Stop.
type Server struct {
	Dir       string // its own directory: logs are here, and what @DIR@ stands for
	HTTPAddr  string // 127.0.0.1:port, "" where the configuration has no @HTTP@
	HTTPSAddr string // the same of @HTTPS@
	CAPEM     []byte // of the authority that signed for @HTTPS@, nil without it

	cmd   *exec.Cmd
	ended chan struct{} // closed when the process has ended
}

// HTTP is the base address of the plain server, "http://127.0.0.1:port".
func (s *Server) HTTP() string { return "http://" + s.HTTPAddr }

// HTTPS is the base address of the TLS server, "https://127.0.0.1:port".
func (s *Server) HTTPS() string { return "https://" + s.HTTPSAddr }

// Start is Run for a test, in a directory of its own and until the test ends. The test is skipped
// where nginx is not installed, or fails if SITEMEND_NO_SKIP is set; it fails with nginx's message
// where conf is wrong.
func Start(t testing.TB, conf string, hosts ...string) *Server {
	t.Helper()
	program, err := Find()
	if err != nil {
		if os.Getenv("SITEMEND_NO_SKIP") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	s, err := Run(program, t.TempDir(), conf, hosts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Run runs program with conf as the inside of its http block, and waits until
// it answers on each of its ports. These words of conf are replaced:
//
//	@HTTP@     what to listen on: listen @HTTP@;
//	@HTTPS@    the same for TLS:  listen @HTTPS@ ssl;
//	@DIR@      dir, which is its own, without a slash at the end
//
// Several servers may listen on one of them, distinguished by server_name. Where @HTTPS@ stands,
// ssl_certificate is set for all of them, for the names in hosts and for 127.0.0.1. The error
// contains nginx's message where conf is wrong.
func Run(program, dir, conf string, hosts ...string) (*Server, error) {
	s := &Server{Dir: dir, ended: make(chan struct{})}
	var ports []*os.File
	defer func() { shut(ports) }()
	for word, addr := range map[string]*string{"@HTTP@": &s.HTTPAddr, "@HTTPS@": &s.HTTPSAddr} {
		if !strings.Contains(conf, word) {
			continue
		}
		file, at, err := open()
		if err != nil {
			return nil, err
		}
		*addr, ports = at, append(ports, file)
	}
	if s.HTTPSAddr != "" {
		if err := s.certify(hosts); err != nil {
			return nil, err
		}
		conf = "ssl_certificate @DIR@/cert.pem; ssl_certificate_key @DIR@/key.pem;\n" + conf
	}
	conf = strings.NewReplacer("@HTTP@", s.HTTPAddr, "@HTTPS@", s.HTTPSAddr, "@DIR@", s.Dir).Replace(conf)
	if err := s.write("nginx.conf", fmt.Appendf(nil, frame, user(), s.Dir, conf)); err != nil {
		return nil, err
	}
	if err := s.run(program, ports); err != nil {
		return nil, err
	}
	return s, nil
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

// user keeps the worker's user: started as root, nginx switches to another user by default, who
// could not read the directory of a test.
func user() string {
	if os.Geteuid() == 0 {
		return "user root;"
	}
	return ""
}

// Find returns the path of nginx, which may lie outside the PATH of users. The error says how to
// install it.
func Find() (string, error) {
	for _, name := range []string{"nginx", "/usr/sbin/nginx", "/usr/local/sbin/nginx"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("nginx is not installed: apt-get install nginx-light")
}

// open opens a port. The system chooses it, and nginx inherits it open, so that no other process
// can take it in between.
func open() (*os.File, string, error) {
	l, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, "", err
	}
	defer l.Close()
	file, err := l.File()
	return file, l.Addr().String(), err
}

func shut(files []*os.File) {
	for _, f := range files {
		f.Close() // again where they were closed before
	}
}

// certify makes an authority and a certificate.
func (s *Server) certify(hosts []string) error {
	ca, err := web.NewCA()
	if err != nil {
		return err
	}
	cert, key, err := ca.CertificatePEM(append([]string{"127.0.0.1"}, hosts...)...)
	if err != nil {
		return err
	}
	s.CAPEM = ca.PEM()
	return errors.Join(s.write("cert.pem", cert), s.write("key.pem", key))
}

func (s *Server) write(name string, data []byte) error {
	return os.WriteFile(filepath.Join(s.Dir, name), data, 0o600)
}

// run starts nginx and waits until it answers.
func (s *Server) run(program string, ports []*os.File) error {
	log := filepath.Join(s.Dir, "error.log")
	s.cmd = exec.Command(program, "-p", s.Dir, "-c", filepath.Join(s.Dir, "nginx.conf"), "-e", log)
	var said bytes.Buffer
	s.cmd.Stdout, s.cmd.Stderr = &said, &said
	s.cmd.ExtraFiles = ports
	s.cmd.Env = append(os.Environ(), "NGINX="+inherited(len(ports)))
	err := s.cmd.Start()
	shut(ports) // nginx has copies of its own, and must be the only process that accepts connections
	if err != nil {
		return err
	}
	go func() {
		s.cmd.Wait() // its output says how it ended
		close(s.ended)
	}()
	for _, addr := range []string{s.HTTPAddr, s.HTTPSAddr} {
		if addr != "" && !answers(addr, s.ended) {
			err := s.Stop()
			written, _ := os.ReadFile(log) // it may have died before it wrote any
			return errors.Join(fmt.Errorf("nginx does not answer on %s:\n%s%s", addr, said.String(), written), err)
		}
	}
	return nil
}

// inherited names the descriptors of n open ports as nginx wants to know
// them: the way in which it hands them on to its own successor.
func inherited(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d;", 3+i)
	}
	return b.String()
}

// answers waits until the server at addr answers a request that is not one,
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

// answered sends one request. Until nginx has started the system itself accepts the connection, and
// the read waits; when nginx ends the read fails.
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

// Stop ends nginx, by force if needed, which the error then says.
func (s *Server) Stop() error {
	select {
	case <-s.ended:
		return nil
	default:
	}
	s.cmd.Process.Signal(syscall.SIGTERM) // it may have ended meanwhile
	select {
	case <-s.ended:
		return nil
	case <-time.After(patience):
		s.cmd.Process.Kill()
		<-s.ended
		return errors.New("nginx did not end and was killed")
	}
}
