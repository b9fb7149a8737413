package watch

import (
	"context"
	"encoding/json"
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
	letter letter
	err    error
}

// receiver returns the receiver of a name, nil for none.
func (w *watcher) receiver(name string) *notify.Receiver {
	for _, r := range w.c.Receivers {
		if r.Name == name {
			return r
		}
	}
	return nil
}

// deliver sends each receiver its next letter, if that is due, and one at a time. It returns when
// the next one is due; the zero time for never.
func (w *watcher) deliver(ctx context.Context) (next time.Time, err error) {
	now := w.clock.Now()
	gone, err := w.outbox.expire(now)
	for _, l := range gone {
		w.metrics.letters.WithLabelValues(l.Receiver, "expired").Inc()
		w.log.Error("a message was given up after seven days", "receiver", l.Receiver, "site", l.Site, "id", l.ID)
	}
	for _, name := range w.outbox.receivers() {
		r := w.receiver(name)
		if r == nil || w.outbox.busy[name] {
			continue
		}
		l, at, ok := w.outbox.next(name)
		if w.o.Once { // there may be no later try before the next run
			l, ok = w.outbox.untried(name, w.tried)
			at = now
		}
		switch {
		case !ok:
		case at.After(now):
			next = earliest(next, at)
		default:
			w.send(ctx, r, *l)
		}
	}
	return next, err
}

// send begins to send a letter.
func (w *watcher) send(ctx context.Context, r *notify.Receiver, l letter) {
	w.outbox.busy[r.Name] = true
	if w.o.Once {
		w.tried[l.Seq] = true
	}
	go func() {
		d := delivery{letter: l}
		d.err = audit.Guard(func() error {
			return r.Send(ctx, notify.Message{ID: l.ID, Title: l.Title, Text: l.Text, JSON: l.JSON})
		})
		w.deliveries <- d
	}()
}

// sent handles the outcome of sending a letter.
func (w *watcher) sent(d delivery) error {
	l, now := d.letter, w.clock.Now()
	delete(w.outbox.busy, l.Receiver)
	log := w.log.With("receiver", l.Receiver, "site", l.Site, "id", l.ID)
	if d.err == nil {
		w.metrics.letters.WithLabelValues(l.Receiver, "sent").Inc()
		log.Info("a message was delivered: " + l.Title)
		return w.outbox.delivered(l.Seq, now)
	}
	w.metrics.letters.WithLabelValues(l.Receiver, "failed").Inc()
	next, err := w.outbox.failed(l.Seq, now)
	again := "at " + next.In(w.c.Location).Format("15:04:05")
	if w.o.Once {
		again = "with the next run"
	}
	log.Warn(fmt.Sprintf("a message was not delivered: %v; it is tried again %s", d.err, again))
	return err
}

// SendTest sends a test message to the receiver of a name. An error says why it did not accept
// it, or that there is no such receiver.
func SendTest(ctx context.Context, c *Config, name string) error {
	var names []string
	for _, r := range c.Receivers {
		if names = append(names, r.Name); r.Name != name {
			continue
		}
		m := newWriter(c.Lang, c.Location, nil).test(name, time.Now())
		list, err := letters([]byte(time.Now().String()), m, []string{name}, "", time.Now())
		if err != nil {
			return err
		}
		l := list[0]
		if err := r.Send(ctx, notify.Message{ID: l.ID, Title: l.Title, Text: l.Text, JSON: json.RawMessage(l.JSON)}); err != nil {
			return cli.WithHint(fmt.Errorf("the receiver %s did not take the message: %w", name, err), "see whether its address and token are right, and whether this machine reaches it")
		}
		return nil
	}
	if len(names) == 0 {
		return cli.WithHint(errors.New("the configuration has no receivers"), "the key notify has them; sitemend help watch shows an example")
	}
	return cli.WithHint(fmt.Errorf("there is no receiver %q", name), cli.DidYouMean(name, names)+"there are "+strings.Join(names, ", "))
}
