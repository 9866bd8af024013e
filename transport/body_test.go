package transport_test

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// Every length of a body, and all valid bodies.
func TestDecodeLengths(t *testing.T) {
	for typ, fits := range map[transport.Type]func(n int) bool{
		transport.TypeNameChange: func(n int) bool { return n >= 5 },
		transport.TypeConnect:    func(n int) bool { return n == 1 || n >= 8 },
		transport.TypeBoot:       func(n int) bool { return n == 2 },
		transport.TypeDisconnect: func(n int) bool { return n == 5 },
	} {
		for n := range 24 {
			raw := make([]byte, n)
			for i := range raw {
				raw[i] = byte(0xE0 + i)
			}
			m := transport.Message{Type: typ, Reliable: true, HighPriority: true, Seq: 5, Body: raw}
			body, err := m.Decode()
			if !fits(n) {
				require.ErrorIs(t, err, transport.ErrBadLength, "%v, %d", typ, n)
				require.EqualError(t, err, "transport: "+typ.String()+": bad length")
				require.Nil(t, body)
				continue
			}
			require.NoError(t, err, "%v, %d", typ, n)
			require.Equal(t, m, transport.NewMessage(5, body))
		}
	}
}

func TestBodies(t *testing.T) {
	ip := [4]byte{10, 0, 50, 3}
	for _, v := range []struct {
		body transport.Body
		wire string
	}{
		{&transport.ConnectRequest{LocalIP: ip, ConnID: 0x78F9, Password: newText("")}, "03 0F C0 05 00 0A 00 32 03 F9 78 00 00 00 00"},
		{&transport.ConnectRequest{LocalIP: ip, ConnID: 0xFFFFFFFE, Password: transport.UTF16Z{}}, "03 0D C0 05 00 0A 00 32 03 FE FF FF FF"},
		{&transport.ConnectReply{PeerID: objectid.NoPeer}, "03 06 C0 05 00 FF"},
		{&transport.NameChange{PeerID: 3, IP: ip, Name: newText("Qx")}, "00 10 C0 05 00 03 0A 00 32 03 51 00 78 00 00 00"},
		{&transport.Boot{Reason: transport.BootRemoved, PeerID: 2}, "04 07 C0 05 00 04 02"},
		{&transport.Boot{Reason: 0xFE, PeerID: objectid.NoPeer}, "04 07 C0 05 00 FE FF"},
		{&transport.Disconnect{PeerID: 2, IP: ip}, "05 0A C0 05 00 02 0A 00 32 03"},
		{&transport.DoNothing{Raw: []byte{}}, "02"},
		{&transport.DoNothing{Raw: []byte{3, 0}}, "02 03 00"},
		{&transport.Ack{Seq: 9, Flags: transport.AckSystem}, "01 09 00 02"},
		{&transport.Ack{Seq: 9, Flags: transport.AckFragment, FragIndex: 4}, "01 09 00 01 04"},
	} {
		m := transport.NewMessage(5, v.body)
		wire, err := m.AppendBinary(nil)
		require.NoError(t, err)
		require.Equal(t, testdata.Bytes(v.wire), wire)
		p := requireErrors(t, from(1, v.wire), nil)
		body, err := p.Messages[0].Decode()
		require.NoError(t, err)
		require.Equal(t, v.body, body)
		require.Equal(t, p.Messages[0].Type, transport.TypeOf(body))
	}
}

// The zero values are encoded as the stock game sends them: an empty text has its NUL.
func TestZeroBodies(t *testing.T) {
	for _, v := range []struct {
		body transport.Body
		wire string
	}{
		{&transport.ConnectRequest{}, "03 0F C0 05 00 00 00 00 00 00 00 00 00 00 00"},
		{&transport.NameChange{}, "00 0C C0 05 00 00 00 00 00 00 00 00"},
		{&transport.DoNothing{}, "02"},
	} {
		m := transport.NewMessage(5, v.body)
		wire, err := m.AppendBinary(nil)
		require.NoError(t, err)
		require.Equal(t, testdata.Bytes(v.wire), wire)
		body, err := m.Decode()
		require.NoError(t, err)
		require.Equal(t, m, transport.NewMessage(5, body))
	}
	require.Equal(t, transport.NewMessage(5, &transport.ConnectRequest{}), transport.NewMessage(5, &transport.ConnectRequest{Password: newText("")}))
	require.Equal(t, transport.NewMessage(5, &transport.NameChange{}), transport.NewMessage(5, &transport.NameChange{Name: newText("")}))
}

// A body that cannot be encoded is left empty.
func TestNewMessageWithoutBody(t *testing.T) {
	for _, body := range []transport.Body{
		&transport.ConnectReply{PeerID: 128}, &transport.Boot{PeerID: -129},
		&transport.NameChange{PeerID: 256}, &transport.Disconnect{PeerID: 1 << 20},
		&transport.NameChange{Name: make(transport.UTF16Z, 1<<28)},
	} {
		m := transport.NewMessage(5, body)
		require.Empty(t, m.Body)
		require.Equal(t, transport.TypeOf(body), m.Type)
	}
	require.NotEmpty(t, transport.NewMessage(5, &transport.ConnectReply{PeerID: 127}).Body)
}

func TestDecodeRefuses(t *testing.T) {
	for _, v := range []struct {
		m    transport.Message
		want error
	}{
		{transport.NewData(0, []byte{0x2A, 0x20}), transport.ErrWrongType},
		{transport.NewUnreliable([]byte{0x1C}), transport.ErrWrongType},
		{transport.Message{Type: 0x06, Reliable: true}, transport.ErrUnknownType},
		{transport.Message{Type: 0x33}, transport.ErrUnknownType},
		{transport.Message{Type: 0x06, Short: true}, transport.ErrDialect},
		{transport.Message{Type: transport.TypeBoot, Body: []byte{4, 2}}, transport.ErrDialect},
		{transport.Message{Type: transport.TypeBoot, Short: true, Body: []byte{4, 2}}, transport.ErrDialect},
		{transport.Message{Type: transport.TypeAck}, transport.ErrBadLength},
		{transport.Message{Type: transport.TypeAck, Body: []byte{1}}, transport.ErrBadLength},
	} {
		body, err := v.m.Decode()
		require.Nil(t, body)
		require.ErrorIs(t, err, v.want)
		require.EqualError(t, err, "transport: "+v.m.Type.String()+": "+v.want.Error())
	}
}

func TestBootReason(t *testing.T) {
	for reason, want := range map[transport.BootReason]string{
		transport.BootUnspecified: "unspecified", transport.BootTimeout: "timed out",
		transport.BootPassword: "wrong password", transport.BootTooManyPlayers: "too many players",
		transport.BootRemoved: "removed by host", transport.BootBanned: "banned", 6: "6", 255: "255",
	} {
		require.Equal(t, want, reason.String())
	}
}

func TestText(t *testing.T) {
	for _, v := range []struct {
		text string
		wire string
	}{
		{"", "00 00"},
		{"Cady2", "43 00 61 00 64 00 79 00 32 00 00 00"},
		{"é", "E9 00 00 00"},
		{"😀!", "3D D8 00 DE 21 00 00 00"},
	} {
		require.Equal(t, transport.UTF16Z(testdata.Bytes(v.wire)), newText(v.text))
		require.Equal(t, v.text, transport.UTF16Z(testdata.Bytes(v.wire)).String())
	}
	for _, s := range []string{"\x00", "a\x00b", "a\x00", "\xFF", "a\xC3", "\xED\xA0\x80"} {
		text, err := transport.NewUTF16Z(s)
		require.ErrorIs(t, err, stream.ErrText, "%q", s)
		require.Nil(t, text)
	}
	_, err := transport.NewUTF16Z("a\x00b")
	require.EqualError(t, err, "stream: character cannot be encoded: NUL at offset 1")
	for wire, want := range map[string]string{
		"":                        "",
		"43":                      "",
		"43 00":                   "C",
		"43 00 61":                "C",
		"43 00 00 00 61 00":       "C",
		"43 00 61 00":             "Ca",
		"00 43 00 00":             "䌀", // not swapped
		"3D D8":                   "\uFFFD",
		"3D D8 43 00":             "\uFFFDC",
		"00 DE 3D D8 00 00 3D D8": "\uFFFD\uFFFD",
	} {
		require.Equal(t, want, transport.UTF16Z(testdata.Bytes(wire)).String(), wire)
	}
}

func TestDecodedBodies(t *testing.T) { rapid.Check(t, propertyDecodedBodies) }

func FuzzDecodedBodiesProperty(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propertyDecodedBodies)) }

// propertyDecodedBodies checks that bytes that decode as a body of any type are re-encoded exactly.
// Their texts may be missing, odd or without a NUL.
func propertyDecodedBodies(t *rapid.T) {
	m := transport.Message{
		Type: rapid.SampledFrom([]transport.Type{
			transport.TypeNameChange, transport.TypeConnect, transport.TypeBoot, transport.TypeDisconnect,
		}).Draw(t, "type"),
		Reliable: true, HighPriority: true, Seq: rapid.Uint16().Draw(t, "seq"),
		Body: rapid.SliceOfN(rapid.SampledFrom([]byte{0, 0, 'A', 0xD8, 0xFF}), 0, 16).Draw(t, "body"),
	}
	body, err := m.Decode()
	if err != nil {
		require.ErrorIs(t, err, transport.ErrBadLength)
		return
	}
	require.Equal(t, m, transport.NewMessage(m.Seq, body))
}

func TestSystemBodies(t *testing.T) { rapid.Check(t, propertySystemBodies) }

func FuzzSystemBodiesProperty(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propertySystemBodies)) }

// propertySystemBodies checks that bodies with any values and names are read unchanged.
func propertySystemBodies(t *rapid.T) {
	raw := transport.UTF16Z(rapid.SliceOf(rapid.Byte()).Draw(t, "raw"))
	peer := objectid.PeerID(rapid.Int8().Draw(t, "peer"))
	ip := [4]byte(rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "ip"))
	flags := transport.AckFlags(rapid.Byte().Draw(t, "flags"))
	ack := &transport.Ack{Seq: rapid.Uint16().Draw(t, "seq"), Flags: flags}
	if flags&transport.AckFragment != 0 {
		ack.FragIndex = rapid.Byte().Draw(t, "index")
	}
	bodies := []transport.Body{
		ack,
		&transport.ConnectRequest{LocalIP: ip, ConnID: rapid.Uint32().Draw(t, "conn"), Password: raw},
		&transport.ConnectReply{PeerID: peer},
		&transport.NameChange{PeerID: peer, IP: ip, Name: raw},
		&transport.Boot{Reason: transport.BootReason(flags), PeerID: peer},
		&transport.Disconnect{PeerID: peer, IP: ip},
	}
	var p, q transport.Packet
	for i, body := range bodies {
		p.Messages = append(p.Messages, transport.NewMessage(uint16(i), body))
	}
	d, err := p.MarshalBinary()
	require.NoError(t, err)
	require.NoError(t, q.UnmarshalBinary(d))
	require.Len(t, q.Messages, len(bodies))
	for i := range q.Messages {
		body, err := q.Messages[i].Decode()
		require.NoError(t, err)
		require.Equal(t, bodies[i], body)
	}
	s := string([]rune(rapid.StringMatching(`[^\x00]*`).Draw(t, "text")))
	require.Equal(t, s, newText(s).String())
}

// TestWalkDescribesBodies compares the hand-written decoder with the walks of the bodies, for
// random bytes of every length: both accept the same bytes and read the same values, and
// NewMessage writes the same bytes.
func TestWalkDescribesBodies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, v := range []struct {
			typ    transport.Type
			walker transport.Body
		}{
			{transport.TypeAck, &transport.Ack{Seq: 7}},
			{transport.TypeConnect, &transport.ConnectRequest{}},
			{transport.TypeConnect, &transport.ConnectReply{}},
			{transport.TypeNameChange, &transport.NameChange{}},
			{transport.TypeBoot, &transport.Boot{}},
			{transport.TypeDisconnect, &transport.Disconnect{}},
			{transport.TypeDoNothing, &transport.DoNothing{}},
		} {
			raw := rapid.SliceOfN(rapid.Byte(), 0, 14).Draw(t, "body")
			m := transport.Message{Type: v.typ, Reliable: true, HighPriority: true, Seq: 7, Body: raw}
			body, err := m.Decode()
			var c stream.Codec
			fits := c.Fits(raw, -1, func(c *stream.Codec) { transport.Walk(c, v.walker) })
			if err == nil && reflect.TypeOf(body) != reflect.TypeOf(v.walker).Elem() {
				continue // a request that is no reply, or the reverse
			}
			require.Equal(t, err == nil, fits, "%T: %x", v.walker, raw)
			if err != nil {
				continue
			}
			require.True(t, bytes.Equal(raw, transport.NewMessage(7, v.walker).Body))
			require.True(t, bytes.Equal(raw, transport.NewMessage(7, body).Body))
			require.Equal(t, fmt.Sprint(body), fmt.Sprint(reflect.ValueOf(v.walker).Elem()))
		}
	})
}
