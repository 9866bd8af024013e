package udp

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// Player is a client that has joined a host; see [Join]. It replies to the host and follows the names
// and scores of the players. Each event is returned once, by Receive or Messages. All methods are safe
// for concurrent use. The zero value is a closed Player.
type Player struct {
	conn    *Conn
	client  *join.Client // used with the lock of conn
	decoder *opcode.Decoder
	once    sync.Once
	turn    chan struct{} // holds a value while an event is received
	backlog []joined      // used by the holder of turn
}

// joined is an event with the message of its payload.
type joined struct {
	transport.Event
	m   opcode.Message
	err error // of m
}

// Join connects to a host with the address "host:port", as [Dial] does, and joins the game. It returns
// when the player is in the game. The context has no effect after Join has returned.
//
// The error wraps [join.ErrFull], [join.ErrPassword], [join.ErrBanned], [join.ErrFiles],
// [join.ErrVersion], [join.ErrRefused], [join.ErrTimeout] or [join.ErrProtocol] if the host refuses the
// client. Otherwise it is an error of Dial or of [Conn.Receive], or the error of the context.
func Join(ctx context.Context, address string, o join.Options) (*Player, error) {
	conn, err := Dial(ctx, address, Options{Password: o.Password})
	if err != nil {
		return nil, err
	}
	return conn.Join(ctx, o)
}

// Join joins the game over a Conn of [Dial], whose Options have no Name. It is for programs that set
// other options, such as their own socket. If it returns an error, the Conn disconnects from the host in
// the background. Afterwards, only the Player may receive events.
func (c *Conn) Join(ctx context.Context, o join.Options) (*Player, error) {
	c.lock()
	o.LocalIP = c.localIP
	client, err := join.NewClient(time.Now(), c.session, o)
	c.mu.Unlock()
	if err != nil {
		c.leave()
		return nil, err
	}
	p := &Player{conn: c, client: client, decoder: o.Decoder, turn: make(chan struct{}, 1)}
	p.with(func() {}) // sends the name
	if err := p.await(ctx); err != nil {
		c.leave() // a context that ends must not wait for the host
		return nil, err
	}
	return p, nil
}

// ready makes the zero value a closed Player.
func (p *Player) ready() {
	p.once.Do(func() {
		if p.conn == nil {
			p.conn, p.client, p.turn = &Conn{}, &join.Client{}, make(chan struct{}, 1)
		}
	})
}

// with calls a function that may use the client and its session, and sends.
func (p *Player) with(f func()) {
	c := p.conn
	c.lock()
	defer c.mu.Unlock()
	f()
	if c.err == nil {
		c.poll(time.Now())
		c.socket.sooner(c.session.NextDeadline())
	}
}

// await receives events until the client is in the game. It keeps the events for the
// program. If there are too many, it drops StateUpdates, which the next ones replace.
func (p *Player) await(ctx context.Context) error {
	var bytes int
	for {
		state, due := join.State{}, time.Time{}
		p.with(func() { state, due = p.client.State(), p.client.NextDeadline() })
		switch state.Stage {
		case join.StageInGame:
			return nil
		case join.StageEnded:
			return state.Err
		}
		limited, cancel := ctx, context.CancelFunc(func() {})
		if !due.IsZero() {
			limited, cancel = context.WithDeadline(ctx, due)
		}
		e, err := p.receive(limited)
		cancel()
		switch {
		case err == nil && state.Stage >= join.StageStarting:
			if e.Delivery == transport.Unreliable && len(p.backlog) >= maxUnread/2 {
				continue
			}
			bytes += size(e.Event)
			if len(p.backlog) >= maxUnread || bytes > maxUnreadBytes {
				return ErrUnread
			}
			p.backlog = append(p.backlog, e)
		case err == nil:
		case limited.Err() != nil && ctx.Err() == nil:
			p.with(func() { p.client.Tick(time.Now()) })
		default:
			return err
		}
	}
}

// receive waits for the next event of the Conn and passes it to the client.
func (p *Player) receive(ctx context.Context) (e joined, err error) {
	e.Event, err = p.conn.Receive(ctx)
	if err == nil {
		p.with(func() { e.m, e.err = p.client.Handle(time.Now(), e.Event) })
		return e, nil
	}
	if ctx.Err() != nil {
		return e, err
	}
	end := transport.Event{Kind: transport.EventEnded, End: transport.EndClosed}
	ended, byHost := errors.AsType[*EndError](err)
	if byHost {
		end.End, end.Body = ended.Reason, ended.Body
	}
	p.with(func() {
		_, _ = p.client.Handle(time.Now(), end)
		if byHost { // or by the client, because of a message of the host
			err = p.client.State().Err
		}
	})
	return e, err
}

// take waits until no other goroutine receives.
func (p *Player) take(ctx context.Context) error {
	p.ready()
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case p.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Receive is like [Conn.Receive]. The state of the Player follows the events that Receive and Messages
// have returned. After the host has ended the session, the error wraps one of package join.
func (p *Player) Receive(ctx context.Context) (transport.Event, error) {
	e, err := p.next(ctx)
	return e.Event, err
}

func (p *Player) next(ctx context.Context) (joined, error) {
	if err := p.take(ctx); err != nil {
		return joined{}, err
	}
	defer func() { <-p.turn }()
	if len(p.backlog) > 0 {
		e := p.backlog[0]
		p.backlog = p.backlog[1:]
		if p.decoder != nil && len(e.Payload) > 0 { // which has decoded other messages since
			e.m, e.err = p.decoder.Decode(e.Payload)
		}
		return e, nil
	}
	return p.receive(ctx)
}

// Messages is like [Conn.Messages]. It returns all messages since Settings, also those that arrived
// before Join returned. Within the loop, [Player.State] has the names until that message. The name of the player
// who speaks in a message m is state.NameOf(p.Speaker(m)), as in the example of [Join].
func (p *Player) Messages(ctx context.Context) iter.Seq2[opcode.Message, error] {
	return func(yield func(opcode.Message, error) bool) {
		for {
			e, err := p.next(ctx)
			switch {
			case err != nil:
				yield(nil, err)
				return
			case e.m != nil && !yield(e.m, e.err):
				return
			}
		}
	}
}

// Send sends a message with the delivery of its opcode. It returns the errors of [Conn.Send].
func (p *Player) Send(m opcode.Message) (err error) {
	p.ready()
	p.with(func() {
		if err = p.conn.err; err == nil {
			err = p.client.Send(m)
		}
	})
	return err
}

// State returns what the player knows: its slot, its name, and the names and scores of the others.
func (p *Player) State() (s join.State) {
	p.ready()
	p.with(func() { s = p.client.State() })
	return s
}

// Speaker returns the player whose line of chat the host has sent; see [join.Client.Speaker].
func (p *Player) Speaker(m opcode.Message) (id objectid.PeerID) {
	p.ready()
	p.with(func() { id = p.client.Speaker(m) })
	return id
}

// Conn returns the connection, for its addresses, counters, quality and other deliveries. The caller
// must not receive its events.
func (p *Player) Conn() *Conn {
	p.ready()
	return p.conn
}

// Close is [Conn.Close].
func (p *Player) Close() error {
	p.ready()
	return p.conn.Close()
}

// Link returns the round trip, the last sign of life and the loss of the connection.
func (c *Conn) Link() transport.Link {
	c.lock()
	defer c.mu.Unlock()
	return c.session.Link()
}
