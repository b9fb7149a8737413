package fleet

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// errStale is the error of a write to a subject to which another message was written meanwhile.
var errStale = errors.New("somebody else has written meanwhile")

// put writes a message to a subject whose last message must have the number after; 0 if the subject
// must be empty. It returns the new number, or errStale. Each value differs from all others of its
// subject, so that put recognizes its own message where the acknowledgement was lost.
func (f *Fleet) put(ctx context.Context, s *stream, subject string, value []byte, after uint64) (uint64, error) {
	ack, err := f.js.PublishMsg(ctx, &nats.Msg{Subject: subject, Data: value}, jetstream.WithExpectLastSequencePerSubject(after),
		jetstream.WithRetryAttempts(0))
	if err == nil {
		return ack.Sequence, nil
	}
	var refused *jetstream.APIError
	if errors.As(err, &refused) && !stale(refused) {
		return 0, err // the message is not there
	}
	got, seq, again := s.last(ctx, subject)
	switch {
	case again != nil:
		return 0, err
	case seq > after && bytes.Equal(got, value):
		return seq, nil
	case seq != after:
		return 0, errStale
	}
	return 0, err // the next attempt finds out
}

// stale reports whether the server refused a write because the subject has another last message.
func stale(e *jetstream.APIError) bool {
	return e.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || e.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant
}

// full reports whether the server refused a message because a stream or a disk is full.
func full(err error) bool {
	const storeFailed = 10077 // "maximum bytes exceeded", or no space on the disk
	var e *jetstream.APIError
	return errors.As(err, &e) && e.ErrorCode == storeFailed
}

// patience is how long the servers may fail to answer (as while they elect another leader) or to
// take messages before that is an error.
const patience = time.Minute

// patiently calls do, and calls it again while the servers do not answer, for as long as patience.
func (f *Fleet) patiently(ctx context.Context, do func() error) error {
	for began, pause := time.Now(), 50*time.Millisecond; ; pause = min(2*pause, time.Second) {
		err := do()
		var refused *jetstream.APIError
		var ours *Error
		var taking *takeError
		if err == nil || errors.As(err, &ours) || errors.As(err, &taking) || errors.As(err, &refused) && refused.Code < 500 || ctx.Err() != nil || time.Since(began) > patience {
			return err
		}
		_ = wait(ctx, pause)
	}
}

// insist calls put until the message is written, another process has written one, or ctx ends.
func (f *Fleet) insist(ctx context.Context, s *stream, subject string, value []byte, after uint64) (uint64, error) {
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		seq, err := f.put(ctx, s, subject, value, after)
		if err == nil || errors.Is(err, errStale) {
			return seq, err
		}
		if wait(ctx, pause) != nil {
			return 0, err
		}
	}
}
