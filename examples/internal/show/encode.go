package show

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// errDiffers says that encoding did not give the bytes that were decoded.
var errDiffers = errors.New("encoding gives other bytes")

// encodes says whether a datagram encodes to its bytes. Where a message is wrong, that
// has been told, and nothing can be encoded.
func (p *Packet) encodes() error {
	var t transport.Packet
	if p.gamespy || t.UnmarshalBinary(p.Data) != nil {
		return nil
	}
	return same(p.Data, func() ([]byte, error) { return t.AppendBinary(nil) })
}

// encodes says whether the content of a message encodes to its bytes.
func (r *record) encodes() error {
	switch {
	case r.body != nil:
		return same(r.msg.Body, func() ([]byte, error) { return transport.NewMessage(0, r.body).Body, nil })
	case !r.whole:
		return nil
	}
	m, err := opcode.Decode(r.payload)
	if err != nil && !errors.Is(err, stream.ErrTrailing) {
		return err
	}
	want := r.payload[:len(r.payload)-len(r.trailing)]
	if err := same(want, func() ([]byte, error) { return m.AppendBinary(nil) }); err != nil || r.class == nil {
		return err
	}
	return same(r.payload[:len(r.payload)-len(r.unsplit)], func() ([]byte, error) { return r.joined(m) })
}

// joined encodes a message from its subsystems.
func (r *record) joined(m opcode.Message) (payload []byte, err error) {
	switch m := m.(type) {
	case *opcode.StateUpdate:
		return r.class.AppendUpdate(nil, m, r.systems)
	case *opcode.ObjectCreate:
		if m.SubsystemsRaw, err = r.class.AppendBlob(nil, r.systems); err != nil {
			return nil, err
		}
	case *opcode.ObjectCreateTeam:
		if m.SubsystemsRaw, err = r.class.AppendBlob(nil, r.systems); err != nil {
			return nil, err
		}
	}
	return m.AppendBinary(nil)
}

func same(want []byte, encode func() ([]byte, error)) error {
	switch got, err := encode(); {
	case err != nil:
		return err
	case !bytes.Equal(got, want):
		return fmt.Errorf("%w: %s", errDiffers, difference(got, want))
	}
	return nil
}

// difference says where two byte strings begin to differ.
func difference(got, want []byte) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("0x%02x instead of 0x%02x at offset %d", got[i], want[i], i)
		}
	}
	return fmt.Sprintf("%d bytes instead of %d", len(got), len(want))
}
