package main

import (
	"errors"
	"slices"

	"golang.org/x/time/rate"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// limits are the rate limits of a player. What fifteen players may cause must leave the queue for the
// sixteenth as fast as it arrives. It does if the round trip takes at most 0.5 s and nothing is lost:
// a transport.Session has 256 messages in flight and sends 80 datagrams a second.
type limits struct {
	messages, updates, chat *rate.Limiter
	relayed                 *rate.Limiter // bytes of datagrams to each other player; see relayCost
	ships                   *rate.Limiter // the server informs the others about the end of each ship
}

func newLimits() limits {
	return limits{
		messages: rate.NewLimiter(25, 50), // in a second, and at once
		updates:  rate.NewLimiter(40, 80),
		chat:     rate.NewLimiter(2, 10),
		relayed:  rate.NewLimiter(3*transport.MaxDatagram, 16*transport.MaxDatagram),
		ships:    rate.NewLimiter(0.5, 3),
	}
}

// relayCost returns the bytes of datagrams that a relayed payload takes. A message that does not
// fit ends a datagram, so a message of more than half a datagram takes a whole one.
func relayCost(payload []byte) int {
	const header, room = 5, transport.MaxDatagram - 2
	return transport.MaxDatagram / max(1, room/(header+len(payload)))
}

// payload handles a payload of a client, or drops it for a reason.
func (m *match) payload(p *player, payload []byte) {
	if len(payload) == 0 {
		m.stats.drop("empty")
		return
	}
	p.active = m.now
	code := opcode.Code(payload[0])
	m.stats.received.WithLabelValues(code.String()).Inc()
	if reason, err := m.receive(p, code, payload); reason != "" {
		m.stats.drop(reason)
		m.log.Debug("dropped", "player", p, "opcode", code, "reason", reason, "error", err)
	}
}

// receive handles a payload. If it drops the payload, it returns the reason, a label of the metrics.
func (m *match) receive(p *player, code opcode.Code, payload []byte) (reason string, err error) {
	switch size := code.Info().MaxSize; {
	case !p.session.Proven(): // it came in one datagram with a message that was answered
		return "unproven", nil
	case !m.allow(p, code):
		return "rate", nil
	case p.stage == inGame && (len(payload) > transport.MaxUnfragmentedPayload || size > 0 && len(payload) > size):
		return "oversize", nil
	}
	msg, err := m.decoder.Decode(payload)
	switch ready, _ := msg.(*opcode.NewPlayerInGame); {
	case errors.Is(err, stream.ErrTrailing):
		return "trailing", err
	case err != nil:
		return "malformed", err
	case p.exchange.State() == checksum.StateRejected:
		return "refused", nil
	case p.stage == checking:
		return m.compare(p, msg)
	case p.stage == loading && ready == nil:
		return "early", nil
	case p.stage == loading:
		p.modem = ready.Modem
		m.ready(p)
		return "", nil
	}
	return m.play(p, msg, payload)
}

// allow reports whether a message is within the rate limits of a player.
func (m *match) allow(p *player, code opcode.Code) bool {
	if code == opcode.OpStateUpdate && p.stage == inGame {
		return p.limits.updates.AllowN(m.now, 1)
	}
	chat := code == opcode.OpChatMessage || code == opcode.OpTeamChatMessage
	return p.limits.messages.AllowN(m.now, 1) && (!chat || p.limits.chat.AllowN(m.now, 1))
}

// relayed reports whether the messages of an opcode are relayed unchanged.
func relayed(code opcode.Code) bool {
	return slices.Contains([]opcode.Relay{opcode.RelayForward, opcode.RelayAll, opcode.RelayTeam}, code.Info().Relay)
}

// play acts on a message of a player in the game and relays it, if the player may send it.
func (m *match) play(p *player, msg opcode.Message, payload []byte) (reason string, err error) {
	from := opcode.Sender{PeerID: p.id(), Slot: p.slot}
	if p.ship != nil {
		from.Ship = p.ship.ID
	}
	if p.sign(msg) {
		m.buf, _ = opcode.Append(m.buf[:0], msg) // it was decoded
		payload = m.buf
	}
	code := msg.Opcode()
	switch err := opcode.Authorize(msg, from); {
	case errors.Is(err, opcode.ErrDirection):
		return "direction", err
	case errors.Is(err, opcode.ErrUnknownMessage):
		return "unknown", err
	case err != nil:
		return "forged", err
	case p.ship == nil && (code == opcode.OpStateUpdate || code == opcode.OpCollisionEffect):
		return "no ship", nil
	case relayed(code) && !p.limits.relayed.AllowN(m.now, relayCost(payload)):
		return "rate", nil
	}
	if reason, err := m.act(p, msg); reason != "" || !relayed(code) {
		return reason, err
	}
	for _, to := range m.players(nil) {
		relay := code.Info().Relay
		switch {
		case relay == opcode.RelayTeam && to.team != p.team:
		case to == p && relay == opcode.RelayForward:
		case m.sent(to, to.session.Send(payload, transport.Reliable)):
			m.stats.sent.WithLabelValues(code.String()).Inc()
		}
	}
	return "", nil
}

// sign writes the sender's peer ID into a shot, to whose player receivers credit kills, and into the
// chat of OpenBC's client, which has the slot there. It reports whether the message is one of these.
func (p *player) sign(msg opcode.Message) bool {
	sender := new(objectid.PeerID)
	switch msg := msg.(type) {
	case *opcode.TorpedoFire:
		msg.PlayerID = p.id()
	case *opcode.BeamFire:
		msg.PlayerID = p.id()
	case *opcode.ChatMessage:
		sender = &msg.SenderID
	case *opcode.TeamChatMessage:
		sender = &msg.SenderID
	default:
		return false
	}
	if p.session.OpenBC() && *sender == objectid.PeerID(p.slot) {
		*sender = opcode.Speaker(msg, p.id(), false)
	}
	return true
}

// act acts on a message. A message that is dropped for a reason is not relayed.
func (m *match) act(p *player, msg opcode.Message) (reason string, err error) {
	switch msg := msg.(type) {
	case *opcode.ObjectCreateTeam:
		return m.launch(p, msg)
	case *opcode.StateUpdate:
		if _, err := p.reports.Apply(msg); err != nil {
			return "state", err
		}
	case *opcode.CollisionEffect:
		return m.collide(p, msg)
	case *opcode.NewPlayerInGame:
		p.modem = msg.Modem
	case *opcode.RequestObject: // the client has missed the creation of a ship
		if owner := m.owner(msg.ObjectID); owner != nil && owner != p {
			m.sendShip(p, owner)
		}
	case *opcode.HostMessage: // self-destruction
		m.destroy(p, nil)
	case *opcode.TeamMessage:
		p.team = msg.Team
	case *opcode.ChatMessage:
		m.log.Info("chat", "player", p, "text", msg.Text.String())
	}
	return "", nil
}
