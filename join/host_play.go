package join

import (
	"bytes"
	"errors"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// onPayload handles a payload of a client, or drops it for a reason.
func (h *Host) onPayload(m *Member, payload []byte) {
	reason, err := h.receive(m, payload)
	if reason != "" {
		h.drop(m, reason, err)
		return
	}
	m.active = h.clock.Now
}

func (h *Host) drop(m *Member, reason string, err error) {
	if h.options.Dropped != nil {
		h.options.Dropped(m, reason, err)
	}
	h.log.Debug("dropped", "player", m, "reason", reason, "error", err)
}

// receive handles a payload. If it drops the payload, it returns the reason.
func (h *Host) receive(m *Member, payload []byte) (reason string, err error) {
	if len(payload) == 0 {
		return "empty", nil
	}
	code := opcode.Code(payload[0])
	switch size := code.Info().MaxSize; {
	case m.stage == untried && len(m.held) < maxHeld:
		m.held = append(m.held, bytes.Clone(payload))
		return "", nil
	case !m.allow(h.clock.Now, code):
		return "rate", nil
	case m.stage == inGame && (len(payload) > transport.MaxUnfragmentedPayload || size > 0 && len(payload) > size):
		return "oversize", nil
	}
	msg, err := h.decoder.Decode(payload)
	ready, _ := msg.(*opcode.NewPlayerInGame)
	_, rejected := m.exchange.Rejection()
	switch {
	case errors.Is(err, stream.ErrTrailing):
		return "trailing", err
	case err != nil:
		return "malformed", err
	case rejected:
		return "refused", nil
	case m.stage == checking:
		return h.compare(m, msg)
	case m.stage == loading && ready != nil:
		m.Modem = ready.Modem
		h.ready(m)
		return "", nil
	case m.stage != inGame:
		return "early", nil
	}
	return h.play(m, msg, len(payload))
}

// play passes on a message of a player in the game, if the player may send it. A player whose team is not as
// the player says is told so.
func (h *Host) play(m *Member, msg opcode.Message, bytes int) (reason string, err error) {
	said := opcode.TeamNone
	team, claims := msg.(*opcode.TeamMessage)
	if claims = claims && team.PlayerID == m.PeerID; claims {
		said = team.Team // the program may change it
	}
	reason, err = h.judge(m, msg, bytes)
	if claims && m.Team != said && m.Team != team.Team { // a team that the program has changed was relayed
		h.Send(&opcode.TeamMessage{PlayerID: m.PeerID, Team: m.Team}, m)
	}
	return reason, err
}

// judge passes a message to the program, or relays it, if the player may send it.
func (h *Host) judge(m *Member, msg opcode.Message, bytes int) (reason string, err error) {
	m.sign(msg)
	err = opcode.Authorize(msg, opcode.Sender{PeerID: m.PeerID, Slot: m.Slot, Ship: m.Ship})
	switch {
	case errors.Is(err, opcode.ErrDirection):
		return "direction", err
	case errors.Is(err, opcode.ErrUnknownMessage):
		return "unknown", err
	case err != nil:
		return "forged", err
	}
	if err := h.encoder.Validate(msg); err != nil {
		return "invalid", err
	}
	if !m.allowRelayed(h.clock.Now, msg.Opcode(), bytes) {
		return "rate", nil
	}
	if h.options.Message != nil {
		h.options.Message(m, msg)
		return "", nil
	}
	h.Relay(m, msg)
	return "", nil
}

// sign writes the sender's peer ID into a shot, to whose player receivers credit kills, and into a
// line of chat. OpenBC's client writes its slot into its lines. It also writes the player's name into a
// ship: a client that ignores its new name, or claims the name of another player, sends another one. A line
// of chat has no control characters: after a line break, it could show a line under another name.
func (m *Member) sign(msg opcode.Message) {
	switch msg := msg.(type) {
	case *opcode.TorpedoFire:
		msg.PlayerID = m.PeerID
	case *opcode.BeamFire:
		msg.PlayerID = m.PeerID
	case *opcode.ChatMessage:
		msg.SenderID, msg.Text = m.PeerID, printable(msg.Text)
	case *opcode.TeamChatMessage:
		msg.SenderID, msg.Text = m.PeerID, printable(msg.Text)
	case *opcode.ObjectCreateTeam:
		msg.PlayerName = text(m.Name)
	}
}

// Relay accepts a message of a player: it sets Team or Modem of the Member if the message says so, and sends the message
// to other players by the rule of its opcode; see [opcode.Relay]. It does not send messages of mods, which have no rule,
// and StateUpdates, which a host encodes again for each receiver; see [Host.Send] and HostOptions.Ships.
func (h *Host) Relay(from *Member, m opcode.Message) {
	h.follow(from, m)
	switch m := m.(type) {
	case *opcode.NewPlayerInGame:
		from.Modem = m.Modem
	case *opcode.TeamMessage:
		from.Team = m.Team
	}
	switch m.Opcode().Info().Relay {
	case opcode.RelayForward:
		h.send(m, from, h.others(from)...)
	case opcode.RelayAll:
		h.send(m, from, h.others(nil)...)
	case opcode.RelayTeam:
		var team []*Member
		for _, p := range h.others(nil) {
			if p.Team == from.Team {
				team = append(team, p)
			}
		}
		h.send(m, from, team...)
	}
}
