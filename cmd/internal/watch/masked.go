package watch

import (
	"context"
	"errors"
	"log/slog"
)

// reason is reason, with the names of variables in the place of their values.
func (w *watcher) reason(err error) string {
	return reason(errors.New(w.c.environ.mask(err.Error())))
}

// masked returns a log that repeats no value of the environment: a target may hold one.
func masked(log *slog.Logger, e environ) *slog.Logger {
	if len(e) == 0 {
		return log
	}
	return slog.New(masking{log.Handler(), e})
}

// masking is the handler of such a log.
type masking struct {
	slog.Handler
	environ environ
}

// Handle masks what is said.
func (m masking) Handle(ctx context.Context, r slog.Record) error {
	out := slog.NewRecord(r.Time, r.Level, m.environ.mask(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(m.attr(a))
		return true
	})
	return m.Handler.Handle(ctx, out)
}

// attr masks a value that is text, or is said as text.
func (m masking) attr(a slog.Attr) slog.Attr {
	switch v := a.Value.Resolve(); v.Kind() {
	case slog.KindString, slog.KindAny:
		return slog.String(a.Key, m.environ.mask(v.String()))
	}
	return a
}

// WithAttrs masks what is said with each line.
func (m masking) WithAttrs(attrs []slog.Attr) slog.Handler {
	out := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		out[i] = m.attr(a)
	}
	return masking{m.Handler.WithAttrs(out), m.environ}
}

// WithGroup goes on masking.
func (m masking) WithGroup(name string) slog.Handler {
	return masking{m.Handler.WithGroup(name), m.environ}
}
