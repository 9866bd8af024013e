package rows

import (
	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/transport"
)

// Limits of a batch. A larger datagram is a batch of its own.
const (
	batchDatagrams = 128
	batchBytes     = 16 << 10
)

// maxKept is the number of messages whose memory is kept for the next batch.
const maxKept = 16 * batchDatagrams

// batch is a part of an input on its way to the tables.
type batch struct {
	datagrams []capture.Datagram
	bytes     []byte // of the datagrams

	packets  []show.Packet // of the datagrams, if there is a table of messages
	subjects [][]subject   // by datagram: of its messages
	links    []string      // by datagram: the player of its link
	events   []Event
	states   []State
}

func newBatch() *batch {
	return &batch{
		packets: make([]show.Packet, batchDatagrams), subjects: make([][]subject, batchDatagrams), links: make([]string, batchDatagrams),
	}
}

// add adds a copy of a datagram.
func (b *batch) add(d *capture.Datagram) {
	begin := len(b.bytes)
	b.bytes = append(b.bytes, d.Data...)
	b.datagrams = append(b.datagrams, *d)
	b.datagrams[len(b.datagrams)-1].Data = b.bytes[begin:len(b.bytes):len(b.bytes)]
}

func (b *batch) full() bool { return len(b.datagrams) == batchDatagrams || len(b.bytes) >= batchBytes }

// decipher deciphers the datagrams.
func (b *batch) decipher() {
	var room [batchDatagrams][]byte
	enciphered := room[:0]
	for i := range b.datagrams {
		if data := b.datagrams[i].Data; !transport.IsGameSpy(data) {
			enciphered = append(enciphered, data)
		}
	}
	cipher.DecryptBatch(enciphered)
}

// reset prepares a batch for the next part of the input.
func (b *batch) reset() {
	messages := 0
	for i := range b.packets {
		if messages += cap(b.packets[i].Messages); messages > maxKept {
			b.packets[i], b.subjects[i] = show.Packet{}, nil
		}
		b.subjects[i], b.links[i] = b.subjects[i][:0], ""
	}
	if cap(b.bytes) > 2*batchBytes {
		b.bytes = nil
	}
	b.datagrams, b.bytes, b.events, b.states = b.datagrams[:0], b.bytes[:0], b.events[:0], b.states[:0]
}
