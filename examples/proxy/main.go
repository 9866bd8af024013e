package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/internal/relay"
	"github.com/bcwire/bcwire/examples/internal/terminal"
)

func main() {
	terminal.Main(func(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stdout, os.Stderr) })
}

// run is the program. It returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parseOptions(args, stderr)
	return terminal.Status(err, "proxy", stderr, func() error { return o.run(ctx, stdout, stderr) })
}

// run relays datagrams until the context ends.
func (o *options) run(ctx context.Context, stdout, stderr io.Writer) (failed error) {
	r, err := relay.Open(o.Options)
	if err != nil {
		return err
	}
	defer r.Close()
	if o.record != "" {
		if r.Record, err = capture.NewRecorder(o.record, o.recordLimit, r.Began(), r.Server()); err != nil {
			return err
		}
		defer func() { failed = errors.Join(failed, r.Record.Close()) }()
	}
	var p *printer
	if !o.quiet {
		p = newPrinter(o, stdout)
		r.Show = p.show
	}
	fmt.Fprintf(stderr, "proxy: %v -> %v\n", r.Addr(), r.Server())
	err = errors.Join(r.Run(ctx), p.close())
	r.Summary(p.report())
	return err
}
