package watch

import (
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"sitemend/cmd/internal/job"
)

// metrics are what /metrics says, and what /healthz goes by.
type metrics struct {
	registry *prometheus.Registry
	entries  *prometheus.GaugeVec
	worked   *prometheus.GaugeVec
	took     *prometheus.GaugeVec
	requests *prometheus.CounterVec
	letters  *prometheus.CounterVec
	waiting  prometheus.Gauge
	ill      atomic.Pointer[string] // what keeps it from working; nil or "" for nothing
	beaten   atomic.Int64           // Unix seconds of the machine's clock: when the loop came by last
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		entries: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "sitemend_entries",
			Help: "Entries of the last audit by verdict."}, []string{"site", "verdict"}),
		worked: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "sitemend_audit_last_success_timestamp_seconds",
			Help: "When the last audit ended that could be made."}, []string{"site"}),
		took: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "sitemend_audit_duration_seconds",
			Help: "How long the last audit took."}, []string{"site"}),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "sitemend_requests_total",
			Help: "Requests of the audits that ended."}, []string{"site"}),
		letters: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "sitemend_notifications_total",
			Help: "Messages by receiver and result: sent, failed (it is tried again), expired (it was given up)."}, []string{"receiver", "result"}),
		waiting: prometheus.NewGauge(prometheus.GaugeOpts{Name: "sitemend_outbox",
			Help: "Messages that were not delivered yet."}),
	}
	m.registry.MustRegister(m.entries, m.worked, m.took, m.requests, m.letters, m.waiting)
	m.beaten.Store(time.Now().Unix())
	return m
}

// ended takes an audit that has just ended.
func (m *metrics) ended(site string, n *job.News) {
	m.last(site, n)
	m.requests.WithLabelValues(site).Add(float64(n.Requests))
}

// last shows the last audit of a site.
func (m *metrics) last(site string, n *job.News) {
	m.entries.DeletePartialMatch(prometheus.Labels{"site": site})
	for v, count := range n.Verdicts {
		m.entries.WithLabelValues(site, string(v)).Set(float64(count))
	}
	m.took.WithLabelValues(site).Set(n.Duration.Seconds())
	m.requests.WithLabelValues(site).Add(0) // it is there before it grows
}

// success notes when a site could be audited last.
func (m *metrics) success(site string, at time.Time) {
	m.worked.WithLabelValues(site).Set(float64(at.UnixMilli()) / 1000)
}

// forget forgets all sites; those that are still watched are shown again by last and success.
func (m *metrics) forget() {
	m.entries.Reset()
	m.worked.Reset()
	m.took.Reset()
}

// beat notes that the loop came by, and how many letters wait.
func (m *metrics) beat(o *outbox) {
	m.waiting.Set(float64(len(o.letters)))
	m.beaten.Store(time.Now().Unix())
}

// sickAfter is how long the loop may not come by; it does at least once a minute.
const sickAfter = 5 * time.Minute

// sick notes what keeps it from working, "" for nothing.
func (m *metrics) sick(why string) { m.ill.Store(&why) }

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
