package siege

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
)

// Guest is a client that does what a test tells it, and remembers what it hears.
type Guest struct {
	*transport.Session
	Name     string
	Heard    []opcode.Message // reliable ones, in order
	Lines    []string         // the same, and messages of the transport
	Updates  []opcode.StateUpdate
	Slot     objectid.Slot
	IPs      [][4]byte // of the players that it has heard of
	Mute     bool      // it answers no request
	Modem    bool      // it claims to be on one
	Stubborn bool      // it keeps its name
	Set      string    // of its ship, "Multi1" if empty
	Ended    *transport.Event

	w        *World
	exchange *checksum.Client
}

// LocalIP is the address that guests claim to have.
var LocalIP = [4]byte{192, 168, 7, 239}

// Receive implements [Client].
func (g *Guest) Receive(now time.Time, datagram []byte) {
	g.Session.Receive(now, datagram)
	for e := range g.Events() {
		g.Handle(e)
	}
}

// Handle handles an event of the session.
func (g *Guest) Handle(e transport.Event) {
	switch e.Kind {
	case transport.EventConnected:
		g.Lines = append(g.Lines, fmt.Sprintf("ConnectReply %d", g.PeerID()))
		g.SayName(g.Name)
	case transport.EventSystem:
		g.Lines = append(g.Lines, system(e.Body))
		switch b := e.Body.(type) {
		case *transport.NameChange:
			g.IPs = append(g.IPs, b.IP)
		case *transport.Disconnect:
			g.IPs = append(g.IPs, b.IP)
		}
	case transport.EventEnded:
		g.Ended = &e
		g.Lines = append(g.Lines, "ended: "+e.End.String())
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

func (g *Guest) payload(payload []byte) {
	m, err := opcode.Decode(payload)
	check(g.w.T, err)
	if update, ok := m.(*opcode.StateUpdate); ok {
		g.Updates = append(g.Updates, *update)
		return
	}
	g.Heard = append(g.Heard, m)
	g.Lines = append(g.Lines, m.Opcode().String())
	if g.Mute {
		return
	}
	switch m := m.(type) {
	case *opcode.ChecksumRequest, *opcode.FileTransfer:
		reply, err := g.exchange.Receive(m)
		check(g.w.T, err)
		g.Say(reply)
	case *opcode.Settings:
		g.Slot = m.PlayerSlot
		if m.Renamed && !g.Stubborn {
			g.Name = m.NewName.String()
			g.SayName(g.Name)
		}
	case *opcode.GameInit:
		g.Say(&opcode.NewPlayerInGame{Modem: g.Modem})
	}
}

// SayName sends a NameChange.
func (g *Guest) SayName(name string) {
	check(g.w.T, g.SendSystem(&transport.NameChange{PeerID: g.PeerID(), IP: LocalIP, Name: SystemText(g.w.T, name)}))
}

// Say sends a message reliably.
func (g *Guest) Say(m opcode.Message) {
	payload, err := opcode.Marshal(m)
	check(g.w.T, err)
	check(g.w.T, g.Send(payload, transport.Reliable))
}

// Connect adds a guest that has begun to connect.
func (w *World) Connect(name, password string, files *checksum.Manifest) *Guest {
	session, err := transport.NewClient(w.Now, transport.ConnectRequest{
		LocalIP: LocalIP, ConnID: w.Rand.Uint32(), Password: SystemText(w.T, password),
	}, transport.Options{})
	check(w.T, err)
	g := &Guest{w: w, Name: name, exchange: &checksum.Client{Manifest: files}, Session: session}
	w.Add(g)
	return g
}

// Join adds a guest and waits until it is in the game.
func (w *World) Join(name string) *Guest {
	g := w.Connect(name, "", nil)
	g.WaitForGame()
	return g
}

// WaitForGame waits until the guest is in the game.
func (g *Guest) WaitForGame() {
	g.w.T.Helper()
	g.w.Until(10*time.Second, func() bool { return g.Count(opcode.OpDeletePlayerUI) > 0 })
}

// Count returns how many messages of an opcode the guest has heard.
func (g *Guest) Count(code opcode.Code) (n int) {
	for _, m := range g.Heard {
		if m.Opcode() == code {
			n++
		}
	}
	return n
}

// Marshal returns the payload of a message.
func Marshal(t T, m opcode.Message) []byte {
	b, err := opcode.Marshal(m)
	check(t, err)
	return b
}

// Last returns the last message of a type that the guest has heard.
func Last[M opcode.Message](g *Guest) M {
	g.w.T.Helper()
	for _, m := range slices.Backward(g.Heard) {
		if typed, ok := m.(M); ok {
			return typed
		}
	}
	var none M
	g.w.T.Fatalf("%s has not heard %T", g.Name, none)
	return none
}

// Object returns the ID of an object of the guest.
func (g *Guest) Object(index int) objectid.ID {
	base, _ := objectid.Base(g.Slot)
	return base + objectid.ID(index)
}

// Launch creates a ship of the guest, and returns what it is told of it.
func (g *Guest) Launch(class string, index int) *stateupdate.Ship {
	ship := stateupdate.NewShip(g.Object(index), stateupdate.Stock().Named(class))
	ship.PlayerName, ship.SetName = g.Name, cmp.Or(g.Set, "Multi1")
	object, err := ship.Object()
	check(g.w.T, err)
	g.Say(&opcode.ObjectCreateTeam{OwnerSlot: g.Slot, NetPlayerID: g.PeerID(), Object: object})
	return ship
}

// Tell sends an update about a ship.
func (g *Guest) Tell(m *opcode.StateUpdate) {
	payload, err := opcode.Marshal(m)
	check(g.w.T, err)
	check(g.w.T, g.Send(payload, transport.Unreliable))
}

// SystemText returns a string as the text of a system message.
func SystemText(t T, s string) transport.UTF16Z {
	text, err := transport.NewUTF16Z(s)
	check(t, err)
	return text
}

// Creation returns the creation of a ship of a guest.
func Creation(t T, g *Guest, index int) *opcode.ObjectCreateTeam {
	ship := stateupdate.NewShip(g.Object(index), stateupdate.Stock().Named("akira"))
	ship.PlayerName, ship.SetName = g.Name, "Multi1"
	object, err := ship.Object()
	check(t, err)
	return &opcode.ObjectCreateTeam{OwnerSlot: g.Slot, NetPlayerID: g.PeerID(), Object: object}
}

// Loader is a guest that takes a while to load the game.
type Loader struct {
	*Guest
	load time.Duration
	done time.Time // when it has loaded; zero before GameInit
}

// Receive implements [Client].
func (l *Loader) Receive(now time.Time, datagram []byte) {
	l.Session.Receive(now, datagram)
	for e := range l.Events() {
		if e.Kind == transport.EventPayload && opcode.Code(e.Payload[0]) == opcode.OpGameInit {
			l.done = now.Add(l.load)
			continue
		}
		l.Handle(e)
	}
}

// AppendDatagram implements [Client].
func (l *Loader) AppendDatagram(dst []byte, now time.Time) []byte {
	if !l.done.IsZero() && !now.Before(l.done) && l.Ended == nil {
		l.done = time.Time{}
		l.Say(&opcode.NewPlayerInGame{})
	}
	return l.Session.AppendDatagram(dst, now)
}

// ConnectFrom adds a guest that has begun to connect from an address, and takes a while to load.
func (w *World) ConnectFrom(name string, addr netip.AddrPort, load time.Duration) *Loader {
	l := &Loader{Guest: w.Connect(name, "", nil), load: load}
	if !addr.IsValid() {
		addr = w.Order[len(w.Order)-1]
	}
	w.readdress(l, addr)
	return l
}

// ConnectAt adds a guest with an address.
func (w *World) ConnectAt(name, password string, addr netip.AddrPort) *Guest {
	g := w.Connect(name, password, nil)
	w.readdress(g, addr)
	return g
}

// readdress gives the client that was added last another address.
func (w *World) readdress(c Client, addr netip.AddrPort) {
	last := len(w.Order) - 1
	delete(w.Clients, w.Order[last])
	w.Order[last], w.Clients[addr] = addr, c
}

// World returns the world of a guest.
func (g *Guest) World() *World { return g.w }
