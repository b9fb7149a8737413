package http1

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
)

// Writes that come while others are sent go out with one write, in order, and all of them before the
// connection is closed; where they cannot, Write returns the error.
func TestWritesGoOutTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := net.Pipe() // each write waits until it was read
		g := newGathering(here)
		g.gather()
		write := func(text string, want error) {
			if _, err := io.WriteString(g, text); !errors.Is(err, want) {
				t.Errorf("%q: %v", text, err)
			}
		}
		write("a", nil)
		synctest.Wait() // the first write is under way
		for range 50 {
			write("b", nil)
		}
		buf := make([]byte, 1000)
		for _, want := range []string{"a", strings.Repeat("b", 50)} {
			if n, err := there.Read(buf); string(buf[:n]) != want || err != nil {
				t.Errorf("one write sends %q, %v, want %q", buf[:n], err, want)
			}
		}
		write("c", nil)
		go func() {
			g.stop()
			write("d", nil)
			_ = g.Close()
		}()
		if got, err := io.ReadAll(there); string(got) != "cd" || err != nil {
			t.Errorf("before the end %q, %v", got, err)
		}
		g.gather()
		write("e", nil)
		synctest.Wait()
		write("f", io.ErrClosedPipe)
	})
}
