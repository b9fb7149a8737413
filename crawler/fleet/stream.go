package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A stream is one of ours, and the ways to read it.
//
// Of several servers that keep a stream, one leads it; the others may lag behind. What must be
// certain is read from the leader. All else is read from the server that this process is
// connected to, where the stream allows that: it asks no other server for it, and writes the
// message down as it is, not as text in JSON.
type stream struct {
	jetstream.Stream
	conn *nats.Conn
	name string
	many bool // it has replicas
}

// newStream returns a stream that is open.
func newStream(conn *nats.Conn, s jetstream.Stream) *stream {
	c := s.CachedInfo().Config
	return &stream{Stream: s, conn: conn, name: c.Name, many: c.Replicas > 1}
}

// A wanted message is the last one of a subject, or the first one from a number on of a subject
// that may have wildcards.
type wanted struct {
	Last string `json:"last_by_subj,omitempty"`
	Next string `json:"next_by_subj,omitempty"`
	From uint64 `json:"seq,omitempty"`
}

// last returns the last message of a subject, and its number in the stream; 0 for none. It
// is read from the leader.
func (s *stream) last(ctx context.Context, subject string) (value []byte, seq uint64, err error) {
	m, err := s.certain(ctx, wanted{Last: subject})
	if m == nil || err != nil {
		return nil, 0, err
	}
	return m.Data, m.Sequence, nil
}

// next returns the first message of a subject, which may have wildcards, from a number on;
// nil for none. It is read from the leader.
func (s *stream) next(ctx context.Context, subject string, from uint64) (*jetstream.RawStreamMsg, error) {
	return s.certain(ctx, wanted{Next: subject, From: from})
}

// near is next, read from whichever server answers: there may be one that it does not know
// yet, but none before the one that it returns.
func (s *stream) near(ctx context.Context, subject string, from uint64) (*jetstream.RawStreamMsg, error) {
	return found(s.GetMsg(ctx, from, jetstream.WithGetMsgSubject(subject)))
}

// certain returns a message as the leader has it; nil for none.
func (s *stream) certain(ctx context.Context, which wanted) (*jetstream.RawStreamMsg, error) {
	switch {
	case s.many:
		return found(s.fromLeader(ctx, which))
	case which.Last != "": // the only server leads
		return found(s.GetLastMsgForSubject(ctx, which.Last))
	}
	return s.near(ctx, which.Next, which.From)
}

// found makes no message of the error that says so.
func found(m *jetstream.RawStreamMsg, err error) (*jetstream.RawStreamMsg, error) {
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	return m, err
}

// fromLeader reads a message from the leader. The library does so itself, but not where a stream
// allows that it is read from others, too.
func (s *stream) fromLeader(ctx context.Context, which wanted) (*jetstream.RawStreamMsg, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	ask, err := json.Marshal(which)
	if err != nil {
		return nil, err
	}
	m, err := s.conn.RequestWithContext(ctx, "$JS.API.STREAM.MSG.GET."+s.name, ask)
	if err != nil {
		return nil, err
	}
	var got struct {
		Error   *jetstream.APIError
		Message *struct {
			Subject  string
			Sequence uint64 `json:"seq"`
			Data     []byte
			Time     time.Time
		}
	}
	switch err := json.Unmarshal(m.Data, &got); {
	case err != nil:
		return nil, err
	case got.Error != nil && got.Error.ErrorCode == jetstream.JSErrCodeMessageNotFound:
		return nil, jetstream.ErrMsgNotFound
	case got.Error != nil:
		return nil, got.Error
	case got.Message == nil:
		return nil, jetstream.ErrInvalidJetStreamResponse
	}
	return &jetstream.RawStreamMsg{Subject: got.Message.Subject, Sequence: got.Message.Sequence, Data: got.Message.Data, Time: got.Message.Time}, nil
}
