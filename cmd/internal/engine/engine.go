// Package engine runs the real servers installed on the system, on loopback, with rules that were
// written for them, and sends them requests byte for byte. It reads no configuration of the system,
// and leaves nothing behind outside the folder that it was given.
package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"sitemend/cmd/internal/scratch"
	"sitemend/crawler/rules/write"
)

// patience is how long a server may take to answer, and to end.
const patience = 20 * time.Second

// tries is how often a server is started again where another process took its port first.
const tries = 5

// ErrMissing is the error (errors.Is) where the server is not installed.
var ErrMissing = errors.New("not installed")

// A Server runs until Stop.
type Server struct {
	Name string // with its version, as "nginx 1.22.1"
	Addr string // 127.0.0.1:port

	folder *scratch.Folder
	cmd    *exec.Cmd
	said   bytes.Buffer
	ended  chan struct{} // closed when the process has ended
	conn   *conn
}

// Find returns the path of a server program, which may lie outside the PATH of users.
func Find(name string) (string, error) {
	for _, path := range []string{name, "/usr/sbin/" + name, "/usr/local/sbin/" + name} {
		if found, err := exec.LookPath(path); err == nil {
			return found, nil
		}
	}
	return "", fmt.Errorf("%s: %w", name, ErrMissing)
}

// Start runs the server of a plan's format with the rules of the plan and waits until it answers.
// Where the server refuses the rules, the error contains its message. The server ends when ctx
// does; Stop must be called in any case.
func Start(ctx context.Context, p *write.Plan) (*Server, error) {
	program, err := Find(p.Format.Server)
	if err != nil {
		return nil, err
	}
	for n := 1; ; n++ {
		s, err := start(ctx, program, p)
		if err == nil || n == tries || !taken.MatchString(err.Error()) {
			return s, err
		}
	}
}

// taken matches the messages of servers whose port is in use.
var taken = regexp.MustCompile(`(?i)address already in use|could not bind|cannot bind|can't bind`)

func start(ctx context.Context, program string, p *write.Plan) (*Server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	folder, err := scratch.New()
	if err != nil {
		return nil, err
	}
	s := &Server{
		Addr:   fmt.Sprintf("127.0.0.1:%d", port),
		ended:  make(chan struct{}),
		folder: folder,
	}
	kind := kinds[p.Format.Server]
	dir := folder.Dir
	args, err := kind.prepare(dir, port, p)
	if err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	// Files that a server keeps for its user go into its folder: Caddy makes ~/.step even where it
	// only prints its version.
	env := append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_DATA_HOME="+dir)
	s.Name = p.Format.Server + version(ctx, env, program, kind.version)
	s.cmd = exec.CommandContext(ctx, program, args...)
	s.cmd.Cancel = func() error { return s.cmd.Process.Signal(syscall.SIGTERM) }
	s.cmd.WaitDelay = patience
	s.cmd.Stdout, s.cmd.Stderr = &s.said, &s.said
	s.cmd.Dir = dir
	s.cmd.Env = env
	if err := s.cmd.Start(); err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	go func() {
		_ = s.cmd.Wait() // its output says how it ended
		close(s.ended)
	}()
	if !s.answers(ctx) {
		err := s.Stop()
		return nil, errors.Join(
			fmt.Errorf("%s does not start: %s", p.Format.Server, strings.TrimSpace(s.said.String())),
			ctx.Err(),
			err,
		)
	}
	return s, nil
}

// freePort returns a port of loopback that was free a moment ago.
func freePort() (int, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
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

// answers waits until the server answers; it returns false where the server ended or the time is
// up.
func (s *Server) answers(ctx context.Context) bool {
	give := time.Now().Add(patience)
	for time.Now().Before(give) && ctx.Err() == nil {
		select {
		case <-s.ended:
			return false
		case <-time.After(5 * time.Millisecond): // the server cannot signal that it listens
		}
		if _, err := s.Ask(ctx, "engine.invalid", "/"); err == nil {
			return true
		}
	}
	return false
}

// Stop ends the server, by force if needed, and removes its folder.
func (s *Server) Stop() error {
	if s.conn != nil {
		s.conn.Close()
	}
	_ = s.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	select {
	case <-s.ended:
		return s.folder.Close()
	case <-time.After(patience):
	}
	_ = s.cmd.Process.Kill()
	<-s.ended
	return errors.Join(fmt.Errorf("%s did not end and was killed", s.Name), s.folder.Close())
}

// put writes a file into the folder.
func put(dir, name, text string) (string, error) {
	path := filepath.Join(dir, name)
	return path, os.WriteFile(path, []byte(text), 0o644)
}

// putRules writes the rules of a plan into the folder.
func putRules(dir, name string, p *write.Plan) (path string, err error) {
	path = filepath.Join(dir, name)
	f, err := os.Create(path)
	if err != nil {
		return "", err
	}
	return path, errors.Join(p.Write(f), f.Close())
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
