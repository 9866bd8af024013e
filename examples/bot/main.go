package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/bot/player"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
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

// client is a player on a socket.
type client struct {
	out    io.Writer
	log    *slog.Logger
	conn   net.Conn
	player *player.Player
	state  player.State
	failed int        // reads, one after the other
	buf    [2048]byte // more than any datagram of the game
}

// run plays until the player is done, and returns how it ended. When the context or the
// duration is over, the player leaves.
func (c *client) run(ctx context.Context, o *options) (*player.End, error) {
	conn, err := net.Dial("udp", o.addr)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if o.duration > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.duration)
		defer cancel()
	}
	// An expired deadline wakes the loop.
	defer context.AfterFunc(ctx, func() { conn.SetReadDeadline(time.Unix(1, 0)) })()

	o.player.ConnID = rand.Uint32()
	if local, ok := conn.LocalAddr().(*net.UDPAddr); ok && local.IP.To4() != nil {
		o.player.LocalIP = [4]byte(local.IP.To4())
	}
	c.conn, c.player = conn, player.New(time.Now(), o.player)
	for {
		c.send(time.Now())
		if c.player.Done() {
			c.count()
			return c.player.End(), nil
		}
		if err := c.receive(ctx); err != nil {
			return nil, err
		}
	}
}

// send sends what is due, and says what has happened.
func (c *client) send(now time.Time) {
	for {
		d := c.player.AppendDatagram(c.buf[:0], now)
		if len(d) == 0 {
			break
		}
		cipher.Encrypt(d)
		if _, err := c.conn.Write(d); err != nil {
			c.log.Debug("not sent", "error", err) // is sent again
		}
	}
	for e := range c.player.Events() {
		c.say(e)
	}
	if s := c.player.State(); s != c.state {
		c.log.Debug("state", "is", s, "was", c.state)
		c.state = s
	}
}

// receive waits for a datagram, or until there is something to do.
func (c *client) receive(ctx context.Context) error {
	c.conn.SetReadDeadline(c.player.NextDeadline())
	if ctx.Err() != nil && c.player.End() == nil {
		c.player.Leave(time.Now())
		return nil
	}
	n, err := c.conn.Read(c.buf[:])
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		return c.unread(err)
	}
	c.failed = 0
	if err == nil && !transport.IsGameSpy(c.buf[:n]) {
		cipher.Decrypt(c.buf[:n])
		c.player.Receive(time.Now(), c.buf[:n])
	}
	return nil
}

// maxFailed is how many reads in a row may fail. One does when nobody is at the host's
// port, which may change.
const maxFailed = 10

func (c *client) unread(err error) error {
	c.log.Debug("not received", "error", err)
	if c.failed++; c.failed < maxFailed {
		return nil
	}
	return err
}

// say prints what has happened, except for an end that is the reason to fail.
func (c *client) say(e player.Event) {
	if last, ok := e.(player.Ended); ok && outcome(last.End, nil) != nil {
		return
	}
	if _, err := fmt.Fprintln(c.out, terminal.Line(e.String())); err != nil {
		c.player.Leave(time.Now())
	}
}

// count logs what has been sent and received.
func (c *client) count() {
	n, s := c.player.Counters(), c.player.Transport()
	for code := range n.Sent {
		if n.Sent[code]+n.Received[code] > 0 {
			c.log.Debug("payloads", "opcode", opcode.Code(code), "sent", n.Sent[code], "received", n.Received[code])
		}
	}
	c.log.Debug("counts", "datagrams sent", s.Sent, "received", s.Received, "repeated", s.Retransmissions,
		"dropped", s.Dropped(), "malformed", n.Malformed, "inapplicable", n.Inapplicable, "unsent", n.Unsent)
}
