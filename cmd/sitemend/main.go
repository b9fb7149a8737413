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
)

func main() {
	log.SetOutput(io.Discard) // net/http's: what servers do wrong is in the report, with what it means
	ctx, stop := signal.NotifyContext(context.Background(), endSignals()...)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
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
