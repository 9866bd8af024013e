package transport_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// What is sent on purpose, to each way in, and what comes of it.
func TestHostile(t *testing.T) {
	for group, table := range map[string]struct {
		rows   []testdata.Hostile
		decode func(in []byte) (offset int, err error)
	}{
		"Packet":          {hostilePackets(), readPacket},
		"Strict":          {hostileDialects(), readStrictly},
		"Dissect":         {hostileFields(), dissect},
		"Decode":          {hostileBodies(), decodeBody},
		"Reassembler":     {hostileFragments(), reassemble},
		"AppendFragments": {hostilePayloads(), split},
	} {
		t.Run(group, func(t *testing.T) { testdata.TryHostile(t, table.rows, table.decode) })
	}
	t.Run("Session", hostileSession)
	t.Run("Hub", hostileHub)
}

// located returns the offset of an error, or of the first of several.
func located(err error) (int, error) {
	if all := faults(err); len(all) > 0 && all[0].Index >= 0 {
		return all[0].Offset, err
	}
	return testdata.NoOffset, err
}

func many(n int, message string) []byte {
	return append([]byte{2, byte(n)}, bytes.Repeat(testdata.Bytes(message), n)...)
}

func zeros(head string, n int) []byte { return append(testdata.Bytes(head), make([]byte, n)...) }

func readPacket(in []byte) (int, error) {
	var p transport.Packet
	err := p.UnmarshalBinary(in)
	if err == nil {
		again, err := p.MarshalBinary()
		if err != nil || !bytes.Equal(in, again) {
			return located(errors.Join(err, errors.New("written differently")))
		}
	}
	return located(err)
}

func hostilePackets() []testdata.Hostile {
	const none = testdata.NoOffset
	h := testdata.Bytes
	eof, length, fragment, unknown := io.ErrUnexpectedEOF, transport.ErrBadLength, transport.ErrBadFragment, transport.ErrUnknownType
	return []testdata.Hostile{
		{Name: "nothing", In: nil, Want: eof, Offset: 0},
		{Name: "peer ID alone", In: h("02"), Want: eof, Offset: 1},
		{Name: "GameSpy text in place of a peer ID", In: []byte(`\`), Want: transport.ErrGameSpy, Offset: none},
		{Name: "peer ID of nobody", In: h("80 00"), Offset: none},
		{Name: "count of 255, no message", In: h("02 FF"), Want: eof, Offset: 2},
		{Name: "count of one more than there are", In: h("02 02 01050000"), Want: eof, Offset: 6},
		{Name: "count of none, bytes follow", In: h("02 00 3207800500 2A20"), Offset: none},
		{Name: "255 empty payloads", In: many(255, "32 03 00"), Offset: none},
		{Name: "255 messages of one byte", In: many(255, "02"), Offset: none},
		{Name: "255 wrong messages", In: many(255, "32 03 80"), Want: length, Offset: 2},
		{Name: "Ack without flags", In: h("02 01 01 0500"), Want: eof, Offset: 2},
		{Name: "Ack that announces an index and ends", In: h("02 01 01 0500 01"), Want: eof, Offset: 2},
		{Name: "Ack with all flags", In: h("02 01 01 0500 FF 07"), Offset: none},
		{Name: "length 0", In: h("02 01 32 0080 0500 2A20"), Want: length, Offset: 2},
		{Name: "length of the type alone", In: h("02 01 32 0180 0500 2A20"), Want: length, Offset: 2},
		{Name: "length that ends in itself", In: h("02 01 32 0280 0500 2A20"), Want: length, Offset: 2},
		{Name: "length without room for Seq", In: h("02 02 32 0480 05 01050000"), Want: length, Offset: 2},
		{Name: "length without room for FragIndex", In: h("02 01 32 05A0 0500"), Want: length, Offset: 2},
		{Name: "length without room for FragTotal", In: h("02 01 32 06A0 0500 00"), Want: length, Offset: 2},
		{Name: "length of one byte too many", In: h("02 01 32 0880 0500 2A20"), Want: eof, Offset: 2},
		{Name: "length 8191 of Data, nothing behind it", In: h("02 01 32 FF1F"), Want: eof, Offset: 2},
		{Name: "length 8191 of Data", In: zeros("02 01 32 FF1F", 8188), Offset: none},
		{Name: "length 16383 of a system message", In: zeros("02 01 03 FFFF 0000", 16378), Offset: none},
		{Name: "length 16383 that is cut", In: zeros("02 01 03 FFFF 0000", 16377), Want: eof, Offset: 2},
		{Name: "length cut in half", In: h("02 01 32 07"), Want: eof, Offset: 2},
		{Name: "Seq cut in half", In: h("02 01 32 0780 05"), Want: eof, Offset: 2},
		{Name: "fragment that is not reliable", In: h("02 01 32 0520 01 55"), Want: fragment, Offset: 2},
		{Name: "type 0x06 in the stock form", In: h("02 01 06 05C0 0000"), Want: unknown, Offset: 2},
		{Name: "type below Data", In: h("02 01 31 05C0 0000"), Want: unknown, Offset: 2},
		{Name: "type above Data, as if it were Short", In: h("02 01 33 02"), Want: unknown, Offset: 2},
		{Name: "type 255 behind an Ack", In: h("02 02 01050000 FF"), Want: unknown, Offset: 6},
		{Name: "Short of one byte", In: h("02 01 00 01"), Want: eof, Offset: 2},
		{Name: "Short longer than the datagram", In: h("02 01 04 04 00"), Want: eof, Offset: 2},
		{Name: "Short that is all there is", In: zeros("02 01 04 FF", 253), Offset: none},
		{Name: "DoNothing that swallows the type of a Connect", In: h("02 02 02 03 00C1 0000"), Want: unknown, Offset: 5},
		{Name: "DoNothing with half a length", In: h("02 01 02 03"), Offset: none},
		{Name: "DoNothing before a length cut in half", In: h("02 02 02 03 01"), Want: eof, Offset: 3},
		{Name: "DoNothing with a sequence number behind it", In: h("02 02 02 03 00 00 00"), Want: eof, Offset: 5},
		{Name: "DoNothing with flags behind it", In: h("02 02 02 05C0 0000"), Want: eof, Offset: 3},
		{Name: "OpenBC's Connect and what it leaves", In: h("FF 01 03 08 01 00 00 00 7F 00 00 00 00 7F 00"), Offset: none},
		{Name: "length 15 of 17 bytes, as a document has it", In: h("02 01 32 0F80 0100 2C 0102030405060708090A0B"), Offset: none},
	}
}

func readStrictly(in []byte) (int, error) {
	for _, err := range transport.Strict.Messages(in) {
		if err != nil {
			return located(err)
		}
	}
	return testdata.NoOffset, nil
}

func hostileDialects() []testdata.Hostile {
	h := testdata.Bytes
	return []testdata.Hostile{
		{Name: "Connect of OpenBC", In: h("FF 01 03 08 01 00 00 00 7F 00"), Want: transport.ErrDialect, Offset: 2},
		{Name: "Disconnect of OpenBC", In: h("02 02 01050000 06 02"), Want: transport.ErrDialect, Offset: 6},
		{Name: "keepalive of OpenBC, cut by the end", In: h("02 01 00 02"), Want: transport.ErrDialect, Offset: 2},
		{Name: "stock Boot cut to two bytes", In: h("01 01 04 07"), Want: io.ErrUnexpectedEOF, Offset: 2},
		{Name: "neither flag, but no Short", In: zeros("02 01 04 0001", 253), Offset: testdata.NoOffset},
	}
}

func dissect(in []byte) (int, error) {
	for f := range transport.Dissect(in) {
		if f.Err != nil {
			return f.Offset, f.Err
		}
	}
	return testdata.NoOffset, nil
}

func hostileFields() []testdata.Hostile {
	h := testdata.Bytes
	return []testdata.Hostile{
		{Name: "nothing", In: nil, Want: io.ErrUnexpectedEOF, Offset: 0},
		{Name: "GameSpy text", In: []byte(`\status\`), Want: transport.ErrGameSpy, Offset: 0},
		{Name: "length 2 before what looks like Seq", In: h("02 01 32 0280 0500"), Want: transport.ErrBadLength, Offset: 5},
		{Name: "half of Seq before what looks like FragIndex", In: h("02 01 32 04A0 05"), Want: transport.ErrBadLength, Offset: 5},
		{Name: "Boot with a byte too few", In: h("01 01 04 06C0 0000 04"), Want: transport.ErrBadLength, Offset: 7},
		{Name: "255 empty fragments", In: many(255, "32 06 A0 0500 01"), Offset: testdata.NoOffset},
	}
}

// decodeBody decodes the message in a datagram that has one.
func decodeBody(in []byte) (int, error) {
	for m, err := range transport.Messages(in) {
		if err == nil {
			_, err = m.Decode()
		}
		return located(err)
	}
	return testdata.NoOffset, errors.New("no message")
}

func hostileBodies() []testdata.Hostile {
	const none = testdata.NoOffset
	length, dialect := transport.ErrBadLength, transport.ErrDialect
	rows := []testdata.Hostile{
		{Name: "Connect without a body", In: testdata.Bytes("03 05C0 0000"), Want: length},
		{Name: "Connect between reply and request", In: testdata.Bytes("03 07C0 0000 0202"), Want: length},
		{Name: "Connect with half a ConnID", In: testdata.Bytes("03 0CC0 0000 0A0A0AEF F97800"), Want: length},
		{Name: "Connect without a password", In: testdata.Bytes("03 0DC0 0000 0A0A0AEF F9780000")},
		{Name: "Connect with half a character", In: testdata.Bytes("03 0EC0 0000 0A0A0AEF F9780000 41")},
		{Name: "Connect with a password of 16 KiB without an end", In: append(testdata.Bytes("03 FFFF 0000"), bytes.Repeat([]byte("A\x00"), 8189)...)},
		{Name: "Connect reply with the host's peer ID", In: testdata.Bytes("03 06C0 0000 01")},
		{Name: "NameChange with half an IP", In: testdata.Bytes("00 09C0 0000 02 0A0A0A"), Want: length},
		{Name: "NameChange with half a NUL", In: testdata.Bytes("00 0BC0 0000 02 0A0A0AEF 00")},
		{Name: "NameChange without a name", In: testdata.Bytes("00 0AC0 0000 02 0A0A0AEF")},
		{Name: "NameChange with a lone surrogate", In: testdata.Bytes("00 0CC0 0000 02 0A0A0AEF 3DD8")},
		{Name: "Boot without a peer ID", In: testdata.Bytes("04 06C0 0000 04"), Want: length},
		{Name: "Boot with a byte too many", In: testdata.Bytes("04 08C0 0000 04 02 00"), Want: length},
		{Name: "Boot with a reason that nobody knows", In: testdata.Bytes("04 07C0 0000 FF 02")},
		{Name: "Boot without a sequence number", In: testdata.Bytes("04 0540 04 02"), Want: dialect},
		{Name: "Disconnect with half an IP", In: testdata.Bytes("05 08C0 0000 02 0A0A"), Want: length},
		{Name: "Disconnect with a byte too many", In: testdata.Bytes("05 0BC0 0000 02 0A0A0AEF 00"), Want: length},
		{Name: "Disconnect of OpenBC", In: testdata.Bytes("06 02"), Want: dialect},
		{Name: "Data", In: testdata.Bytes("32 0780 0500 2A20"), Want: transport.ErrWrongType},
	}
	for i := range rows {
		rows[i].In = append([]byte{2, 1}, rows[i].In...)
		rows[i].Offset = none
	}
	return rows
}

// reassemble adds the messages of a datagram and returns the offset of the first one that
// is not taken.
func reassemble(in []byte) (int, error) {
	r := transport.Reassembler{MaxPayloads: 2, MaxBytes: 16}
	offset := 2
	for m, err := range transport.Messages(in) {
		if err == nil {
			_, _, err = r.Add(start, &m)
		}
		if err != nil {
			return offset, err
		}
		offset += m.Len()
	}
	return testdata.NoOffset, nil
}

func hostileFragments() []testdata.Hostile {
	const none = testdata.NoOffset
	bad := transport.ErrBadFragment
	d := func(messages ...string) []byte { return from(2, messages...) }
	return []testdata.Hostile{
		{Name: "total 0", In: d(fragment(7, 0, 0, "a")), Want: bad, Offset: 2},
		{Name: "index 255", In: d(fragment(7, 255, 0, "a")), Want: bad, Offset: 2},
		{Name: "index at the total", In: d(fragment(7, 0, 2, "a"), fragment(7, 2, 0, "b")), Want: bad, Offset: 10},
		{Name: "total below an index that is there", In: d(fragment(7, 2, 0, "b"), fragment(7, 0, 2, "a")), Want: bad, Offset: 9},
		{Name: "two totals", In: d(fragment(7, 0, 2, "a"), fragment(7, 0, 3, "a")), Want: bad, Offset: 10},
		{Name: "two first pieces", In: d(fragment(7, 0, 2, "a"), fragment(7, 0, 2, "b")), Want: bad, Offset: 10},
		{Name: "two other pieces", In: d(fragment(7, 1, 0, "a"), fragment(7, 1, 0, "b")), Offset: none},
		{Name: "255 pieces of nothing, the first missing", In: d(slices.Repeat([]string{fragment(7, 254, 0, "")}, 255)...), Offset: none},
		{Name: "a payload too many", In: d(fragment(7, 1, 0, ""), fragment(8, 1, 0, ""), fragment(9, 1, 0, "")), Want: transport.ErrLimit, Offset: 14},
		{Name: "a byte too many", In: d(fragment(7, 1, 0, "0123456789ABCDEF"), fragment(7, 2, 0, "x")), Want: transport.ErrLimit, Offset: 24},
		{Name: "as many bytes as may be", In: d(fragment(7, 1, 0, "0123456789ABCDEF"), fragment(7, 2, 0, "")), Offset: none},
		{Name: "pieces, then the whole", In: d(fragment(7, 1, 0, "b"), text(7, "ab")), Offset: none},
		{Name: "the whole, then pieces", In: d(text(7, "ab"), fragment(7, 0, 0, "")), Offset: none},
		{Name: "hundreds of payloads in one piece", In: d(slices.Repeat([]string{fragment(7, 0, 1, "")}, 255)...), Offset: none},
		{Name: "a system message", In: d("04 07C0 0000 04 02"), Want: transport.ErrWrongType, Offset: 2},
	}
}

// split cuts a payload and puts the pieces together again, the last first.
func split(in []byte) (int, error) {
	all, err := transport.AppendFragments(nil, 7, in)
	if err != nil {
		return located(err)
	}
	return testdata.NoOffset, rejoin(all, in)
}

func rejoin(all []transport.Message, want []byte) error {
	var r transport.Reassembler
	for i := len(all) - 1; i >= 0; i-- {
		payload, v, err := r.Add(start, &all[i])
		switch {
		case err != nil:
			return err
		case v == transport.VerdictComplete && i == 0 && bytes.Equal(payload, want):
			return nil
		}
	}
	return errors.New("not complete")
}

func hostilePayloads() []testdata.Hostile {
	const none = testdata.NoOffset
	return []testdata.Hostile{
		{Name: "nothing", In: nil, Offset: none},
		{Name: "the longest that is whole", In: numbered(407), Offset: none},
		{Name: "a byte more", In: numbered(408), Offset: none},
		{Name: "the longest", In: numbered(transport.MaxPayload), Offset: none},
		{Name: "one that needs 256 pieces", In: numbered(transport.MaxPayload + 1), Want: transport.ErrTooLong, Offset: none},
	}
}

// A Session and a Hub have no errors: what they do not take is counted.
type dropRow struct {
	name  string
	in    [][]byte
	drops string // the reasons, in alphabetical order
	told  string // the events
}

func datagrams(all ...[]byte) [][]byte { return all }

func hostileSession(t *testing.T) {
	system := func(seq uint16, body transport.Body) string { return wire(transport.NewMessage(seq, body)) }
	for _, row := range []dropRow{
		{"nothing", datagrams(nil), "malformed", ""},
		{"GameSpy text", datagrams([]byte(`\basic\`)), "malformed", ""},
		{"peer ID of another", datagrams(from(3, text(0, "x"))), "wrong_peer", ""},
		{"peer ID of the host", datagrams(from(objectid.Host, text(0, "x"))), "wrong_peer", ""},
		{"no peer ID and no Connect", datagrams(from(objectid.NoPeer, text(0, "x"))), "no_connect", ""},
		{"another Connect", datagrams(connectOf(1)), "busy_connect", ""},
		{"a sibling that is wrong", datagrams(from(2, "32 0380", text(0, "x"))), "malformed", "payload reliable x"},
		{"first number out of the window", datagrams(from(2, text(0x4000, "x"))), "out_of_window", ""},
		{"number half a round away", datagrams(from(2, text(0x8000, "x"))), "out_of_window", ""},
		{"fragment that contradicts itself", datagrams(from(2, fragment(0, 0, 0, "x"))), "bad_fragment", ""},
		{"fragment that contradicts others", datagrams(from(2, fragment(0, 0, 2, "x")), from(2, fragment(0, 0, 3, "x"))), "bad_fragment", "ended bad fragment"},
		{"message in the place of pieces", datagrams(from(2, fragment(0, 1, 0, "x"), text(0, "xy"))), "bad_fragment", ""},
		{"payload after the end", datagrams(from(2, "06 02", text(0, "x"))), "late", "ended left"},
		{"Boot of a client", datagrams(from(2, system(1, transport.Boot{Reason: 4, PeerID: 2}))), "forged", ""},
		{"Disconnect of another", datagrams(from(2, system(1, transport.Disconnect{PeerID: 3}))), "forged", ""},
		{"Disconnect of the host", datagrams(from(2, system(1, transport.Disconnect{PeerID: objectid.Host}))), "forged", ""},
		{"Connect under a number to come", datagrams(from(2, system(1, transport.ConnectRequest{}))), "forged", ""},
		{"Connect reply of a client", datagrams(from(2, system(1, transport.ConnectReply{PeerID: 9}))), "forged", ""},
		{"body that is too short", datagrams(from(2, "04 06C0 0100 04")), "malformed", ""},
		{"Boot without a number", datagrams(from(2, "04 0540 04 02")), "malformed", ""},
		{"Short without a meaning", datagrams(from(2, "04 04 04 02")), "malformed", ""},
		{"Acks of what was never sent", datagrams(many(255, "01 FFFF 02")), "", ""},
		{"one message in 255 copies", datagrams(many(255, text(0, "x"))), "", "payload reliable x"},
	} {
		t.Run(row.name, func(t *testing.T) {
			for _, o := range []transport.Options{{}, transport.StockOptions()} {
				s := newHosted(t, o)
				for _, d := range row.in {
					s.Receive(after(tick), d)
				}
				require.Equal(t, row.told, strings.Join(told(s), ", "))
				require.Equal(t, row.drops, reasons(s.Counters()))
				require.NoError(t, transport.CheckSession(s))
			}
		})
	}
}

// reasons returns why something was dropped.
func reasons(c transport.Counters) string {
	var all []string
	for reason := range dropped(c) {
		all = append(all, reason)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func hostileHub(t *testing.T) {
	stranger, player := addrOf(9, 9), addrOf(1, 1)
	for _, row := range []dropRow{
		{"nothing", datagrams(nil), "malformed", ""},
		{"stranger with the peer ID of a player", datagrams(from(2, text(0, "x"))), "stranger", ""},
		{"stranger as the host", datagrams(from(objectid.Host, "04 07C0 0000 01 02")), "stranger", ""},
		{"Acks of somebody refused", datagrams(from(objectid.NoPeer, "01 0000 02")), "no_connect", ""},
		{"Connect under another number", datagrams(from(objectid.NoPeer, wire(transport.NewMessage(1, transport.ConnectRequest{})))), "no_connect", ""},
		{"Connect that is cut", datagrams(connectOf(1)[:14]), "no_connect", ""},
		{"Connect behind what is wrong", datagrams(from(objectid.NoPeer, "32 0380", connectMessage)), "", "connect"},
		{"Connect behind what has no end", datagrams(from(objectid.NoPeer, "33", connectMessage)), "no_connect", ""},
		{"two Connects", datagrams(from(objectid.NoPeer, connectMessage, connectMessage)), "", "connect"},
	} {
		t.Run(row.name, func(t *testing.T) {
			h := transport.NewHub(start, transport.HubOptions{})
			join(t, h, start, player, 7)
			for _, d := range row.in {
				h.Receive(start, stranger, d)
			}
			var kinds []string
			for e := range h.Events() {
				kinds = append(kinds, e.Kind.String())
			}
			require.Equal(t, row.told, strings.Join(kinds, ", "))
			require.Equal(t, row.drops, reasons(h.Counters()))
			require.Equal(t, 1, h.Len())
		})
	}
	t.Run("Connects from the address of a player", func(t *testing.T) {
		h := transport.NewHub(start, transport.HubOptions{})
		join(t, h, start, player, 7)
		for id := range uint32(100) {
			h.Receive(after(time.Second), player, connectOf(id))
		}
		require.Nil(t, heard(h))
		require.Equal(t, map[string]int{"busy_connect": 99}, dropped(h.Counters()))
	})
}
