package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"

	"github.com/schollz/progressbar/v3"

	"github.com/bcwire/bcwire/examples/internal/terminal"
)

//go:embed sample.jsonl
var sample []byte

// sampleName is the name of the bundled sample in error messages.
const sampleName = "sample.jsonl"

// bufferSize is the size of the buffer of an input.
const bufferSize = 64 << 10

// progressSize is the total size of inputs from which a progress bar is shown.
const progressSize = 8 << 20

// opener opens the inputs.
type opener struct {
	ctx    context.Context
	names  []string
	sample bool
	port   uint16
	stdin  io.Reader
	clock  clock
	bar    *progressbar.ProgressBar // nil for none
	idle   func()                   // is called before a wait for input
}

func newOpener(ctx context.Context, files []string, stdin io.Reader, stdout, stderr io.Writer) *opener {
	o := &opener{ctx: ctx, names: files, stdin: stdin}
	if len(files) == 0 {
		o.names, o.sample = []string{sampleName}, true
	}
	if size := totalSize(files); size >= progressSize && terminal.Is(stderr) && !terminal.Is(stdout) {
		o.bar = progressbar.NewOptions64(size,
			progressbar.OptionSetWriter(stderr),
			progressbar.OptionShowBytes(true),
			progressbar.OptionClearOnFinish(),
			progressbar.OptionThrottle(100e6),
		)
	}
	return o
}

// totalSize returns the bytes of all regular files.
func totalSize(files []string) (size int64) {
	for _, name := range files {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
	}
	return size
}

// open opens a file, or standard input if the name is "-".
func (o *opener) open(name string) (*input, error) {
	switch {
	case o.sample:
		return o.input(name, bytes.NewReader(sample), noClose), nil
	case name == "-":
		return o.input("stdin", o.stdin, noClose), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s: is a directory, not a file", name)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return o.input(name, f, f.Close), nil
}

func noClose() error { return nil }

func (o *opener) input(name string, r io.Reader, close func() error) *input {
	if o.bar != nil {
		r = io.TeeReader(r, o.bar)
	}
	ctx, cancel := context.WithCancel(o.ctx)
	r = newReadAhead(ctx, r, o.idle)
	return &input{
		name:  name,
		r:     bufio.NewReaderSize(r, bufferSize),
		clock: &o.clock,
		port:  o.port,
		close: func() error {
			cancel()
			return close()
		},
	}
}

// clearProgress makes room for a message on the line of the progress bar.
func (o *opener) clearProgress() {
	if o.bar != nil {
		_ = o.bar.Clear() // a closed terminal shows nothing
	}
}

func (o *opener) finish() {
	if o.bar != nil {
		_ = o.bar.Finish()
	}
}
