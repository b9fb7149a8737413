package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// plainLog writes log records as plain lines: the message, then key=value.
type plainLog struct {
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
	_, err := fmt.Fprintf(l.w, "sitemend: %s\n", oneLine(b.String()))
	return err
}

func (l plainLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	l.attrs = append(l.attrs[:len(l.attrs):len(l.attrs)], attrs...)
	return l
}

func (l plainLog) WithGroup(string) slog.Handler { return l }
