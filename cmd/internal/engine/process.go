package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// patience is how long a server may take to answer, and to end.
const patience = 20 * time.Second

// tries is how often a server is started again where another process took its port first.
const tries = 5

// ErrMissing is the error (errors.Is) where the server is not installed.
var ErrMissing = errors.New("not installed")

// Find returns the path of a server program, which may lie outside the PATH of users.
func Find(name string) (string, error) {
	for _, path := range []string{name, "/usr/sbin/" + name, "/usr/local/sbin/" + name} {
		if found, err := exec.LookPath(path); err == nil {
			return found, nil
		}
	}
	return "", fmt.Errorf("%s: %w", name, ErrMissing)
}

// A Process is a server program that listens on ports of loopback.
type Process struct {
	Addrs []string // 127.0.0.1:port

	cmd   *exec.Cmd
	said  bytes.Buffer
	ended chan struct{} // closed when the process has ended
}

// taken matches the messages of servers whose port is in use.
var taken = regexp.MustCompile(`(?i)address already in use|could not bind|cannot bind|can't bind`)

// Launch starts a program on so many ports, for which prepare writes a configuration and returns
// the command, and waits until it answers on each of them. Where it does not start, the error
// contains its message. Stop must be called.
func Launch(ctx context.Context, ports int, prepare func(addrs []string) (*exec.Cmd, error)) (*Process, error) {
	for n := 1; ; n++ {
		p, err := launch(ctx, ports, prepare)
		if err == nil || n == tries || !taken.MatchString(err.Error()) {
			return p, err
		}
	}
}

func launch(ctx context.Context, ports int, prepare func(addrs []string) (*exec.Cmd, error)) (*Process, error) {
	addrs, err := freePorts(ports)
	if err != nil {
		return nil, err
	}
	p := &Process{Addrs: addrs, ended: make(chan struct{})}
	if p.cmd, err = prepare(addrs); err != nil {
		return nil, err
	}
	p.cmd.Stdout, p.cmd.Stderr = &p.said, &p.said
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = p.cmd.Wait() // its output says how it ended
		close(p.ended)
	}()
	for _, addr := range addrs {
		if !p.answers(ctx, addr) {
			err := p.Stop()
			said := fmt.Errorf("%s does not start: %s", p.cmd.Path, strings.TrimSpace(p.said.String()))
			return nil, errors.Join(said, ctx.Err(), err)
		}
	}
	return p, nil
}

// freePorts returns addresses of loopback that were free a moment ago.
func freePorts(n int) (addrs []string, err error) {
	for range n {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() // when all are open, lest two be the same
		addrs = append(addrs, l.Addr().String())
	}
	return addrs, nil
}

// answers waits until the server answers a request, if only that it is none, as on a port of TLS; it
// returns false where the server ended or the time is up.
func (p *Process) answers(ctx context.Context, addr string) bool {
	give := time.Now().Add(patience)
	for time.Now().Before(give) && ctx.Err() == nil {
		select {
		case <-p.ended:
			return false
		case <-time.After(5 * time.Millisecond): // the server cannot signal that it listens
		}
		if answered(addr, give) {
			return true
		}
	}
	return false
}

func answered(addr string, give time.Time) bool {
	c, err := net.DialTimeout("tcp", addr, patience)
	if err != nil {
		return false
	}
	defer c.Close()
	_ = c.SetDeadline(give) // then the read fails
	fmt.Fprint(c, "GET / HTTP/1.0\r\nHost: engine.invalid\r\n\r\n")
	n, err := c.Read(make([]byte, 1))
	return n > 0 && err == nil
}

// Stop ends the server, by force if needed, which the error then says.
func (p *Process) Stop() error {
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	select {
	case <-p.ended:
		return nil
	case <-time.After(patience):
	}
	_ = p.cmd.Process.Kill()
	<-p.ended
	return fmt.Errorf("%s did not end and was killed", p.cmd.Path)
}
