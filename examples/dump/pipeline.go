package main

import (
	"context"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/transport"
)

// Limits of a batch. A larger datagram is a batch of its own. A datagram has at most 255 messages, one for each
// byte.
const (
	batchDatagrams = 128
	batchBytes     = 16 << 10
)

// Memory of a batch that is not kept for the next one.
const (
	maxKeptText     = 1 << 20
	maxKeptMessages = 16 * batchDatagrams
)

// batch is a part of the input on its way to the output.
type batch struct {
	datagrams []capture.Datagram
	wires     [][]byte // as on the wire, if a capture is written
	bytes     []byte   // of the datagrams
	complaint error    // about the input after the datagrams
	idle      bool     // the next datagram is not there yet

	packets  []show.Packet
	text     []byte
	rendered chan struct{}
}

func newBatch() *batch {
	return &batch{
		datagrams: make([]capture.Datagram, 0, batchDatagrams), bytes: make([]byte, 0, batchBytes),
		packets: make([]show.Packet, batchDatagrams), rendered: make(chan struct{}, 1),
	}
}

// add adds a copy of a datagram.
func (b *batch) add(d *capture.Datagram, record bool) {
	begin := len(b.bytes)
	b.bytes = append(b.bytes, d.Data...)
	b.datagrams = append(b.datagrams, *d)
	b.datagrams[len(b.datagrams)-1].Data = b.bytes[begin:len(b.bytes):len(b.bytes)]
	if record {
		b.wires = append(b.wires, append([]byte(nil), d.Data...))
	}
}

func (b *batch) full() bool { return len(b.datagrams) == batchDatagrams || len(b.bytes) >= batchBytes }

// decipher deciphers the datagrams.
func (b *batch) decipher() {
	var all [batchDatagrams][]byte
	enciphered := all[:0]
	for i := range b.datagrams {
		if data := b.datagrams[i].Data; !transport.IsGameSpy(data) {
			enciphered = append(enciphered, data)
		}
	}
	cipher.DecryptBatch(enciphered)
}

// reset prepares a batch for the next part of the input.
func (b *batch) reset() {
	if cap(b.text) > maxKeptText {
		b.text = nil
	}
	messages := 0
	for i := range b.packets {
		if messages += cap(b.packets[i].Messages); messages > maxKeptMessages {
			b.packets[i] = show.Packet{}
		}
	}
	if cap(b.bytes) > 2*batchBytes {
		b.bytes = make([]byte, 0, batchBytes)
	}
	b.datagrams, b.wires, b.bytes, b.text, b.complaint, b.idle = b.datagrams[:0], b.wires[:0], b.bytes[:0], b.text[:0], nil, false
}

// read reads the inputs and passes their batches on. The function next returns an empty batch, which pass takes
// over.
func (d *dump) read(ctx context.Context, next func() *batch, pass func(*batch)) {
	b := next()
	emit := func() {
		if !d.options.plain {
			b.decipher()
		}
		pass(b)
		b = next()
	}
	defer emit()
	d.opener.Idle = func() {
		b.idle = true
		emit()
	}
	packets := 0 // in the finished inputs
	for _, name := range d.opener.names {
		in, err := d.opener.open(ctx, name)
		if err != nil {
			b.complaint = err
			emit()
			continue
		}
		last := 0
		for dg, err := range in.Datagrams() {
			if ctx.Err() != nil {
				break
			}
			if err != nil {
				b.complaint = err
				emit()
				continue
			}
			last = dg.Number
			dg.Number += packets
			if b.add(dg, d.record != nil); b.full() {
				emit()
			}
		}
		in.Close()
		if packets += last; ctx.Err() != nil {
			return
		}
	}
}

// follow decodes the datagrams of a batch, in the order of the input. It prints those of an output that counts
// or that prints events.
func (d *dump) follow(b *batch) {
	if d.out == nil {
		return
	}
	for i := range b.datagrams {
		d.decoder.Follow(&b.packets[i], &b.datagrams[i])
		if !d.options.renders() {
			b.text = d.out.Append(b.text, &b.packets[i])
		}
	}
}

// render prints the datagrams of a batch.
func (b *batch) render(out show.Output) {
	for i := range b.datagrams {
		b.text = out.Append(b.text, &b.packets[i])
	}
}

// write writes a batch to the output, and prints its complaint.
func (d *dump) write(b *batch) {
	if len(b.text) > 0 && d.writeErr == nil {
		_, d.writeErr = d.stdout.Write(b.text)
	}
	for i := range b.wires {
		if d.writeErr == nil {
			d.writeErr = d.record.datagram(&b.datagrams[i], b.wires[i])
		}
	}
	if b.complaint != nil {
		d.complain(b.complaint)
	}
	if b.idle && d.writeErr == nil {
		d.writeErr = d.stdout.Flush()
	}
}

// sequential moves all batches in one goroutine.
func (d *dump) sequential(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	b := newBatch()
	next := func() *batch {
		b.reset()
		return b
	}
	d.read(ctx, next, func(b *batch) {
		d.follow(b)
		if d.options.renders() {
			b.render(d.out)
		}
		if d.write(b); d.writeErr != nil {
			stop()
		}
	})
}

// parallel reads, follows and writes in a goroutine each, in the order of the input. In between, jobs render
// batches.
func (d *dump) parallel(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	batches := 2*d.options.jobs + 4
	empty, read, followed, ordered := make(chan *batch, batches), make(chan *batch, batches), make(chan *batch, batches), make(chan *batch, batches)
	for range batches {
		empty <- newBatch()
	}
	go func() {
		d.read(ctx, func() *batch { return <-empty }, func(b *batch) { read <- b })
		close(read)
	}()
	go func() {
		for b := range read {
			d.follow(b)
			ordered <- b
			if d.options.renders() {
				followed <- b
			} else {
				b.rendered <- struct{}{}
			}
		}
		close(followed)
		close(ordered)
	}()
	for range d.options.jobs {
		go func() {
			out := d.options.output(d.colour)
			for b := range followed {
				b.render(out)
				b.rendered <- struct{}{}
			}
		}()
	}
	for b := range ordered {
		<-b.rendered
		if d.write(b); d.writeErr != nil {
			stop()
		}
		b.reset()
		empty <- b
	}
}
