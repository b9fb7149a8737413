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
	maxMessage = 900 << 10 // packed; the default limit of a server is 1 MB
	maxPlain   = 64 << 20  // unpacked
)

// wireVersion is the version of what messages hold and mean. A worker sends requests only for
// audits of its own version: another version may know other things of a page. It is raised whenever
// answers are read differently or hold more.
const wireVersion = 4

// batch is a message of requests.
type batch struct {
	Key   string `cbor:"1,keyasint"`
	Tasks []task `cbor:"2,keyasint"`
	// State is the pace and rest of the host as the audit left it, for the worker that comes first.
	State state `cbor:"3,keyasint"`
}

// task is a crawler.Task as messages hold it.
type task struct {
	URL         string        `cbor:"1,keyasint"`
	Purpose     audit.Purpose `cbor:"2,keyasint,omitempty"`
	Most        int           `cbor:"3,keyasint,omitempty"`
	AltSpelling bool          `cbor:"4,keyasint,omitempty"`
	Last        *hop          `cbor:"6,keyasint,omitempty"`
}

func (t *task) request() audit.Request { return audit.Request{URL: t.URL, Purpose: t.Purpose} }

// result is a message of answers; it also says how far its key is.
type result struct {
	By      string            `cbor:"1,keyasint"` // unique to this message
	Key     string            `cbor:"2,keyasint"`
	Hops    []hop             `cbor:"3,keyasint,omitempty"`
	Notes   []crawler.Note    `cbor:"4,keyasint,omitempty"`
	Records map[string][]byte `cbor:"5,keyasint,omitempty"`
	State   state             `cbor:"6,keyasint"`
	// Done and Open say which requests are answered, this message included: all in the batches up
	// to Done, a number in the stream, and those in later batches that Open marks.
	Done uint64            `cbor:"7,keyasint"`
	Open map[uint64][]bool `cbor:"8,keyasint,omitempty"`
	// Counted is how long the requests took since the last result of the same holder.
	Counted counted `cbor:"9,keyasint,omitempty"`
}

// counted is a crawler.Counted whose rest is a duration from now.
type counted struct {
	Waited     time.Duration `cbor:"1,keyasint,omitempty"`
	Answering  time.Duration `cbor:"2,keyasint,omitempty"`
	Slowed     bool          `cbor:"3,keyasint,omitempty"`
	RestHost   string        `cbor:"4,keyasint,omitempty"`
	RestStatus int           `cbor:"5,keyasint,omitempty"`
	Rest       time.Duration `cbor:"6,keyasint,omitempty"`
}

// countedNow returns a Counted in the form of messages.
func countedNow(c crawler.Counted, now time.Time) counted {
	out := counted{Waited: c.Waited, Answering: c.Answering, Slowed: c.Slowed}
	if c.Rest.Until.After(now) {
		out.RestHost, out.RestStatus, out.Rest = c.Rest.Host, c.Rest.Status, c.Rest.Until.Sub(now)
	}
	return out
}

// read returns the Counted that c holds, as if it were written at now.
func (c counted) read(now time.Time) crawler.Counted {
	out := crawler.Counted{Waited: c.Waited, Answering: c.Answering, Slowed: c.Slowed}
	if c.Rest > 0 {
		out.Rest = crawler.Rest{Host: c.RestHost, Status: c.RestStatus, Until: now.Add(c.Rest)}
	}
	return out
}

// state is a crawler.HostState whose times are durations from now, for clocks of machines differ.
type state struct {
	crawler.HostState
	Next, Rest time.Duration
}

// stateNow returns a state in the form of messages.
func stateNow(s crawler.HostState, now time.Time) state {
	out := state{HostState: s, Next: max(0, s.Pace.Next.Sub(now)), Rest: max(0, s.Pace.Rest.Sub(now))}
	out.Pace.Next, out.Pace.Rest = time.Time{}, time.Time{}
	return out
}

// read returns the HostState that s holds, as if it were written at now: so no request is sent too
// early.
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

// codecs returns the codec of this process. It is made with the first message, as an audit without
// workers needs none.
var codecs = sync.OnceValue(func() *codec {
	c, errs := &codec{}, [4]error{}
	c.enc, errs[0] = cbor.EncOptions{Time: cbor.TimeRFC3339Nano}.EncMode()
	// Locations are bytes, not always UTF-8.
	c.dec, errs[1] = cbor.DecOptions{UTF8: cbor.UTF8DecodeInvalid, MaxArrayElements: 1 << 20}.DecMode()
	c.pack, errs[2] = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	c.open, errs[3] = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPlain))
	if err := errors.Join(errs[:]...); err != nil {
		panic(err) // the options are constant and valid
	}
	return c
})

// pack encodes and compresses a message.
func pack(v any) ([]byte, error) {
	b, err := codecs().enc.Marshal(v)
	if err != nil {
		return nil, err
	}
	return codecs().pack.EncodeAll(b, nil), nil
}

// unpack decodes a message.
func unpack(b []byte, v any) error {
	plain, err := codecs().open.DecodeAll(b, nil)
	if err != nil {
		return err
	}
	return codecs().dec.Unmarshal(plain, v)
}

// token returns a subject token for a key, or for the name of a file.
func token(key string) string {
	h := sha256.Sum256([]byte(key))
	return hex.EncodeToString(h[:8])
}
