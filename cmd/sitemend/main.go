// Command sitemend reads a site's sitemaps, crawls every entry as Googlebot would, reports what is
// wrong and where, and writes the corrected sitemaps.
package main

import (
	"context"
	"io"
	"log"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

func main() { os.Exit(process(os.Stdout, os.Stderr)) }

// process runs the program with the arguments and signals of the system; it returns the exit
// status.
func process(out, errOut io.Writer) int {
	// This drops the log of net/http: the faults of servers are in the report, with their meaning.
	log.SetOutput(io.Discard)
	collectLess()
	ctx, stop := untilSignal(context.Background())
	defer stop()
	return run(ctx, os.Args[1:], os.Stdin, out, errOut)
}

// oneWish is how long further signals count as repetitions of the first: a terminal and the parent
// process often send one each.
const oneWish = time.Second

// untilSignal returns a context that the first signal ends. One that comes more than
// a moment later ends the program at once.
func untilSignal(parent context.Context) (ctx context.Context, stop context.CancelFunc) {
	h := &hangup{}
	ctx, cancel := context.WithCancel(context.WithValue(parent, hangupKey{}, h))
	came := make(chan os.Signal, 1)
	signal.Notify(came, endSignals()...)
	stop = func() {
		signal.Stop(came)
		cancel()
	}
	context.AfterFunc(ctx, func() { time.AfterFunc(oneWish, stop) })
	go func() {
		for {
			select {
			case s := <-came:
				if s == syscall.SIGHUP && h.send() {
					continue
				}
				cancel()
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, stop
}

// A hangup passes SIGHUP to a command that reads its configuration again on it, in place of ending
// the program.
type hangup struct{ to atomic.Pointer[chan struct{}] }

// hangupKey is the key of the hangup in the context of a command.
type hangupKey struct{}

// send passes a SIGHUP on, and reports whether a command receives it. Several at once count as one.
func (h *hangup) send() bool {
	to := h.to.Load()
	if to == nil {
		return false
	}
	select {
	case *to <- struct{}{}:
	default:
	}
	return true
}

// hangups returns a channel that gets a value for SIGHUP, which no longer ends the program, until
// release is called. It gets none where SIGHUP is ignored (nohup), or does not exist.
func hangups(ctx context.Context) (c <-chan struct{}, release func()) {
	h, ok := ctx.Value(hangupKey{}).(*hangup)
	if !ok {
		return nil, func() {}
	}
	to := make(chan struct{}, 1)
	h.to.Store(&to)
	return to, func() { h.to.Store(nil) }
}

// endSignals returns the signals that end the program as Ctrl-C does: temporary files are removed,
// and an audit prints that it can be continued. SIGHUP comes when the terminal is closed; under
// nohup it is ignored.
func endSignals() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}
