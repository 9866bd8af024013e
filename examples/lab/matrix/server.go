package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport/udp"
)

// trial is a case that players play on a server in real time.
type trial struct {
	name string
	play func(t *table) error
}

// trials are the cases of package simulation, except for restart, which the console of a server causes.
var trials = []trial{
	{"join", func(t *table) error { return t.pair(0, func(_, _ *guest) error { return nil }) }},
	{"refusal", (*table).overfill},
	{"chat", func(t *table) error { return t.pair(0, func(a, b *guest) error { return a.chat(b, 5, 0) }) }},
	{"long chat", func(t *table) error {
		return t.pair(0, func(a, b *guest) error { return a.chat(b, 5, opcode.MaxChat) })
	}},
	{"10,000 messages", func(t *table) error { return t.pair(0, func(a, b *guest) error { return a.ceaseFire(b, 10_000) }) }},
	{"loss", func(t *table) error { return t.pair(20, func(a, b *guest) error { return a.chat(b, 5, 0) }) }},
	{"leave", func(t *table) error {
		return t.pair(0, func(a, b *guest) error {
			_ = a.Close()
			return b.alone(5 * time.Second)
		})
	}},
	{"crash", func(t *table) error {
		return t.pair(0, func(a, b *guest) error {
			a.line.loss.Store(100)
			return b.alone(75 * time.Second)
		})
	}},
	{"rename", (*table).sameNames},
	{"files", func(t *table) error {
		t.manifest = checksum.Vanilla()
		defer func() { t.manifest = nil }()
		return t.pair(0, func(_, _ *guest) error { return nil })
	}},
}

// table is a server at an address, and the players on it.
type table struct {
	ctx      context.Context
	addr     string
	listen   func() (socket, error) // opens the socket of a player
	manifest *checksum.Manifest
	guests   []*guest
}

// playAt plays all trials on a server. It returns a table in Markdown, and the problems.
func playAt(ctx context.Context, addr string) (text string, err error) {
	var b strings.Builder
	b.WriteString("| Case | Result |\n|---|---|")
	for _, x := range trials {
		result := "yes"
		if failed := x.at(ctx, addr, loopback); failed != nil {
			result = "no: " + failed.Error()
			err = errors.Join(err, fmt.Errorf("%s: %w", x.name, failed))
		}
		fmt.Fprintf(&b, "\n| %s | %s |", x.name, result)
	}
	return b.String(), err
}

// loopback opens a socket on 127.0.0.1.
func loopback() (socket, error) {
	return net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
}

// at plays a trial on a server.
func (x *trial) at(ctx context.Context, addr string, listen func() (socket, error)) error {
	ctx, stop := context.WithTimeout(ctx, 12*time.Minute)
	defer stop()
	t := &table{ctx: ctx, addr: addr, listen: listen}
	defer func() {
		for _, g := range t.guests {
			_ = g.Close()
		}
		time.Sleep(time.Second) // until the server has noticed
	}()
	return x.play(t)
}

// guest is a player of a trial.
type guest struct {
	*udp.Conn
	line *line
	ship objectid.ID

	mu    sync.Mutex
	lines []string // that others have said
	fires int      // messages of ceaseFire
}

// join lets a player join, on a line that loses so many datagrams of a hundred.
func (t *table) join(name string, loss uint32) (*guest, error) {
	conn, err := t.listen()
	if err != nil {
		return nil, err
	}
	g := &guest{line: &line{socket: conn}}
	g.line.loss.Store(loss)
	if g.Conn, err = udp.Dial(t.ctx, t.addr, udp.Options{Conn: g.line}); err != nil {
		return nil, err
	}
	if err := g.Join(t.ctx, join.Options{Name: name, Manifest: t.manifest}); err != nil {
		return nil, err
	}
	t.guests = append(t.guests, g)
	if err := g.fly(); err != nil {
		return nil, err
	}
	go func() {
		for m, err := range g.Messages(t.ctx) {
			if m != nil && err == nil {
				g.hear(m)
			}
		}
	}()
	return g, nil
}

// pair lets two players join, each of whom learns of the other.
func (t *table) pair(loss uint32, play func(a, b *guest) error) error {
	a, err := t.join("Ann", loss)
	if err != nil {
		return err
	}
	b, err := t.join("Ben", loss)
	if err != nil {
		return err
	}
	if err := a.until(time.Minute, "Ann does not know Ben", func() bool { return a.knows("Ben") }); err != nil {
		return err
	}
	if err := b.until(time.Minute, "Ben does not know Ann", func() bool { return b.knows("Ann") }); err != nil {
		return err
	}
	return play(a, b)
}

// overfill lets players join until the server is full.
func (t *table) overfill() error {
	for i := range objectid.Slots + 1 {
		if _, err := t.join(fmt.Sprint("Guest ", i+1), 0); errors.Is(err, join.ErrFull) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return fmt.Errorf("%d players are in the game", len(t.guests))
}

// sameNames lets two players with one name join.
func (t *table) sameNames() error {
	a, err := t.join("Ann", 0)
	if err != nil {
		return err
	}
	b, err := t.join("Ann", 0)
	if err != nil {
		return err
	}
	return a.until(10*time.Second, "both have one name", func() bool {
		other := a.State().Other
		return len(other) == 1 && other[0].Name != "" && other[0].Name != "Ann" && b.State().Self.Name == other[0].Name
	})
}

// hear notes a message of the host.
func (g *guest) hear(m opcode.Message) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch m := m.(type) {
	case *opcode.ChatMessage:
		if g.Speaker(m) != g.State().Self.PeerID {
			g.lines = append(g.lines, m.Text.String())
		}
	case *opcode.StopFiring:
		g.fires++
	}
}

// until waits until something holds.
func (g *guest) until(d time.Duration, problem string, holds func() bool) error {
	for end := time.Now().Add(d); !holds(); time.Sleep(20 * time.Millisecond) {
		if err := g.State().Err; err != nil {
			return err
		}
		if time.Now().After(end) {
			return errors.New(problem)
		}
	}
	return nil
}

func (g *guest) knows(name string) bool {
	return slices.ContainsFunc(g.State().Other, func(p join.Player) bool { return p.Name == name })
}

// alone waits until nobody else is in the game.
func (g *guest) alone(d time.Duration) error {
	return g.until(d, "the player is still in the game", func() bool { return len(g.State().Other) == 0 })
}

// chat says some lines with so many bytes, which the other player hears once and in order.
func (g *guest) chat(other *guest, lines, size int) error {
	var said []string
	for i := range lines {
		text := fmt.Sprint("line ", i+1)
		text += strings.Repeat("!", max(0, size-len(text)))
		m, err := opcode.NewChatMessage(g.State().Self.PeerID, text)
		if err != nil {
			return err
		}
		if err := g.Send(m); err != nil {
			return err
		}
		said = append(said, text)
		time.Sleep(time.Second)
	}
	heard := func() []string {
		other.mu.Lock()
		defer other.mu.Unlock()
		return slices.Clone(other.lines)
	}
	if err := other.until(20*time.Second, "lines are missing", func() bool { return len(heard()) >= len(said) }); err != nil {
		return err
	}
	if !slices.Equal(heard(), said) {
		return fmt.Errorf("heard %q", heard())
	}
	return nil
}

// fly creates a ship. OpenBC shows the names of players with their ships.
func (g *guest) fly() error {
	id, ok := objectid.Base(g.State().Self.Slot)
	if !ok {
		return errors.New("the player has no slot")
	}
	ship := stateupdate.NewShip(id, stateupdate.Stock().Named("akira"))
	self := g.State().Self
	ship.PeerID, ship.OwnerSlot, ship.PlayerName, ship.SetName = self.PeerID, self.Slot, self.Name, "Multi1"
	creation, err := ship.Creation()
	if err != nil {
		return err
	}
	g.ship = id
	return g.Send(creation)
}

// ceaseFire stops the fire of the ship so many times, 20 times a second. The other player is told each time.
func (g *guest) ceaseFire(other *guest, times int) error {
	for i := range times {
		if err := g.Send(opcode.NewStopFiring(g.ship + 1)); err != nil {
			return err
		}
		if i%2 == 1 {
			time.Sleep(100 * time.Millisecond)
		}
	}
	told := func() int {
		other.mu.Lock()
		defer other.mu.Unlock()
		return other.fires
	}
	if err := other.until(time.Minute, "messages are missing", func() bool { return told() >= times }); err != nil {
		return fmt.Errorf("%w: %d of %d arrive", err, told(), times)
	}
	return nil
}

// socket is the socket of a player.
type socket interface {
	udp.PacketConn
	io.Closer
}

// line is a socket that loses datagrams in both directions.
type line struct {
	socket
	loss atomic.Uint32 // of a hundred
}

func (l *line) loses() bool { return rand.Uint32N(100) < l.loss.Load() }

// ReadFromUDPAddrPort implements [udp.PacketConn].
func (l *line) ReadFromUDPAddrPort(b []byte) (n int, addr netip.AddrPort, err error) {
	for {
		if n, addr, err = l.socket.ReadFromUDPAddrPort(b); err != nil || !l.loses() {
			return n, addr, err
		}
	}
}

// WriteToUDPAddrPort implements [udp.PacketConn].
func (l *line) WriteToUDPAddrPort(b []byte, addr netip.AddrPort) (int, error) {
	if l.loses() {
		return len(b), nil
	}
	return l.socket.WriteToUDPAddrPort(b, addr)
}
