// Command sitemend reads a site's sitemaps, asks for every entry as Googlebot
// would, says what is wrong and where, and writes the corrected sitemaps.
package main

import (
	"context"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	log.SetOutput(io.Discard) // net/http's: what servers do wrong is in the report, with what it means
	collectLess()
	ctx, stop := untilSignal(context.Background())
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// oneWish is how long signals count as the one that came first: a terminal and the
// program that started us often send one each.
const oneWish = time.Second

// untilSignal returns a context that the first signal ends. One that comes more than
// a moment later ends the program at once.
func untilSignal(parent context.Context) (ctx context.Context, stop context.CancelFunc) {
	ctx, stop = signal.NotifyContext(parent, endSignals()...)
	context.AfterFunc(ctx, func() { time.AfterFunc(oneWish, stop) })
	return ctx, stop
}

// endSignals are the signals that end the program as Ctrl-C does: what is temporary is
// removed, and an audit says that it can be continued. SIGHUP comes when the terminal is
// closed; nohup has it ignored.
func endSignals() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}
