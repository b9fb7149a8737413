package fleet_test

import (
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sitemend/crawler/fleet"
)

// A worker that is cut off from the servers, but not from the web, stops in time, and its unsent
// answers are refused. The same holds where bytes are lost in one direction only, and where the
// audit is cut off for a while.
func TestPartitions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lost  direction
		audit bool
	}{
		"a worker, both ways":           {both, false},
		"a worker, what it sends":       {toServer, false},
		"a worker, what is sent to it":  {fromServer, false},
		"the audit, both ways":          {both, true},
		"the audit, what it sends":      {toServer, true},
		"the audit, what is sent to it": {fromServer, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, all := servers(t, 1)
			locs, answer := manyHosts(800)
			s := newWeb(t, 5*time.Millisecond, answer)
			p := newProxy(t, all[0].Addr().String())
			behind := "nats://" + p.Addr().String()
			at := map[bool]string{true: behind, false: url}
			work(t, at[!c.audit], "cut")
			var once sync.Once
			var failing sync.WaitGroup
			s.when = func(n int, host, _ string) {
				if n <= 200 || host != hot {
					return
				}
				once.Do(func() {
					p.drop(c.lost)
					if !c.audit {
						go work(t, url, "w2")
					}
					failing.Go(func() {
						time.Sleep(3 * quick.Alive)
						p.drop(nothing)
					})
				})
			}
			store := newMemory(locs...)
			crawl(t, connect(t, at[c.audit], fleet.Options{}), "cut", how{Addr: s.Listener.Addr().String(), Rate: 200, Parallel: 2}, store)
			failing.Wait()
			if len(store.hops) != len(locs) || store.twice > 0 {
				t.Errorf("%d of %d addresses are answered, %d twice", len(store.hops), len(locs), store.twice)
			}
			s.judge(t, oneBatch)
		})
	}
}

// direction says which bytes are lost on their way through a proxy.
type direction int32

const (
	nothing direction = iota
	toServer
	fromServer
	both
)

// proxy passes on the bytes to and from a server, except those that it drops.
type proxy struct {
	net.Listener
	lost atomic.Int32
}

// drop drops the bytes of a direction from now on.
func (p *proxy) drop(d direction) { p.lost.Store(int32(d)) }

func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	return newProxyThat(t, to, func() func(direction, []byte) { return func(direction, []byte) {} })
}

// newProxyThat is newProxy with a function for each direction of each connection that is called
// with the bytes before they pass.
func newProxyThat(t *testing.T, to string, watch func() (sees func(direction, []byte))) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	p := &proxy{Listener: l}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", to)
			if err != nil {
				in.Close()
				return
			}
			go p.pass(in, out, toServer, watch())
			go p.pass(out, in, fromServer, watch())
		}
	}()
	return p
}

// pass passes on the bytes of one direction. A connection that lost bytes is useless: it is closed
// when the next ones come.
func (p *proxy) pass(from, to net.Conn, way direction, sees func(direction, []byte)) {
	defer to.Close()
	defer from.Close()
	b := make([]byte, 64<<10)
	for torn := false; ; {
		n, err := from.Read(b)
		if err != nil {
			return
		}
		if lost := direction(p.lost.Load()); lost == both || lost == way {
			torn = true
			continue
		}
		if torn {
			return
		}
		sees(way, b[:n])
		if _, err := to.Write(b[:n]); err != nil {
			return
		}
	}
}
