package transport_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport"
)

// dissected returns the fields of a datagram in words.
func dissected(d []byte) (all []string) {
	for f := range transport.Dissect(d) {
		what := fmt.Sprintf("%s %v", f.Name, f.Value)
		if f.Err != nil {
			what = f.Err.Error()
		}
		all = append(all, fmt.Sprintf("%d: %d+%d %s", f.Message, f.Offset, f.Size, what))
	}
	return all
}

func TestDissect(t *testing.T) {
	for _, v := range []struct {
		name, wire string
		want       []string
	}{
		{"Acks", "01 02  01 0500 02  01 0600 81 07", []string{
			"-1: 0+1 PeerID 1", "-1: 1+1 Count 2",
			"0: 2+1 Type Ack", "0: 3+2 Seq 5", "0: 5+1 Flags 2",
			"1: 6+1 Type Ack", "1: 7+2 Seq 6", "1: 9+1 Flags 129", "1: 10+1 FragIndex 7",
		}},
		{"Data", "02 04  32 04 00 1C  32 06 C0 05 00 20  32 08 A0 05 00 00 02 20  32 06 A0 05 00 01", []string{
			"-1: 0+1 PeerID 2", "-1: 1+1 Count 4",
			"0: 2+1 Type Data", "0: 3+2 Flags+Length length 4", "0: 5+1 Payload [28]",
			"1: 6+1 Type Data", "1: 7+2 Flags+Length length 6, reliable, high priority", "1: 9+2 Seq 5", "1: 11+1 Payload [32]",
			"2: 12+1 Type Data", "2: 13+2 Flags+Length length 8, reliable, fragment", "2: 15+2 Seq 5",
			"2: 17+1 FragIndex 0", "2: 18+1 FragTotal 2", "2: 19+1 Piece [32]",
			"3: 20+1 Type Data", "3: 21+2 Flags+Length length 6, reliable, fragment", "3: 23+2 Seq 5", "3: 25+1 FragIndex 1",
		}},
		{"Connect", "FF 01  03 0F C0 00 00 0A 0A 0A EF F9 78 00 00 00 00", []string{
			"-1: 0+1 PeerID -1", "-1: 1+1 Count 1",
			"0: 2+1 Type Connect", "0: 3+2 Flags+Length length 15, reliable, high priority", "0: 5+2 Seq 0",
			"0: 7+4 LocalIP [10 10 10 239]", "0: 11+4 ConnID 30969", "0: 15+2 Password ",
		}},
		{"Connect without password", "FF 01  03 0D C0 00 00 0A 0A 0A EF F9 78 00 00", []string{
			"-1: 0+1 PeerID -1", "-1: 1+1 Count 1",
			"0: 2+1 Type Connect", "0: 3+2 Flags+Length length 13, reliable, high priority", "0: 5+2 Seq 0",
			"0: 7+4 LocalIP [10 10 10 239]", "0: 11+4 ConnID 30969",
		}},
		{"host", "01 04  03 06 C0 00 00 02  00 10 C0 01 00 02 0A 0A 0A EF 51 00 78 00 00 00  04 07 C0 02 00 04 02  05 0A C0 03 00 02 0A 00 32 03", []string{
			"-1: 0+1 PeerID 1", "-1: 1+1 Count 4",
			"0: 2+1 Type Connect", "0: 3+2 Flags+Length length 6, reliable, high priority", "0: 5+2 Seq 0", "0: 7+1 PeerID 2",
			"1: 8+1 Type NameChange", "1: 9+2 Flags+Length length 16, reliable, high priority", "1: 11+2 Seq 1",
			"1: 13+1 PeerID 2", "1: 14+4 IP [10 10 10 239]", "1: 18+6 Name Qx",
			"2: 24+1 Type Boot", "2: 25+2 Flags+Length length 7, reliable, high priority", "2: 27+2 Seq 2",
			"2: 29+1 Reason removed by host", "2: 30+1 PeerID 2",
			"3: 31+1 Type Disconnect", "3: 32+2 Flags+Length length 10, reliable, high priority", "3: 34+2 Seq 3",
			"3: 36+1 PeerID 2", "3: 37+4 IP [10 0 50 3]",
		}},
		{"dialects", "02 05  02  02 03 00  03 08 01 00 00 00 7F 00  06 02  04 05 40 04 02  99", []string{
			"-1: 0+1 PeerID 2", "-1: 1+1 Count 5",
			"0: 2+1 Type DoNothing", "1: 3+1 Type DoNothing", "1: 4+2 Raw [3 0]",
			"2: 6+1 Type Connect", "2: 7+1 Length 8", "2: 8+6 Body [1 0 0 0 127 0]",
			"3: 14+1 Type 0x06", "3: 15+1 Length 2",
			"4: 16+1 Type Boot", "4: 17+2 Flags+Length length 5, high priority", "4: 19+2 Body [4 2]",
			"-1: 21+1 Trailing [153]",
		}},
		{"wrong", "02 07  32 04 80 05  32 05 A0 05 00  32 06 A0 05 00 00  32 05 20 01 55  04 06 C0 01 00 04  01 05 00 00  33 99", []string{
			"-1: 0+1 PeerID 2", "-1: 1+1 Count 7",
			"0: 2+1 Type Data", "0: 3+2 Flags+Length length 4, reliable", "0: 5+1 transport: message 0 (Data) at offset 2: bad length",
			"1: 6+1 Type Data", "1: 7+2 Flags+Length length 5, reliable, fragment", "1: 9+2 Seq 5", "1: 11+0 transport: message 1 (Data) at offset 6: bad length",
			"2: 11+1 Type Data", "2: 12+2 Flags+Length length 6, reliable, fragment", "2: 14+2 Seq 5", "2: 16+1 FragIndex 0",
			"2: 17+0 transport: message 2 (Data) at offset 11: bad length",
			"3: 17+1 Type Data", "3: 18+2 Flags+Length length 5, fragment", "3: 20+1 FragIndex 1", "3: 21+1 transport: message 3 (Data) at offset 17: bad fragment",
			"4: 22+1 Type Boot", "4: 23+2 Flags+Length length 6, reliable, high priority", "4: 25+2 Seq 1", "4: 27+1 transport: message 4 (Boot) at offset 22: bad length",
			"5: 28+1 Type Ack", "5: 29+2 Seq 5", "5: 31+1 Flags 0",
			"6: 32+1 Type 0x33", "6: 33+1 transport: message 6 (0x33) at offset 32: unknown message type",
		}},
		{"length 2", "02 02  32 02 80 05 00  02", []string{
			"-1: 0+1 PeerID 2", "-1: 1+1 Count 2",
			"0: 2+1 Type Data", "0: 3+2 Flags+Length length 2, reliable", "0: 5+3 transport: message 0 (Data) at offset 2: bad length",
		}},
		{"cut", "02 02  02  32 20 80 05 00 1C", []string{
			"-1: 0+1 PeerID 2", "-1: 1+1 Count 2", "0: 2+1 Type DoNothing",
			"1: 3+1 Type Data", "1: 4+2 Flags+Length length 32, reliable", "1: 6+2 Seq 5", "1: 8+1 transport: message 1 (Data) at offset 3: unexpected EOF",
		}},
		{"count of none", "02 01", []string{"-1: 0+1 PeerID 2", "-1: 1+1 Count 1", "0: 2+0 transport: message 0 at offset 2: unexpected EOF"}},
		{"peer", "02", []string{"-1: 0+1 PeerID 2", "0: 1+0 transport: message 0 at offset 1: unexpected EOF"}},
		{"nothing", "", []string{"0: 0+0 transport: message 0 at offset 0: unexpected EOF"}},
		{"GameSpy", "5C 61", []string{"-1: 0+2 transport: GameSpy text, not a datagram of the game"}},
	} {
		t.Run(v.name, func(t *testing.T) {
			require.Equal(t, v.want, dissected(unhex(v.wire)))
			requireDissected(t, unhex(v.wire))
		})
	}
}

// The loop over the fields may be left after any of them.
func TestDissectStops(t *testing.T) {
	all := dissected(kinds)
	for stop := range all {
		n := 0
		for range transport.Dissect(kinds) {
			if n++; n > stop {
				break
			}
		}
		require.Equal(t, stop+1, n)
	}
}

// requireDissected holds Dissect to what the iteration over the messages finds: the fields
// cover every byte once, and have the names, the values and the order of the structs.
func requireDissected(t require.TestingT, d []byte) {
	offset, fields := 0, map[int][]transport.Field{}
	for f := range transport.Dissect(d) {
		require.Equal(t, offset, f.Offset)
		require.Len(t, f.Raw, f.Size)
		require.Equal(t, len(f.Raw), cap(f.Raw))
		require.Equal(t, f.Err == nil, f.Name != "" && f.Value != nil && f.Size > 0)
		offset += f.Size
		fields[f.Message] = append(fields[f.Message], f)
	}
	require.Equal(t, len(d), offset)
	for i, r := range walk(transport.Tolerant, d) {
		if r.err == transport.ErrGameSpy {
			i = -1
		}
		err := r.err
		if body, bad := r.m.Decode(); err == nil && errors.Is(bad, transport.ErrBadLength) {
			err = bad
		} else if err == nil {
			requireValues(t, &r.m, body, fields[i])
		}
		last := transport.Field{}
		if list := fields[i]; len(list) > 0 {
			last = list[len(list)-1]
		}
		require.Equal(t, err != nil, last.Err != nil)
		if err != nil {
			require.Equal(t, errors.Unwrap(err), errors.Unwrap(last.Err))
		}
	}
}

func requireValues(t require.TestingT, m *transport.Message, body transport.Body, fields []transport.Field) {
	message, typed := reflect.ValueOf(*m), reflect.ValueOf(body)
	for i, f := range fields {
		var want any
		switch f.Name {
		case "Flags+Length":
			want = transport.Framing{Length: m.Len(), Reliable: m.Reliable, HighPriority: m.HighPriority, Fragment: m.Fragment}
		case "Length":
			want = uint8(m.Len())
		case "Body", "Payload", "Piece":
			want = m.Body
		default:
			v := message.FieldByName(f.Name)
			if body != nil && i > 0 {
				if b := typed.FieldByName(f.Name); b.IsValid() {
					v = b
				}
			}
			want = v.Interface()
		}
		require.Equal(t, want, f.Value, f.Name)
	}
}
