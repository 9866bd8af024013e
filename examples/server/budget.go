package main

import (
	"time"

	"golang.org/x/time/rate"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// The limits of a player, in each second and at once. The others get what a player sends, and
// a player who cannot keep up is dismissed. What fifteen players may send, and what the
// server sends about their ships, leaves the queue of the sixteenth as fast as it arrives, if
// the round trip takes at most 0.5 s and nothing is lost: a transport.Session has 256
// messages under way and sends 80 datagrams a second. The game sends a few messages a second,
// ten updates of its ship, and chat.
const (
	messageRate  = 25
	messageBurst = 60
	updateRate   = 40
	updateBurst  = 80
	chatRate     = 2
	chatBurst    = 10
	relayRate    = 3 * transport.MaxDatagram // bytes of datagrams to each of the others; see relayCost
	relayBurst   = 16 * transport.MaxDatagram
	launchRate   = 0.5 // ships; the server tells everybody of the end of each
	launchBurst  = 3
)

// budget counts what a player sends against its limits.
type budget struct{ messages, updates, chat, bytes, launches *rate.Limiter }

func newBudget() budget {
	return budget{
		messages: rate.NewLimiter(messageRate, messageBurst),
		updates:  rate.NewLimiter(updateRate, updateBurst),
		chat:     rate.NewLimiter(chatRate, chatBurst),
		bytes:    rate.NewLimiter(relayRate, relayBurst),
		launches: rate.NewLimiter(launchRate, launchBurst),
	}
}

// relayCost returns the bytes of datagrams that a relayed payload takes. A message that does not
// fit ends a datagram, so a message of more than half a datagram takes a whole one.
func relayCost(payload []byte) int {
	const header, room = 5, transport.MaxDatagram - 2
	return transport.MaxDatagram / max(1, room/(header+len(payload)))
}

// maySpeak reports whether a player may send one more message.
func (p *player) maySpeak(now time.Time, code opcode.Code) bool {
	b := &p.budget
	if code == opcode.OpStateUpdate && p.stage == inGame {
		return b.updates.AllowN(now, 1)
	}
	if !b.messages.AllowN(now, 1) {
		return false
	}
	isChat := code == opcode.OpChatMessage || code == opcode.OpTeamChatMessage
	return !isChat || b.chat.AllowN(now, 1)
}
