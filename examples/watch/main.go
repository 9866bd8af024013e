package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"path/filepath"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/examples/watch/internal/timeline"
	"github.com/bcwire/bcwire/examples/watch/internal/web"
	"github.com/bcwire/bcwire/examples/watch/page"
)

func main() {
	terminal.Main(func(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr) })
}

// run is the program. It returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	o, err := parseOptions(args, stderr)
	return terminal.Status(err, "watch", stderr, func() error { return o.run(ctx, stdin, stdout, stderr) })
}

// run serves a match until the context ends.
func (o *options) run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) error {
	if o.site != "" {
		return writeSite(o.site)
	}
	if o.league != "" {
		return o.writeLeague(ctx, stderr)
	}
	if o.report != "" {
		return o.writeReport(ctx, stdin, stderr)
	}
	listener, err := net.Listen("tcp", o.addr)
	if err != nil {
		return fmt.Errorf("-addr %s: %w", o.addr, err)
	}
	defer listener.Close()
	store := timeline.New(o.match())
	defer store.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	feed, err := o.feed(ctx, store, stdin, stderr)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() {
		err := feed(ctx)
		if err != nil {
			cancel() // a live match without a relay
		}
		ended <- err
	}()
	path := "/"
	if o.server != "" {
		path += rand.Text() + "/"
	}
	url := fmt.Sprintf("http://%v%s", listener.Addr(), path)
	fmt.Fprintln(stdout, url)
	if o.open {
		if err := openBrowser(url); err != nil {
			fmt.Fprintf(stderr, "watch: -open: %v\n", err)
		}
	}
	err = web.Serve(ctx, listener, store, path, page.Files, log.New(stderr, "watch: ", 0))
	cancel()
	return errors.Join(err, <-ended)
}

// match returns the options of the store.
func (o *options) match() timeline.Options {
	m := timeline.Options{Title: o.title(), Plain: o.plain, Passwords: o.passwords, Classes: o.classes}
	if o.server != "" {
		m.Title, m.Live, m.MaxMessages, m.MaxBytes = o.server, true, maxMessages, maxBytes
	}
	return m
}

// title returns the name of the recording for the page.
func (o *options) title() string {
	switch o.file {
	case "":
		return "fight.jsonl"
	case "-":
		return "standard input"
	}
	return filepath.Base(o.file)
}

// feed returns a function that adds the datagrams of the file, or of a live match, to the store.
// For a file, the function ends with the file. For a live match, it ends with the context.
func (o *options) feed(ctx context.Context, store *timeline.Store, stdin io.Reader, stderr io.Writer) (func(context.Context) error, error) {
	if o.server != "" {
		live, err := o.openLive(store, stderr)
		if err != nil {
			return nil, err
		}
		return live.run, nil
	}
	in, err := o.openFile(ctx, stdin, store)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		complete := store.Load(ctx, in, nil)
		if problem := store.Info().Problem; complete && problem != "" {
			terminal.Complain(stderr, "watch", errors.New(problem))
		}
		return nil
	}, nil
}
