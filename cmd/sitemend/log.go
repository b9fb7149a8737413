package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"

	"sitemend/cmd/internal/cli"
)

// plainLog writes log records as plain lines: the message, then key=value. Several goroutines may
// log at once, as slog.Handler has it.
type plainLog struct {
	mu    *sync.Mutex // held while w is written to; those made by WithAttrs share it
	w     io.Writer
	level slog.Level
	attrs []slog.Attr
}

func (l plainLog) Enabled(_ context.Context, level slog.Level) bool { return level >= l.level }

func (l plainLog) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	b.WriteString(r.Message)
	add := func(a slog.Attr) bool {
		fmt.Fprintf(&b, " %s=%v", a.Key, a.Value)
		return true
	}
	for _, a := range l.attrs {
		add(a)
	}
	r.Attrs(add)
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := fmt.Fprintf(l.w, "sitemend: %s\n", cli.OneLine(b.String()))
	return err
}

func (l plainLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	l.attrs = append(l.attrs[:len(l.attrs):len(l.attrs)], attrs...)
	return l
}

func (l plainLog) WithGroup(string) slog.Handler { return l }

// logFlags are the flags for the messages on standard error besides errors.
type logFlags struct {
	quiet, verbose bool
	log            string
}

func (f *logFlags) flags() []option {
	return []option{
		{"quiet,q", &f.quiet, nil, "say less on standard error"},
		{"verbose,v", &f.verbose, nil, "say more on standard error"},
		{"log", &f.log, "text", "text or json log on standard error"},
	}
}

// plainLogger returns the log of a command without logFlags.
func plainLogger(w io.Writer) *slog.Logger {
	return slog.New(plainLog{mu: new(sync.Mutex), w: w, level: slog.LevelInfo})
}

// logger returns the log on standard error.
func (f *logFlags) logger(w io.Writer) (*slog.Logger, error) {
	level := slog.LevelInfo
	switch {
	case f.quiet:
		level = slog.LevelError
	case f.verbose:
		level = slog.LevelDebug
	}
	switch f.log {
	case "json":
		return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level})), nil
	case "text", "":
		return slog.New(plainLog{mu: new(sync.Mutex), w: w, level: level}), nil
	}
	return nil, cli.WithHint(fmt.Errorf("--log %q is unknown", f.log), "--log takes text or json")
}
