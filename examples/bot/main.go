package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/bcwire/bcwire/examples/bot/player"
	"github.com/bcwire/bcwire/examples/internal/terminal"
)

// Exit statuses.
const (
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	// Who reads the output may close it. Ignoring the signal turns that into an error of
	// the next write, after which the player leaves.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second one does not wait for the Disconnect to be acknowledged
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// run is the program. It returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parseOptions(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return exitUsage
	}
	if err := join(ctx, o, stdout, stderr); err != nil {
		terminal.Complain(stderr, "bot", err)
		return exitFailed
	}
	return 0
}

// join takes part in a match, to its end.
func join(ctx context.Context, o *options, stdout, stderr io.Writer) error {
	files, from, err := o.files()
	if files == nil {
		return err
	}
	if err != nil { // others could be read
		terminal.Complain(stderr, "bot", err)
	}
	o.player.Files = files
	level := slog.LevelWarn
	if o.verbose {
		level = slog.LevelDebug
	}
	out := terminal.NewOutput(stdout)
	fmt.Fprintln(out, terminal.Line(fmt.Sprintf(
		"%s connects to %s; the files are those of %s", o.player.Name, o.addr, from)))
	c := &client{out: out, log: slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))}
	err = outcome(c.run(ctx, o))
	if out.Err() != nil { // the reason why the player left
		return out.Err()
	}
	return err
}

// outcome returns why the end of a player is a failure. To leave a game is none.
func outcome(end *player.End, err error) error {
	switch {
	case err != nil:
		return err
	case end.Reason != player.Left:
		return end
	case end.State < player.Joined:
		return fmt.Errorf("%w before it had joined: %v", end, end.State)
	}
	return nil
}
