package transport_test

import (
	"bytes"
	"encoding/hex"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

const (
	ackWire     = "01 05 00 00"
	dataWire    = "32 07 80 05 00 2A 20"
	connectWire = "03 06 C0 00 00 02"
)

// allHeaders has a message of every kind of header.
var allHeaders = from(1,
	ackWire, dataWire, connectWire,
	"01 02 00 01 01",                // Ack of a fragment
	"02",                            // DoNothing
	"32 04 00 1C",                   // unreliable
	"32 08 A0 08 00 00 02 55",       // first fragment
	"32 07 A0 07 00 01 55",          // another fragment
	"04 07 C0 02 00 04 02",          // Boot
	"05 0A C0 02 00 02 0A 0A 0A EF", // Disconnect
	"00 10 C0 01 00 02 0A 0A 0A EF 51 00 78 00 00 00", // NameChange
	"03 08 01 00 00 00 7F 00",                         // Short
	"00 02",                                           // Short, without a body
)

// messagesHex returns each message of a packet in hex.
func messagesHex(t *testing.T, p *transport.Packet) (all []string) {
	t.Helper()
	for i := range p.Messages {
		b, err := p.Messages[i].AppendBinary(nil)
		require.NoError(t, err)
		require.Len(t, b, p.Messages[i].Len())
		all = append(all, strings.ToUpper(hex.EncodeToString(b)))
	}
	return all
}

// requireErrors compares the errors of a datagram, and checks properties of all errors.
func requireErrors(t *testing.T, d []byte, want []fault) (p transport.Packet) {
	t.Helper()
	p = transport.Packet{PeerID: 9, Messages: make([]transport.Message, 3), Trailing: []byte("stale")}
	err := p.UnmarshalBinary(d)
	require.Equal(t, objectid.PeerID(int8(append(d, 0)[0])), p.PeerID) // 0 if there is none
	got := errorsOf(err)
	require.Len(t, got, len(want), "%x: %v", d, err)
	for i, e := range got {
		require.ErrorIs(t, err, want[i].err)
		require.ErrorIs(t, e, want[i].err)
		require.Equal(t, []int{want[i].index, want[i].offset}, []int{e.Index, e.Offset}, "%x", d)
		if e.Offset < len(d) && len(d) >= 2 {
			require.Equal(t, transport.Type(d[e.Offset]), e.Type, "%x", d)
			require.Contains(t, e.Error(), "("+e.Type.String()+")")
		} else {
			require.NotContains(t, e.Error(), "(", "the datagram has no type")
		}
	}
	if err != nil {
		require.Nil(t, p.Trailing)
	}
	return p
}

type fault struct {
	index, offset int
	err           error
}

// A malformed message has the same error at every position. Later messages are read if its length
// is known.
func TestBadMessages(t *testing.T) {
	type bad struct {
		name, wire string
		err        error
		lost       bool // with all that follows
	}
	table := []bad{
		{"reliable, length 3", "32 03 80", transport.ErrBadLength, false},
		{"reliable, length 4", "32 04 80 05", transport.ErrBadLength, false},
		{"first fragment without an index", "32 05 A0 05 00", transport.ErrBadLength, false},
		{"first fragment without a total", "32 06 A0 05 00 00", transport.ErrBadLength, false},
		{"unreliable fragment without an index", "32 03 20", transport.ErrBadLength, false},
		{"unreliable first fragment without a total", "32 04 20 00", transport.ErrBadLength, false},
		{"unreliable first fragment", "32 06 20 00 02 55", transport.ErrBadFragment, false},
		{"unreliable other fragment", "32 05 20 01 55", transport.ErrBadFragment, false},
		{"longest Data", "32 FF FF 00 00 00 02", io.ErrUnexpectedEOF, true},
	}
	for _, header := range []string{"00 %s C0", "03 %s C0", "04 %s C0", "05 %s C0", "32 %s 80", "32 %s 00", "32 %s A0"} {
		for _, n := range []string{"00", "01", "02"} {
			wire := strings.ReplaceAll(header, "%s", n)
			table = append(table, bad{"no length " + wire, wire, transport.ErrBadLength, true})
		}
		wire := strings.ReplaceAll(header, "%s", "FE")
		table = append(table, bad{"beyond the datagram " + wire, wire + " 05 00", io.ErrUnexpectedEOF, true})
	}
	for _, typ := range []string{"00", "03", "04", "05"} {
		table = append(table,
			bad{"system, length 3 " + typ, typ + " 03 C0", transport.ErrBadLength, false},
			bad{"system, length 4 " + typ, typ + " 04 C0 01", transport.ErrBadLength, false},
			bad{"short, length 0 " + typ, typ + " 00 00", transport.ErrBadLength, true},
			bad{"short, length 1 " + typ, typ + " 01 00", transport.ErrBadLength, true},
			bad{"short, beyond the datagram " + typ, typ + " FE 00", io.ErrUnexpectedEOF, true})
	}
	for _, typ := range []string{"06", "07", "31", "33", "FF"} {
		for _, rest := range []string{"", " 00", " 0A C0 02 00 02 0A 0A 0A EF", " FE"} {
			table = append(table, bad{"unknown " + typ + rest, typ + rest, transport.ErrUnknownType, true})
		}
	}
	for _, v := range table {
		t.Run(v.name, func(t *testing.T) {
			for i := range 3 {
				siblings := []string{ackWire, dataWire}
				messages := append(append(append([]string{}, siblings[:i]...), v.wire), siblings[i:]...)
				offset := 2 + len(testdata.Bytes(strings.Join(siblings[:i], "")))
				d := from(1, messages...)
				p := requireErrors(t, d, []fault{{i, offset, v.err}})
				if v.lost {
					siblings = siblings[:i]
				}
				require.Equal(t, hexStrings(siblings...), messagesHex(t, &p))
			}
		})
	}
}

func TestBadDatagrams(t *testing.T) {
	eof := io.ErrUnexpectedEOF
	for _, v := range []struct {
		name     string
		wire     string
		messages []string
		trailing string
		faults   []fault
	}{
		{"empty", "", nil, "", []fault{{0, 0, eof}}},
		{"one byte", "01", nil, "", []fault{{0, 1, eof}}},
		{"no messages", "01 00", nil, "", nil},
		{"no messages, but bytes", "01 00 32 07", nil, "32 07", nil},
		{"count smaller", "01 01" + ackWire + dataWire, []string{ackWire}, dataWire, nil},
		{"count one larger", "01 03" + ackWire + dataWire, []string{ackWire, dataWire}, "", []fault{{2, 13, eof}}},
		{"count 255", "01 FF" + dataWire, []string{dataWire}, "", []fault{{1, 9, eof}}},
		{"count 1, no bytes", "01 01", nil, "", []fault{{0, 2, eof}}},
		{"Ack cut", "01 01 01 05 00", nil, "", []fault{{0, 2, eof}}},
		{"Ack without its index", "01 01 01 05 00 01", nil, "", []fault{{0, 2, eof}}},
		{"several", "01 05 32 03 80" + ackWire + "32 05 20 01 55 03 04 C0 01" + "33 02", []string{ackWire}, "", []fault{
			{0, 2, transport.ErrBadLength},
			{2, 9, transport.ErrBadFragment},
			{3, 14, transport.ErrBadLength},
			{4, 18, transport.ErrUnknownType},
		}},
		{
			"empty payloads", "01 03 32 05 80 05 00 32 03 00 32 06 A0 05 00 01",
			[]string{"32 05 80 05 00", "32 03 00", "32 06 A0 05 00 01"},
			"", nil,
		},
		{
			"high priority", "01 02 32 05 40 55 66 32 06 C0 05 00 77",
			[]string{"32 05 40 55 66", "32 06 C0 05 00 77"},
			"", nil,
		},
		{"DoNothing of one byte and of three", "01 03 02 02 03 00" + ackWire, []string{"02", "02 03 00", ackWire}, "", nil},
	} {
		t.Run(v.name, func(t *testing.T) {
			d := testdata.Bytes(v.wire)
			p := requireErrors(t, d, v.faults)
			require.Equal(t, hexStrings(v.messages...), messagesHex(t, &p))
			require.Equal(t, testdata.Bytes(v.trailing), append([]byte{}, p.Trailing...))
			if v.faults == nil {
				again, err := p.MarshalBinary()
				require.NoError(t, err)
				require.Equal(t, d, again)
			}
		})
	}
}

func TestGameSpy(t *testing.T) {
	d := []byte(`\status\`)
	require.True(t, transport.IsGameSpy(d))
	require.True(t, transport.IsGameSpy(d[:1]))
	require.False(t, transport.IsGameSpy(nil))
	require.False(t, transport.IsGameSpy(allHeaders))
	require.Equal(t, []result{{err: transport.ErrGameSpy}}, readAll(d))
	p := transport.Packet{Messages: make([]transport.Message, 2)}
	require.ErrorIs(t, p.UnmarshalBinary(d), transport.ErrGameSpy)
	require.Empty(t, p.Messages)

	got, err := p.AppendBinary([]byte("before"))
	require.ErrorIs(t, err, transport.ErrGameSpy, "the peer ID would make it GameSpy text")
	require.Equal(t, "before", string(got))
}

// A datagram can be cut anywhere. The messages before the cut are read, and the next one is an
// error.
func TestTruncation(t *testing.T) {
	for _, d := range append(stock(t), allHeaders) {
		whole := readAll(d)
		for cut := range d {
			part := d[:cut:cut]
			if cut < 2 {
				requireErrors(t, part, []fault{{0, cut, io.ErrUnexpectedEOF}})
				continue
			}
			n, offset := 0, 2
			for n < len(whole) && offset+whole[n].m.Len() <= cut {
				offset += whole[n].m.Len()
				n++
			}
			var want []fault
			if n < len(whole) { // the cut is not behind the last message
				want = []fault{{n, offset, io.ErrUnexpectedEOF}}
			}
			p := requireErrors(t, part, want)
			require.Len(t, p.Messages, n)
			for i, m := range p.Messages {
				require.Equal(t, whole[i].m, m)
			}
		}
	}
}

// The error of a truncated message comes with the fields that could be read.
func TestTruncatedMessage(t *testing.T) {
	for _, v := range []struct {
		wire string
		want transport.Message
	}{
		{"32", transport.Message{Type: transport.TypeData}},
		{"32 9C", transport.Message{Type: transport.TypeData}},
		{"32 9C A1 02", transport.Message{Type: transport.TypeData, Reliable: true, Fragment: true, Body: []byte{2}}},
		{"32 9C A1 02 00 00", transport.Message{Type: transport.TypeData, Reliable: true, Fragment: true, Seq: 2, Body: []byte{}}},
		{"32 9C A1 02 00 00 03 21", transport.Message{Type: transport.TypeData, Reliable: true, Fragment: true, Seq: 2, FragTotal: 3, Body: []byte{0x21}}},
		{"01 02", transport.Message{Type: transport.TypeAck}},
		{"01 02 01", transport.Message{Type: transport.TypeAck, Seq: 0x102, Body: []byte{}}},
		{"01 02 01 01", transport.Message{Type: transport.TypeAck, Seq: 0x102, Body: []byte{1}}},
	} {
		d := append(from(1, v.wire), "memory behind it"...)
		results := readAll(d[:2+len(testdata.Bytes(v.wire))])
		require.Len(t, results, 1)
		require.Equal(t, len(results[0].m.Body), cap(results[0].m.Body))
		require.ErrorIs(t, results[0].err, io.ErrUnexpectedEOF)
		require.Equal(t, v.want, results[0].m, v.wire)
		_, ok := results[0].m.Ack()
		require.False(t, ok)
	}
}

// OpenBC's forms are read alone and between messages of every other form.
func TestDialects(t *testing.T) {
	for _, v := range []struct {
		name, wire string
		want       transport.Message
		body       transport.Body // if it has one
	}{
		{
			"1, Connect", "03 08 01 00 00 00 7F 00",
			transport.Message{Type: transport.TypeConnect, Short: true, Body: testdata.Bytes("01 00 00 00 7F 00")},
			nil,
		},
		{
			"2, name", "00 14 80 00 00 01 7F 00 00 01 43 00 61 00 64 00 79 00 00 00",
			transport.Message{Type: transport.TypeNameChange, Reliable: true, Body: testdata.Bytes("01 7F 00 00 01 43 00 61 00 64 00 79 00 00 00")},
			&transport.NameChange{PeerID: 1, IP: [4]byte{127, 0, 0, 1}, Name: newText("Cady")},
		},
		{
			"3, Ack flags", "01 05 00 80",
			transport.Message{Type: transport.TypeAck, Seq: 5, Body: []byte{0x80}},
			&transport.Ack{Seq: 5, Flags: 0x80},
		},
		{
			"5, Ack of a fragment", "01 02 00 01 01",
			transport.Message{Type: transport.TypeAck, Seq: 2, Body: []byte{1, 1}},
			&transport.Ack{Seq: 2, Flags: transport.AckFragment, FragIndex: 1},
		},
		{"7, Disconnect", "06 02", transport.Message{Type: 0x06, Short: true, Body: []byte{}}, nil},
		{"8, keepalive", "00 02", transport.Message{Type: transport.TypeNameChange, Short: true, Body: []byte{}}, nil},
	} {
		t.Run(v.name, func(t *testing.T) {
			for _, before := range []string{"", ackWire, dataWire, connectWire, "00 02"} {
				for _, after := range []string{"", ackWire, dataWire, connectWire, "02", "32 04 00 1C", "00 02"} {
					messages := []string{}
					for _, wire := range []string{before, v.wire, after} {
						if wire != "" {
							messages = append(messages, wire)
						}
					}
					d := from(1, messages...)
					p := requireErrors(t, d, nil)
					require.Equal(t, hexStrings(messages...), messagesHex(t, &p))
					m := p.Messages[min(1, len(before))]
					require.Equal(t, v.want, m)
					again, err := p.AppendBinary(nil)
					require.NoError(t, err)
					require.Equal(t, d, again)

					body, err := m.Decode()
					if require.Equal(t, v.body, body); v.body == nil {
						require.ErrorIs(t, err, transport.ErrDialect)
						require.ErrorContains(t, err, "transport: "+m.Type.String()+": not a form")
					}
				}
			}
		})
	}
	// The first length covers half of the message. The other half is malformed.
	p := requireErrors(t, testdata.Bytes("FF 01 03 08 01 00 00 00 7F 00 00 00 00 7F 00"), nil)
	require.Equal(t, objectid.NoPeer, p.PeerID)
	require.Len(t, p.Messages, 1)
	require.Equal(t, testdata.Bytes("00 00 00 7F 00"), p.Trailing)
}

// A message without flags is read by its whole length, if the low byte cannot be the length of a
// Short message.
func TestSystemWithoutFlags(t *testing.T) {
	for _, low := range []byte{0, 1} {
		wire := append([]byte{0x04, low, 0x01}, make([]byte, 0x100+int(low)-3)...)
		d := append(append([]byte{1, 2}, wire...), testdata.Bytes(ackWire)...)
		p := requireErrors(t, d, nil)
		require.Len(t, p.Messages, 2)
		require.Equal(t, len(wire), p.Messages[0].Len())
		require.False(t, p.Messages[0].Short)
		_, err := p.Messages[0].Decode()
		require.ErrorIs(t, err, transport.ErrDialect, "the form has no typed body")
		again, err := p.MarshalBinary()
		require.NoError(t, err)
		require.Equal(t, d, again)
	}
}

func TestManyMessages(t *testing.T) {
	for _, v := range []struct {
		wire string
		want error
	}{
		{"02", nil},
		{"00 02", nil},
		{"32 03 00", nil},
		{ackWire, nil},
		{"01 05 00 01 07", nil},
		{"32 03 80", transport.ErrBadLength},
		{"32 05 20 01 55", transport.ErrBadFragment},
	} {
		d := append([]byte{1, 255}, bytes.Repeat(testdata.Bytes(v.wire), 255)...)
		n := 0
		allocs := testing.AllocsPerRun(10, func() {
			n = 0
			for _, err := range transport.Messages(d) {
				if err != nil {
					err = err.(*transport.Error).Err
				}
				if err != v.want {
					panic(err)
				}
				n++
			}
		})
		require.Equal(t, 255, n, v.wire)
		if v.want == nil {
			require.Zero(t, allocs, v.wire)
		} else {
			require.LessOrEqual(t, allocs, 255.0, v.wire)
		}
	}
}

// Each iteration overwrites the message of the one before.
func TestMessagesReusesTheMessage(t *testing.T) {
	var first *transport.Message
	for m := range transport.Messages(allHeaders) {
		if first == nil {
			first = m
		}
		require.Same(t, first, m)
	}
}

func TestMessagesStops(t *testing.T) {
	for range transport.Messages(allHeaders) {
		break
	}
	n := 0
	for range transport.Messages(from(1, ackWire, "32 03 80", ackWire)) {
		if n++; n == 2 {
			break
		}
	}
	require.Equal(t, 2, n)
}

func TestAllocs(t *testing.T) {
	require.Zero(t, testing.AllocsPerRun(100, func() {
		for _, err := range transport.Messages(allHeaders) {
			if err != nil {
				panic(err)
			}
		}
	}), "Messages")
	var p transport.Packet
	buf := make([]byte, 0, 1024)
	d := append(append([]byte{1, allHeaders[1] + 1}, allHeaders[2:]...), 2, 3, 0) // with the long DoNothing
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if err := p.UnmarshalBinary(d); err != nil {
			panic(err)
		}
		buf, _ = p.AppendBinary(buf[:0])
	}), "Packet")
	require.Equal(t, d, buf)
}

func TestPackets(t *testing.T) { rapid.Check(t, propertyPackets) }

func FuzzPacketsProperty(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propertyPackets)) }

// propertyPackets checks that an encoded packet is read and dissected as the same packet, without
// the fields that are not on the wire.
func propertyPackets(t *rapid.T) {
	p := transport.Packet{PeerID: objectid.PeerID(rapid.Int8().Draw(t, "peer"))}
	types := []transport.Type{0, 1, 2, 3, 4, 5, 6, 0x31, 0x32, 0x32, 0x32, 0x33}
	message := rapid.Custom(func(t *rapid.T) transport.Message {
		return transport.Message{
			Type:         rapid.SampledFrom(types).Draw(t, "type"),
			Reliable:     rapid.Bool().Draw(t, "reliable"),
			HighPriority: rapid.Bool().Draw(t, "high priority"),
			Fragment:     rapid.Bool().Draw(t, "fragment"),
			Short:        rapid.Bool().Draw(t, "short"),
			Seq:          rapid.Uint16().Draw(t, "seq"),
			FragIndex:    rapid.ByteMax(2).Draw(t, "index"),
			FragTotal:    rapid.Byte().Draw(t, "total"),
			Body:         rapid.SliceOfN(rapid.OneOf(rapid.ByteMax(3), rapid.Byte()), 0, 9).Draw(t, "body"),
		}
	})
	for _, m := range rapid.SliceOfN(message, 0, 8).Draw(t, "messages") {
		if _, err := m.AppendBinary(nil); err == nil {
			p.Messages = append(p.Messages, onWire(m))
		}
	}
	if len(p.Messages) > 0 && rapid.Bool().Draw(t, "trails") {
		p.Trailing = rapid.SliceOfN(rapid.Byte(), 1, 4).Draw(t, "trailing")
	}
	d, err := p.AppendBinary(nil)
	if p.PeerID == '\\' {
		require.ErrorIs(t, err, transport.ErrGameSpy)
		return
	}
	var q transport.Packet
	if err != nil { // what trails would change the last message
		require.ErrorIs(t, err, transport.ErrBadLength)
		p.Trailing, q.Trailing = nil, p.Trailing
		d, err = p.AppendBinary(nil)
		require.NoError(t, err)
		var r transport.Packet
		if r.UnmarshalBinary(slices.Concat(d, q.Trailing)) == nil {
			require.NotEqual(t, p.Messages[len(p.Messages)-1], r.Messages[len(r.Messages)-1])
		}
	}
	require.NoError(t, q.UnmarshalBinary(d))
	require.Equal(t, p.PeerID, q.PeerID)
	require.Len(t, q.Messages, len(p.Messages))
	for i, m := range q.Messages {
		require.Equal(t, p.Messages[i], m)
	}
	require.Equal(t, p.Trailing, q.Trailing)
	requireDissected(t, d)
}

// onWire returns a message without the fields that its header does not have.
func onWire(m transport.Message) transport.Message {
	n := transport.Message{Type: m.Type, Body: m.Body}
	switch {
	case m.Type == transport.TypeAck:
		n.Seq = m.Seq
	case m.Type == transport.TypeDoNothing:
	case m.Short:
		n.Short = true
	default:
		n.Reliable, n.HighPriority, n.Fragment = m.Reliable, m.HighPriority, m.Fragment
		if m.Reliable {
			n.Seq = m.Seq
		}
		if m.Fragment {
			n.FragIndex = m.FragIndex
		}
		if m.Fragment && m.FragIndex == 0 {
			n.FragTotal = m.FragTotal
		}
	}
	return n
}

// A datagram of the game has whole messages, nothing else, and a sender who can send them.
func TestIsGame(t *testing.T) {
	connect := transport.Packet{PeerID: objectid.NoPeer, Messages: []transport.Message{transport.NewMessage(0, &transport.ConnectRequest{})}}
	alive := transport.Packet{PeerID: 5, Messages: []transport.Message{transport.NewMessage(0, &transport.DoNothing{})}}
	for _, v := range []struct {
		packet transport.Packet
		from   objectid.PeerID
		want   bool
	}{
		{connect, objectid.NoPeer, true},
		{connect, 5, true},
		{alive, 5, true},
		{alive, objectid.Host, true},
		{alive, objectid.NoPeer, false},
		{alive, 0, false},
		{alive, -2, false},
		{transport.Packet{}, 5, false},
	} {
		v.packet.PeerID = v.from
		data, err := v.packet.MarshalBinary()
		require.NoError(t, err)
		require.Equal(t, v.want, transport.IsGame(data), "%v %x", v.from, data)
		require.False(t, transport.IsGame(append(data, 0)))
		require.False(t, transport.IsGame(data[:len(data)-1]))
	}
	require.False(t, transport.IsGame(nil))
}
