package siegetest

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/lab/siege"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// openBC is a client with the manners of OpenBC's: it writes its own forms of Connect,
// name, Ack and Disconnect, knows no repetitions, and acknowledges no system message.
type openBC struct {
	t       *testing.T
	peer    byte
	seq     byte
	out     [][]byte // messages to send
	heard   []opcode.Code
	chat    []string
	repeats int
	seen    map[uint16]bool
}

func newOpenBC(t *testing.T) *openBC {
	return &openBC{t: t, peer: 0xFF, seen: map[uint16]bool{}, out: [][]byte{testdata.Bytes("0308010000007F00")}}
}

// AppendDatagram implements [Client].
func (c *openBC) AppendDatagram(dst []byte, _ time.Time) []byte {
	if len(c.out) == 0 {
		return dst
	}
	dst = append(dst, c.peer, byte(len(c.out)))
	for _, m := range c.out {
		dst = append(dst, m...)
	}
	c.out = nil
	return dst
}

// reliable sends a payload with the counter in the low byte.
func (c *openBC) reliable(payload ...byte) {
	m := binary.LittleEndian.AppendUint16([]byte{0x32}, uint16(5+len(payload))|0x8000)
	c.out = append(c.out, append(append(m, c.seq, 0), payload...))
	c.seq++
}

// Receive implements [Client].
func (c *openBC) Receive(_ time.Time, datagram []byte) {
	for m, err := range transport.Messages(datagram) {
		require.NoError(c.t, err)
		switch m.Type {
		case transport.TypeConnect:
			c.peer = m.Body[0]
		case transport.TypeData:
			c.data(m)
		}
	}
}

func (c *openBC) data(m *transport.Message) {
	if m.Reliable {
		c.out = append(c.out, []byte{0x01, byte(m.Seq), byte(m.Seq >> 8), 0x80})
		if c.seen[m.Seq] {
			c.repeats++
		}
		c.seen[m.Seq] = true
	}
	if len(m.Body) == 0 {
		return
	}
	msg, err := opcode.Decode(m.Body)
	require.NoError(c.t, err)
	if msg.Opcode() != opcode.OpStateUpdate {
		c.heard = append(c.heard, msg.Opcode())
	}
	switch msg := msg.(type) {
	case *opcode.ChecksumRequest:
		c.answer(msg)
	case *opcode.GameInit:
		c.reliable(byte(opcode.OpNewPlayerInGame), 0x20)
	case *opcode.ChatMessage:
		c.chat = append(c.chat, msg.Text.String())
	}
}

// answer sends the hash of a leaf name, and for the last round its own short form.
func (c *openBC) answer(m *opcode.ChecksumRequest) {
	switch m.Index {
	case 0:
		c.reliable(testdata.Bytes("2100" + "43E20C7E" + "2FCBAF4D" + "0100" + "77B63E37" + "68A7A0F8" + "00")...)
		c.out = append(c.out, testdata.Bytes("001480000000"+"7F000001"+"420065006E0061000000")) // "Bena", as slot 0
		c.out[len(c.out)-1][1] = byte(len(c.out[len(c.out)-1]))
	case 255:
		c.reliable(testdata.Bytes("21FF" + "00000000000000")...)
	default:
		c.reliable(append([]byte{0x21, m.Index}, testdata.Bytes("15D331B8"+"000000")...)...)
	}
}

// OpenBC lets a client like OpenBC's join, chat with its slot, stay and leave in its own way.
func OpenBC(t *testing.T, start siege.Start) {
	w := siege.NewWorld(t, start, join.HostOptions{})
	ann := w.Join("Ann")
	c := newOpenBC(t)
	addr := w.Add(c)
	w.Until(5*time.Second, func() bool { return len(c.heard) > 0 && c.heard[len(c.heard)-1] == opcode.OpDeletePlayerUI })
	require.Equal(t, []opcode.Code{
		opcode.OpChecksumRequest, opcode.OpChecksumRequest, opcode.OpChecksumRequest, opcode.OpChecksumRequest,
		opcode.OpChecksumRequest, opcode.OpChecksumComplete, opcode.OpSettings, opcode.OpGameInit,
		opcode.OpMissionInit, opcode.OpScore, opcode.OpDeletePlayerUI,
	}, c.heard)
	require.Equal(t, "Bena", w.Member(addr).Name)

	c.reliable(append([]byte{byte(opcode.OpChatMessage), 1, 0, 0, 0, 2, 0}, "hi"...)...)
	for range 60 { // its keepalive, for longer than the peer timeout
		w.Run(time.Second)
		c.out = append(c.out, []byte{0x00, 0x02})
	}
	require.Equal(t, []string{"hi"}, c.chat)
	require.EqualValues(t, 3, siege.Last[*opcode.ChatMessage](ann).SenderID)
	require.True(t, w.InGame(addr))
	require.Zero(t, c.repeats)

	c.out = append(c.out, []byte{0x06, 0x02})
	w.Run(time.Second)
	require.False(t, w.InGame(addr))
	require.Equal(t, opcode.OpDeletePlayerAnim, ann.Heard[len(ann.Heard)-1].Opcode())
}
