package main

import (
	"time"

	"golang.org/x/time/rate"

	"github.com/bcwire/bcwire/opcode"
)

// A player may send so much in a second, and so much at once: others get what it sends,
// and who cannot keep up with it is dismissed. What fifteen players may send to the
// sixteenth fits into the queue of a transport.Session and leaves it as fast. The game
// sends a few messages, ten updates of its ship, and what somebody types.
const (
	messageRate  = 50
	messageBurst = 60
	updateRate   = 40
	updateBurst  = 80
	chatRate     = 2
	chatBurst    = 10
	relayRate    = 2 << 10 // bytes that are passed on, to each of the others
	relayBurst   = 8 << 10
	launchRate   = 0.5 // ships, each of which can be destroyed
	launchBurst  = 3
)

// budget is what a player may send.
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

// maySpeak says whether a player may send one more message.
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
