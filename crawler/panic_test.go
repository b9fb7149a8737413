package crawler

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"sitemend/crawler/audit"
)

// panicky is a store that panics at the n-th answer, or at a record.
type panicky struct {
	*memoryStore
	left   atomic.Int32
	record string
}

func (p *panicky) Keep(h audit.Hop) error {
	if p.record == "" && p.left.Add(-1) == 0 {
		panic("lost the thread")
	}
	return p.memoryStore.Keep(h)
}

func (p *panicky) Put(key string, value []byte) error {
	if p.record != "" && strings.HasPrefix(key, p.record) {
		panic("lost the thread")
	}
	return p.memoryStore.Put(key, value)
}

// A panic in one worker ends the round, whatever the others wait for; answers from before are kept,
// and not requested again when the audit continues.
func TestAPanicEndsTheRound(t *testing.T) {
	var locs []string
	for i := range 40 {
		locs = append(locs, fmt.Sprintf("http://%c.example/%d", 'a'+i%2, i))
	}
	for _, record := range []string{"", "robots.txt/"} {
		s := serveSite(t, func(w http.ResponseWriter, _ string) { w.WriteHeader(http.StatusOK) })
		store := &panicky{memoryStore: newMemoryStore(locs...), record: record}
		store.left.Store(17)
		c := s.crawler(t, store, "a.example", "b.example")
		err := c.Run(t.Context())
		if !errors.Is(err, audit.ErrOurs) || !strings.Contains(err.Error(), "lost the thread (crawler/panic_test.go:") {
			t.Errorf("%q: it ends with %v", record, err)
		}
		kept := len(store.hops)
		if record == "" && kept < 16 {
			t.Errorf("%d answers are kept", kept)
		}
		store.record = ""
		store.left.Store(1000)
		before := s.all
		again := s.crawler(t, store, "a.example", "b.example")
		if err := again.Run(t.Context()); err != nil {
			t.Error(err)
		}
		if asked := s.all - before; record == "" && asked > len(locs)+2-kept {
			t.Errorf("%d requests, though %d answers were kept", asked, kept)
		}
	}
}
