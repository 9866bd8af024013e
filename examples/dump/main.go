package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"runtime/debug"

	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/match"
)

// Exit statuses.
const (
	exitFailed      = 1   // an input, the output or a check failed
	exitUsage       = 2   // wrong flags
	exitInterrupted = 130 // as shells report an interrupt; also after SIGTERM
)

// softMemory is the memory from which garbage is collected more often. Most of the memory of eight jobs is reused,
// so that there is little garbage.
const softMemory = 256 << 20

func main() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(softMemory)
	}
	terminal.Main(func(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr) })
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
	if len(o.files) > 0 && len(o.shard.of(o.files)) == 0 {
		return 0
	}
	if o.parquet != "" {
		return writeTables(ctx, &o, stdin, stdout, stderr)
	}
	d := &dump{
		options: &o,
		decoder: show.Decoder{Plain: o.plain, Mask: !o.passwords && !o.check, Match: &match.Match{Classes: o.classes}},
		opener:  newOpener(o.shard.of(o.files), stdin, o.silent(), stdout, stderr),
		colour:  terminal.Colourful(stdout),
		columns: terminal.Columns(stdout),
		stdout:  bufio.NewWriterSize(stdout, 64<<10),
		stderr:  stderr,
	}
	d.opener.Port, d.opener.Plain, d.opener.Follow, d.opener.Every = uint16(o.port), o.plain, o.follow, o.pcapng != ""
	d.out = o.output(d.colour, d.columns)
	if o.pcapng != "" {
		if d.record, err = newRecord(o.pcapng, o.plain); err != nil {
			terminal.Complain(stderr, "dump", err)
			return exitFailed
		}
	}
	return d.run(ctx)
}

// dump moves datagrams from the inputs through the decoder to the output.
type dump struct {
	options *options
	decoder show.Decoder
	opener  *opener
	out     show.Output // nil if nothing is printed
	colour  bool
	columns int     // of the terminal, or 0
	record  *record // nil for none
	stdout  *bufio.Writer
	stderr  io.Writer

	failed   bool // an input could not be read to its end
	writeErr error
}

// report is an output with an end.
type report interface {
	show.Output
	// Finish appends the end, given the number of partial payloads at the end of the input.
	Finish(dst []byte, pending int) []byte
}

// merger is an output that counts. Several goroutines can count.
type merger interface {
	// Merge adds what another output of the same kind has counted.
	Merge(other show.Output)
}

func (d *dump) run(ctx context.Context) int {
	switch {
	case d.options.jobs == 1:
		d.sequential(ctx)
	default:
		d.parallel(ctx)
	}
	d.opener.finish()
	if out, ok := d.out.(report); ok && d.writeErr == nil {
		pending, _ := d.decoder.Pending()
		_, d.writeErr = d.stdout.Write(out.Finish(nil, pending))
	}
	if err := d.stdout.Flush(); d.writeErr == nil {
		d.writeErr = err
	}
	if d.record != nil {
		d.complete(ctx)
	}
	return d.status(ctx)
}

// complete completes the capture. After an interrupt or an error of writing, and without datagrams, it keeps the file
// that was there before.
func (d *dump) complete(ctx context.Context) {
	if d.writeErr != nil || ctx.Err() != nil || !d.record.any {
		d.record.discard()
		return
	}
	d.writeErr = d.record.close()
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
	if c, ok := d.out.(*check); d.failed || ok && c.failures > 0 {
		return exitFailed
	}
	return 0
}

// tell prints an error of an input or a note. It flushes the output first, to keep the order.
func (d *dump) tell(text string) {
	d.stdout.Flush()
	d.opener.clearProgress()
	terminal.Complain(d.stderr, "dump", errors.New(text))
}
