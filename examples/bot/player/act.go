package player

import (
	"errors"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// Why something cannot be done.
var (
	ErrNotJoined = errors.New("player: not joined")
	ErrNoShip    = errors.New("player: no ship")
)

// Send sends a message of the game, as its opcode is sent.
func (p *Player) Send(m opcode.Message) error {
	if !p.playing() {
		return ErrNotJoined
	}
	return p.send(m)
}

func (p *Player) send(m opcode.Message) error {
	payload, err := m.AppendBinary(p.buf[:0])
	if err == nil {
		p.buf = payload
		d := transport.Reliable
		if m.Opcode().Info().Unreliable {
			d = transport.Unreliable
		}
		err = p.session.Send(payload, d)
	}
	p.counters.sent(m.Opcode(), err)
	return err
}

// Say sends a line of chat to everybody.
func (p *Player) Say(text string) error {
	m, err := chat(p.ID(), text)
	if err != nil {
		return err
	}
	p.said = string(m.Text)
	return p.Send(m)
}

// greet says what the options have to say, once.
func (p *Player) greet() {
	if p.options.Say != "" && !p.talked {
		p.talked = p.Say(p.options.Say) == nil
	}
}

// SelfDestruct asks the host to destroy the player's ship.
func (p *Player) SelfDestruct() error {
	if p.flight.ship == nil {
		return ErrNoShip
	}
	return p.Send(&opcode.HostMessage{})
}

// Collide tells the host that the player's ship has hit another object, or with
// [objectid.None] an asteroid, on its nose, with a force.
func (p *Player) Collide(other objectid.ID, force float32) error {
	if p.flight.ship == nil {
		return ErrNoShip
	}
	nose := []compress.Contact{{Dir: compress.Vector3{Y: 127}, Mag: 255}}
	m, err := opcode.NewCollisionEffect(p.flight.ship.ID, other, nose, force)
	if err != nil {
		return err
	}
	return p.Send(m)
}
