package fleet

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"sync"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/klauspost/compress/zstd"

	"sitemend/crawler"
	"sitemend/crawler/audit"
)

// Limits of messages.
const (
	batchTasks = 100       // requests in a message, and answers
	batchBytes = 256 << 10 // of requests, before they are packed
	maxMessage = 900 << 10 // packed: a server takes 1 MB where nobody says otherwise
	maxPlain   = 64 << 20  // unpacked
)

// wireVersion is that of what messages hold and mean. A worker sends requests only for audits of
// its own version: what another one knows of a page is not what the audit takes it for. It is
// raised whenever answers are read otherwise, or hold more.
const wireVersion = 4

// batch is a message of requests.
type batch struct {
	Key   string `cbor:"1,keyasint"`
	Tasks []task `cbor:"2,keyasint"`
	// State is how the audit itself asked the host last, for the worker that comes first.
	State state `cbor:"3,keyasint"`
}

// task is a lone crawler.Task.
type task struct {
	URL         string        `cbor:"1,keyasint"`
	Purpose     audit.Purpose `cbor:"2,keyasint,omitempty"`
	Most        int           `cbor:"3,keyasint,omitempty"`
	AltSpelling bool          `cbor:"4,keyasint,omitempty"`
	Before      *hop          `cbor:"5,keyasint,omitempty"`
	Last        *hop          `cbor:"6,keyasint,omitempty"`
}

func (t *task) request() audit.Request { return audit.Request{URL: t.URL, Purpose: t.Purpose} }

// result is a message of answers, and how far its key is with them.
type result struct {
	By      string            `cbor:"1,keyasint"` // names this message alone
	Key     string            `cbor:"2,keyasint"`
	Hops    []hop             `cbor:"3,keyasint,omitempty"`
	Notes   []crawler.Note    `cbor:"4,keyasint,omitempty"`
	Records map[string][]byte `cbor:"5,keyasint,omitempty"`
	State   state             `cbor:"6,keyasint"`
	// Done says which requests are answered, this message included: all of the batches up to
	// that number in the stream, and of later ones those that Open marks.
	Done uint64            `cbor:"7,keyasint"`
	Open map[uint64][]bool `cbor:"8,keyasint,omitempty"`
	// Counted is what the requests took since the last result of the same holder.
	Counted counted `cbor:"9,keyasint,omitempty"`
}

// counted is a crawler.Counted, whose rest lasts from now.
type counted struct {
	Waited     time.Duration `cbor:"1,keyasint,omitempty"`
	Answering  time.Duration `cbor:"2,keyasint,omitempty"`
	Slowed     bool          `cbor:"3,keyasint,omitempty"`
	RestHost   string        `cbor:"4,keyasint,omitempty"`
	RestStatus int           `cbor:"5,keyasint,omitempty"`
	Rest       time.Duration `cbor:"6,keyasint,omitempty"`
}

// countedNow returns a Counted to be written down.
func countedNow(c crawler.Counted, now time.Time) counted {
	out := counted{Waited: c.Waited, Answering: c.Answering, Slowed: c.Slowed}
	if c.Rest.Until.After(now) {
		out.RestHost, out.RestStatus, out.Rest = c.Rest.Host, c.Rest.Status, c.Rest.Until.Sub(now)
	}
	return out
}

// read returns the Counted that was written down, as if that were now.
func (c counted) read(now time.Time) crawler.Counted {
	out := crawler.Counted{Waited: c.Waited, Answering: c.Answering, Slowed: c.Slowed}
	if c.Rest > 0 {
		out.Rest = crawler.Rest{Host: c.RestHost, Status: c.RestStatus, Until: now.Add(c.Rest)}
	}
	return out
}

// state is a crawler.HostState whose times are told from now: clocks of machines differ.
type state struct {
	crawler.HostState
	Next, Rest time.Duration
}

// stateNow returns a state to be written down.
func stateNow(s crawler.HostState, now time.Time) state {
	out := state{HostState: s, Next: max(0, s.Pace.Next.Sub(now)), Rest: max(0, s.Pace.Rest.Sub(now))}
	out.Pace.Next, out.Pace.Rest = time.Time{}, time.Time{}
	return out
}

// read returns the HostState of a state that was written down, as if that were now: so
// nothing is asked too early.
func (s state) read(now time.Time) crawler.HostState {
	out := s.HostState
	if out == (crawler.HostState{}) {
		return out
	}
	out.Pace.Next, out.Pace.Rest = now.Add(s.Next), now.Add(s.Rest)
	return out
}

// A codec writes and reads messages.
type codec struct {
	enc  cbor.EncMode
	dec  cbor.DecMode
	pack *zstd.Encoder
	open *zstd.Decoder
}

// codecs is the codec of this process. It is made with the first message: an audit without
// workers has none.
var codecs = sync.OnceValue(func() *codec {
	c, errs := &codec{}, [4]error{}
	c.enc, errs[0] = cbor.EncOptions{Time: cbor.TimeRFC3339Nano}.EncMode()
	// Locations are octets, not text.
	c.dec, errs[1] = cbor.DecOptions{UTF8: cbor.UTF8DecodeInvalid, MaxArrayElements: 1 << 20}.DecMode()
	c.pack, errs[2] = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	c.open, errs[3] = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPlain))
	if err := errors.Join(errs[:]...); err != nil {
		panic(err) // options that cannot be
	}
	return c
})

// pack writes a message.
func pack(v any) ([]byte, error) {
	b, err := codecs().enc.Marshal(v)
	if err != nil {
		return nil, err
	}
	return codecs().pack.EncodeAll(b, nil), nil
}

// unpack reads a message.
func unpack(b []byte, v any) error {
	plain, err := codecs().open.DecodeAll(b, nil)
	if err != nil {
		return err
	}
	return codecs().dec.Unmarshal(plain, v)
}

// token returns the name of a key, or of a record, in a subject.
func token(key string) string {
	h := sha256.Sum256([]byte(key))
	return hex.EncodeToString(h[:8])
}
