package crawler

import (
	"context"
	"io"
	"testing"
	"testing/synctest"

	"sitemend/crawler/answers"
)

// again is a Frontier of one request, which is handed out with each lease until it is answered. The
// first lease is lost while the request is under way.
type again struct {
	*memoryStore
	free   chan struct{} // holds one while the key is not leased
	lose   context.CancelFunc
	leases int
	tasks  []Task // of this lease
}

var onlyRequest = answers.Request{URL: "http://a.example/"}

func (a *again) Lease(ctx context.Context) (*Lease, error) {
	<-a.free
	if _, known := a.Hop(onlyRequest); known || a.leases == 3 {
		return nil, io.EOF
	}
	l := &Lease{Key: "a.example"}
	l.Live, a.lose = context.WithCancel(ctx)
	a.leases, a.tasks = a.leases+1, []Task{{Request: onlyRequest, Lone: true}}
	return l, nil
}

func (a *again) Next(context.Context, *Lease) (tasks []Task, err error) {
	tasks, a.tasks = a.tasks, nil
	return tasks, nil
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
		a := &again{memoryStore: newMemoryStore(), free: make(chan struct{}, 1)}
		a.free <- struct{}{}
		c := inMemory(t, a, func(path string) string {
			if path == "/" && a.leases == 1 {
				a.lose()
			}
			return respond(200)
		}, func(*Options) {})
		defer c.Close()
		must(t, c.Serve(t.Context(), a))
		if hop, _ := a.Hop(onlyRequest); hop.Status != 200 || a.leases != 2 {
			t.Errorf("%+v after %d leases", hop, a.leases)
		}
	})
}
