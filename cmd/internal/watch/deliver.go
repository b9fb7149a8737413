package watch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/notify"
	"sitemend/crawler/audit"
)

// A delivery is the outcome of sending a letter.
type delivery struct {
	letter *letter
	err    error
}

// message is what a receiver is sent.
func (l *letter) message() notify.Message {
	return notify.Message{ID: l.ID, Title: l.Title, Text: l.Text, JSON: l.JSON}
}

// deliver sends each receiver its next letter, if that is due, and one at a time. It returns when
// the next one is due; the zero time for never.
func (w *watcher) deliver() (next time.Time, err error) {
	now := w.clock.Now()
	gone, err := w.outbox.expire(now)
	for _, l := range gone {
		w.metrics.notifications.WithLabelValues(l.Receiver, "expired").Inc()
		w.log.Error("a message was given up after seven days", "receiver", l.Receiver, "site", l.Site, "id", l.ID)
	}
	for _, r := range w.c.Receivers {
		l := w.outbox.next(r.Name)
		switch {
		case l == nil || w.outbox.busy[r.Name]:
		case w.o.Once && w.outbox.refused[r.Name] >= mostRefusals:
		case l.Next.After(now):
			next = earliest(next, l.Next)
		default:
			w.outbox.busy[r.Name] = true
			go func() {
				w.deliveries <- delivery{l, audit.Guard(func() error { return r.Send(w.letters, l.message()) })}
			}()
		}
	}
	return next, err
}

// sent handles the outcome of sending a letter.
func (w *watcher) sent(d delivery) error {
	l, result := d.letter, "sent"
	delete(w.outbox.busy, l.Receiver)
	err := w.outbox.tried(l, d.err == nil, w.clock.Now())
	log := w.log.With("receiver", l.Receiver, "site", l.Site, "id", l.ID)
	if d.err == nil {
		log.Info("a message was delivered: " + l.Title)
	} else {
		result = "failed"
		again := "at " + l.Next.In(w.c.Location).Format("15:04:05")
		if w.o.Once {
			again = "with the next run"
		}
		log.Warn(fmt.Sprintf("a message was not delivered: %v; it is tried again %s", d.err, again))
	}
	w.metrics.notifications.WithLabelValues(l.Receiver, result).Inc()
	return err
}

// SendTest sends a test message to the receiver of a name. An error says why it did not accept
// it, or that there is no such receiver.
func SendTest(ctx context.Context, c *Config, name string) error {
	names := []string{}
	for _, r := range c.Receivers {
		if names = append(names, r.Name); r.Name != name {
			continue
		}
		w, now := newWriter("", c.Lang, c.Location, nil), time.Now()
		m := w.message(Test, body{At: now.UTC()}, w.words.Text("watch-test"), w.words.Text("watch-test-text", "name", name))
		l, err := m.letter([]byte(now.String()), name, "", now)
		if err != nil {
			return err
		}
		if err := r.Send(ctx, l.message()); err != nil {
			return cli.WithHint(fmt.Errorf("the receiver %s did not take the message: %w", name, err), "see whether its address and token are right, and whether this machine reaches it")
		}
		return nil
	}
	if len(names) == 0 {
		return cli.WithHint(errors.New("the configuration has no receivers"), "the key notify has them; sitemend help watch shows an example")
	}
	return cli.WithHint(fmt.Errorf("there is no receiver %q", name), cli.DidYouMean(name, names)+"there are "+strings.Join(names, ", "))
}
