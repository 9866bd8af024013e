package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// console runs lines as commands until the input or the server ends. The command quit calls quit.
func (m *match) console(ctx context.Context, in io.Reader, loop *udp.Loop, quit func()) {
	for lines := bufio.NewScanner(in); lines.Scan(); {
		err := loop.Do(ctx, func() {
			if m.command(lines.Text()) {
				quit()
			}
		})
		if err != nil {
			return
		}
	}
}

// command runs a command. It reports whether the server must end.
func (m *match) command(line string) (quit bool) {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case "":
	case "quit":
		return true
	case "say":
		t := text(rest)
		t = t[:min(len(t), opcode.MaxChat)]
		m.send(&opcode.ChatMessage{SenderID: objectid.Host, Text: t}, m.players(nil)...)
	case "kick":
		if p := m.selected(rest); p != nil {
			p.session.Boot(transport.BootRemoved)
		} else {
			m.log.Warn("no such player", "name", rest)
		}
	case "end":
		m.end(opcode.EndOver)
	case "restart":
		m.end(opcode.EndOver)
		m.restart = m.now
	case "players":
		for session := range m.hub.Sessions() {
			p := session.Value.(*player)
			m.log.Info("player", "player", p, "kills", p.score.kills, "deaths", p.score.deaths)
		}
	default:
		m.log.Warn("no such command", "command", word, "commands", "players, say, kick, end, restart, quit")
	}
	return false
}

// selected returns the player that an argument selects, or nil: #5 is the peer ID 5, and quotes, as
// of a string in Go, enclose a name. Any other argument is a name as it stands.
func (m *match) selected(arg string) *player {
	if id, ok := strings.CutPrefix(arg, "#"); ok {
		return m.find(func(p *player) bool { return strconv.Itoa(int(p.id())) == id })
	}
	if name, err := strconv.Unquote(arg); err == nil && arg[0] == '"' {
		return m.named(name)
	}
	return m.named(arg)
}

// stats are the metrics of the match and of the Hub.
type stats struct {
	registry              *prometheus.Registry
	received, sent        *prometheus.CounterVec // by opcode
	drops, transportDrops *prometheus.CounterVec // by reason
	datagrams             *prometheus.CounterVec // by direction
	retransmissions       prometheus.Counter
	players               prometheus.Gauge
	ticks                 prometheus.Histogram
	counted               transport.Counters // included in the metrics
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
		sent:            vector("messages_sent_total", "Game messages sent.", "opcode"),
		drops:           vector("messages_dropped_total", "Game messages that the match has dropped.", "reason"),
		transportDrops:  vector("transport_dropped_total", "Datagrams and messages that the transport has dropped.", "reason"),
		datagrams:       vector("datagrams_total", "Datagrams.", "direction"),
		retransmissions: metrics.NewCounter(prometheus.CounterOpts{Namespace: "bcwire", Name: "repeats_total", Help: "Retransmissions."}),
		players:         metrics.NewGauge(prometheus.GaugeOpts{Namespace: "bcwire", Name: "players", Help: "Players in the game."}),
		ticks: metrics.NewHistogram(prometheus.HistogramOpts{
			Namespace: "bcwire", Name: "tick_seconds", Help: "Duration of a tick.", Buckets: prometheus.ExponentialBuckets(1e-5, 4, 8),
		}),
	}
}

func (s *stats) drop(reason string) { s.drops.WithLabelValues(reason).Inc() }

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
	h := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = h.Serve(l) }()
	log.Info("metrics", "addr", l.Addr())
	return h, nil
}
