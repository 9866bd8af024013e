package main

import (
	"errors"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// maxPayload is the longest payload that is taken from a player in the game: what it sends
// fits into a datagram, and so does what others get.
const maxPayload = transport.MaxUnfragmentedPayload

// payload takes a payload of a player.
func (m *match) payload(p *player, payload []byte) {
	if len(payload) == 0 {
		m.stats.drop("empty")
		return
	}
	if !p.session.Proven() {
		m.keepPending(p, payload)
		return
	}
	code := opcode.Code(payload[0])
	m.stats.received(code)
	if !p.maySpeak(m.now, code) {
		m.stats.drop("rate")
		return
	}
	if p.stage == inGame && oversize(code, len(payload)) {
		m.drop(p, code, "oversize", nil)
		return
	}
	msg, err := m.decoder.Decode(payload)
	trailing := errors.Is(err, stream.ErrTrailing)
	switch {
	case err != nil && !trailing:
		m.drop(p, code, "malformed", err)
		return
	case trailing && p.stage == inGame && relayed(code):
		m.drop(p, code, "trailing", err)
		return
	}
	switch p.stage {
	case checking:
		m.check(p, msg)
	case loading:
		if msg, ok := msg.(*opcode.NewPlayerInGame); ok {
			p.modem = msg.Modem
			m.ready(p)
		} else {
			m.stats.drop("early")
		}
	case refused:
		m.stats.drop("refused")
	case inGame:
		m.play(p, msg, payload)
	}
}

// play acts on a message of a player in the game and relays it, if the player may send it.
func (m *match) play(p *player, msg opcode.Message, payload []byte) {
	code := msg.Opcode()
	payload = m.sign(p, msg, payload)
	if reason, err := m.refusal(p, msg); reason != "" {
		m.drop(p, code, reason, err)
		return
	}
	if relayed(code) && !p.budget.bytes.AllowN(m.now, relayCost(payload)) {
		m.stats.drop("rate")
		return
	}
	if !m.act(p, msg) {
		return
	}
	switch code.Info().Relay {
	case opcode.RelayForward, opcode.RelayOthers:
		m.relay(m.everybody(p), payload)
	case opcode.RelayAll:
		m.relay(m.everybody(nil), payload)
	case opcode.RelayTeam:
		m.relay(m.teamOf(p), payload)
	}
}

// refusal returns why a player may not send a message, "" if it may.
func (m *match) refusal(p *player, msg opcode.Message) (reason string, err error) {
	from := opcode.Sender{PeerID: p.id(), Slot: p.slot}
	if p.ship != nil {
		from.Ship = p.ship.ID
	}
	switch err := opcode.Authorize(msg, from); {
	case errors.Is(err, opcode.ErrDirection):
		return "direction", err
	case errors.Is(err, opcode.ErrUnknownMessage):
		return "unknown", err
	case err != nil:
		return "forged", err
	}
	switch msg.(type) {
	case *opcode.StateUpdate, *opcode.CollisionEffect:
		if p.ship == nil {
			return "no ship", nil
		}
	}
	return "", nil
}

// sign puts the sender's peer ID into a message where the game has it and another sender
// may not: into a shot, to whose player receivers credit kills, and into the chat of
// OpenBC's client, which has the slot there. It returns the payload, unchanged if the
// message is right already.
func (m *match) sign(p *player, msg opcode.Message, payload []byte) []byte {
	id, changed := p.id(), false
	switch msg := msg.(type) {
	case *opcode.TorpedoFire:
		changed = msg.PlayerID != uint8(id)
		msg.PlayerID = uint8(id)
	case *opcode.BeamFire:
		changed = msg.PlayerID != uint8(id)
		msg.PlayerID = uint8(id)
	case *opcode.ChatMessage:
		changed = p.signsWithSlot(&msg.SenderID)
	case *opcode.TeamChatMessage:
		changed = p.signsWithSlot(&msg.SenderID)
	}
	if changed {
		// The text is part of the payload, which is not m.buf.
		m.buf, _ = msg.AppendBinary(m.buf[:0]) // it was decoded
		return m.buf
	}
	return payload
}

// signsWithSlot turns the slot of a client of OpenBC into its peer ID. It reports whether
// there was one.
func (p *player) signsWithSlot(sender *int32) bool {
	if !p.session.OpenBC() || *sender != int32(p.slot) || *sender == int32(p.id()) {
		return false
	}
	*sender = int32(p.id())
	return true
}

// oversize says whether a payload is longer than the game would send.
func oversize(code opcode.Code, n int) bool {
	limit := code.Info().MaxSize
	return n > maxPayload || limit > 0 && n > limit
}

// relayed says whether messages of an opcode are passed on as they are.
func relayed(code opcode.Code) bool {
	switch code.Info().Relay {
	case opcode.RelayForward, opcode.RelayOthers, opcode.RelayAll, opcode.RelayTeam:
		return true
	}
	return false
}

func (m *match) relay(to []*player, payload []byte) {
	for _, p := range to {
		m.sendPayload(p, payload, transport.Reliable)
	}
}

// drop counts a message that is not taken.
func (m *match) drop(p *player, code opcode.Code, reason string, err error) {
	m.stats.drop(reason)
	m.log.Debug("dropped", "player", p, "opcode", code, "reason", reason, "error", err)
}

// act does what a message means for the host, and says whether it is to be passed on.
func (m *match) act(p *player, msg opcode.Message) bool {
	switch msg := msg.(type) {
	case *opcode.ObjectCreateTeam:
		return m.launch(p, msg)
	case *opcode.StateUpdate:
		m.moved(p, msg)
	case *opcode.NewPlayerInGame:
		p.modem = msg.Modem
	case *opcode.RequestObject:
		m.requested(p, msg.ObjectID)
	case *opcode.HostMessage:
		m.died(p, nil)
	case *opcode.CollisionEffect:
		m.collided(p, msg)
	case *opcode.TeamMessage:
		p.team = team{chosen: true, Team: msg.Team}
	case *opcode.ChatMessage:
		m.log.Info("chat", "player", p, "text", msg.Text.String())
	}
	return true
}
