package show

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// errDiffers means that re-encoding did not give the decoded bytes.
var errDiffers = errors.New("re-encoding changes the bytes")

// encodesFrame returns an error if the framing of a datagram does not re-encode to its bytes. Malformed
// framing is the error of a message instead.
func (d *Decoder) encodesFrame(p *Packet) (err error) {
	d.frame.PeerID, d.frame.Messages, d.frame.Trailing = p.Peer, d.frame.Messages[:0], p.trailing
	for _, r := range p.Messages {
		if r.Type != "" {
			d.frame.Messages = append(d.frame.Messages, r.Frame)
		}
	}
	if d.encoded, err = d.frame.AppendBinary(d.encoded[:0]); err != nil {
		return err
	}
	return compare(d.encoded, p.Data)
}

// encodes returns an error if a complete payload does not re-encode to its bytes.
func (d *Decoder) encodes(r *Message, m opcode.Message) error {
	got, err := d.encoder.Append(d.encoded[:0], m)
	d.encoded = got
	if err == nil {
		err = compare(got, r.Payload[:len(r.Payload)-len(r.trailing)])
	}
	if err != nil || r.hull.class == nil {
		return err
	}
	d.statuses = r.statuses(d.statuses[:0], m)
	if got, err = d.encodeSubsystems(r.hull.class, m); err != nil {
		return err
	}
	return compare(got, r.Payload[:len(r.Payload)-r.hull.remaining])
}

// encodeSubsystems encodes a message from its subsystems.
func (d *Decoder) encodeSubsystems(class *stateupdate.Class, m opcode.Message) (got []byte, err error) {
	if m, ok := m.(*opcode.StateUpdate); ok {
		d.encoded, err = class.AppendUpdate(d.encoded[:0], m, d.statuses)
		return d.encoded, err
	}
	blob, err := class.AppendBlob(nil, d.statuses)
	if err != nil {
		return nil, err
	}
	switch m := m.(type) {
	case *opcode.ObjectCreate:
		c := *m
		c.SubsystemsRaw = blob
		return opcode.Marshal(&c)
	case *opcode.ObjectCreateTeam:
		c := *m
		c.SubsystemsRaw = blob
		return opcode.Marshal(&c)
	}
	return opcode.Marshal(m)
}

// compare returns an error if two byte strings differ.
func compare(got, want []byte) error {
	if bytes.Equal(got, want) {
		return nil
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
