package udp

import (
	"context"
	"errors"
	"time"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// Join connects to a host with the address "host:port", as [Dial] does, and joins the game. It returns
// when the player is in the game. The context has no effect after Join has returned.
//
// The error is one of Dial or of [Conn.Receive], or the error of the context. It wraps an error of package join, such as
// [join.ErrFiles], if the client cannot join.
func Join(ctx context.Context, address string, o join.Options) (*Conn, error) {
	c, err := Dial(ctx, address, Options{Password: o.Password})
	if err != nil {
		return nil, err
	}
	if err := c.Join(ctx, o); err != nil {
		return nil, err
	}
	return c, nil
}

// Join joins the game over a Conn of [Dial]. It is for programs that set other options, such as their own socket.
// From now on, the Conn replies to the host and follows the names and scores of the players. If Join returns an
// error, the Conn disconnects from the host in the background. Call Join once, before Receive.
func (c *Conn) Join(ctx context.Context, o join.Options) error {
	err := c.begin(o)
	for err == nil {
		var due time.Time
		var in bool
		if in, due, err = c.advance(); in {
			return nil
		} else if err == nil {
			err = c.wait(ctx, due)
		}
	}
	c.leave() // a context that ends must not wait for the host
	return err
}

// begin makes the client, which sends the name.
func (c *Conn) begin(o join.Options) (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.joining = o
	o.LocalIP, c.decoder = c.localIP, o.Decoder
	if c.client, err = join.NewClient(time.Now(), c.session, o); err == nil {
		c.flush()
	}
	return err
}

// advance passes the events until now to the client, and reports whether it is in the game. Events since Settings
// stay for the program. If there are many, it drops StateUpdates, which the next ones replace.
func (c *Conn) advance() (in bool, due time.Time, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for u := &c.unread; u.handled < u.len(); {
		e, stage := u.list[u.next+u.handled], c.client.State().Stage
		if stage >= join.StageInGame {
			break
		}
		_, _ = c.client.Handle(time.Now(), e)
		if stage < join.StageStarting || e.Delivery == transport.Unreliable && u.handled >= u.maxEvents/2 {
			u.drop()
		} else {
			u.handled++
		}
	}
	if c.err == nil {
		c.client.Tick(time.Now())
	}
	c.flush()
	state := c.client.State()
	switch {
	case state.Stage == join.StageInGame:
		return true, due, nil
	case c.err != nil:
		return false, due, c.reason()
	}
	return false, c.client.NextDeadline(), state.Err
}

// wait waits for an event or a time.
func (c *Conn) wait(ctx context.Context, due time.Time) error {
	limited, cancel := ctx, context.CancelFunc(func() {})
	if !due.IsZero() {
		limited, cancel = context.WithDeadline(ctx, due)
	}
	defer cancel()
	select {
	case <-c.ready:
	case <-limited.Done():
	}
	return ctx.Err()
}

// reason returns the reason for the end, or nil. The client has learned it then.
func (c *Conn) reason() error {
	if c.err == nil || c.client == nil {
		return c.err
	}
	if c.ended == nil {
		_, _ = c.client.Handle(time.Now(), transport.Event{Kind: transport.EventEnded, End: transport.EndClosed})
		return c.err
	}
	_, _ = c.client.Handle(time.Now(), *c.ended)
	return c.client.State().Err
}

// rejoinPause is the time between the Disconnect of a client and the Connect of the next one. OpenBC ignores a Connect
// from the same address within 2 s.
const rejoinPause = 2 * time.Second

// Rejoin closes the Conn and, 2 s later, joins the game again with the same address and options, for example after
// [join.ErrTimeout]. It returns a new Conn, which has a peer ID and a slot of its own. The errors are those of the
// function [Join]. After an error, the program can call Rejoin again. A Conn that has not joined, and one with its
// socket in Options.Conn, cannot rejoin.
func (c *Conn) Rejoin(ctx context.Context) (*Conn, error) {
	_ = c.Close()
	c.mu.Lock()
	o, joining, joined := c.options, c.joining, c.client != nil
	c.mu.Unlock()
	switch {
	case !joined:
		return nil, errors.New("udp: Rejoin without Join")
	case o.Conn != nil && o.reopen == nil:
		return nil, errors.New("udp: Rejoin needs a new socket; use Dial with another Options.Conn")
	}
	select {
	case <-time.After(rejoinPause):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if o.reopen != nil {
		o.Conn = o.reopen()
	}
	next, err := Dial(ctx, c.address, o)
	if err != nil {
		return nil, err
	}
	if err := next.Join(ctx, joining); err != nil {
		return nil, err
	}
	return next, nil
}

// State returns what a client that has joined knows: its slot, its name, and the names and scores of the others. It
// follows the events that Receive and Messages have returned. Before Join it is the zero State.
func (c *Conn) State() (s join.State) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.client != nil {
		s = c.client.State()
	}
	return s
}

// Speaker returns the player whose line of chat the host has sent to a client that has joined; see [join.Client.Speaker].
func (c *Conn) Speaker(m opcode.Message) objectid.PeerID {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.client == nil {
		return objectid.NoPeer
	}
	return c.client.Speaker(m)
}
