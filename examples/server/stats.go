package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// stats are what -metrics serves: what the match counts, and what the hub does.
type stats struct {
	registry  *prometheus.Registry
	in, out   *prometheus.CounterVec // messages by opcode
	drops     *prometheus.CounterVec // messages that the match does not take, by reason
	unread    *prometheus.CounterVec // what the transport does not take, by reason
	datagrams *prometheus.CounterVec // by direction
	repeats   prometheus.Counter
	players   prometheus.Gauge
	ticks     prometheus.Histogram

	ins, outs [256]prometheus.Counter // of in and out, found without a lookup
	before    transport.Counters      // what has been added
}

func newStats() *stats {
	vector := func(name, help, label string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "bcwire", Name: name, Help: help}, []string{label})
	}
	s := &stats{
		registry:  prometheus.NewRegistry(),
		in:        vector("messages_received_total", "Game messages received.", "opcode"),
		out:       vector("messages_sent_total", "Game messages sent.", "opcode"),
		drops:     vector("messages_dropped_total", "Game messages that the match did not take.", "reason"),
		unread:    vector("transport_dropped_total", "What the transport did not take.", "reason"),
		datagrams: vector("datagrams_total", "Datagrams.", "direction"),
		repeats:   prometheus.NewCounter(prometheus.CounterOpts{Namespace: "bcwire", Name: "repeats_total", Help: "Messages sent again."}),
		players:   prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "bcwire", Name: "players", Help: "Players in the game."}),
		ticks: prometheus.NewHistogram(prometheus.HistogramOpts{
			Namespace: "bcwire", Name: "tick_seconds", Help: "Time that a tick takes.",
			Buckets: prometheus.ExponentialBuckets(1e-5, 4, 8),
		}),
	}
	s.registry.MustRegister(s.in, s.out, s.drops, s.unread, s.datagrams, s.repeats, s.players, s.ticks)
	return s
}

func (s *stats) received(c opcode.Code) { counter(&s.ins, s.in, c).Inc() }
func (s *stats) sent(c opcode.Code)     { counter(&s.outs, s.out, c).Inc() }
func (s *stats) drop(reason string)     { s.drops.WithLabelValues(reason).Inc() }

func counter(known *[256]prometheus.Counter, vector *prometheus.CounterVec, c opcode.Code) prometheus.Counter {
	if known[c] == nil {
		known[c] = vector.WithLabelValues(c.String())
	}
	return known[c]
}

// ticked takes what a tick has changed.
func (s *stats) ticked(took time.Duration, players int, c transport.Counters) {
	s.ticks.Observe(took.Seconds())
	s.players.Set(float64(players))
	s.repeats.Add(float64(c.Retransmissions - s.before.Retransmissions))
	s.datagrams.WithLabelValues("in").Add(float64(c.Received - s.before.Received))
	s.datagrams.WithLabelValues("out").Add(float64(c.Sent - s.before.Sent))
	for reason, n := range c.Drops {
		if more := n - s.before.Drops[reason]; more > 0 {
			s.unread.WithLabelValues(transport.DropReason(reason).String()).Add(float64(more))
		}
	}
	s.before = c
}

// handler serves the metrics, and says that the server is alive.
func (s *stats) handler(alive func() bool) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(s.registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /ready", func(w http.ResponseWriter, _ *http.Request) {
		if !alive() {
			http.Error(w, "the match does not run", http.StatusServiceUnavailable)
		}
	})
	return mux
}

// serveMetrics serves the metrics in the background.
func (o *options) serveMetrics(s *server) (io.Closer, error) {
	l, err := net.Listen("tcp", o.metrics)
	if err != nil {
		return nil, fmt.Errorf("-metrics: %w", err)
	}
	h := &http.Server{Handler: s.match.stats.handler(s.ready), ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = h.Serve(l) }()
	s.match.log.Info("metrics", "addr", l.Addr())
	return h, nil
}
