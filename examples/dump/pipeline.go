package main

import (
	"bytes"
	"context"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/dump/internal/batch"
	"github.com/bcwire/bcwire/examples/internal/show"
)

// part is a part of the input on its way to the output.
type part struct {
	batch.Batch
	wires     [][]byte // as on the wire, if a capture is written
	complaint error    // about the input after the datagrams
	notes     []string // about the whole input
	idle      bool     // the next datagram is not there yet
}

func newPart() *part { return &part{Batch: batch.New()} }

// add adds a copy of a datagram.
func (b *part) add(d *capture.Datagram, record bool) {
	b.Add(d)
	if record {
		b.wires = append(b.wires, bytes.Clone(d.Data))
	}
}

// reset prepares a part for the next part of the input.
func (b *part) reset() {
	b.Reset()
	b.wires, b.complaint, b.notes, b.idle = b.wires[:0], nil, nil, false
}

// read reads the inputs and passes their parts on. The function next returns an empty part, which pass takes
// over.
func (d *dump) read(ctx context.Context, next func() *part, pass func(*part)) {
	b := next()
	emit := func() {
		if !d.options.plain {
			b.Decipher()
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
				b.complaint = show.Advise(err, d.options.plain)
				emit()
				continue
			}
			last = dg.Number
			dg.Number += packets
			if b.add(dg, d.record != nil); b.Full() {
				emit()
			}
		}
		in.Close()
		if packets += last; ctx.Err() != nil {
			return
		}
		if b.notes = in.Notes(); b.notes != nil {
			emit()
		}
	}
}

// follow decodes the datagrams of a batch, in the order of the input. It prints the events, which follow from
// that order.
func (d *dump) follow(b *part) {
	if d.out == nil {
		return
	}
	for i := range b.Datagrams {
		d.decoder.Follow(&b.Packets[i], &b.Datagrams[i])
		if !d.options.renders() {
			b.Text = d.out.Append(b.Text, &b.Packets[i])
		}
	}
}

// render prints the datagrams of a batch.
func (b *part) render(out show.Output) {
	for i := range b.Datagrams {
		b.Text = out.Append(b.Text, &b.Packets[i])
	}
}

// write writes a batch to the output, and prints its complaint and its notes.
func (d *dump) write(b *part) {
	if len(b.Text) > 0 && d.writeErr == nil {
		_, d.writeErr = d.stdout.Write(b.Text)
	}
	for i := range b.wires {
		if d.writeErr == nil {
			d.writeErr = d.record.datagram(&b.Datagrams[i], b.wires[i])
		}
	}
	if b.complaint != nil {
		d.failed = true
		d.tell(b.complaint.Error())
	}
	for _, text := range b.notes {
		d.tell(text)
	}
	if b.idle && d.writeErr == nil {
		d.writeErr = d.stdout.Flush()
	}
}

// sequential moves all batches in one goroutine.
func (d *dump) sequential(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	b := newPart()
	next := func() *part {
		b.reset()
		return b
	}
	d.read(ctx, next, func(b *part) {
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
	empty, read, followed, ordered := make(chan *part, batches), make(chan *part, batches), make(chan *part, batches), make(chan *part, batches)
	for range batches {
		empty <- newPart()
	}
	go func() {
		d.read(ctx, func() *part { return <-empty }, func(b *part) { read <- b })
		close(read)
	}()
	go func() {
		for b := range read {
			d.follow(b)
			ordered <- b
			if d.options.renders() {
				followed <- b
			} else {
				b.Rendered <- struct{}{}
			}
		}
		close(followed)
		close(ordered)
	}()
	outs := make([]show.Output, d.options.jobs)
	for i := range outs {
		out := d.options.output(d.colour, d.columns)
		outs[i] = out
		go func() {
			for b := range followed {
				b.render(out)
				b.Rendered <- struct{}{}
			}
		}()
	}
	for b := range ordered {
		<-b.Rendered
		if d.write(b); d.writeErr != nil {
			stop()
		}
		b.reset()
		empty <- b
	}
	if c, ok := d.out.(merger); ok {
		for _, out := range outs {
			c.Merge(out)
		}
	}
}
