package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/bcwire/bcwire/examples/internal/localhttp"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// stats are the metrics of the match and of the Hub.
type stats struct {
	registry               *prometheus.Registry
	received               *prometheus.CounterVec // by opcode
	drops, transportDrops  *prometheus.CounterVec // by reason
	datagrams              *prometheus.CounterVec // by direction
	retransmissions, noted prometheus.Counter
	players                prometheus.Gauge
	ticks                  prometheus.Histogram
	counted                transport.Counters // included in the metrics
}

func newStats() *stats {
	registry := prometheus.NewRegistry()
	metrics := promauto.With(registry)
	vector := func(name, help, label string) *prometheus.CounterVec {
		return metrics.NewCounterVec(prometheus.CounterOpts{Namespace: "bcwire", Name: name, Help: help}, []string{label})
	}
	return &stats{
		registry:        registry,
		received:        vector("messages_received_total", "Game messages received.", "opcode"),
		drops:           vector("messages_dropped_total", "Game messages that the match has dropped.", "reason"),
		transportDrops:  vector("transport_dropped_total", "Datagrams and messages that the transport has dropped.", "reason"),
		datagrams:       vector("datagrams_total", "Datagrams.", "direction"),
		retransmissions: metrics.NewCounter(prometheus.CounterOpts{Namespace: "bcwire", Name: "repeats_total", Help: "Retransmissions."}),
		noted:           metrics.NewCounter(prometheus.CounterOpts{Namespace: "bcwire", Name: "improbable_total", Help: "Messages that no ship is capable of, refused or not."}),
		players:         metrics.NewGauge(prometheus.GaugeOpts{Namespace: "bcwire", Name: "players", Help: "Players in the game."}),
		ticks: metrics.NewHistogram(prometheus.HistogramOpts{
			Namespace: "bcwire", Name: "tick_seconds", Help: "Duration of a tick.", Buckets: prometheus.ExponentialBuckets(1e-5, 4, 8),
		}),
	}
}

func (s *stats) drop(reason string) { s.drops.WithLabelValues(reason).Inc() }

// event counts the messages of clients.
func (s *stats) event(e transport.Event) {
	if e.Kind == transport.EventPayload && len(e.Payload) > 0 {
		s.received.WithLabelValues(opcode.Code(e.Payload[0]).String()).Inc()
	}
}

// ticked adds the counters of the Hub since the last tick.
func (s *stats) ticked(took time.Duration, players int, c transport.Counters) {
	before := &s.counted
	s.ticks.Observe(took.Seconds())
	s.players.Set(float64(players))
	s.retransmissions.Add(float64(c.Retransmissions - before.Retransmissions))
	s.datagrams.WithLabelValues("in").Add(float64(c.Received - before.Received))
	s.datagrams.WithLabelValues("out").Add(float64(c.Sent - before.Sent))
	for reason, n := range c.Drops {
		if more := n - before.Drops[reason]; more > 0 {
			s.transportDrops.WithLabelValues(transport.DropReason(reason).String()).Add(float64(more))
		}
	}
	*before = c
}

// serve serves the metrics and a readiness probe in the background. The match is ready if it runs
// a function within 2 s.
func (s *stats) serve(addr string, loop *udp.Loop, log *slog.Logger) (io.Closer, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("-metrics: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(s.registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /ready", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
		defer cancel()
		if loop.Do(ctx, func() {}) != nil {
			http.Error(w, "the match does not run", http.StatusServiceUnavailable)
		}
	})
	own := func(w http.ResponseWriter, r *http.Request) {
		if localhttp.OwnHost(r) {
			mux.ServeHTTP(w, r)
		} else {
			http.Error(w, "this Host is not served: use the address of the listener, or localhost", http.StatusForbidden)
		}
	}
	h := localhttp.NewServer(http.HandlerFunc(own), slog.NewLogLogger(log.Handler(), slog.LevelDebug))
	go func() { _ = h.Serve(l) }()
	log.Info("metrics", "addr", l.Addr())
	return h, nil
}
