package watch

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are what /metrics says.
type metrics struct {
	http.Handler                    // answers /metrics
	entries, success, took, waiting *prometheus.GaugeVec
	requests, notifications         *prometheus.CounterVec
}

func newMetrics() *metrics {
	registry := prometheus.NewRegistry()
	m, with := &metrics{Handler: promhttp.HandlerFor(registry, promhttp.HandlerOpts{})}, promauto.With(registry)
	gauge := func(name, help string, labels ...string) *prometheus.GaugeVec {
		return with.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
	}
	m.entries = gauge("sitemend_entries", "Entries of the last audit by verdict.", "site", "verdict")
	m.success = gauge("sitemend_audit_last_success_timestamp_seconds", "When the last audit ended that could be made.", "site")
	m.took = gauge("sitemend_audit_duration_seconds", "How long the last audit took.", "site")
	m.waiting = gauge("sitemend_outbox", "Messages that were not delivered yet.")
	m.requests = with.NewCounterVec(prometheus.CounterOpts{Name: "sitemend_requests_total", Help: "Requests of the audits that ended."}, []string{"site"})
	m.notifications = with.NewCounterVec(prometheus.CounterOpts{Name: "sitemend_notifications_total",
		Help: "Messages by receiver and result: sent, failed (it is tried again), expired (it was given up)."}, []string{"receiver", "result"})
	return m
}

// show shows what is remembered of the sites.
func (m *metrics) show(sites []Site, o *outbox) {
	m.waiting.WithLabelValues().Set(float64(len(o.letters)))
	for _, v := range []*prometheus.GaugeVec{m.entries, m.success, m.took} {
		v.Reset() // a site may have gone
	}
	for _, s := range sites {
		st := o.states[s.Name]
		for v, count := range st.Verdicts {
			m.entries.WithLabelValues(s.Name, string(v)).Set(float64(count))
		}
		m.requests.WithLabelValues(s.Name).Add(0) // it is there before it grows
		m.took.WithLabelValues(s.Name).Set(st.Took.Seconds())
		if !st.Success.IsZero() {
			m.success.WithLabelValues(s.Name).Set(float64(st.Success.Unix()))
		}
	}
}
