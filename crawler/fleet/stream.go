package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A stream is a JetStream stream of this package, with ways to read it.
//
// Of several servers that keep a stream, one leads it; the others may lag behind. What must be
// certain is read from the leader. Everything else is read from the server that this process is
// connected to, where the stream allows that: that server involves no other one, and sends the
// message as it is, not as text in JSON.
type stream struct {
	jetstream.Stream
	conn *nats.Conn
	name string
	many bool // it has replicas
}

// newStream returns a stream for one that is open.
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

// last returns the last message of a subject and its number in the stream, which is 0 where there
// is none. It reads from the leader.
func (s *stream) last(ctx context.Context, subject string) (value []byte, seq uint64, err error) {
	m, err := s.certain(ctx, wanted{Last: subject})
	if m == nil || err != nil {
		return nil, 0, err
	}
	return m.Data, m.Sequence, nil
}

// next returns the first message of a subject, which may have wildcards, from a number on; nil
// where there is none. It reads from the leader.
func (s *stream) next(ctx context.Context, subject string, from uint64) (*jetstream.RawStreamMsg, error) {
	return s.certain(ctx, wanted{Next: subject, From: from})
}

// near is next, read from whichever server answers. That server may not know the latest messages
// yet, but skips none before the one that it returns.
func (s *stream) near(ctx context.Context, subject string, from uint64) (*jetstream.RawStreamMsg, error) {
	return found(s.GetMsg(ctx, from, jetstream.WithGetMsgSubject(subject)))
}

// certain returns a message as the leader has it; nil where there is none.
func (s *stream) certain(ctx context.Context, which wanted) (*jetstream.RawStreamMsg, error) {
	switch {
	case s.many:
		return found(s.fromLeader(ctx, which))
	case which.Last != "": // the only server leads
		return found(s.GetLastMsgForSubject(ctx, which.Last))
	}
	return s.near(ctx, which.Next, which.From)
}

// found returns nil and no error in place of the error that there is no such message.
func found(m *jetstream.RawStreamMsg, err error) (*jetstream.RawStreamMsg, error) {
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	return m, err
}

// fromLeader reads a message from the leader. The library can do so, but does not for a stream that
// allows reading from other servers.
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
