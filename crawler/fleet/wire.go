package fleet

import (
	"crypto/sha256"
	"encoding/hex"
	"sync"
	"time"

	"github.com/fxamacker/cbor/v2"

	"sitemend/crawler"
	"sitemend/crawler/answers"
)

// Limits of messages.
const (
	batchTasks = 100       // requests in a message, and answers
	batchFor   = 4         // seconds that the requests of a message may take at their pace,
	batchLeast = 8         // but this many in any case
	batchBytes = 256 << 10 // of requests
	maxMessage = 900 << 10 // the default limit of a server is 1 MB
)

// wireVersion is the version of what messages hold and mean. Workers get the tickets of audits of
// their own version alone: another version may know other things of a page. It is raised whenever
// answers are read differently or hold more.
const wireVersion = "6"

// ask asks for requests of a key.
type ask struct {
	Key   string
	Lease uint64 // its number
	First bool   // an answer is due even if there are no requests
}

// batch is the answer.
type batch struct {
	Tasks []task            `cbor:"1,keyasint,omitzero"`
	State state             `cbor:"2,keyasint,omitzero"` // pace and rest of the host, as the audit knows it
	Files map[string][]byte `cbor:"3,keyasint,omitzero"` // robots.txt files that the audit has
}

// task is a crawler.Task as messages hold it.
type task struct {
	Request answers.Request `cbor:"1,keyasint"`
	Most    int             `cbor:"2,keyasint,omitzero"`
	Last    *answers.Hop    `cbor:"4,keyasint,omitzero"`
}

// result is a message of answers.
type result struct {
	Key   string `cbor:"1,keyasint"`
	Lease uint64 `cbor:"2,keyasint"` // number of the lease of the worker that sends it
	// Took and Left say that the worker begins to work on the key, or has given it back. Such a
	// message holds nothing else.
	Took  bool              `cbor:"3,keyasint,omitzero"`
	Left  bool              `cbor:"4,keyasint,omitzero"`
	Hops  []answers.Hop     `cbor:"5,keyasint,omitzero"`
	Notes []crawler.Note    `cbor:"6,keyasint,omitzero"`
	Files map[string][]byte `cbor:"7,keyasint,omitzero"`
	State state             `cbor:"8,keyasint,omitzero"`
}

// state is a crawler.HostState whose times are durations from now, for clocks of machines differ.
type state struct {
	crawler.HostState
	Next, Rest time.Duration
}

// stateNow returns a state in the form of messages.
func stateNow(s crawler.HostState, now time.Time) state {
	out := state{HostState: s, Next: max(0, s.Next.Sub(now)), Rest: max(0, s.Rest.Sub(now))}
	out.HostState.Next, out.HostState.Rest = time.Time{}, time.Time{}
	return out
}

// read returns the HostState that s holds, as if it were written at now: so no request is sent too
// early.
func (s state) read(now time.Time) crawler.HostState {
	out := s.HostState
	if out == (crawler.HostState{}) {
		return out
	}
	out.Next, out.Rest = now.Add(s.Next), now.Add(s.Rest)
	return out
}

// codec writes and reads messages.
type codec struct {
	cbor.EncMode
	cbor.DecMode
}

// messages returns the codec of this process. It is made with the first message, as an audit without
// workers needs none. Locations are bytes, not always UTF-8.
var messages = sync.OnceValue(func() (c codec) {
	c.EncMode, _ = cbor.EncOptions{Time: cbor.TimeRFC3339NanoUTC}.EncMode() // constant options: no error
	c.DecMode, _ = cbor.DecOptions{UTF8: cbor.UTF8DecodeInvalid, MaxArrayElements: 1 << 20}.DecMode()
	return c
})

// pack encodes a message.
func pack(v any) []byte {
	b, err := messages().Marshal(v)
	if err != nil {
		panic(err) // messages are plain data
	}
	return b
}

// unpack decodes a message.
func unpack(b []byte, v any) error { return messages().Unmarshal(b, v) }

// token returns a subject token for a key.
func token(key string) string {
	h := sha256.Sum256([]byte(key))
	return hex.EncodeToString(h[:8])
}
