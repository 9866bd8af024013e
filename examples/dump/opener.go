package main

import (
	"bytes"
	"context"
	_ "embed"
	"io"
	"os"

	"github.com/schollz/progressbar/v3"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/internal/terminal"
)

//go:embed sample.jsonl
var sample []byte

// sampleName is the name of the bundled sample in error messages.
const sampleName = "sample.jsonl"

// progressSize is the total size of inputs from which a progress bar is shown.
const progressSize = 8 << 20

// opener opens the inputs and shows how much of them is read.
type opener struct {
	capture.Opener
	names  []string
	sample bool
	bar    *progressbar.ProgressBar // nil for none
}

// newOpener returns an opener. It shows a progress bar unless the output is on a terminal, too.
func newOpener(files []string, stdin io.Reader, silent bool, stdout, stderr io.Writer) *opener {
	o := &opener{names: files}
	o.Stdin = stdin
	if len(files) == 0 {
		o.names, o.sample = []string{sampleName}, true
	}
	if size := totalSize(files); size >= progressSize && terminal.Is(stderr) && (silent || !terminal.Is(stdout)) {
		o.bar = progressbar.NewOptions64(size,
			progressbar.OptionSetWriter(stderr),
			progressbar.OptionShowBytes(true),
			progressbar.OptionClearOnFinish(),
			progressbar.OptionThrottle(100e6),
		)
		o.Progress = o.bar
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

// open opens a file, standard input or the sample.
func (o *opener) open(ctx context.Context, name string) (*capture.Reader, error) {
	if o.sample {
		return o.NewReader(ctx, name, bytes.NewReader(sample)), nil
	}
	return o.Open(ctx, name)
}

// alone returns an opener for an input with times of its own.
func (o *opener) alone() *opener {
	alone := *o
	alone.Opener = capture.Opener{Port: o.Port, Plain: o.Plain, Follow: o.Follow, Stdin: o.Stdin, Progress: o.Progress, Idle: o.Idle}
	return &alone
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
