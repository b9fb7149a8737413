// Package engine runs the real servers installed on the system, on loopback, with rules that were
// written for them, and sends them requests byte for byte. It reads no configuration of the system,
// and leaves nothing behind outside the folder that it was given.
package engine

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"

	"sitemend/crawler/rules/write"
)

// A Server runs until Stop.
type Server struct {
	Name string // with its version, as "nginx 1.22.1"
	Addr string // 127.0.0.1:port

	folder    string // its own, with its configuration
	process   *Process
	transport *http.Transport
}

// Start runs the server of a plan's format with the rules of the plan and waits until it answers.
// Where the server refuses the rules, the error contains its message. The server ends when ctx
// does; Stop must be called in any case.
func Start(ctx context.Context, p *write.Plan) (*Server, error) {
	program, err := Find(p.Format.Server)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "sitemend-*")
	if err != nil {
		return nil, err
	}
	kind := kinds[p.Format.Server]
	s := &Server{folder: dir}
	// Files that a server keeps for its user go into its folder: Caddy makes ~/.step even where it
	// only prints its version.
	env := append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_DATA_HOME="+dir)
	s.Name = p.Format.Server + version(ctx, env, program, kind.version)
	s.process, err = Launch(ctx, 1, func(addrs []string) (*exec.Cmd, error) {
		_, port, err := net.SplitHostPort(addrs[0])
		if err != nil {
			return nil, err
		}
		args, err := kind.prepare(dir, port, p)
		cmd := exec.CommandContext(ctx, program, args...)
		cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
		cmd.WaitDelay, cmd.Dir, cmd.Env = patience, dir, env
		return cmd, err
	})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	s.Addr = s.process.Addrs[0]
	s.transport = transport(s.Addr)
	return s, nil
}

var number = regexp.MustCompile(`\d+\.\d+(\.\d+)*`)

// version returns the version that a server prints, "" where it prints none.
func version(ctx context.Context, env []string, program, flag string) string {
	cmd := exec.CommandContext(ctx, program, flag)
	cmd.Env = env
	out, _ := cmd.CombinedOutput() // the version is left out then
	if v := number.Find(out); v != nil {
		return " " + string(v)
	}
	return ""
}

// Stop ends the server, by force if needed, and removes its folder.
func (s *Server) Stop() error {
	s.transport.CloseIdleConnections()
	return errors.Join(s.process.Stop(), os.RemoveAll(s.folder))
}

// setup returns the n-th part of a plan's setup for a file; "" where there are fewer parts.
func setup(p *write.Plan, file string, n int) string {
	if parts := p.Setup(file); n < len(parts) {
		return parts[n].Text
	}
	return ""
}

// indented indents a text in a configuration.
func indented(text string) string { return "\t" + strings.ReplaceAll(text, "\n", "\n\t") }
