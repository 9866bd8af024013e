package match_test

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// game is a match of constructed datagrams. Its host announces to the clients that are connected.
type game struct {
	t      *testing.T
	m      match.Match
	now    time.Duration
	server string
	mute   map[string]bool             // sides that are not observed, such as "1 c2s", "1" or "s2c"
	late   map[string][]match.Datagram // of sides that are delayed, such as "1 s2c"
	seqs   map[string]uint16
	names  map[string]objectid.PeerID // of clients that are connected
	titles map[objectid.PeerID]string
	events []match.Event
	last   match.Step
	record []byte // the recording of all datagrams
}

func newGame(t *testing.T) *game {
	return &game{
		t: t, m: match.Match{Events: true}, mute: map[string]bool{}, late: map[string][]match.Datagram{}, seqs: map[string]uint16{},
		names: map[string]objectid.PeerID{}, titles: map[objectid.PeerID]string{},
	}
}

// Wait advances the time.
func (g *game) Wait(d time.Duration) { g.now += d }

// Idle advances the time by seconds, in which the host says nothing else to a client.
func (g *game) Idle(client string, seconds int) {
	g.t.Helper()
	for range seconds {
		g.Wait(time.Second)
		g.Host(client, &transport.DoNothing{})
	}
}

// Receive passes a datagram with messages: each an opcode.Message, a transport.Body or a
// transport.Message. Game messages and bodies are reliable, and have the next number.
func (g *game) Receive(client string, from objectid.PeerID, messages ...any) {
	g.t.Helper()
	fromHost := from == objectid.Host
	way := "c2s"
	if fromHost {
		way = "s2c"
	}
	p := transport.Packet{PeerID: from}
	for _, m := range messages {
		channel := g.server + client + way
		switch m := m.(type) {
		case transport.Message:
			p.Messages = append(p.Messages, m)
		case transport.Body:
			p.Messages = append(p.Messages, transport.NewMessage(g.next(channel+"system"), m))
		case *opcode.StateUpdate:
			p.Messages = append(p.Messages, transport.NewUnreliable(g.payload(m)))
		case opcode.Message:
			p.Messages = append(p.Messages, transport.NewData(g.next(channel+"game"), g.payload(m)))
		}
	}
	data, err := p.MarshalBinary()
	require.NoError(g.t, err)
	g.now += time.Millisecond
	if g.mute[way] || g.mute[client] || g.mute[client+" "+way] {
		return
	}
	d := match.Datagram{Time: g.now, Client: client, Server: g.server, FromHost: fromHost, Data: data}
	if late, ok := g.late[client+" "+way]; ok {
		g.late[client+" "+way] = append(late, d)
		return
	}
	g.write(client, fromHost, data)
	g.Datagram(d)
}

// Delay lets the datagrams of a side, such as "1 s2c", wait until Arrive.
func (g *game) Delay(side string) { g.late[side] = []match.Datagram{} }

// Arrive passes the datagrams of a side that have waited.
func (g *game) Arrive(side string) {
	late := g.late[side]
	delete(g.late, side)
	for _, d := range late {
		g.now += time.Millisecond
		d.Time = g.now
		g.write(d.Client, d.FromHost, d.Data)
		g.Datagram(d)
	}
}

// write records a datagram of a client with a number.
func (g *game) write(client string, fromHost bool, data []byte) {
	number, _ := strconv.ParseInt(client, 10, 64) // of another name: 0
	d := recording.Datagram{Seconds: g.now.Seconds(), Direction: recording.ToServer, Client: number, Data: bytes.Clone(data)}
	if fromHost {
		d.Direction = recording.ToClient
	}
	cipher.Encrypt(d.Data)
	var err error
	g.record, err = recording.Append(g.record, d)
	require.NoError(g.t, err)
}

// Datagram passes a datagram.
func (g *game) Datagram(d match.Datagram) {
	for step := range g.m.Receive(d) {
		g.events = append(g.events, step.Events...)
		g.last = *step
	}
}

func (g *game) next(channel string) uint16 {
	n := g.seqs[channel]
	g.seqs[channel]++
	return n
}

func (g *game) payload(m opcode.Message) []byte {
	payload, err := opcode.Marshal(m)
	require.NoError(g.t, err)
	return payload
}

// Host sends messages to a client.
func (g *game) Host(client string, messages ...any) {
	g.t.Helper()
	g.Receive(client, objectid.Host, messages...)
}

// Client sends messages of a client.
func (g *game) Client(client string, messages ...any) {
	g.t.Helper()
	g.Receive(client, g.names[client], messages...)
}

// All sends messages of the host to all clients.
func (g *game) All(messages ...any) {
	g.t.Helper()
	for _, client := range g.clients() {
		g.Host(client, messages...)
	}
}

func (g *game) clients() (all []string) {
	for client := range g.names {
		all = append(all, client)
	}
	slices.Sort(all)
	return all
}

// Others sends messages of the host to all clients except one.
func (g *game) Others(client string, messages ...any) {
	g.t.Helper()
	for _, other := range g.clients() {
		if other != client {
			g.Host(other, messages...)
		}
	}
}

// Connect connects a client.
func (g *game) Connect(client string, peer objectid.PeerID) {
	g.t.Helper()
	for channel := range g.seqs {
		if strings.HasPrefix(channel, g.server+client+"c2s") || strings.HasPrefix(channel, g.server+client+"s2c") {
			delete(g.seqs, channel)
		}
	}
	g.Receive(client, objectid.NoPeer, &transport.ConnectRequest{ConnID: uint32(g.now)})
	g.Host(client, &transport.ConnectReply{PeerID: peer})
	g.names[client] = peer
}

// Name sends the name of a client, which the host tells all.
func (g *game) Name(client, name string) {
	g.t.Helper()
	change := nameChange(g.t, g.names[client], name)
	g.Client(client, change)
	g.All(change)
	g.titles[g.names[client]] = name
}

func nameChange(t *testing.T, peer objectid.PeerID, name string) *transport.NameChange {
	text, err := transport.NewUTF16Z(name)
	require.NoError(t, err)
	return &transport.NameChange{PeerID: peer, Name: text}
}

// Join connects a client, gives it a name and a slot, and lets it join.
func (g *game) Join(client string, peer objectid.PeerID, slot objectid.Slot, name string) {
	g.t.Helper()
	g.Connect(client, peer)
	g.Name(client, name)
	g.Host(client, settings(slot), &opcode.GameInit{})
	g.Enter(client)
}

func settings(slot objectid.Slot) *opcode.Settings {
	return &opcode.Settings{PlayerSlot: slot, Map: stream.Text("Multiplayer.Episode.Mission1.Mission1")}
}

// Enter lets a client join that has Settings.
func (g *game) Enter(client string) {
	g.t.Helper()
	peer := g.names[client]
	g.Client(client, &opcode.NewPlayerInGame{})
	g.Host(client, missionInit())
	for _, other := range g.clients() {
		if p := g.names[other]; p != peer {
			g.Host(client, nameChange(g.t, p, g.titles[p]))
		}
	}
	g.All(opcode.NewPlayerJoined(peer))
}

func missionInit() *opcode.MissionInit {
	return &opcode.MissionInit{PlayerLimit: 8, System: opcode.SystemMulti1, TimeLimit: opcode.NoLimit, FragLimit: opcode.NoLimit}
}

// Fly creates the ship of a client.
func (g *game) Fly(client, class string, slot objectid.Slot, id objectid.ID) {
	g.t.Helper()
	m := g.creation(g.names[client], class, slot, id)
	g.Client(client, m)
	g.Others(client, m)
}

func (g *game) creation(peer objectid.PeerID, class string, slot objectid.Slot, id objectid.ID) *opcode.ObjectCreateTeam {
	ship := stateupdate.NewShip(id, stateupdate.Stock().Named(class))
	require.NotNil(g.t, ship.Class, class)
	ship.OwnerSlot, ship.PeerID, ship.SetName, ship.PlayerName = slot, peer, "Multi1", g.titles[peer]
	m, err := ship.Creation()
	require.NoError(g.t, err)
	return m.(*opcode.ObjectCreateTeam)
}

// Say sends a line of chat of a client, which the host sends to all.
func (g *game) Say(client, text string) {
	g.t.Helper()
	m := &opcode.ChatMessage{SenderID: g.names[client], Text: stream.Text(text)}
	g.Client(client, m)
	g.All(m)
}

// Leave disconnects a client, which the host tells the others.
func (g *game) Leave(client string) {
	g.t.Helper()
	peer := g.names[client]
	g.Client(client, &transport.Disconnect{PeerID: peer})
	g.Gone(client)
}

// try connects a client that leaves before it is in the game.
func (g *game) try(client string, peer objectid.PeerID) {
	g.t.Helper()
	g.Connect(client, peer)
	g.Client(client, &transport.DoNothing{}, &transport.Disconnect{PeerID: peer})
	delete(g.names, client)
}

// Gone tells the others that a client has left.
func (g *game) Gone(client string) {
	g.t.Helper()
	peer := g.names[client]
	delete(g.names, client)
	g.All(&transport.Disconnect{PeerID: peer}, opcode.NewPlayerLeft(peer), &opcode.DeletePlayerAnim{Name: stream.Text(g.titles[peer])})
}

// Die destroys a ship.
func (g *game) Die(ship, by objectid.ID, player objectid.PeerID) {
	g.t.Helper()
	m, err := opcode.NewObjectExploding(ship, by, player, 9.5)
	require.NoError(g.t, err)
	g.All(m)
}

// Reported returns the events until now in words, and forgets them.
func (g *game) Reported() (lines []string) {
	for _, e := range g.events {
		lines = append(lines, e.String())
	}
	g.events = nil
	return lines
}

// Flush ends the input.
func (g *game) Flush() { g.events = append(g.events, g.m.Flush()...) }

// Lines ends the input, and returns the events in words.
func (g *game) Lines() []string {
	g.Flush()
	return g.Reported()
}

// Roster returns the players: peer ID, slot, names and whether they are in the game.
func (g *game) Roster() (lines []string) {
	for p := range g.m.Players() {
		lines = append(lines, fmt.Sprintf("%v %v %v %v", p.PeerID, p.Slot, p.Names, p.InGame))
	}
	return lines
}

// ships returns the ships of the players in the roster.
func (g *game) ships() (all []objectid.ID) {
	for p := range g.m.Players() {
		all = append(all, p.Ship)
	}
	return all
}

// base returns the n-th ID of a slot.
func base(slot objectid.Slot, n objectid.ID) objectid.ID {
	id, _ := objectid.Base(slot)
	return id + n
}

// joinOpenBC lets a client join as on OpenBC's server, which writes the slot into names and tells them again.
func (g *game) joinOpenBC(client string, slot objectid.Slot, name string) {
	g.t.Helper()
	peer := objectid.PeerID(slot) + 2
	g.Connect(client, peer)
	g.titles[peer] = name
	own := transport.NewMessage(0, nameChange(g.t, objectid.PeerID(slot), name))
	own.HighPriority = false // the form of OpenBC
	g.Client(client, own)
	for range 2 {
		g.All(own)
	}
	g.Host(client, settings(slot))
	g.Client(client, &opcode.NewPlayerInGame{})
	g.Others(client, &opcode.NewPlayerInGame{})
	g.All(opcode.NewPlayerJoined(peer))
}

// sayOpenBC says a line, into which OpenBC's server writes the slot.
func (g *game) sayOpenBC(client, text string) {
	g.t.Helper()
	peer := g.names[client]
	g.Client(client, &opcode.ChatMessage{SenderID: peer, Text: stream.Text(text)})
	g.All(&opcode.ChatMessage{SenderID: peer - 2, Text: stream.Text(text)})
}

// flyOpenBC creates the first ship of a client, with the slot in NetPlayerID.
func (g *game) flyOpenBC(client, class string) {
	g.t.Helper()
	slot := objectid.Slot(g.names[client] - 2)
	m := g.creation(g.names[client], class, slot, base(slot, 0))
	m.NetPlayerID = objectid.PeerID(slot)
	g.Client(client, m)
	g.Others(client, m)
}
