package transport_test

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

type vector struct {
	testdata.Vector
	Level      string
	Hex        testdata.Hex
	FullLength *int
	PeerID     *int8
	Count      *int
	Messages   []json.RawMessage
	Trailing   testdata.Hex
	Error      string
	ErrorAt    string
}

// datagram returns the bytes of the vector as a datagram, and how many of them are not
// its own.
func (v *vector) datagram() (d []byte, added int) {
	if v.Level == "message" {
		return append([]byte{byte(objectid.Host), 1}, v.Hex...), 2
	}
	return v.Hex, 0
}

func TestVectors(t *testing.T) {
	vectors := testdata.Load[vector](t, "transport.json")
	require.Len(t, vectors, 54)
	for _, v := range vectors {
		t.Run(v.Name, v.check)
	}
}

func (v *vector) check(t *testing.T) {
	d, added := v.datagram()
	if added == 0 {
		require.Equal(t, *v.PeerID, int8(d[0]))
		require.Equal(t, *v.Count, int(d[1]))
	}
	failing := -1
	if v.Error != "" && v.ErrorAt != "payload" { // errors of payloads belong to another layer
		require.Equal(t, "unexpectedEOF", v.Error)
		_, err := fmt.Sscanf(v.ErrorAt, "messages[%d]", &failing)
		require.NoError(t, err)
	}

	seen, offset := 0, 2
	for m, err := range transport.Messages(d) {
		if seen == failing {
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			e := err.(*transport.Error)
			require.Equal(t, []int{failing, offset}, []int{e.Index, e.Offset})
		} else {
			require.NoError(t, err)
			v.requireSameBytes(t, m, d[offset:offset+m.Len()])
		}
		if seen < len(v.Messages) {
			require.JSONEq(t, string(v.Messages[seen]), v.describe(t, m, d, offset, added))
		}
		offset += m.Len()
		seen++
	}
	if failing < 0 {
		require.Len(t, v.Messages, seen)
	} else {
		require.Equal(t, failing+1, seen)
	}
	if v.FullLength != nil {
		require.Greater(t, *v.FullLength, len(v.Hex))
	}

	var p transport.Packet
	err := p.UnmarshalBinary(d)
	require.Equal(t, objectid.PeerID(int8(d[0])), p.PeerID)
	require.Equal(t, failing < 0, err == nil)
	for _, r := range readAll(d) {
		require.False(t, r.m.Short, "all are stock")
	}
	if failing >= 0 {
		require.Len(t, p.Messages, failing)
		return
	}
	require.Equal(t, hex.EncodeToString(v.Trailing), hex.EncodeToString(p.Trailing))
	again, err := p.AppendBinary([]byte("before"))
	require.NoError(t, err)
	require.Equal(t, "before"+string(d), string(again))
}

// requireSameBytes compares NewMessage and NewData with the messages of the stock game.
func (v *vector) requireSameBytes(t *testing.T, m *transport.Message, wire []byte) {
	t.Helper()
	replica := transport.NewData(m.Seq, m.Body)
	if !m.Reliable {
		replica = transport.NewUnreliable(m.Body)
	}
	if m.Type != transport.TypeData {
		body, err := m.Decode()
		require.NoError(t, err)
		require.Equal(t, m.Type, transport.TypeOf(body))
		replica = transport.NewMessage(m.Seq, body)
	}
	got, err := replica.AppendBinary(nil)
	require.NoError(t, err)
	require.Equal(t, wire, got)
}

// describe returns a message in the notation of the vectors.
func (v *vector) describe(t *testing.T, m *transport.Message, d []byte, offset, added int) string {
	length := m.Len()
	if m.Type == transport.TypeData {
		length = int(binary.LittleEndian.Uint16(d[offset+1:]) & 0x1FFF)
	}
	keys := map[string]any{
		"type": m.Type.String(), "offset": offset - added, "length": length, "truncated": length > m.Len(),
		"reliable": m.Reliable, "highPriority": m.HighPriority, "seq": m.Seq, "fragment": nil,
	}
	if m.Fragment {
		keys["fragment"] = map[string]any{"index": m.FragIndex, "total": m.FragTotal}
	}
	if m.Type == transport.TypeData {
		keys["payload"] = hex.EncodeToString(m.Body)
	} else {
		body, err := m.Decode()
		require.NoError(t, err)
		v.describeBody(keys, body)
	}
	text, err := json.Marshal(keys)
	require.NoError(t, err)
	return string(text)
}

func (v *vector) describeBody(keys map[string]any, body transport.Body) {
	ip := func(b [4]byte) string { return netip.AddrFrom4(b).String() }
	switch b := body.(type) {
	case *transport.Ack:
		keys["flags"] = b.Flags
		keys["system"] = b.Flags&transport.AckSystem != 0
		if b.Flags&transport.AckFragment != 0 {
			keys["fragment"] = map[string]any{"index": b.FragIndex, "total": 0}
		}
	case *transport.ConnectRequest:
		keys["localIP"], keys["connID"] = ip(b.LocalIP), b.ConnID
		keys["password"], keys["passwordRaw"] = b.Password.String(), hex.EncodeToString(b.Password)
	case *transport.ConnectReply:
		keys["type"], keys["peerID"] = "ConnectReply", b.PeerID
	case *transport.NameChange:
		keys["peerID"], keys["ip"] = b.PeerID, ip(b.IP)
		keys["name"], keys["nameRaw"] = b.Name.String(), hex.EncodeToString(b.Name)
	case *transport.Boot:
		keys["reason"], keys["peerID"] = b.Reason, b.PeerID
	case *transport.Disconnect:
		keys["peerID"], keys["ip"] = b.PeerID, ip(b.IP)
	}
}

// vectorHex returns the bytes of the vector with a name.
func vectorHex(t testing.TB, name string) []byte {
	t.Helper()
	for _, v := range testdata.Load[vector](t, "transport.json") {
		if v.Name == name {
			return v.Hex
		}
	}
	t.Fatalf("no vector %q", name)
	return nil
}

// stock returns the datagrams of the vectors that are complete.
func stock(t testing.TB) (datagrams [][]byte) {
	t.Helper()
	for _, v := range testdata.Load[vector](t, "transport.json") {
		if d, _ := v.datagram(); v.Error == "" {
			datagrams = append(datagrams, d)
		}
	}
	return datagrams
}

// result is a message that was read.
type result struct {
	m   transport.Message
	err error
}

// readAll returns the messages and errors of a datagram.
func readAll(d []byte) (results []result) {
	for m, err := range transport.Messages(d) {
		results = append(results, result{*m, err})
	}
	return results
}

// errorsOf returns the errors of a datagram, in their order.
func errorsOf(err error) (all []*transport.Error) {
	var e *transport.Error
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range joined.Unwrap() {
			all = append(all, errorsOf(err)...)
		}
	} else if errors.As(err, &e) {
		all = append(all, e)
	}
	return all
}
