package crawler

import (
	"context"
	"io"
	"testing"
	"testing/synctest"

	"sitemend/crawler/audit"
)

// again is a Frontier of one request, which is handed out with each lease until it is answered.
type again struct {
	t      *testing.T
	store  Store
	task   Task
	leases int
	handed bool          // with this lease
	free   chan struct{} // holds one while the key is not leased
	lose   context.CancelFunc
}

func (a *again) Lease(context.Context) (*Lease, error) {
	<-a.free
	if _, known := a.store.Hop(a.task.Request); known || a.leases == 3 {
		return nil, io.EOF
	}
	a.leases++
	l := &Lease{Key: "a.example"}
	l.Live, a.lose = context.WithCancel(a.t.Context())
	a.handed = false
	return l, nil
}

func (a *again) Next(_ context.Context, l *Lease) ([]Task, error) {
	if l.lost() {
		return nil, ErrFenced
	} else if a.handed {
		return nil, nil
	}
	a.handed = true
	return []Task{a.task}, nil
}

func (a *again) Rests(*Lease) error { return nil }

func (a *again) Release(context.Context, *Lease, HostState) error {
	a.lose()
	a.free <- struct{}{}
	return nil
}

// A request that was under way when its lease was lost is sent when it is handed out again.
func TestALostLeaseClaimsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		url := "http://a.example/"
		a := &again{t: t, store: newMemoryStore(), free: make(chan struct{}, 1),
			task: Task{Request: audit.Request{URL: url}, Lone: true}}
		a.free <- struct{}{}
		c := inMemory(t, a.store, func(path string) string {
			if path == "/" && a.leases == 1 {
				a.lose()
			}
			return respond(200)
		}, func(*Options) {})
		defer c.Close()
		must(t, c.Serve(t.Context(), a))
		if hop, known := a.store.Hop(a.task.Request); !known || hop.Status != 200 || a.leases != 2 {
			t.Errorf("%v %+v after %d leases", known, hop, a.leases)
		}
	})
}
