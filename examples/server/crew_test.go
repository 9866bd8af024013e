package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	bot "github.com/bcwire/bcwire/examples/bot/player"
	"github.com/bcwire/bcwire/examples/internal/simulated"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
)

// robot is a bot on a session, in virtual time.
type robot struct {
	*bot.Player
	*simulated.Client
}

// crew are the bots of a match.
type crew []*robot

// classes are those that players can choose.
var classes = stateupdate.Stock()[:15]

// newBot returns the i-th bot of a match.
func newBot(now time.Time, i int, o bot.Options) *robot {
	o.Name = "Bot " + string(rune('A'+i))
	o.Ship = classes[i%len(classes)]
	o.Seed = uint64(i)
	request := transport.ConnectRequest{ConnID: uint32(i+1)<<16 | uint32(now.Unix())&0xFFFF}
	session, err := transport.NewClient(now, request, transport.Options{})
	if err != nil {
		panic(err) // the password is too long
	}
	p := bot.New(now, o)
	return &robot{p, simulated.New(p, session)}
}

// inGame waits until all bots have a ship.
func (c crew) inGame(w *world, d time.Duration) {
	w.t.Helper()
	w.until(d, func() bool {
		for _, p := range c {
			if p.State() != bot.InGame {
				return false
			}
		}
		return true
	})
}

// requirePlaying checks that no bot has ended.
func (c crew) requirePlaying(t testing.TB) {
	t.Helper()
	for _, p := range c {
		require.NoError(t, p.Err())
	}
}

// heard returns the number of lines of chat that the bots have received.
func (c crew) heard() (lines uint64) {
	for _, p := range c {
		lines += p.Counters().Received[opcode.OpChatMessage]
	}
	return lines
}
