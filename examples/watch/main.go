package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/examples/watch/internal/match"
	"github.com/bcwire/bcwire/examples/watch/internal/web"
	"github.com/bcwire/bcwire/examples/watch/page"
)

// Exit statuses.
const (
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the program. It returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	o, err := parseOptions(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return exitUsage
	}
	if err := o.run(ctx, stdin, stdout, stderr); err != nil {
		terminal.Complain(stderr, "watch", err)
		return exitFailed
	}
	return 0
}

// run serves a match until the context ends.
func (o *options) run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) error {
	listener, err := net.Listen("tcp", o.addr)
	if err != nil {
		return fmt.Errorf("-addr %s: %w", o.addr, err)
	}
	defer listener.Close()
	store := match.New(match.Options{Title: filepath.Base(o.file), Plain: o.plain, Classes: o.classes})
	defer store.Close()
	server, err := web.New(store, page.Files, log.New(stderr, "watch: ", 0))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	loaded := make(chan error, 1)
	in, err := o.open(ctx, stdin, store)
	if err != nil {
		return err
	}
	go func() {
		defer in.Close()
		loaded <- load(ctx, in, store)
	}()
	fmt.Fprintf(stdout, "http://%v/\n", listener.Addr())
	err = server.Serve(ctx, listener)
	cancel()
	return errors.Join(err, <-loaded)
}
