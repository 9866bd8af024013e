package main

import (
	"testing"
	"time"

	bot "github.com/bcwire/bcwire/examples/bot/player"
	"github.com/bcwire/bcwire/stateupdate"
)

// crew are the bots of a match.
type crew []*bot.Player

// classes are those that players can choose.
var classes = stateupdate.StockClasses()[:15]

// newBot returns the i-th bot of a match.
func newBot(now time.Time, i int, o bot.Options) *bot.Player {
	o.Name = "Bot " + string(rune('A'+i))
	o.Ship = classes[i%len(classes)]
	o.Seed = uint64(i)
	o.ConnID = uint32(i+1)<<16 | uint32(now.Unix())&0xFFFF
	return bot.New(now, o)
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

// drain takes the events of the bots, and returns how many lines of chat are among them.
func (c crew) drain(t testing.TB) (lines int) {
	t.Helper()
	for _, p := range c {
		for e := range p.Events() {
			switch e := e.(type) {
			case bot.Said:
				lines++
			case bot.Ended:
				if e.Reason != bot.Left {
					t.Errorf("%v", e)
				}
			}
		}
	}
	return lines
}
