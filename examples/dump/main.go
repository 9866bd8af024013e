package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/bcwire/bcwire/examples/internal/capture"
	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/examples/internal/terminal"
)

// Exit statuses.
const (
	exitFailed      = 1   // an input, the output or a check failed
	exitUsage       = 2   // wrong flags
	exitInterrupted = 130 // as shells report an interrupt; also after SIGTERM
)

func main() {
	// If the reader of a pipe closes it, the next write returns an error and the program ends
	// quietly. Without Ignore, the signal would end it.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// run is the program. It returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	o, err := parseOptions(args, stderr)
	switch {
	case errors.Is(err, errHelp):
		return 0
	case err != nil:
		return exitUsage
	}
	d := &dump{
		decoder: show.Decoder{Plain: o.plain, Classes: o.classes, Brief: o.events},
		opener:  newOpener(o.files, stdin, o.silent(), stdout, stderr),
		stdout:  bufio.NewWriterSize(stdout, 64<<10),
		stderr:  stderr,
	}
	d.opener.Port = uint16(o.port)
	d.opener.Idle = func() { d.stdout.Flush() }
	d.out = o.output(d.stdout, terminal.Colourful(stdout))
	if o.pcapng != "" {
		file, err := capture.Create(o.pcapng)
		if err != nil {
			terminal.Complain(stderr, "dump", err)
			return exitFailed
		}
		d.record = &record{file: file, plain: o.plain}
	}
	if o.parquet != "" {
		if d.table, err = newTable(o.parquet, d.opener.names); err != nil {
			terminal.Complain(stderr, "dump", err)
			return exitFailed
		}
	}
	return d.run(ctx)
}

// dump moves datagrams from the inputs through the decoder to the output.
type dump struct {
	decoder show.Decoder
	opener  *opener
	out     show.Output
	record  *record // nil for none
	table   *table  // nil for none
	stdout  *bufio.Writer
	stderr  io.Writer

	packets  int  // in the finished inputs
	failed   bool // an input could not be read to its end
	writeErr error
}

func (d *dump) run(ctx context.Context) int {
	for i, name := range d.opener.names {
		d.file(ctx, i, name)
		if d.writeErr != nil || ctx.Err() != nil {
			break
		}
	}
	d.opener.finish()
	if d.writeErr == nil {
		d.writeErr = d.out.Finish(d.decoder.Pending())
	}
	if err := d.stdout.Flush(); d.writeErr == nil {
		d.writeErr = err
	}
	if d.record != nil {
		d.complete(ctx, d.record.file)
	}
	if d.table != nil {
		d.complete(ctx, d.table)
	}
	return d.status(ctx)
}

// replacement is a file that replaces another when it is complete.
type replacement interface {
	Close() error
	Discard()
}

// complete completes a file. After an interrupt or an error of writing it keeps the file that was
// there before.
func (d *dump) complete(ctx context.Context, file replacement) {
	if d.writeErr != nil || ctx.Err() != nil {
		file.Discard()
		return
	}
	d.writeErr = file.Close()
}

// status prints an error of the output and returns the exit status.
func (d *dump) status(ctx context.Context) int {
	if d.writeErr != nil && !terminal.Closed(d.writeErr) {
		terminal.Complain(d.stderr, "dump", d.writeErr)
		return exitFailed
	}
	if ctx.Err() != nil {
		return exitInterrupted
	}
	if d.failed || d.out.Failed() {
		return exitFailed
	}
	return 0
}

// file decodes one input.
func (d *dump) file(ctx context.Context, number int, name string) {
	if d.table != nil {
		d.restart()
	}
	in, err := d.opener.open(ctx, name)
	if err != nil {
		d.complain(err)
		return
	}
	defer in.Close()
	if d.writeErr = d.table.begin(number); d.writeErr != nil {
		return
	}
	last := 0
	for dg, err := range in.Datagrams() {
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			d.complain(err)
			continue
		}
		last = dg.Number
		dg.Number += d.packets
		wire := d.record.wire(dg)
		p := d.decoder.Decode(dg)
		d.writeErr = d.out.Packet(p)
		if d.writeErr == nil {
			d.writeErr = d.record.datagram(dg, wire)
		}
		if d.writeErr == nil {
			d.writeErr = d.table.packet(p)
		}
		if d.writeErr != nil {
			return
		}
	}
	d.packets += last
}

// restart forgets the inputs before. Each match of a table has its own numbers, times, sessions and
// ships.
func (d *dump) restart() {
	d.packets = 0
	d.decoder = show.Decoder{Plain: d.decoder.Plain, Classes: d.decoder.Classes}
	d.opener.restart()
}

// complain prints an error of an input. It flushes the output first, to keep the order.
func (d *dump) complain(err error) {
	d.failed = true
	d.stdout.Flush()
	d.opener.clearProgress()
	terminal.Complain(d.stderr, "dump", err)
}
