package main

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
)

// guest is a client that does what a test tells it, and remembers what it hears.
type guest struct {
	*transport.Session
	w        *world
	name     string
	exchange *checksum.Client
	heard    []opcode.Message // reliable ones, in order
	lines    []string         // the same, and messages of the transport
	updates  []opcode.StateUpdate
	slot     objectid.Slot
	ips      [][4]byte // of the players that it has heard of
	mute     bool      // it answers no request
	modem    bool      // it claims to be on one
	stubborn bool      // it keeps its name
	set      string    // of its ship, "Multi1" if empty
	ended    *transport.Event
}

// localIP is the address that guests claim to have.
var localIP = [4]byte{192, 168, 7, 239}

// Receive implements client.
func (g *guest) Receive(now time.Time, datagram []byte) {
	g.Session.Receive(now, datagram)
	for e := range g.Events() {
		g.event(e)
	}
}

func (g *guest) event(e transport.Event) {
	switch e.Kind {
	case transport.EventConnected:
		g.lines = append(g.lines, fmt.Sprintf("ConnectReply %d", g.PeerID()))
		g.sayName(g.name)
	case transport.EventSystem:
		g.lines = append(g.lines, system(e.Body))
		switch b := e.Body.(type) {
		case *transport.NameChange:
			g.ips = append(g.ips, b.IP)
		case *transport.Disconnect:
			g.ips = append(g.ips, b.IP)
		}
	case transport.EventEnded:
		g.ended = &e
		g.lines = append(g.lines, "ended: "+e.End.String())
	case transport.EventPayload:
		g.payload(slices.Clone(e.Payload))
	}
}

func system(body transport.Body) string {
	switch b := body.(type) {
	case *transport.NameChange:
		return fmt.Sprintf("NameChange %d %s", b.PeerID, b.Name)
	case *transport.Boot:
		return fmt.Sprintf("Boot %d %v", b.PeerID, b.Reason)
	case *transport.Disconnect:
		return fmt.Sprintf("Disconnect %d", b.PeerID)
	}
	return fmt.Sprint(body)
}

func (g *guest) payload(payload []byte) {
	m, err := opcode.Decode(payload)
	require.NoError(g.w.t, err)
	if update, ok := m.(*opcode.StateUpdate); ok {
		g.updates = append(g.updates, *update)
		return
	}
	g.heard = append(g.heard, m)
	g.lines = append(g.lines, m.Opcode().String())
	if g.mute {
		return
	}
	switch m := m.(type) {
	case *opcode.ChecksumRequest, *opcode.FileTransfer:
		reply, _, err := g.exchange.Receive(m)
		require.NoError(g.w.t, err)
		g.say(reply)
	case *opcode.Settings:
		g.slot = m.PlayerSlot
		if m.Renamed && !g.stubborn {
			g.name = m.NewName.String()
			g.sayName(g.name)
		}
	case *opcode.GameInit:
		g.say(&opcode.NewPlayerInGame{Modem: g.modem})
	}
}

// sayName sends a NameChange.
func (g *guest) sayName(name string) {
	require.NoError(g.w.t, g.SendSystem(&transport.NameChange{PeerID: g.PeerID(), IP: localIP, Name: systemText(g.w.t, name)}))
}

// say sends a message reliably.
func (g *guest) say(m opcode.Message) {
	payload, err := opcode.Marshal(m)
	require.NoError(g.w.t, err)
	require.NoError(g.w.t, g.Send(payload, transport.Reliable))
}

// connect adds a guest that has begun to connect.
func (w *world) connect(name, password string, files *checksum.Manifest) *guest {
	session, err := transport.NewClient(w.now, transport.ConnectRequest{
		LocalIP: localIP, ConnID: w.rng.Uint32(), Password: systemText(w.t, password),
	}, transport.Options{})
	require.NoError(w.t, err)
	g := &guest{w: w, name: name, exchange: &checksum.Client{Manifest: files}, Session: session}
	w.add(g)
	return g
}

// join adds a guest and waits until it is in the game.
func (w *world) join(name string) *guest {
	g := w.connect(name, "", nil)
	g.waitForGame()
	return g
}

// waitForGame waits until the guest is in the game.
func (g *guest) waitForGame() {
	g.w.t.Helper()
	g.w.until(10*time.Second, func() bool { return g.count(opcode.OpDeletePlayerUI) > 0 })
}

// count returns how many messages of an opcode the guest has heard.
func (g *guest) count(code opcode.Code) (n int) {
	for _, m := range g.heard {
		if m.Opcode() == code {
			n++
		}
	}
	return n
}

// last returns the last message of a type that the guest has heard.
func last[M opcode.Message](g *guest) M {
	g.w.t.Helper()
	for _, m := range slices.Backward(g.heard) {
		if typed, ok := m.(M); ok {
			return typed
		}
	}
	var none M
	g.w.t.Fatalf("%s has not heard %T", g.name, none)
	return none
}

// id returns the ID of an object of the guest.
func (g *guest) id(index int) objectid.ID {
	base, _ := objectid.Base(objectid.Slot(g.slot))
	return base + objectid.ID(index)
}

// launch creates a ship of the guest, and returns what it is told of it.
func (g *guest) launch(class string, index int) *stateupdate.Ship {
	ship := stateupdate.NewShip(g.id(index), stateupdate.Stock().Named(class))
	ship.PlayerName, ship.SetName = g.name, cmp.Or(g.set, "Multi1")
	object, err := ship.Object()
	require.NoError(g.w.t, err)
	g.say(&opcode.ObjectCreateTeam{OwnerSlot: g.slot, NetPlayerID: g.PeerID(), Object: object})
	return ship
}

// tell sends an update about a ship.
func (g *guest) tell(m *opcode.StateUpdate) {
	payload, err := opcode.Marshal(m)
	require.NoError(g.w.t, err)
	require.NoError(g.w.t, g.Send(payload, transport.Unreliable))
}

// systemText returns a string as the text of a system message.
func systemText(t testing.TB, s string) transport.UTF16Z {
	text, err := transport.NewUTF16Z(s)
	require.NoError(t, err)
	return text
}
