package siege

import (
	"math/rand/v2"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
)

// noise is the attacker of Noise.
type noise struct {
	deaf
	pace
	rng   *rand.Rand
	kinds []func(*rand.Rand) []byte
}

// Noise sends datagrams that are nothing, or nearly something.
func Noise(perSecond float64, rng *rand.Rand, kinds ...func(*rand.Rand) []byte) Attacker {
	return &noise{pace: pace{perSecond: perSecond}, rng: rng, kinds: kinds}
}

// Act implements [Attacker].
func (n *noise) Act(a *Attack) {
	for range n.next() {
		kind := n.kinds[n.rng.IntN(len(n.kinds))]
		a.send(forgedAddr(n.rng.IntN(1<<17), 1+n.rng.IntN(65535)), kind(n.rng))
	}
}

// Query returns a query of a browser.
func Query(rng *rand.Rand) []byte {
	return []byte([...]string{`\status\`, `\info\`, `\basic\`, `\rules\`, `\players\`, `\secure\abcdef`, `\echo\x`}[rng.IntN(7)])
}

// StatusQuery returns the query with the longest answer.
func StatusQuery(*rand.Rand) []byte { return []byte(`\status\`) }

// Garbage returns a datagram of random bytes.
func Garbage(rng *rand.Rand) []byte {
	b := make([]byte, rng.IntN(600))
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// Mutated returns traffic with some bytes changed.
func Mutated(rng *rand.Rand) []byte {
	packet := transport.Packet{PeerID: objectid.PeerID(2 + rng.IntN(4)), Messages: []transport.Message{
		transport.NewMessage(0, &transport.Ack{Seq: uint16(rng.Uint32())}),
		transport.NewData(uint16(rng.IntN(300)), []byte{0x1C, 0xFF, 0xFF, 0xFF, 0x3F, 0, 0, 0, 0, 0}),
	}}
	b, _ := packet.MarshalBinary()
	for range 1 + rng.IntN(3) {
		b[rng.IntN(len(b))] = byte(rng.Uint32())
	}
	cipher.Encrypt(b)
	return b
}

// Connects returns a Connect.
func Connects(rng *rand.Rand) []byte {
	packet := transport.Packet{PeerID: objectid.NoPeer, Messages: []transport.Message{
		transport.NewMessage(0, &transport.ConnectRequest{ConnID: rng.Uint32()}),
	}}
	b, _ := packet.MarshalBinary()
	cipher.Encrypt(b)
	return b
}

// Forged returns what players in the match might send.
func Forged(rng *rand.Rand) []byte {
	packet := transport.Packet{PeerID: objectid.PeerID(2 + rng.IntN(4)), Messages: []transport.Message{
		transport.NewMessage(2, &transport.Disconnect{PeerID: objectid.PeerID(2 + rng.IntN(4))}),
	}}
	b, _ := packet.MarshalBinary()
	cipher.Encrypt(b)
	return b
}
