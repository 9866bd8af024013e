package main

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
)

// reencoder encodes what was decoded, and compares the bytes. It reuses its memory.
type reencoder struct {
	frame    transport.Packet
	decoder  opcode.Decoder
	encoder  opcode.Encoder
	encoded  []byte
	statuses []stateupdate.Status
}

// errDiffers means that re-encoding did not give the decoded bytes.
var errDiffers = errors.New("re-encoding changes the bytes")

// packet returns an error if the framing of a datagram does not re-encode to its bytes. Malformed framing is the
// error of a message instead.
func (e *reencoder) packet(p *show.Packet) (err error) {
	if p.Malformed {
		return nil
	}
	e.frame.PeerID, e.frame.Messages, e.frame.Trailing = p.Peer, e.frame.Messages[:0], p.Trailing
	for _, m := range p.Messages {
		if m.Type != "" {
			e.frame.Messages = append(e.frame.Messages, m.Frame)
		}
	}
	e.encoded, err = e.frame.AppendBinary(e.encoded[:0])
	return compare(e.encoded, err, p.Data)
}

// message returns the payload of a readable message, or nil, and an error if the message does not re-encode to its
// bytes.
func (e *reencoder) message(m *show.Message) (opcode.Message, error) {
	if m.Body != nil {
		return nil, compare(transport.NewMessage(0, m.Body).Body, nil, m.Frame.Body)
	}
	if m.Err != nil || len(m.Payload) == 0 {
		return nil, nil
	}
	game, _ := e.decoder.Decode(m.Payload) // bytes may follow the last field
	return game, e.payload(m, game)
}

func (e *reencoder) payload(m *show.Message, game opcode.Message) error {
	got, err := e.encoder.Append(e.encoded[:0], game)
	e.encoded = got
	if m.Class == nil {
		return compare(got, err, m.Payload[:len(m.Payload)-len(m.Trailing)])
	}
	e.statuses, _ = m.Class.AppendStatuses(e.statuses[:0], game) // bytes may follow the last subsystem
	if err = compare(got, err, m.Payload); err != nil {
		return err
	}
	got, err = e.subsystems(m.Class, game)
	return compare(got, err, m.Payload[:len(m.Payload)-len(m.Trailing)])
}

// subsystems encodes a message from its subsystems.
func (e *reencoder) subsystems(class *stateupdate.Class, game opcode.Message) (got []byte, err error) {
	if m, ok := game.(*opcode.StateUpdate); ok {
		e.encoded, err = class.AppendUpdate(e.encoded[:0], m, e.statuses)
		return e.encoded, err
	}
	blob, err := class.AppendBlob(nil, e.statuses)
	if err != nil {
		return nil, err
	}
	switch m := game.(type) {
	case *opcode.ObjectCreate:
		c := *m
		c.SubsystemsRaw = blob
		return opcode.Marshal(&c)
	case *opcode.ObjectCreateTeam:
		c := *m
		c.SubsystemsRaw = blob
		return opcode.Marshal(&c)
	}
	return opcode.Marshal(game)
}

// compare returns the error of an encoding, or an error if its bytes are not those on the wire.
func compare(got []byte, err error, want []byte) error {
	if err != nil || bytes.Equal(got, want) {
		return err
	}
	return fmt.Errorf("%w: %s", errDiffers, difference(got, want))
}

// difference describes the first difference between two byte strings.
func difference(got, want []byte) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("0x%02x instead of 0x%02x at offset %d", got[i], want[i], i)
		}
	}
	return fmt.Sprintf("%s instead of %d", terminal.Plural(len(got), "byte"), len(want))
}
