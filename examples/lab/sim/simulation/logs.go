package simulation

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
)

// logChecker is the log of the server. No line stands in it twice in a second.
type logChecker struct {
	s      *simulation
	seen   map[string]time.Time
	second time.Time // when the current second has begun
	lines  int       // in it
}

// maxLines is the most lines in a second: 20 about clients that join, and three for each player.
const maxLines = 20 + 3*objectid.Slots

// Enabled implements [slog.Handler].
func (l *logChecker) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelInfo
}

// Handle implements [slog.Handler].
func (l *logChecker) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	b.WriteString(r.Message)
	r.Attrs(func(a slog.Attr) bool {
		if a.Key != "unlogged" {
			fmt.Fprintf(&b, " %s=%s", a.Key, a.Value.Resolve())
		}
		return true
	})
	line, now := b.String(), l.s.Now
	if now.Sub(l.second) >= time.Second {
		l.second, l.lines = now, 0
	}
	if l.lines++; l.lines > maxLines {
		l.s.fail("the log has %d lines in a second", l.lines)
	}
	if r.Message == "ship" {
		r.Attrs(func(a slog.Attr) bool {
			if id, ok := a.Value.Any().(objectid.ID); ok {
				_, name := playerOf(r)
				l.s.truth.ships[id] = append(l.s.truth.ships[id], name)
			}
			return true
		})
	}
	switch peer, name := playerOf(r); r.Message {
	case "named":
		l.s.truth.rename(peer, name)
	case "joined":
		l.s.truth.joined[name] = now
	case "left":
		l.s.truth.left(name, now)
		delete(l.s.truth.names, peer)
		delete(l.s.truth.former, peer)
	case "destroyed":
		l.s.died(r)
	}
	if r.Message == "destroyed" || r.Message == "chat" || strings.Contains(r.Message, "wrong password") { // each has a cause, and a limit
		return nil
	}
	if at, ok := l.seen[line]; ok && now.Sub(at) < time.Second && !l.again(r) {
		l.s.fail("the log has this line twice in a second: %s", line)
	}
	if len(l.seen) > 1000 {
		clear(l.seen)
	}
	if l.seen == nil {
		l.seen = map[string]time.Time{}
	}
	l.seen[line] = now
	if r.Message == "restart" {
		l.s.restarted = now
		l.s.truth.told = nil
		clear(l.s.truth.kills)
		clear(l.s.truth.fallen)
		if len(l.s.audience()) == 0 { // nobody sees the restart
			l.s.events = keep(l.s.events, []match.Event{{Kind: match.Restart}})
		}
	}
	if r.Level >= slog.LevelError {
		l.s.fail("the server logs an error: %s", line)
	}
	return nil
}

// again reports whether a line has a new cause each time: a command of the console, or a forged datagram. The
// strangers of package siege send Connects from the address of a player, and Disconnects of these sessions, up to
// 40 times a second. A [join.Host] limits the number of these lines. The clients have no name, because they send
// none.
func (l *logChecker) again(r slog.Record) bool {
	s := l.s
	switch r.Message {
	case "end":
		return s.Now.Equal(s.commanded)
	case "restart":
		return s.Now.Sub(s.commanded) < time.Second
	case "connected", "left":
		_, name := playerOf(r)
		return s.on(Spoof) && s.attack != nil && name == ""
	}
	return false
}

// playerOf returns the peer ID and the name of the player of a line, if it has one.
func playerOf(r slog.Record) (peer objectid.PeerID, name string) {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "player" {
			peer, name = whoIs(a.Value)
		}
		return true
	})
	return peer, name
}

// WithAttrs implements [slog.Handler].
func (l *logChecker) WithAttrs([]slog.Attr) slog.Handler { return l }

// WithGroup implements [slog.Handler].
func (l *logChecker) WithGroup(string) slog.Handler { return l }
