package siege

import (
	"math"
	"time"

	bot "github.com/bcwire/bcwire/examples/bot/player"
	"github.com/bcwire/bcwire/examples/lab/simulated"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
)

// Robot is a bot on a session, in virtual time.
type Robot struct {
	*bot.Player
	*simulated.Client
}

// Crew are the bots of a match.
type Crew []*Robot

// classes are those that players can choose.
var classes = stateupdate.Stock()[:15]

// NewBot returns the i-th bot of a match.
func NewBot(now time.Time, i int, o bot.Options) *Robot {
	o.Name = "Bot " + string(rune('A'+i))
	o.Ship = classes[i%len(classes)]
	o.Seed = uint64(i)
	request := transport.ConnectRequest{ConnID: uint32(i+1)<<16 | uint32(now.Unix())&0xFFFF}
	session, err := transport.NewClient(now, request, transport.Options{})
	if err != nil {
		panic(err) // the password is too long
	}
	p := bot.New(now, o)
	return &Robot{p, simulated.New(p, session)}
}

// InGame waits until all bots have a ship.
func (c Crew) InGame(w *World, d time.Duration) {
	w.T.Helper()
	w.Until(d, func() bool {
		for _, p := range c {
			if p.State() != bot.InGame {
				return false
			}
		}
		return true
	})
}

// RequirePlaying checks that no bot has ended.
func (c Crew) RequirePlaying(t T) {
	t.Helper()
	for _, p := range c {
		check(t, p.Err())
	}
}

// ChatHeard returns the number of lines of chat that the bots have received.
func (c Crew) ChatHeard() (lines uint64) {
	for _, p := range c {
		lines += p.Counters().Received[opcode.OpChatMessage]
	}
	return lines
}

// Distance returns the distance of two ships.
func Distance(a, b *stateupdate.Ship) float64 {
	p, q := a.Position, b.Position
	return math.Hypot(math.Hypot(float64(p[0]-q[0]), float64(p[1]-q[1])), float64(p[2]-q[2]))
}
