// Command sitemend reads a site's sitemaps, crawls every entry as Googlebot would, reports what is
// wrong and where, and writes the corrected sitemaps.
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
// a moment later ends the program at once. On SIGHUP watch reads its configuration again.
func untilSignal(parent context.Context) (ctx context.Context, stop context.CancelFunc) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if watches := len(os.Args) > 1 && os.Args[1] == "watch"; !watches && !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop = signal.NotifyContext(parent, signals...)
	context.AfterFunc(ctx, func() { time.AfterFunc(oneWish, stop) })
	return ctx, stop
}
