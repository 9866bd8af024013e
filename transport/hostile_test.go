package transport_test

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// TestHostile is the table of malformed inputs: for each entry point, the input and the error
// with its offset, or the counted reason and the events.
func TestHostile(t *testing.T) {
	for _, group := range hostile {
		t.Run(group.name, func(t *testing.T) { testdata.TryHostile(t, group.rows(), group.decode) })
	}
	for _, row := range hostileToSession {
		t.Run("Session/"+row.name, func(t *testing.T) {
			for _, o := range []transport.Options{{}, transport.StockOptions()} {
				s := openHost(t, o)
				for _, d := range row.in {
					s.Session.Receive(after(tick), d)
				}
				require.Equal(t, row.events, strings.Join(s.Events(), ", "))
				require.Equal(t, row.drops, strings.Join(slices.Sorted(maps.Keys(s.Dropped())), " "))
				require.NoError(t, transport.CheckSession(s.Session))
			}
		})
	}
	for _, row := range hostileToHub {
		t.Run("Hub/"+row.name, func(t *testing.T) {
			h := newHub(t, transport.HubOptions{})
			h.Join(start, addrOf(1, 1), 7)
			for _, d := range row.in {
				h.ReceiveFrom(start, addrOf(9, 9), d)
			}
			var kinds []string
			for e := range h.Hub.Events() {
				kinds = append(kinds, e.Kind.String())
			}
			require.Equal(t, row.events, strings.Join(kinds, ", "))
			require.Equal(t, row.drops, strings.Join(slices.Sorted(maps.Keys(h.Dropped())), " "))
			require.Equal(t, 1, h.Hub.Len())
		})
	}
	t.Run("Hub/Connects from the address of a player", func(t *testing.T) {
		h := newHub(t, transport.HubOptions{})
		player := addrOf(1, 1)
		h.Join(start, player, 7)
		for id := range uint32(100) {
			h.ReceiveFrom(after(time.Second), player, connectOf(id))
		}
		require.Nil(t, h.Events())
		require.Equal(t, map[string]int{"busy_connect": 99}, h.Dropped())
	})
}

// located returns the offset of an error, or of the first of several.
func located(err error) (int, error) {
	if all := errorsOf(err); len(all) > 0 && all[0].Index >= 0 {
		return all[0].Offset, err
	}
	return none, err
}

const none = testdata.NoOffset

// hostile holds malformed inputs for functions that return errors.
var hostile = []struct {
	name   string
	rows   func() []testdata.Hostile
	decode func(in []byte) (offset int, err error)
}{
	{
		name: "Packet",
		rows: func() []testdata.Hostile {
			return []testdata.Hostile{
				{Name: "nothing", In: nil, Want: io.ErrUnexpectedEOF, Offset: 0},
				{Name: "peer ID alone", In: testdata.Bytes("02"), Want: io.ErrUnexpectedEOF, Offset: 1},
				{Name: "GameSpy text in place of a peer ID", In: []byte(`\`), Want: transport.ErrGameSpy, Offset: none},
				{Name: "unassigned peer ID", In: testdata.Bytes("80 00"), Offset: none},
				{Name: "count of 255, no message", In: testdata.Bytes("02 FF"), Want: io.ErrUnexpectedEOF, Offset: 2},
				{Name: "count of one more than there are", In: testdata.Bytes("02 02 01050000"), Want: io.ErrUnexpectedEOF, Offset: 6},
				{Name: "count 0, but bytes follow", In: testdata.Bytes("02 00 3207800500 2A20"), Offset: none},
				{Name: "255 empty payloads", In: from(2, slices.Repeat([]string{"32 03 00"}, 255)...), Offset: none},
				{Name: "255 messages of one byte", In: from(2, slices.Repeat([]string{"02"}, 255)...), Offset: none},
				{Name: "255 malformed messages", In: from(2, slices.Repeat([]string{"32 03 80"}, 255)...), Want: transport.ErrBadLength, Offset: 2},
				{Name: "Ack without flags", In: testdata.Bytes("02 01 01 0500"), Want: io.ErrUnexpectedEOF, Offset: 2},
				{Name: "Ack that announces an index and ends", In: testdata.Bytes("02 01 01 0500 01"), Want: io.ErrUnexpectedEOF, Offset: 2},
				{Name: "Ack with all flags", In: testdata.Bytes("02 01 01 0500 FF 07"), Offset: none},
				{Name: "length 0", In: testdata.Bytes("02 01 32 0080 0500 2A20"), Want: transport.ErrBadLength, Offset: 2},
				{Name: "length of the type alone", In: testdata.Bytes("02 01 32 0180 0500 2A20"), Want: transport.ErrBadLength, Offset: 2},
				{Name: "length that ends in itself", In: testdata.Bytes("02 01 32 0280 0500 2A20"), Want: transport.ErrBadLength, Offset: 2},
				{Name: "length without room for Seq", In: testdata.Bytes("02 02 32 0480 05 01050000"), Want: transport.ErrBadLength, Offset: 2},
				{Name: "length without room for FragIndex", In: testdata.Bytes("02 01 32 05A0 0500"), Want: transport.ErrBadLength, Offset: 2},
				{Name: "length without room for FragTotal", In: testdata.Bytes("02 01 32 06A0 0500 00"), Want: transport.ErrBadLength, Offset: 2},
				{Name: "length of one byte too many", In: testdata.Bytes("02 01 32 0880 0500 2A20"), Want: io.ErrUnexpectedEOF, Offset: 2},
				{Name: "length 8191 of Data, nothing after it", In: testdata.Bytes("02 01 32 FF1F"), Want: io.ErrUnexpectedEOF, Offset: 2},
				{Name: "length 8191 of Data", In: append(testdata.Bytes("02 01 32 FF1F"), make([]byte, 8188)...), Offset: none},
				{Name: "length 16383 of a system message", In: append(testdata.Bytes("02 01 03 FFFF 0000"), make([]byte, 16378)...), Offset: none},
				{Name: "length 16383 that is cut", In: append(testdata.Bytes("02 01 03 FFFF 0000"), make([]byte, 16377)...), Want: io.ErrUnexpectedEOF, Offset: 2},
				{Name: "length cut in half", In: testdata.Bytes("02 01 32 07"), Want: io.ErrUnexpectedEOF, Offset: 2},
				{Name: "Seq cut in half", In: testdata.Bytes("02 01 32 0780 05"), Want: io.ErrUnexpectedEOF, Offset: 2},
				{Name: "fragment that is not reliable", In: testdata.Bytes("02 01 32 0520 01 55"), Want: transport.ErrBadFragment, Offset: 2},
				{Name: "type 0x06 in the stock form", In: testdata.Bytes("02 01 06 05C0 0000"), Want: transport.ErrUnknownType, Offset: 2},
				{Name: "type below Data", In: testdata.Bytes("02 01 31 05C0 0000"), Want: transport.ErrUnknownType, Offset: 2},
				{Name: "type above Data, as if it were Short", In: testdata.Bytes("02 01 33 02"), Want: transport.ErrUnknownType, Offset: 2},
				{Name: "type 255 after an Ack", In: testdata.Bytes("02 02 01050000 FF"), Want: transport.ErrUnknownType, Offset: 6},
				{Name: "Short of one byte", In: testdata.Bytes("02 01 00 01"), Want: io.ErrUnexpectedEOF, Offset: 2},
				{Name: "Short longer than the datagram", In: testdata.Bytes("02 01 04 04 00"), Want: io.ErrUnexpectedEOF, Offset: 2},
				{Name: "Short of 255 bytes", In: append(testdata.Bytes("02 01 04 FF"), make([]byte, 253)...), Offset: none},
				{Name: "DoNothing whose longer form covers the type of a Connect", In: testdata.Bytes("02 02 02 03 00C1 0000"), Want: transport.ErrUnknownType, Offset: 5},
				{Name: "DoNothing with half a length", In: testdata.Bytes("02 01 02 03"), Offset: none},
				{Name: "DoNothing before a length cut in half", In: testdata.Bytes("02 02 02 03 01"), Want: io.ErrUnexpectedEOF, Offset: 3},
				{Name: "DoNothing with a sequence number after it", In: testdata.Bytes("02 02 02 03 00 00 00"), Want: io.ErrUnexpectedEOF, Offset: 5},
				{Name: "DoNothing with flags after it", In: testdata.Bytes("02 02 02 05C0 0000"), Want: io.ErrUnexpectedEOF, Offset: 3},
				{Name: "OpenBC's Connect and the bytes after it", In: testdata.Bytes("FF 01 03 08 01 00 00 00 7F 00 00 00 00 7F 00"), Offset: none},
				{Name: "length 15 of 17 bytes, as a document has it", In: testdata.Bytes("02 01 32 0F80 0100 2C 0102030405060708090A0B"), Offset: none},
			}
		},
		decode: func(in []byte) (int, error) {
			var p transport.Packet
			err := p.UnmarshalBinary(in)
			if err == nil {
				again, err := p.MarshalBinary()
				if err != nil || !bytes.Equal(in, again) {
					return located(errors.Join(err, errors.New("written differently")))
				}
			}
			return located(err)
		},
	},
	{
		name: "Dissect",
		rows: func() []testdata.Hostile {
			return []testdata.Hostile{
				{Name: "nothing", In: nil, Want: io.ErrUnexpectedEOF, Offset: 0},
				{Name: "GameSpy text", In: []byte(`\status\`), Want: transport.ErrGameSpy, Offset: 0},
				{Name: "length 2 before what looks like Seq", In: testdata.Bytes("02 01 32 0280 0500"), Want: transport.ErrBadLength, Offset: 5},
				{Name: "half of Seq before what looks like FragIndex", In: testdata.Bytes("02 01 32 04A0 05"), Want: transport.ErrBadLength, Offset: 5},
				{Name: "Boot with a byte too few", In: testdata.Bytes("01 01 04 06C0 0000 04"), Want: transport.ErrBadLength, Offset: 7},
				{Name: "255 empty fragments", In: from(2, slices.Repeat([]string{"32 06 A0 0500 01"}, 255)...), Offset: none},
			}
		},
		decode: func(in []byte) (int, error) {
			for f := range transport.Dissect(in) {
				if f.Err != nil {
					return f.Offset, f.Err
				}
			}
			return none, nil
		},
	},
	{
		name: "Decode",
		rows: func() []testdata.Hostile {
			return []testdata.Hostile{
				{Name: "Connect without a body", In: testdata.Bytes("02 01 03 05C0 0000"), Want: transport.ErrBadLength, Offset: none},
				{Name: "Connect between reply and request", In: testdata.Bytes("02 01 03 07C0 0000 0202"), Want: transport.ErrBadLength, Offset: none},
				{Name: "Connect with half a ConnID", In: testdata.Bytes("02 01 03 0CC0 0000 0A0A0AEF F97800"), Want: transport.ErrBadLength, Offset: none},
				{Name: "Connect without a password", In: testdata.Bytes("02 01 03 0DC0 0000 0A0A0AEF F9780000"), Offset: none},
				{Name: "Connect with half a character", In: testdata.Bytes("02 01 03 0EC0 0000 0A0A0AEF F9780000 41"), Offset: none},
				{Name: "Connect with a password of 16 KiB without an end", In: append(testdata.Bytes("02 01 03 FFFF 0000"), bytes.Repeat([]byte("A\x00"), 8189)...), Offset: none},
				{Name: "Connect reply with the host's peer ID", In: testdata.Bytes("02 01 03 06C0 0000 01"), Offset: none},
				{Name: "NameChange with half an IP", In: testdata.Bytes("02 01 00 09C0 0000 02 0A0A0A"), Want: transport.ErrBadLength, Offset: none},
				{Name: "NameChange with half a NUL", In: testdata.Bytes("02 01 00 0BC0 0000 02 0A0A0AEF 00"), Offset: none},
				{Name: "NameChange without a name", In: testdata.Bytes("02 01 00 0AC0 0000 02 0A0A0AEF"), Offset: none},
				{Name: "NameChange with a lone surrogate", In: testdata.Bytes("02 01 00 0CC0 0000 02 0A0A0AEF 3DD8"), Offset: none},
				{Name: "Boot without a peer ID", In: testdata.Bytes("02 01 04 06C0 0000 04"), Want: transport.ErrBadLength, Offset: none},
				{Name: "Boot with a byte too many", In: testdata.Bytes("02 01 04 08C0 0000 04 02 00"), Want: transport.ErrBadLength, Offset: none},
				{Name: "Boot with an unknown reason", In: testdata.Bytes("02 01 04 07C0 0000 FF 02"), Offset: none},
				{Name: "Boot without a sequence number", In: testdata.Bytes("02 01 04 0540 04 02"), Want: transport.ErrDialect, Offset: none},
				{Name: "Disconnect with half an IP", In: testdata.Bytes("02 01 05 08C0 0000 02 0A0A"), Want: transport.ErrBadLength, Offset: none},
				{Name: "Disconnect with a byte too many", In: testdata.Bytes("02 01 05 0BC0 0000 02 0A0A0AEF 00"), Want: transport.ErrBadLength, Offset: none},
				{Name: "Disconnect of OpenBC", In: testdata.Bytes("02 01 06 02"), Want: transport.ErrDialect, Offset: none},
				{Name: "Data", In: testdata.Bytes("02 01 32 0780 0500 2A20"), Want: transport.ErrWrongType, Offset: none},
			}
		},
		decode: func(in []byte) (int, error) {
			for m, err := range transport.Messages(in) {
				if err == nil {
					_, err = m.Decode()
				}
				return located(err)
			}
			return none, errors.New("no message")
		},
	},
	{
		name: "Reassembler",
		rows: func() []testdata.Hostile {
			return []testdata.Hostile{
				{Name: "total 0", In: from(2, fragment(7, 0, 0, "a")), Want: transport.ErrBadFragment, Offset: 2},
				{Name: "index 255", In: from(2, fragment(7, 255, 0, "a")), Want: transport.ErrBadFragment, Offset: 2},
				{Name: "index at the total", In: from(2, fragment(7, 0, 2, "a"), fragment(7, 2, 0, "b")), Want: transport.ErrBadFragment, Offset: 10},
				{Name: "total below an index that is there", In: from(2, fragment(7, 2, 0, "b"), fragment(7, 0, 2, "a")), Want: transport.ErrBadFragment, Offset: 9},
				{Name: "two totals", In: from(2, fragment(7, 0, 2, "a"), fragment(7, 0, 3, "a")), Want: transport.ErrBadFragment, Offset: 10},
				{Name: "two first fragments", In: from(2, fragment(7, 0, 2, "a"), fragment(7, 0, 2, "b")), Want: transport.ErrBadFragment, Offset: 10},
				{Name: "two other fragments", In: from(2, fragment(7, 1, 0, "a"), fragment(7, 1, 0, "b")), Offset: none},
				{Name: "255 empty fragments, the first missing", In: from(2, slices.Repeat([]string{fragment(7, 254, 0, "")}, 255)...), Offset: none},
				{Name: "one partial payload above the limit", In: from(2, fragment(7, 1, 0, ""), fragment(8, 1, 0, ""), fragment(9, 1, 0, "")), Want: transport.ErrLimit, Offset: 14},
				{Name: "one byte above the limit", In: from(2, fragment(7, 1, 0, "0123456789ABCDEF"), fragment(7, 2, 0, "x")), Want: transport.ErrLimit, Offset: 24},
				{Name: "exactly MaxBytes", In: from(2, fragment(7, 1, 0, "0123456789ABCDEF"), fragment(7, 2, 0, "")), Offset: none},
				{Name: "fragments, then the whole message", In: from(2, fragment(7, 1, 0, "b"), text(7, "ab")), Offset: none},
				{Name: "the whole message, then fragments", In: from(2, text(7, "ab"), fragment(7, 0, 0, "")), Offset: none},
				{Name: "hundreds of payloads in one fragment", In: from(2, slices.Repeat([]string{fragment(7, 0, 1, "")}, 255)...), Offset: none},
				{Name: "a system message", In: from(2, "04 07C0 0000 04 02"), Want: transport.ErrWrongType, Offset: 2},
			}
		},
		decode: func(in []byte) (int, error) {
			r := new(transport.Reassembler).Limit(2, 16, 0)
			offset := 2
			for m, err := range transport.Messages(in) {
				if err == nil {
					_, _, err = r.Add(start, m)
				}
				if err != nil {
					return offset, err
				}
				offset += m.Len()
			}
			return none, nil
		},
	},
	{
		name: "Observer",
		rows: func() []testdata.Hostile {
			return []testdata.Hostile{
				{Name: "nothing", In: nil, Want: io.ErrUnexpectedEOF, Offset: 0},
				{Name: "GameSpy text", In: []byte(`\status\`), Want: transport.ErrGameSpy, Offset: none},
				{Name: "count of 255, no message", In: testdata.Bytes("02 FF"), Want: io.ErrUnexpectedEOF, Offset: 2},
				{Name: "255 new connections", In: from(objectid.NoPeer, slices.Repeat([]string{connectMessage, connect(1), connect(2)}, 85)...), Offset: none},
				{Name: "255 Acks of unsent messages", In: from(2, slices.Repeat([]string{"01 0000 FF 00"}, 255)...), Offset: none},
				{Name: "jumping sequence numbers", In: from(2, text(0, "a"), text(0x8000, "b"), text(0, "c"), text(0xFFFF, "d")), Offset: none},
				{Name: "jumping sequence numbers of one byte", In: from(2, "06 02", text(0, "a"), text(0x80, "b"), text(0x7F, "c"), text(0xFFFF, "d"), text(0, "e")), Offset: none},
				{Name: "single fragment with index 254", In: from(2, fragment(7, 254, 0, "a")), Offset: none},
				{Name: "total 0", In: from(2, text(1, "a"), fragment(7, 0, 0, "a")), Want: transport.ErrBadFragment, Offset: 8},
				{Name: "two totals", In: from(2, fragment(7, 0, 2, "a"), fragment(7, 0, 3, "a")), Want: transport.ErrBadFragment, Offset: 10},
				{Name: "one partial payload above the limit", In: from(2, fragment(7, 1, 0, ""), fragment(8, 1, 0, ""), fragment(9, 1, 0, "")), Want: transport.ErrLimit, Offset: none},
				{Name: "a body too short after a payload", In: from(2, text(1, "a"), "04 06C0 0000 04"), Want: transport.ErrBadLength, Offset: 8},
				{Name: "a Connect too short", In: from(objectid.NoPeer, "03 0CC0 0000 0A0A0AEF F97800"), Want: transport.ErrBadLength, Offset: 2},
				{Name: "unknown type after a Connect", In: from(objectid.NoPeer, connectMessage, "99"), Want: transport.ErrUnknownType, Offset: 17},
			}
		},
		decode: func(in []byte) (int, error) {
			o := new(transport.Observer).Limit(2, 16, 0)
			for _, err := range o.Receive(start, false, in) {
				if err != nil {
					return located(err)
				}
			}
			return none, nil
		},
	},
	{
		name: "AppendFragments",
		rows: func() []testdata.Hostile {
			return []testdata.Hostile{
				{Name: "nothing", In: nil, Offset: none},
				{Name: "longest unfragmented payload", In: numbered(407), Offset: none},
				{Name: "one byte longer", In: numbered(408), Offset: none},
				{Name: "the longest", In: numbered(transport.MaxPayload), Offset: none},
				{Name: "payload of 256 fragments", In: numbered(transport.MaxPayload + 1), Want: stream.ErrTooLong, Offset: none},
			}
		},
		decode: func(in []byte) (int, error) {
			all, err := transport.AppendFragments(nil, 7, in)
			if err != nil {
				return located(err)
			}
			var r transport.Reassembler
			for i := len(all) - 1; i >= 0; i-- { // in reverse order
				payload, v, err := r.Add(start, &all[i])
				switch {
				case err != nil:
					return none, err
				case v == transport.VerdictComplete && i == 0 && bytes.Equal(payload, in):
					return none, nil
				}
			}
			return none, errors.New("not complete")
		},
	},
}

// dropRow is malformed input for a Session or a Hub. They have no errors: they count drops.
type dropRow struct {
	name   string
	in     [][]byte
	drops  string // the reasons, in alphabetical order
	events string
}

// hostileToSession holds datagrams for the session of a host with the peer 2.
var hostileToSession = []dropRow{
	{"nothing", [][]byte{nil}, "malformed", ""},
	{"GameSpy text", [][]byte{[]byte(`\basic\`)}, "malformed", ""},
	{"peer ID of another client", [][]byte{from(3, text(0, "x"))}, "wrong_peer", ""},
	{"peer ID of the host", [][]byte{from(objectid.Host, text(0, "x"))}, "wrong_peer", ""},
	{"no peer ID and no Connect", [][]byte{from(objectid.NoPeer, text(0, "x"))}, "no_connect", ""},
	{"another Connect", [][]byte{connectOf(1)}, "busy_connect", ""},
	{"malformed message before a valid one", [][]byte{from(2, "32 0380", text(0, "x"))}, "malformed", "payload reliable x"},
	{"first sequence number out of the window", [][]byte{from(2, text(0x4000, "x"))}, "out_of_window", ""},
	{"sequence number 0x8000 ahead", [][]byte{from(2, text(0x8000, "x"))}, "out_of_window", ""},
	{"fragment that contradicts itself", [][]byte{from(2, fragment(0, 0, 0, "x"))}, "bad_fragment", ""},
	{"fragment that contradicts others", [][]byte{from(2, fragment(0, 0, 2, "x")), from(2, fragment(0, 0, 3, "x"))}, "bad_fragment", "ended bad fragment"},
	{"whole message in place of fragments", [][]byte{from(2, fragment(0, 1, 0, "x"), text(0, "xy"))}, "bad_fragment", ""},
	{"payload after the end", [][]byte{from(2, "06 02", text(0, "x"))}, "late", "ended left"},
	{"Boot of a client", [][]byte{from(2, wire(transport.NewMessage(1, &transport.Boot{Reason: 4, PeerID: 2})))}, "forged", ""},
	{"Disconnect of another client", [][]byte{from(2, wire(transport.NewMessage(1, &transport.Disconnect{PeerID: 3})))}, "forged", ""},
	{"Disconnect of the host", [][]byte{from(2, wire(transport.NewMessage(1, &transport.Disconnect{PeerID: objectid.Host})))}, "forged", ""},
	{"Connect with a later sequence number", [][]byte{from(2, wire(transport.NewMessage(1, &transport.ConnectRequest{})))}, "forged", ""},
	{"Connect reply of a client", [][]byte{from(2, wire(transport.NewMessage(1, &transport.ConnectReply{PeerID: 9})))}, "forged", ""},
	{"body that is too short", [][]byte{from(2, "04 06C0 0100 04")}, "malformed", ""},
	{"Boot without a sequence number", [][]byte{from(2, "04 0540 04 02")}, "malformed", ""},
	{"unknown Short message", [][]byte{from(2, "04 04 04 02")}, "malformed", ""},
	{"Acks of unsent messages", [][]byte{from(2, slices.Repeat([]string{"01 FFFF 02"}, 255)...)}, "", ""},
	{"one message in 255 copies", [][]byte{from(2, slices.Repeat([]string{text(0, "x")}, 255)...)}, "", "payload reliable x"},
}

// hostileToHub holds datagrams from an address without a session.
var hostileToHub = []dropRow{
	{"nothing", [][]byte{nil}, "malformed", ""},
	{"unknown address with the peer ID of a player", [][]byte{from(2, text(0, "x"))}, "unknown_address", ""},
	{"unknown address with the peer ID of the host", [][]byte{from(objectid.Host, "04 07C0 0000 01 02")}, "unknown_address", ""},
	{"Acks of a refused client", [][]byte{from(objectid.NoPeer, "01 0000 02")}, "no_connect", ""},
	{"Connect with another sequence number", [][]byte{from(objectid.NoPeer, wire(transport.NewMessage(1, &transport.ConnectRequest{})))}, "no_connect", ""},
	{"Connect that is cut", [][]byte{connectOf(1)[:14]}, "no_connect", ""},
	{"Connect after a malformed message", [][]byte{from(objectid.NoPeer, "32 0380", connectMessage)}, "", "connect"},
	{"Connect after an unknown type", [][]byte{from(objectid.NoPeer, "33", connectMessage)}, "no_connect", ""},
	{"two Connects", [][]byte{from(objectid.NoPeer, connectMessage, connectMessage)}, "", "connect"},
}
