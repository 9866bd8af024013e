package main

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/bcwire/bcwire/examples/internal/terminal"
)

// Exit statuses.
const (
	exitFailed      = 1   // a master, the network or the output failed
	exitUsage       = 2   // wrong flags
	exitInterrupted = 130 // as shells report an interrupt
)

func main() {
	terminal.Main(func(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stdout, os.Stderr) })
}

// run is the program. It returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parseOptions(args, stderr)
	switch {
	case errors.Is(err, errHelp):
		return 0
	case err != nil:
		return exitUsage
	}
	if o.demo {
		demo, stop := context.WithCancel(ctx)
		defer stop()
		if o.master, err = startDemo(demo); err != nil {
			terminal.Complain(stderr, "browse: demo", err)
			return exitFailed
		}
	}
	if o.watch {
		return watch(ctx, &o, stdout, stderr)
	}
	return once(ctx, &o, stdout, stderr)
}

// once scans once and prints the result.
func once(ctx context.Context, o *options, stdout, stderr io.Writer) int {
	f := o.find(ctx)
	if ctx.Err() != nil {
		f.err = nil // an interrupt is not reported
	}
	err := report(o.output(stdout), &f, stdout, stderr)
	switch {
	case terminal.Closed(err):
		return 0
	case ctx.Err() != nil:
		return exitInterrupted
	case err != nil:
		terminal.Complain(stderr, "browse", err)
		return exitFailed
	case f.err != nil:
		return exitFailed
	}
	return 0
}

// report prints the result of a scan, and its error.
func report(out output, f *found, stdout, stderr io.Writer) error {
	text, err := out.format(f)
	if err == nil {
		_, err = io.WriteString(stdout, text)
	}
	if f.err != nil {
		terminal.Complain(stderr, "browse", f.err)
	}
	return err
}
