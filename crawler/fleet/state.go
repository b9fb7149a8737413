package fleet

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// errStale is the error of a write to a subject to which another message was written meanwhile.
var errStale = errors.New("somebody else has written meanwhile")

// patience is how long the servers may fail to answer (as while they elect another leader), or
// refuse to store anything, before that is an error.
const patience = time.Minute

// publish stores a message, and returns its number in its stream. It sends the message, of which the
// servers store one, until they acknowledge it, another one was written in place of the one that opts
// expect, which is errStale, or ctx ends.
func (f *Fleet) publish(ctx context.Context, subject string, data []byte, opts ...jetstream.PublishOpt) (uint64, error) {
	opts = append(opts, jetstream.WithMsgID(rand.Text()))
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		try, cancel := context.WithTimeout(ctx, answerTime)
		ack, err := f.js.PublishMsg(try, &nats.Msg{Subject: subject, Data: data}, opts...)
		cancel()
		var refused *jetstream.APIError
		switch {
		case err == nil:
			return ack.Sequence, nil
		case errors.As(err, &refused) && (refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
			refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant):
			return 0, errStale
		case wait(ctx, pause) != nil:
			return 0, err
		}
	}
}

// put is publish for a subject of the state whose last message must have the number after; 0 if the
// subject must be empty.
func (f *Fleet) put(ctx context.Context, subject string, data []byte, after uint64, opts ...jetstream.PublishOpt) (uint64, error) {
	return f.publish(ctx, subject, data, append(opts, jetstream.WithExpectLastSequencePerSubject(after))...)
}

// last returns the last message of a subject of the state and its number, which is 0 where there is
// none.
func (f *Fleet) last(ctx context.Context, subject string) (data []byte, seq uint64, err error) {
	m, err := f.state.GetLastMsgForSubject(ctx, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	return m.Data, m.Sequence, nil
}

// patiently calls do, and calls it again while the servers do not answer, for some time.
func (f *Fleet) patiently(ctx context.Context, most time.Duration, do func() error) error {
	for began, pause := time.Now(), 50*time.Millisecond; ; pause = min(2*pause, time.Second) {
		err := do()
		if err == nil || final(err) || errors.Is(err, jetstream.ErrJetStreamNotEnabled) ||
			ctx.Err() != nil || time.Since(began) > most {
			return err
		}
		_ = wait(ctx, pause)
	}
}

// purge deletes the messages of a subject in a stream.
func (f *Fleet) purge(ctx context.Context, s jetstream.Stream, subject string) error {
	return f.patiently(ctx, patience, func() error { return s.Purge(ctx, jetstream.WithPurgeSubject(subject)) })
}

// wait waits for d, or until ctx ends, and then returns its error.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
