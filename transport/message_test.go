package transport_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

func TestTypeString(t *testing.T) {
	for typ, want := range map[transport.Type]string{
		transport.TypeNameChange: "NameChange", transport.TypeAck: "Ack", transport.TypeDoNothing: "DoNothing",
		transport.TypeConnect: "Connect", transport.TypeBoot: "Boot", transport.TypeDisconnect: "Disconnect",
		transport.TypeData: "Data", 0x06: "0x06", 0x31: "0x31", 0xFF: "0xff",
	} {
		require.Equal(t, want, typ.String())
	}
}

func TestMessageString(t *testing.T) {
	password := &transport.ConnectRequest{ConnID: 0x78F9, Password: newText("secret")}
	for want, m := range map[string]transport.Message{
		"NameChange, 0 bytes":                            {},
		"Data #7, 2 bytes":                               transport.NewData(7, []byte{0x2A, 0x20}),
		"Data unreliable, 0 bytes":                       transport.NewUnreliable(nil),
		"Data #7, high priority, 1 bytes":                {Type: transport.TypeData, Reliable: true, HighPriority: true, Seq: 7, Body: []byte{1}},
		"Data #2, fragment 1 of 3, 1 bytes":              newFragment(2, 0, 3, "x"),
		"Data #2, fragment 3, 2 bytes":                   newFragment(2, 2, 0, "xy"),
		"Ack of game #5":                                 transport.NewMessage(0, &transport.Ack{Seq: 5}),
		"Ack of game #5, fragment 3":                     transport.NewMessage(0, &transport.Ack{Seq: 5, Flags: transport.AckFragment, FragIndex: 2}),
		"Ack of system #1":                               transport.NewMessage(0, &transport.Ack{Seq: 1, Flags: transport.AckSystem}),
		"Ack, 0 bytes":                                   {Type: transport.TypeAck},
		"DoNothing":                                      {Type: transport.TypeDoNothing},
		"Connect #0, ConnID 0x00000007":                  transport.NewMessage(0, &transport.ConnectRequest{ConnID: 7}),
		"Connect #0, ConnID 0x000078f9, with a password": transport.NewMessage(0, password),
		"Connect #0, peer 2 is accepted":                 transport.NewMessage(0, &transport.ConnectReply{PeerID: 2}),
		`NameChange #1, peer 2 is "a\nb"`:                transport.NewMessage(1, nameChange(2, "a\nb")),
		"Boot #2, peer none, wrong password":             transport.NewMessage(2, &transport.Boot{Reason: transport.BootPassword, PeerID: objectid.NoPeer}),
		"Boot #2, 1 bytes":                               {Type: transport.TypeBoot, Reliable: true, HighPriority: true, Seq: 2, Body: []byte{4}},
		"Disconnect #2, peer 3":                          transport.NewMessage(2, &transport.Disconnect{PeerID: 3}),
		"0x06, 0 bytes":                                  {Type: 0x06, Short: true},
	} {
		require.Equal(t, want, fmt.Sprint(m))
		require.Equal(t, want, fmt.Sprint(&m))
	}
	long := transport.NewMessage(1, nameChange(2, strings.Repeat("x", 1000)))
	require.Less(t, len(long.String()), 100)
}

func TestConstants(t *testing.T) {
	require.Equal(t, []int{512, 412, 407}, []int{transport.MaxDatagram, transport.MaxUnfragmented, transport.MaxUnfragmentedPayload})
	require.Equal(t, 405+254*406, transport.MaxPayload)
}

func TestErrorText(t *testing.T) {
	for wire, want := range map[string]string{
		"":                                     "transport: message 0 at offset 0: unexpected EOF",
		"01 02" + ackWire:                      "transport: message 1 at offset 6: unexpected EOF",
		"01 02" + ackWire + "32 07 80 05":      "transport: message 1 (Data) at offset 6: unexpected EOF",
		"01 02" + ackWire + "04 04 C0 01":      "transport: message 1 (Boot) at offset 6: bad length",
		"01 02" + ackWire + "32 05 20 01 55":   "transport: message 1 (Data) at offset 6: bad fragment",
		"01 03" + ackWire + dataWire + "07 99": "transport: message 2 (0x07) at offset 13: unknown message type",

		"01 04" + ackWire:      "transport: message 1 at offset 6: unexpected EOF",
		"01 05" + ackWire:      "transport: message 1 at offset 6: unexpected EOF; is the datagram deciphered?",
		"01 01 32 07 80 05":    "transport: message 0 (Data) at offset 2: unexpected EOF; is the datagram deciphered?",
		"01 01 04 04 C0 01":    "transport: message 0 (Boot) at offset 2: bad length; is the datagram deciphered?",
		"01 01 32 05 20 01 55": "transport: message 0 (Data) at offset 2: bad fragment; is the datagram deciphered?",
		"01 01 9C 07":          "transport: message 0 (0x9c) at offset 2: unknown message type; is the datagram deciphered?",
	} {
		require.EqualError(t, new(transport.Packet).UnmarshalBinary(testdata.Bytes(wire)), want)
	}
}

// Nearly every stock datagram that is read without deciphering gives an error that asks for it.
func TestErrorAsksForDeciphering(t *testing.T) {
	asked, all := 0, stock(t)
	for _, d := range all {
		cipher.Encrypt(d)
		if err := new(transport.Packet).UnmarshalBinary(d); err != nil && strings.Contains(err.Error(), "is the datagram deciphered?") {
			asked++
		}
	}
	require.Greater(t, asked*10, len(all)*9, "%d of %d", asked, len(all))
}

func TestAppendBinaryRefuses(t *testing.T) {
	const maxData, maxSystem, maxShort = 8191, 16383, 255
	data := func(m transport.Message, length int) transport.Message {
		m.Type = transport.TypeData
		m.Body = make([]byte, length-m.Len())
		return m
	}
	whole := transport.Message{Reliable: true}
	first := transport.Message{Reliable: true, Fragment: true, FragTotal: 2}
	other := transport.Message{Reliable: true, Fragment: true, FragIndex: 254}
	system := func(length int) transport.Message {
		return transport.Message{Type: transport.TypeConnect, Reliable: true, Body: make([]byte, length-5)}
	}
	unsure := func(length int) transport.Message {
		return transport.Message{Type: transport.TypeConnect, Body: make([]byte, length-3)}
	}
	short := func(typ transport.Type, body ...byte) transport.Message {
		return transport.Message{Type: typ, Short: true, Body: body}
	}
	ack := func(body ...byte) transport.Message { return transport.Message{Type: transport.TypeAck, Body: body} }
	nothing := func(raw ...byte) transport.Message {
		return transport.NewMessage(0, &transport.DoNothing{Raw: raw})
	}
	for _, v := range []struct {
		name string
		m    transport.Message
		want error // nil: accepted, and read unchanged
	}{
		{"reliable", data(whole, maxData), nil},
		{"reliable, one over", data(whole, maxData+1), stream.ErrTooLong},
		{"unreliable", data(transport.Message{}, maxData), nil},
		{"unreliable, one over", data(transport.Message{}, maxData+1), stream.ErrTooLong},
		{"first fragment", data(first, maxData), nil},
		{"first fragment, one over", data(first, maxData+1), stream.ErrTooLong},
		{"other fragment", data(other, maxData), nil},
		{"other fragment, one over", data(other, maxData+1), stream.ErrTooLong},
		{"system", system(maxSystem), nil},
		{"system, one over", system(maxSystem + 1), stream.ErrTooLong},
		{"short", short(transport.TypeConnect, make([]byte, maxShort-2)...), nil},
		{"short, one over", short(transport.TypeConnect, make([]byte, maxShort-1)...), stream.ErrTooLong},

		{"fragment that is not reliable", transport.Message{Type: transport.TypeData, Fragment: true}, transport.ErrBadFragment},
		{"fragment of a system message", transport.Message{Type: transport.TypeBoot, Reliable: true, Fragment: true}, transport.ErrBadFragment},

		{"Ack", ack(0), nil},
		{"Ack with unknown flags", ack(0xFE), nil},
		{"Ack of a fragment", ack(1, 0), nil},
		{"Ack without flags", ack(), transport.ErrBadLength},
		{"Ack with an index too many", ack(2, 0), transport.ErrBadLength},
		{"Ack without its index", ack(1), transport.ErrBadLength},
		{"Ack with two indexes", ack(1, 0, 0), transport.ErrBadLength},
		{"DoNothing", nothing(), nil},
		{"DoNothing with a length", nothing(3, 0), nil},
		{"DoNothing with half a length", nothing(3), transport.ErrBadLength},
		{"DoNothing with another length", nothing(4, 0), transport.ErrBadLength},
		{"DoNothing with a body", nothing(3, 0, 0), transport.ErrBadLength},

		{"unknown type", transport.Message{Type: 0x06, Reliable: true}, transport.ErrUnknownType},
		{"unknown type above Data", transport.Message{Type: 0x33}, transport.ErrUnknownType},
		{"unknown type above Data, short", short(0x33), transport.ErrUnknownType},
		{"unknown type, short", short(0x06, 0x3F), nil},

		{"short Data", short(transport.TypeData, 0x2A), transport.ErrDialect},
		{"short that seems reliable", short(transport.TypeConnect, 0x80, 0), transport.ErrDialect},
		{"short that seems of high priority", short(transport.TypeConnect, 0x40, 0), transport.ErrDialect},
		{"neither flag", unsure(5), transport.ErrDialect},
		{"neither flag, 255", unsure(255), transport.ErrDialect},
		{"neither flag, 256", unsure(256), nil},
		{"neither flag, 257", unsure(257), nil},
		{"neither flag, 258", unsure(258), transport.ErrDialect},
	} {
		t.Run(v.name, func(t *testing.T) {
			dst := append(make([]byte, 0, 32), "before"...)
			got, err := v.m.AppendBinary(dst)
			require.Equal(t, "before", string(got[:6]))
			p := transport.Packet{Messages: []transport.Message{transport.NewData(7, nil), v.m}}
			if v.want == nil {
				require.NoError(t, err)
				require.Len(t, got, 6+v.m.Len())
				d, err := p.MarshalBinary()
				require.NoError(t, err)
				require.Equal(t, got[6:], d[7:])
				var q transport.Packet
				require.NoError(t, q.UnmarshalBinary(d))
				require.Equal(t, []int{v.m.Len(), 2}, []int{q.Messages[1].Len(), len(q.Messages)})
				require.Equal(t, v.m.Short, q.Messages[1].Short)
				return
			}
			require.ErrorIs(t, err, v.want)
			require.True(t, strings.HasPrefix(err.Error(), "transport: "+v.m.Type.String()+": "+v.want.Error()), err)
			require.Equal(t, dst, got)

			got, err = p.AppendBinary(dst)
			require.ErrorIs(t, err, v.want)
			require.Equal(t, dst, got)
			e := err.(*transport.Error)
			require.Equal(t, []int{1, 7}, []int{e.Index, e.Offset})
			require.Equal(t, v.m.Type, e.Type)
		})
	}
}

// The error of a value that is too long gives the length and the limit.
func TestTooLong(t *testing.T) {
	payload := make([]byte, transport.MaxPayload+1)
	_, err := transport.AppendFragments(nil, 0, payload)
	require.EqualError(t, err, "transport: Data: too long: payload of 103,530 bytes, at most 103,529")
	for want, m := range map[string]transport.Message{
		"Data: too long: message of 8,192 bytes, at most 8,191":   transport.NewData(0, payload[:8187]),
		"Boot: too long: message of 16,384 bytes, at most 16,383": {Type: transport.TypeBoot, Reliable: true, Body: payload[:16379]},
		"Boot: too long: message of 256 bytes, at most 255":       {Type: transport.TypeBoot, Short: true, Body: payload[:254]},
		"Data: too long: message of 103,535 bytes, at most 8,191": transport.NewData(0, payload),
	} {
		_, err := m.AppendBinary(nil)
		require.ErrorIs(t, err, stream.ErrTooLong)
		require.EqualError(t, err, "transport: "+want)
	}
}

// A peer ID must fit a signed byte, and must not be the first byte of GameSpy text.
func TestPacketRefusesPeerIDs(t *testing.T) {
	for id, want := range map[objectid.PeerID]error{
		-129: stream.ErrRange, -128: nil, objectid.NoPeer: nil, 91: nil, 92: transport.ErrGameSpy, 93: nil, 127: nil,
		128: stream.ErrRange, 256 + 92: stream.ErrRange, 1 << 20: stream.ErrRange,
	} {
		p := transport.Packet{PeerID: id}
		d, err := p.AppendBinary([]byte("before"))
		require.ErrorIs(t, err, want, id)
		if want != nil {
			require.Equal(t, "before", string(d))
		}
	}
}

func TestPacketFull(t *testing.T) {
	p := transport.Packet{PeerID: objectid.Host, Messages: make([]transport.Message, 255)}
	for i := range p.Messages {
		p.Messages[i].Type = transport.TypeDoNothing
	}
	d, err := p.MarshalBinary()
	require.NoError(t, err)
	require.Len(t, d, 2+255)
	require.Equal(t, byte(255), d[1])
	p.Messages = append(p.Messages, transport.NewUnreliable(nil))
	d, err = p.AppendBinary([]byte("before"))
	require.ErrorIs(t, err, stream.ErrTooLong)
	require.EqualError(t, err, "transport: message 255 (Data) at offset 257: too long: 256 messages, at most 255")
	require.Equal(t, "before", string(d))
}

// AppendBinary does not write fields that the header does not have.
func TestIgnoredFields(t *testing.T) {
	all := transport.Message{Reliable: true, HighPriority: true, Short: true, Seq: 0x0102, FragIndex: 3, FragTotal: 4}
	for _, v := range []struct {
		change func(m *transport.Message)
		want   string
	}{
		{func(m *transport.Message) { m.Type, m.Body = transport.TypeAck, []byte{0} }, "01 02 01 00"},
		{func(m *transport.Message) { m.Type = transport.TypeDoNothing }, "02"},
		{func(m *transport.Message) { m.Type = transport.TypeConnect }, "03 02"},
		{func(m *transport.Message) { m.Type, m.Short = transport.TypeConnect, false }, "03 05 C0 02 01"},
		{func(m *transport.Message) { m.Type, m.Short, m.Reliable = transport.TypeData, false, false }, "32 03 40"},
		{func(m *transport.Message) { m.Type, m.Short, m.Fragment = transport.TypeData, false, true }, "32 06 E0 02 01 03"},
	} {
		m := all
		v.change(&m)
		got, err := m.AppendBinary(nil)
		require.NoError(t, err)
		require.Equal(t, testdata.Bytes(v.want), got)
	}
}

// The bytes after a message of less than three bytes can change its length. Such a packet is
// refused.
func TestPacketRefusesAmbiguousLengths(t *testing.T) {
	nothing := transport.Message{Type: transport.TypeDoNothing}
	short := transport.Message{Type: transport.TypeNameChange, Short: true}
	// The type and the length of this Connect are the length of a DoNothing.
	connect := transport.Message{Type: transport.TypeConnect, Reliable: true, HighPriority: true, Body: make([]byte, 256-5)}
	for _, v := range []struct {
		name     string
		messages []transport.Message
		trailing string
		want     error
	}{
		{"DoNothing, Connect", []transport.Message{nothing, connect}, "", transport.ErrBadLength},
		{"DoNothing, trailing length", []transport.Message{short, nothing}, "03 00", transport.ErrBadLength},
		{"DoNothing, half a length", []transport.Message{nothing}, "03", nil},
		{"DoNothing, DoNothing", []transport.Message{nothing, nothing}, "00 03", nil},
		{"Short, trailing flag", []transport.Message{nothing, short}, "80", transport.ErrBadLength},
		{"Short, trailing bytes", []transport.Message{short}, "3F FF", nil},
	} {
		t.Run(v.name, func(t *testing.T) {
			p := transport.Packet{PeerID: 2, Messages: v.messages, Trailing: testdata.Bytes(v.trailing)}
			d, err := p.AppendBinary([]byte("before"))
			if v.want == nil {
				require.NoError(t, err)
				var q transport.Packet
				require.NoError(t, q.UnmarshalBinary(d[6:]))
				require.Len(t, q.Messages, len(v.messages))
				require.True(t, bytes.Equal(p.Trailing, q.Trailing))
				return
			}
			require.ErrorIs(t, err, v.want)
			require.Equal(t, "before", string(d))
			e := err.(*transport.Error)
			last := len(v.messages) - 1
			if v.trailing == "" {
				last-- // it is the one before
			}
			require.Equal(t, last, e.Index)
			require.Equal(t, v.messages[last].Type, e.Type)
		})
	}
}
