package transport_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// dissected returns the fields of a datagram as text.
func dissected(d []byte) (all []string) {
	for f := range transport.Dissect(d) {
		words := fmt.Sprintf("%d+%d %s %v", f.Offset, len(f.Raw), f.Path(), f.Value())
		if f.Err != nil {
			words = fmt.Sprintf("%d+%d %s %v", f.Offset, len(f.Raw), f.Path(), f.Err)
		}
		all = append(all, words)
	}
	return all
}

func TestDissect(t *testing.T) {
	for _, v := range []struct {
		name, wire string
		want       []string
	}{
		{"Acks", "01 02  01 0500 02  01 0600 81 07", []string{
			"0+1 PeerID 1", "1+1 Count 2",
			"2+1 Messages[0].Type Ack", "3+2 Messages[0].Seq 5", "5+1 Messages[0].Flags system channel",
			"6+1 Messages[1].Type Ack", "7+2 Messages[1].Seq 6", "9+1 Messages[1].Flags game channel, fragment", "10+1 Messages[1].FragIndex 7",
		}},
		{"Data", "02 04  32 04 00 1C  32 06 C0 05 00 20  32 08 A0 05 00 00 02 20  32 06 A0 05 00 01", []string{
			"0+1 PeerID 2", "1+1 Count 4",
			"2+1 Messages[0].Type Data", "3+2 Messages[0].Flags+Length length 4", "5+1 Messages[0].Payload [28]",
			"6+1 Messages[1].Type Data", "7+2 Messages[1].Flags+Length length 6, reliable, high priority", "9+2 Messages[1].Seq 5", "11+1 Messages[1].Payload [32]",
			"12+1 Messages[2].Type Data", "13+2 Messages[2].Flags+Length length 8, reliable, fragment", "15+2 Messages[2].Seq 5",
			"17+1 Messages[2].FragIndex 0", "18+1 Messages[2].FragTotal 2", "19+1 Messages[2].Fragment [32]",
			"20+1 Messages[3].Type Data", "21+2 Messages[3].Flags+Length length 6, reliable, fragment", "23+2 Messages[3].Seq 5", "25+1 Messages[3].FragIndex 1",
		}},
		{"Connect", "FF 01  03 0F C0 00 00 0A 0A 0A EF F9 78 00 00 00 00", []string{
			"0+1 PeerID none", "1+1 Count 1",
			"2+1 Messages[0].Type Connect", "3+2 Messages[0].Flags+Length length 15, reliable, high priority", "5+2 Messages[0].Seq 0",
			"7+4 Messages[0].LocalIP 10.10.10.239", "11+4 Messages[0].ConnID 30969", "15+2 Messages[0].Password ",
		}},
		{"Connect without password", "FF 01  03 0D C0 00 00 0A 0A 0A EF F9 78 00 00", []string{
			"0+1 PeerID none", "1+1 Count 1",
			"2+1 Messages[0].Type Connect", "3+2 Messages[0].Flags+Length length 13, reliable, high priority", "5+2 Messages[0].Seq 0",
			"7+4 Messages[0].LocalIP 10.10.10.239", "11+4 Messages[0].ConnID 30969",
		}},
		{"host", "01 04  03 06 C0 00 00 02  00 10 C0 01 00 02 0A 0A 0A EF 51 00 78 00 00 00  04 07 C0 02 00 04 02  05 0A C0 03 00 02 0A 00 32 03", []string{
			"0+1 PeerID 1", "1+1 Count 4",
			"2+1 Messages[0].Type Connect", "3+2 Messages[0].Flags+Length length 6, reliable, high priority", "5+2 Messages[0].Seq 0", "7+1 Messages[0].PeerID 2",
			"8+1 Messages[1].Type NameChange", "9+2 Messages[1].Flags+Length length 16, reliable, high priority", "11+2 Messages[1].Seq 1",
			"13+1 Messages[1].PeerID 2", "14+4 Messages[1].IP 10.10.10.239", "18+6 Messages[1].Name Qx",
			"24+1 Messages[2].Type Boot", "25+2 Messages[2].Flags+Length length 7, reliable, high priority", "27+2 Messages[2].Seq 2",
			"29+1 Messages[2].Reason removed by host", "30+1 Messages[2].PeerID 2",
			"31+1 Messages[3].Type Disconnect", "32+2 Messages[3].Flags+Length length 10, reliable, high priority", "34+2 Messages[3].Seq 3",
			"36+1 Messages[3].PeerID 2", "37+4 Messages[3].IP 10.0.50.3",
		}},
		{"dialects", "02 05  02  02 03 00  03 08 01 00 00 00 7F 00  06 02  04 05 40 04 02  99", []string{
			"0+1 PeerID 2", "1+1 Count 5",
			"2+1 Messages[0].Type DoNothing", "3+1 Messages[1].Type DoNothing", "4+2 Messages[1].Raw [3 0]",
			"6+1 Messages[2].Type Connect", "7+1 Messages[2].Length 8", "8+6 Messages[2].Body [1 0 0 0 127 0]",
			"14+1 Messages[3].Type 0x06", "15+1 Messages[3].Length 2",
			"16+1 Messages[4].Type Boot", "17+2 Messages[4].Flags+Length length 5, high priority", "19+2 Messages[4].Body [4 2]",
			"21+1 Trailing [153]",
		}},
		{"wrong", "02 07  32 04 80 05  32 05 A0 05 00  32 06 A0 05 00 00  32 05 20 01 55  04 06 C0 01 00 04  01 05 00 00  33 99", []string{
			"0+1 PeerID 2", "1+1 Count 7",
			"2+1 Messages[0].Type Data", "3+2 Messages[0].Flags+Length length 4, reliable", "5+1 Messages[0] transport: message 0 (Data) at offset 2: bad length; is the datagram deciphered?",
			"6+1 Messages[1].Type Data", "7+2 Messages[1].Flags+Length length 5, reliable, fragment", "9+2 Messages[1].Seq 5", "11+0 Messages[1] transport: message 1 (Data) at offset 6: bad length",
			"11+1 Messages[2].Type Data", "12+2 Messages[2].Flags+Length length 6, reliable, fragment", "14+2 Messages[2].Seq 5", "16+1 Messages[2].FragIndex 0",
			"17+0 Messages[2] transport: message 2 (Data) at offset 11: bad length",
			"17+1 Messages[3].Type Data", "18+2 Messages[3].Flags+Length length 5, fragment", "20+1 Messages[3].FragIndex 1", "21+1 Messages[3] transport: message 3 (Data) at offset 17: bad fragment",
			"22+1 Messages[4].Type Boot", "23+2 Messages[4].Flags+Length length 6, reliable, high priority", "25+2 Messages[4].Seq 1", "27+1 Messages[4] transport: message 4 (Boot) at offset 22: bad length",
			"28+1 Messages[5].Type Ack", "29+2 Messages[5].Seq 5", "31+1 Messages[5].Flags game channel",
			"32+1 Messages[6].Type 0x33", "33+1 Messages[6] transport: message 6 (0x33) at offset 32: unknown message type",
		}},
		{"length 2", "02 02  32 02 80 05 00  02", []string{
			"0+1 PeerID 2", "1+1 Count 2",
			"2+1 Messages[0].Type Data", "3+2 Messages[0].Flags+Length length 2, reliable", "5+3 Messages[0] transport: message 0 (Data) at offset 2: bad length; is the datagram deciphered?",
		}},
		{"cut", "02 02  02  32 20 80 05 00 1C", []string{
			"0+1 PeerID 2", "1+1 Count 2", "2+1 Messages[0].Type DoNothing",
			"3+1 Messages[1].Type Data", "4+2 Messages[1].Flags+Length length 32, reliable", "6+2 Messages[1].Seq 5", "8+1 Messages[1] transport: message 1 (Data) at offset 3: unexpected EOF",
		}},
		{"count of none", "02 01", []string{"0+1 PeerID 2", "1+1 Count 1", "2+0 Messages[0] transport: message 0 at offset 2: unexpected EOF; is the datagram deciphered?"}},
		{"peer", "02", []string{"0+1 PeerID 2", "1+0 Messages[0] transport: message 0 at offset 1: unexpected EOF"}},
		{"nothing", "", []string{"0+0 Messages[0] transport: message 0 at offset 0: unexpected EOF"}},
		{"GameSpy", "5C 61", []string{"0+2  transport: GameSpy text, not a datagram of the game"}},
	} {
		t.Run(v.name, func(t *testing.T) {
			require.Equal(t, v.want, dissected(testdata.Bytes(v.wire)))
			requireDissected(t, testdata.Bytes(v.wire))
		})
	}
}

// The loop over the fields may end after any of them.
func TestDissectStops(t *testing.T) {
	all := dissected(allHeaders)
	for stop := range all {
		n := 0
		for range transport.Dissect(allHeaders) {
			if n++; n > stop {
				break
			}
		}
		require.Equal(t, stop+1, n)
	}
}

// plain returns the value of the struct that a dissected value is from.
func plain(v any) any {
	if ip := reflect.ValueOf(v); ip.Type().Name() == "address" {
		return [4]byte(ip.Bytes())
	}
	return v
}

// requireDissected compares Dissect with the iteration over the messages: the fields cover
// every byte once, and have the names, the values and the order of the structs.
func requireDissected(t require.TestingT, d []byte) {
	requireValues := func(m *transport.Message, body transport.Body, fields []stream.Field) {
		message, typed := reflect.ValueOf(*m), reflect.Indirect(reflect.ValueOf(body))
		for i, f := range fields {
			_, name, _ := strings.Cut(f.Path(), "].")
			var want any
			switch name {
			case "Flags+Length":
				want = m.Framing()
			case "Length":
				want = uint8(m.Len())
			case "Body", "Payload", "Fragment":
				want = m.Body
			default:
				v := message.FieldByName(name)
				if body != nil && i > 0 {
					if b := typed.FieldByName(name); b.IsValid() {
						v = b
					}
				}
				want = v.Interface()
			}
			require.Equal(t, want, plain(f.Value()), name)
		}
	}
	offset, fields := 0, map[string][]stream.Field{}
	for f := range transport.Dissect(d) {
		require.Equal(t, offset, f.Offset)
		require.Equal(t, -1, f.Bit)
		if len(f.Raw) > 0 {
			require.Same(t, &d[f.Offset], &f.Raw[0], "Raw aliases the datagram")
		}
		require.Equal(t, len(f.Raw), cap(f.Raw))
		require.Equal(t, f.Err == nil, f.Value() != nil && len(f.Raw) > 0)
		offset += len(f.Raw)
		message, name, inMessage := strings.Cut(f.Path(), "].")
		if !inMessage {
			message, name = strings.TrimSuffix(f.Path(), "]"), ""
		}
		require.Equal(t, f.Err == nil && inMessage, name != "")
		fields[message] = append(fields[message], f)
	}
	require.Equal(t, len(d), offset)
	for i, r := range readAll(d) {
		key := fmt.Sprintf("Messages[%d", i)
		if r.err == transport.ErrGameSpy {
			key = ""
		}
		err := r.err
		if body, bad := r.m.Decode(); err == nil && errors.Is(bad, transport.ErrBadLength) {
			err = bad
		} else if err == nil {
			requireValues(&r.m, body, fields[key])
		}
		last := stream.Field{}
		if list := fields[key]; len(list) > 0 {
			last = list[len(list)-1]
		}
		require.Equal(t, err != nil, last.Err != nil)
		if err != nil {
			require.Equal(t, errors.Unwrap(err), errors.Unwrap(last.Err))
		}
	}
}
