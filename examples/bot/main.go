package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"syscall"
	"time"

	"github.com/bcwire/bcwire/examples/bot/player"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

func main() {
	terminal.Main(func(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stdout, os.Stderr) })
}

// run is the program. It returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parseOptions(args, stderr)
	return terminal.Status(err, "bot", stderr, func() error { return withAdvice(takePart(ctx, o, stdout, stderr)) })
}

// withAdvice adds the likely remedy to an error.
func withAdvice(err error) error {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("%w; no server listens at this address, see -addr", err)
	case errors.Is(err, join.ErrPassword):
		return fmt.Errorf("%w; give the password of the match with -password", err)
	}
	return err
}

// takePart prints what happens in a match until its end.
func takePart(ctx context.Context, o *options, stdout, stderr io.Writer) error {
	files, err := o.manifest()
	if files == nil {
		return err
	}
	if err != nil { // some files could not be read
		terminal.Complain(stderr, "bot", err)
	}
	o.player.Files = files
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: o.level}))
	out := terminal.NewOutput(stdout)
	fmt.Fprintln(out, terminal.Line(fmt.Sprintf("%s connects to %s", o.player.Name, o.addr)))
	err = o.play(ctx, out, log)
	if errors.Is(err, player.ErrLeft) {
		fmt.Fprintln(out, err)
		err = nil
	}
	return cmp.Or(out.Err(), err) // if the output failed, the player left for this reason
}

// play plays until the player has ended, and returns the reason. The player leaves when the
// context ends, after the duration, or when a write to out fails. After a timeout it joins again.
func (o *options) play(ctx context.Context, out io.Writer, log *slog.Logger) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if o.duration > 0 {
		ctx, stop = context.WithTimeout(ctx, o.duration)
		defer stop()
	}
	o.player.Report = func(line string) {
		if _, err := fmt.Fprintln(out, terminal.Line(line)); err != nil {
			stop()
		}
	}
	o.udp.Log = log
	client, err := udp.Dial(ctx, o.addr, o.udp)
	if err == nil {
		err = client.Join(ctx, o.player.Join(nil))
	}
	for err == nil {
		if err = o.follow(ctx, client, log); errors.Is(err, join.ErrTimeout) {
			o.player.Report(err.Error() + "; the bot joins again")
			client, err = client.Rejoin(ctx)
		}
	}
	return err
}

// follow plays as a client in the game until the player has ended, and returns the reason.
func (o *options) follow(ctx context.Context, client *udp.Conn, log *slog.Logger) error {
	p := player.New(time.Now(), o.player)
	p.Enter(time.Now(), client)
	for p.Err() == nil {
		e, err := receive(ctx, client, p.NextDeadline())
		switch {
		case ctx.Err() != nil:
			p.Leave()
		case err == nil:
			p.Handle(time.Now(), e)
		case !errors.Is(err, context.DeadlineExceeded):
			p.Close(err)
		}
		p.Tick(time.Now())
	}
	client.Close() // waits for the Ack of the Disconnect
	count(log, p.Counters(), client)
	return p.Err()
}

// receive waits for an event of the host until a deadline. The zero Time is no deadline.
func receive(ctx context.Context, client *udp.Conn, deadline time.Time) (transport.Event, error) {
	if deadline.IsZero() {
		return client.Receive(ctx)
	}
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	return client.Receive(ctx)
}

// count logs the counters of the player and of its connection.
func count(log *slog.Logger, n player.Counters, conn *udp.Conn) {
	s, link := conn.Counters(), conn.Quality()
	log.Debug("counts", "datagrams sent", s.Sent, "received", s.Received, "retransmitted", s.Retransmissions, "dropped", s.Dropped(),
		"chat", n.Received[opcode.OpChatMessage], "malformed", n.Malformed, "inapplicable", n.Inapplicable, "unsent", n.Unsent,
		"round trip", link.RoundTrip, "loss", link.Loss)
}
