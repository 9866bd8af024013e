package join

import (
	"time"

	"github.com/bcwire/bcwire/internal/limit"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// The buckets of an account.
const (
	messages = iota
	updates
	chat
	relay // bytes of datagrams to each other player; see relayCost
	ships
	lines // of the log
)

// inFlight is the number of messages that a transport.Session has in flight. After a pause of the network, all of a
// player's arrive at once.
const inFlight = 256

// newAccounts returns the rate limits of the sessions of clients. If the round trip takes at most 0.5 s and nothing is
// lost, what fifteen players may cause need not wait for the sixteenth: a transport.Session sends 80 datagrams a second.
// Otherwise, and after a burst, it waits in an outbox.
func newAccounts() limit.Accounts {
	return limit.Accounts{Max: maxNetworks, Rates: []limit.Rate{
		messages: perSecond(25, inFlight),
		updates:  perSecond(40, 80),
		chat:     perSecond(2, 10),
		relay:    perSecond(3*transport.MaxDatagram, 32*transport.MaxDatagram),
		ships:    {Interval: 2 * time.Second, Burst: 3},
		lines:    {Interval: time.Minute, Burst: 30}, // so whoever has been in the game for a minute is in the log
	}}
}

func perSecond(rate, burst int) limit.Rate {
	return limit.Rate{Interval: time.Second / time.Duration(rate), Burst: burst}
}

// joinBytes is the cost of a join, as much as the messages about it and about the later leave, which the Host sends to
// each other player. It may be a debt: nothing of the player is then relayed until it is paid.
const joinBytes = transport.MaxDatagram

// allow reports whether a message is within the rate limits of a client. A ship has a limit of its own: a player
// whose ship is dropped would fly unseen.
func (m *Member) allow(now time.Duration, code opcode.Code) bool {
	switch {
	case code == opcode.OpStateUpdate && m.stage == inGame:
		return m.account.Take(now, updates, 1)
	case code == opcode.OpObjectCreateTeam && m.stage == inGame:
		return true
	}
	isChat := code == opcode.OpChatMessage || code == opcode.OpTeamChatMessage
	return m.account.Take(now, messages, 1) && (!isChat || m.account.Take(now, chat, 1))
}

// allowRelayed reports whether a message of a player in the game is within the limits of what the
// player causes for the others.
func (m *Member) allowRelayed(now time.Duration, code opcode.Code, bytes int) bool {
	switch {
	case code == opcode.OpObjectCreateTeam && !m.account.Take(now, ships, 1):
		return false
	case code == opcode.OpObjectCreateTeam:
		m.account.Spend(now, relay, relayCost(bytes))
	case isRelayed(code.Info()):
		return m.account.Take(now, relay, relayCost(bytes))
	}
	return true
}

// isRelayed reports whether the messages of an opcode are relayed unchanged. The program may relay any message of a mod.
// Those with an opcode that only hosts of the game send have at most 18 bytes, so that the limit of messages is enough.
func isRelayed(i opcode.Info) bool {
	switch i.Relay {
	case opcode.RelayForward, opcode.RelayAll, opcode.RelayTeam:
		return true
	}
	return i.Direction == opcode.DirNone
}

// relayCost returns the bytes of datagrams that a relayed payload takes. A message that does not fit
// ends a datagram, so a message of more than half a datagram takes a whole one.
func relayCost(payload int) int {
	const header, room = 5, transport.MaxDatagram - 2
	return transport.MaxDatagram / max(1, room/(header+payload))
}
