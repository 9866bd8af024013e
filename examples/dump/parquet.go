package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/dump/internal/rows"
	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/examples/internal/terminal"
)

// tableWriter writes the tables of the inputs.
type tableWriter struct {
	options *options
	opener  *opener
	sources []string // names of the inputs in the tables
	target  *rows.Target
	stderr  *turns
}

// writeTables is the program with -parquet. It returns the exit status.
func writeTables(ctx context.Context, o *options, stdin io.Reader, stdout, stderr io.Writer) int {
	p := &tableWriter{options: o, opener: newOpener(o.files, stdin, true, stdout, stderr)}
	p.opener.Port, p.opener.Plain = uint16(o.port), o.plain
	p.sources = rows.Sources(p.opener.names)
	p.stderr = newTurns(stderr, len(p.sources))
	jobs := min(o.jobs, runtime.GOMAXPROCS(0)) // more of them need memory and save no time
	atOnce := 1                                // the inputs follow one another in a file
	if rows.IsDirectory(o.parquet) {
		atOnce = max(1, min(jobs, len(p.sources)))
	}
	target, err := rows.Open(o.parquet, rows.Options{Tables: o.tables, NoFields: o.noFields, Plain: o.plain, Passwords: o.passwords, Workers: jobs - atOnce, Classes: o.classes})
	if err != nil {
		terminal.Complain(stderr, "dump", err)
		return exitFailed
	}
	p.target = target
	results := p.inputs(ctx, atOnce)
	p.opener.finish()
	status := 0
	for _, err := range results {
		switch {
		case errors.Is(err, errInput):
			status = exitFailed
		case err != nil && ctx.Err() == nil:
			target.Discard()
			terminal.Complain(stderr, "dump", err)
			return exitFailed
		}
	}
	if ctx.Err() != nil {
		target.Discard()
		return exitInterrupted
	}
	if err := target.Close(); err != nil {
		terminal.Complain(stderr, "dump", err)
		return exitFailed
	}
	return status
}

// errInput means that an input could not be read to its end. The error has been printed.
var errInput = errors.New("a malformed input")

// inputs writes all inputs, several at once, and returns their errors. After an error of the output, it begins
// no other input.
func (p *tableWriter) inputs(ctx context.Context, atOnce int) []error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	results := make([]error, len(p.sources))
	next := make(chan int)
	var workers sync.WaitGroup
	for range atOnce {
		workers.Go(func() {
			for i := range next {
				err := p.input(ctx, i)
				if results[i] = err; err != nil && !errors.Is(err, errInput) {
					stop()
				}
				p.stderr.end(i)
			}
		})
	}
	for i := range p.sources {
		if ctx.Err() == nil && p.options.shard.has(i) {
			next <- i
		} else {
			p.stderr.end(i)
		}
	}
	close(next)
	workers.Wait()
	return results
}

// input writes the rows of an input.
func (p *tableWriter) input(ctx context.Context, i int) error {
	name := p.opener.names[i]
	description := p.describe(name)
	if description != "" && p.target.Complete(p.sources[i], description) {
		return nil
	}
	in, err := p.opener.alone().open(ctx, name)
	if err != nil {
		p.complain(i, err)
		return errInput
	}
	defer in.Close()
	source, err := p.target.Begin(p.sources[i])
	if err != nil {
		return err
	}
	failed, err := p.rows(ctx, i, in, source)
	if err == nil {
		err = ctx.Err()
	}
	if failed {
		description = "" // a later run reports the error again
	}
	if err == nil {
		err = source.End(description)
	} else {
		source.Discard()
	}
	switch {
	case errors.Is(err, rows.ErrParts): // the other inputs can be written
		p.complain(i, fmt.Errorf("%s: %w", name, err))
		return errInput
	case err == nil && failed:
		return errInput
	}
	return err
}

// rows writes the rows of an open input. It reports whether the input is malformed.
func (p *tableWriter) rows(ctx context.Context, i int, in *capture.Reader, source *rows.Source) (failed bool, err error) {
	for d, err := range in.Datagrams() {
		if ctx.Err() != nil {
			return failed, nil
		}
		if err != nil {
			failed = true
			p.complain(i, show.Advise(err, p.options.plain))
			continue
		}
		if err := source.Datagram(d); err != nil {
			return failed, err
		}
	}
	for _, text := range in.Notes() {
		p.complain(i, errors.New(text))
	}
	return failed, nil
}

// describe returns what identifies an input and the options of its rows, or "" if it is not a file.
func (p *tableWriter) describe(name string) string {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || p.opener.sample || !rows.IsDirectory(p.options.parquet) {
		return ""
	}
	o := p.options
	return fmt.Sprintf("%q, %d bytes, %s, -plain=%t -passwords=%t -port=%d -fields=%t -classes=%08x",
		filepath.Base(name), info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano), o.plain, o.passwords, o.port, !o.noFields, o.classSum)
}

// complain prints an error of an input, or a note.
func (p *tableWriter) complain(i int, err error) {
	var text bytes.Buffer
	terminal.Complain(&text, "dump", err)
	p.opener.clearProgress()
	p.stderr.write(i, text.Bytes())
}

// turns writes the output of several goroutines in the order of their numbers.
type turns struct {
	mutex   sync.Mutex
	changed *sync.Cond
	w       io.Writer
	turn    int
	waiting [][]byte // output before its turn
	ended   []bool
}

// maxWaiting is the number of bytes from which a goroutine waits for its turn.
const maxWaiting = 1 << 20

func newTurns(w io.Writer, n int) *turns {
	t := &turns{w: w, waiting: make([][]byte, n), ended: make([]bool, n)}
	t.changed = sync.NewCond(&t.mutex)
	return t
}

// write writes the output of a goroutine when it is its turn.
func (t *turns) write(i int, b []byte) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	for t.turn != i && len(t.waiting[i]) > maxWaiting {
		t.changed.Wait()
	}
	t.waiting[i] = append(t.waiting[i], b...)
	if t.turn == i {
		t.flush()
	}
}

// end ends the output of a goroutine.
func (t *turns) end(i int) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.ended[i] = true
	if t.turn == i {
		t.flush()
	}
}

func (t *turns) flush() {
	for t.turn < len(t.waiting) {
		_, _ = t.w.Write(t.waiting[t.turn]) // a closed terminal shows nothing
		t.waiting[t.turn] = nil
		if !t.ended[t.turn] {
			break
		}
		t.turn++
	}
	t.changed.Broadcast()
}
