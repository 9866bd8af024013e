// Package batch holds parts of an input that move through the goroutines of a program.
package batch

import (
	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/transport"
)

// Limits of a batch. A larger datagram is a batch of its own. A datagram has at most 255 messages, one for each
// byte.
const (
	datagrams = 256
	size      = 32 << 10 // bytes
)

// Memory of a batch that is not kept for the next one.
const (
	maxKeptText     = 1 << 20
	maxKeptMessages = 16 * datagrams
)

// Batch is a part of an input.
type Batch struct {
	Datagrams []capture.Datagram
	Packets   []show.Packet // of the Datagrams, which a decoder fills
	Text      []byte        // of the Packets
	Rendered  chan struct{} // for a goroutine that waits for the Text

	bytes []byte // of the Datagrams
}

// New returns an empty batch.
func New() Batch {
	return Batch{
		Datagrams: make([]capture.Datagram, 0, datagrams), Packets: make([]show.Packet, datagrams),
		Rendered: make(chan struct{}, 1), bytes: make([]byte, 0, size),
	}
}

// Add adds a copy of a datagram.
func (b *Batch) Add(d *capture.Datagram) {
	begin := len(b.bytes)
	b.bytes = append(b.bytes, d.Data...)
	b.Datagrams = append(b.Datagrams, *d)
	b.Datagrams[len(b.Datagrams)-1].Data = b.bytes[begin:len(b.bytes):len(b.bytes)]
}

// Full reports whether the next datagram belongs to another batch.
func (b *Batch) Full() bool { return len(b.Datagrams) == datagrams || len(b.bytes) >= size }

// Decipher deciphers the datagrams.
func (b *Batch) Decipher() {
	var room [datagrams][]byte
	enciphered := room[:0]
	for i := range b.Datagrams {
		if data := b.Datagrams[i].Data; !transport.IsGameSpy(data) {
			enciphered = append(enciphered, data)
		}
	}
	cipher.DecryptBatch(enciphered)
}

// Reset prepares a batch for the next part of the input.
func (b *Batch) Reset() {
	if cap(b.Text) > maxKeptText {
		b.Text = nil
	}
	messages := 0
	for i := range b.Packets {
		if messages += cap(b.Packets[i].Messages); messages > maxKeptMessages {
			b.Packets[i] = show.Packet{}
		}
	}
	if cap(b.bytes) > 2*size {
		b.bytes = make([]byte, 0, size)
	}
	b.Datagrams, b.Text, b.bytes = b.Datagrams[:0], b.Text[:0], b.bytes[:0]
}
