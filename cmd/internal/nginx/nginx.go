// Package nginx starts the system's nginx on loopback, for tests against a real server and for the
// bench. It reads no configuration of the system, and leaves nothing behind outside the directory
// that it was given.
package nginx

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"sitemend/cmd/internal/engine"
	"sitemend/cmd/internal/web"
)

// A Server is an nginx that runs until Stop.
type Server struct {
	Dir       string // its own directory: logs are here, and what @DIR@ stands for
	HTTPAddr  string // 127.0.0.1:port, "" where the configuration has no @HTTP@
	HTTPSAddr string // the same of @HTTPS@
	CAPEM     []byte // of the authority that signed for @HTTPS@, nil without it

	process *engine.Process
}

// HTTP is the base address of the plain server, "http://127.0.0.1:port".
func (s *Server) HTTP() string { return "http://" + s.HTTPAddr }

// HTTPS is the base address of the TLS server, "https://127.0.0.1:port".
func (s *Server) HTTPS() string { return "https://" + s.HTTPSAddr }

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
	s := &Server{Dir: dir}
	var words []string
	for _, word := range []string{"@HTTP@", "@HTTPS@"} {
		if strings.Contains(conf, word) {
			words = append(words, word)
		}
	}
	if slices.Contains(words, "@HTTPS@") {
		if err := s.certify(hosts); err != nil {
			return nil, err
		}
		conf = "ssl_certificate @DIR@/cert.pem; ssl_certificate_key @DIR@/key.pem;\n" + conf
	}
	process, err := engine.Launch(context.Background(), len(words), func(addrs []string) (*exec.Cmd, error) {
		text := strings.ReplaceAll(conf, "@DIR@", dir)
		for i, word := range words {
			*map[string]*string{"@HTTP@": &s.HTTPAddr, "@HTTPS@": &s.HTTPSAddr}[word] = addrs[i]
			text = strings.ReplaceAll(text, word, addrs[i])
		}
		cmd := exec.Command(program, "-p", dir, "-c", filepath.Join(dir, "nginx.conf"), "-e", "stderr")
		return cmd, s.write("nginx.conf", []byte(engine.NginxConf("default_type text/html;\nroot "+dir+";\n"+text)))
	})
	s.process = process
	return s, err
}

// Find returns the path of nginx. The error says how to install it.
func Find() (string, error) {
	path, err := engine.Find("nginx")
	if err != nil {
		err = errors.New("nginx is not installed: apt-get install nginx-light")
	}
	return path, err
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

// Stop ends nginx, by force if needed, which the error then says.
func (s *Server) Stop() error { return s.process.Stop() }
