package main

import (
	"errors"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// send sends a message reliably.
func (m *match) send(p *player, msg opcode.Message) {
	payload, err := msg.AppendBinary(m.buf[:0])
	if err != nil {
		m.log.Error("message does not encode", "player", p, "error", err)
		return
	}
	m.buf = payload
	m.sendPayload(p, payload, transport.Reliable)
}

// sendPayload sends a payload. Without room for a reliable one the player would never
// learn what has happened: it is dismissed.
func (m *match) sendPayload(p *player, payload []byte, d transport.Delivery) {
	err := p.session.Send(payload, d)
	if err == nil {
		m.stats.sent(opcode.Code(payload[0]))
	} else if d&transport.Reliable != 0 {
		m.failed(p, err)
	}
}

// sendSystem sends a message of the transport in the same way.
func (m *match) sendSystem(p *player, body transport.Body) {
	if err := p.session.SendSystem(body); err != nil {
		m.failed(p, err)
	}
}

// failed dismisses a player whom something could not be sent.
func (m *match) failed(p *player, err error) {
	if !errors.Is(err, transport.ErrNotOpen) { // it is gone already
		m.log.Warn("cannot keep up", "player", p, "error", err)
		p.dismiss(transport.BootTimeout)
	}
}

// broadcast sends a message to some players.
func (m *match) broadcast(to []*player, msg opcode.Message) {
	for _, p := range to {
		m.send(p, msg)
	}
}

// text returns a string as the game has texts, without the characters that it cannot show.
func text(s string) (out stream.Text) {
	for _, r := range s {
		if t, err := stream.NewText(string(r)); err == nil {
			out = append(out, t...)
		}
	}
	return out
}
