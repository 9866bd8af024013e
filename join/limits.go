package join

import (
	"time"

	"github.com/bcwire/bcwire/internal/limit"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// bucket is a token bucket with its rate.
type bucket struct {
	limit.Bucket
	rate limit.Rate
}

func newBucket(interval time.Duration, burst int) bucket {
	return bucket{rate: limit.Rate{Interval: interval, Burst: burst}}
}

// take takes tokens, and reports whether there were as many.
func (b *bucket) take(now time.Duration, n int) bool { return b.Take(now, b.rate, n) }

// limits are the rate limits of a player. What fifteen players may cause must leave the queue for the
// sixteenth as fast as it arrives. It does if the round trip takes at most 0.5 s and nothing is lost:
// a transport.Session has 256 messages in flight and sends 80 datagrams a second.
type limits struct {
	messages, updates, chat bucket
	relayed                 bucket // bytes of datagrams to each other player; see relayCost
	ships                   bucket
}

func newLimits() limits {
	perSecond := func(rate, burst int) bucket { return newBucket(time.Second/time.Duration(rate), burst) }
	return limits{
		messages: perSecond(25, 50),
		updates:  perSecond(40, 80),
		chat:     perSecond(2, 10),
		relayed:  perSecond(3*transport.MaxDatagram, 16*transport.MaxDatagram),
		ships:    newBucket(2*time.Second, 3),
	}
}

// allow reports whether a message is within the rate limits of a client.
func (m *Member) allow(now time.Duration, code opcode.Code) bool {
	if code == opcode.OpStateUpdate && m.stage == inGame {
		return m.limits.updates.take(now, 1)
	}
	chat := code == opcode.OpChatMessage || code == opcode.OpTeamChatMessage
	return m.limits.messages.take(now, 1) && (!chat || m.limits.chat.take(now, 1))
}

// allowRelayed reports whether a message of a player in the game is within the limits of what the
// player causes for the others.
func (m *Member) allowRelayed(now time.Duration, code opcode.Code, bytes int) bool {
	switch {
	case code == opcode.OpObjectCreateTeam && !m.limits.ships.take(now, 1):
		return false
	case relayed(code.Info()):
		return m.limits.relayed.take(now, relayCost(bytes))
	}
	return true
}

// relayed reports whether the messages of an opcode are relayed unchanged. The program may relay any
// message of a mod, which no client of the game sends.
func relayed(i opcode.Info) bool {
	switch i.Relay {
	case opcode.RelayForward, opcode.RelayAll, opcode.RelayTeam:
		return true
	}
	return i.Direction == opcode.DirNone || i.Direction == opcode.DirDown
}

// relayCost returns the bytes of datagrams that a relayed payload takes. A message that does not fit
// ends a datagram, so a message of more than half a datagram takes a whole one.
func relayCost(payload int) int {
	const header, room = 5, transport.MaxDatagram - 2
	return transport.MaxDatagram / max(1, room/(header+payload))
}
