package crawler

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sitemend/crawler/answers"
)

// clock is a clock that advances only while a caller waits for it.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func (c *clock) wait(ctx context.Context, d time.Duration) error {
	c.t = c.t.Add(max(d, 0))
	return ctx.Err()
}

func newTestPace(rate float64, given bool) (*pace, *clock) {
	c := &clock{time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)}
	p := newPace(rate, given)
	p.now, p.wait = c.now, c.wait
	return p, c
}

var quick = outcome{Status: 200, Latency: 20 * time.Millisecond}

// pass sends n requests with the same outcome and returns how long that took.
func pass(t *testing.T, p *pace, c *clock, n int, o outcome) time.Duration {
	t.Helper()
	start := c.t
	for range n {
		turn, err := p.Wait(context.Background())
		must(t, err)
		p.Done(turn, o)
	}
	return c.t.Sub(start)
}

func TestThePaceRisesFromTwoToTheCeiling(t *testing.T) {
	p, c := newTestPace(10, false)
	if p.Rate() != 2 {
		t.Fatalf("starts at %v/s", p.Rate())
	}
	if d := pass(t, p, c, 11, quick); d < 3*time.Second || d > 5*time.Second {
		t.Errorf("the first 11 requests took %v", d)
	}
	pass(t, p, c, 100, quick)
	if p.Rate() != 10 {
		t.Errorf("ends at %v/s", p.Rate())
	}
	if slow, _ := newTestPace(0.5, false); slow.Rate() != 0.5 {
		t.Errorf("a ceiling below the start: %v/s", slow.Rate())
	}
}

func TestWhatSlowsDownThePace(t *testing.T) {
	for name, o := range map[string]outcome{
		"429": {Status: 429}, "503": {Status: 503},
		"reset": {Fault: answers.FaultReset}, "timeout": {Fault: answers.FaultTimeout},
	} {
		p, c := newTestPace(8, true)
		pass(t, p, c, 20, quick)
		before, err := p.Wait(t.Context())
		must(t, err)
		pass(t, p, c, 1, o)
		if p.Rate() != 6 {
			t.Errorf("%s: %v/s after one", name, p.Rate())
		}
		p.Done(before, o) // of a request that was under way at the same time
		if p.Rate() != 4 {
			t.Errorf("%s: %v/s after two at once", name, p.Rate())
		}
		pass(t, p, c, 50, o)
		if p.Rate() < slowest || p.Rate() > 2*slowest {
			t.Errorf("%s: %v/s after many", name, p.Rate())
		}
		pass(t, p, c, 200, quick)
		if p.Rate() != 8 {
			t.Errorf("%s: %v/s when all is well again", name, p.Rate())
		}
	}
}

func TestClimbingLatency(t *testing.T) {
	p, c := newTestPace(8, true)
	pass(t, p, c, 50, outcome{Status: 200, Latency: 50 * time.Millisecond})
	pass(t, p, c, 4, outcome{Status: 200, Latency: time.Second})
	if p.Rate() >= 8 {
		t.Errorf("%v/s though answers take 20 times as long", p.Rate())
	}
	// A host that stays slow is simply slow: the pace recovers.
	pass(t, p, c, 200, outcome{Status: 200, Latency: time.Second})
	if p.Rate() != 8 {
		t.Errorf("%v/s at a latency that stays", p.Rate())
	}
	jitter, c := newTestPace(8, true)
	for i := range 200 {
		pass(t, jitter, c, 1, outcome{Status: 200, Latency: time.Duration(5+i%50) * time.Millisecond})
	}
	if jitter.Rate() != 8 {
		t.Errorf("%v/s for latencies between 5 and 55 ms", jitter.Rate())
	}
}

// Whatever a host answers, the rate stays between the slowest and the ceiling,
// and no two requests are closer than the ceiling allows.
func TestThePaceKeepsItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ceiling := rapid.Float64Range(0.05, 50).Draw(t, "ceiling")
		p, c := newTestPace(ceiling, rapid.Bool().Draw(t, "given"))
		var last time.Time
		for range rapid.IntRange(1, 100).Draw(t, "n") {
			turn, err := p.Wait(context.Background())
			must(t, err)
			gap := time.Duration(float64(time.Second) / ceiling)
			if d := c.t.Sub(last); d < gap-time.Microsecond {
				t.Fatalf("two requests within %v at %v/s", d, ceiling)
			}
			last = c.t
			p.Done(turn, outcome{
				Status:     rapid.SampledFrom([]int{0, 200, 404, 429, 500, 503}).Draw(t, "status"),
				Fault:      rapid.SampledFrom([]answers.Fault{"", answers.FaultReset, answers.FaultTimeout, answers.FaultDNS}).Draw(t, "fault"),
				Latency:    time.Duration(rapid.IntRange(0, 5000).Draw(t, "ms")) * time.Millisecond,
				RetryAfter: time.Duration(rapid.IntRange(0, 3).Draw(t, "s")) * time.Second,
			})
			if r := p.Rate(); r > ceiling || r < min(slowest, ceiling) {
				t.Fatalf("%v/s with a ceiling of %v/s", r, ceiling)
			}
		}
	})
}

// Rate returns the requests a second that are sent now, 0 for no limit.
func (p *pace) Rate() float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.s.Rate
}
