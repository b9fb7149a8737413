package watch

import (
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are what /metrics says, and what /healthz goes by.
type metrics struct {
	registry                *prometheus.Registry
	entries, success, took  *prometheus.GaugeVec
	waiting                 *prometheus.GaugeVec
	requests, notifications *prometheus.CounterVec
	ill                     atomic.Pointer[string] // what keeps it from working; nil or "" for nothing
	beaten                  atomic.Int64           // Unix seconds of the machine's clock: when the loop came by last
}

func newMetrics() *metrics {
	m := &metrics{registry: prometheus.NewRegistry()}
	gauge := func(name, help string, labels ...string) *prometheus.GaugeVec {
		v := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
		m.registry.MustRegister(v)
		return v
	}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		v := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
		m.registry.MustRegister(v)
		return v
	}
	m.entries = gauge("sitemend_entries", "Entries of the last audit by verdict.", "site", "verdict")
	m.success = gauge("sitemend_audit_last_success_timestamp_seconds", "When the last audit ended that could be made.", "site")
	m.took = gauge("sitemend_audit_duration_seconds", "How long the last audit took.", "site")
	m.waiting = gauge("sitemend_outbox", "Messages that were not delivered yet.")
	m.requests = counter("sitemend_requests_total", "Requests of the audits that ended.", "site")
	m.notifications = counter("sitemend_notifications_total", "Messages by receiver and result: sent, failed (it is tried again), expired (it was given up).", "receiver", "result")
	m.beaten.Store(time.Now().Unix())
	return m
}

// show shows what is remembered of the sites, and that the loop came by.
func (m *metrics) show(sites []Site, o *outbox) {
	m.beaten.Store(time.Now().Unix())
	m.waiting.WithLabelValues().Set(float64(len(o.letters)))
	m.entries.Reset()
	m.success.Reset()
	m.took.Reset()
	for _, s := range sites {
		st := o.states[s.Name]
		for v, count := range st.Verdicts {
			m.entries.WithLabelValues(s.Name, string(v)).Set(float64(count))
		}
		if !st.Success.IsZero() {
			m.success.WithLabelValues(s.Name).Set(float64(st.Success.UnixMilli()) / 1000)
		}
		if st.Took > 0 {
			m.took.WithLabelValues(s.Name).Set(st.Took.Seconds())
		}
		m.requests.WithLabelValues(s.Name).Add(0) // it is there before it grows
	}
}

// sickAfter is how long the loop may not come by; it does at least once a minute.
const sickAfter = 5 * time.Minute

// health answers /healthz: 200 while the loop runs and the store can be written to.
func (m *metrics) health(w http.ResponseWriter, _ *http.Request) {
	if why := m.ill.Load(); why != nil && *why != "" {
		http.Error(w, *why, http.StatusServiceUnavailable)
		return
	}
	if since := time.Since(time.Unix(m.beaten.Load(), 0)); since > sickAfter {
		http.Error(w, "nothing has moved for "+since.Round(time.Second).String(), http.StatusServiceUnavailable)
		return
	}
	_, _ = w.Write([]byte("ok\n")) // whoever asked has gone
}

// handler answers /metrics.
func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
