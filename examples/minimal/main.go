// Minimal is a dedicated server in one file: players join, choose ships, fly, fire, talk and
// leave. The program server has what a server for strangers also needs: limits for what a
// player sends, unique names, damage, deaths, scores, and an end of the match.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"os/signal"
	"slices"
	"time"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:22101", "`IP:PORT` to listen at")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), "Usage: minimal [flags]\n\nMinimal is a dedicated server in one file.\n\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "minimal: %q: unexpected argument; -h lists the flags\n", flag.Arg(0))
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	conn, err := net.ListenPacket("udp4", *addr)
	if err != nil {
		log.Fatal(err)
	}
	log.Print("listening at ", conn.LocalAddr())
	m := newMatch(time.Now())
	if err := udp.Serve(ctx, conn.(*net.UDPConn), m.hub, udp.Handler{Event: m.event, Tick: m.tick}); err != nil {
		log.Fatal(err)
	}
}

// match is the state of the game. It belongs to the goroutine of udp.Serve.
type match struct {
	hub    *transport.Hub
	began  time.Time
	files  checksum.Server // accepts all files
	slots  [objectid.Slots]*player
	inGame []*player
	ships  stateupdate.Broadcaster
}

// player is the Value of a session.
type player struct {
	session *transport.Session
	files   *checksum.ServerExchange
	sender  opcode.Sender // permissions; the slot is NoSlot until the files are compared
	name    *transport.NameChange
	reports stateupdate.Tracker // follows the player's ship by the player's own updates
}

// newMatch returns a match with as many slots as sessions, and few for one address.
func newMatch(now time.Time) *match {
	return &match{began: now, hub: transport.NewHub(now, transport.HubOptions{MaxSessions: objectid.Slots, MaxPerIP: 4})}
}

func (m *match) event(_ time.Time, e transport.Event) {
	if e.Kind == transport.EventConnect {
		m.connect(e)
		return
	}
	p := e.Session.Value.(*player)
	switch e.Kind {
	case transport.EventPayload:
		m.payload(p, e.Payload)
	case transport.EventSystem:
		if n, ok := e.Body.(*transport.NameChange); ok && !slices.Contains(m.inGame, p) {
			p.name = &transport.NameChange{PeerID: p.sender.PeerID, IP: n.IP, Name: slices.Clone(n.Name)}
		}
	case transport.EventEnded:
		m.leave(p)
	}
}

// connect accepts a client and sends the first question about its files.
func (m *match) connect(e transport.Event) {
	session, err := m.hub.Accept(e)         // which refuses clients for which there is no room
	if err == nil && session.Value == nil { // otherwise this is a copy of an earlier Connect
		exchange, first := m.files.NewExchange()
		sender := opcode.Sender{PeerID: session.PeerID(), Slot: objectid.NoSlot}
		name := &transport.NameChange{PeerID: sender.PeerID}
		session.Value = &player{session: session, files: exchange, sender: sender, name: name, reports: stateupdate.Tracker{MaxShips: 1}}
		send(session.Value.(*player), first)
	}
}

func (m *match) payload(p *player, payload []byte) {
	msg, err := opcode.Decode(payload)
	switch {
	case err != nil:
	case p.sender.Slot == objectid.NoSlot:
		err = m.compare(p, msg)
	case slices.Contains(m.inGame, p):
		err = m.play(p, msg)
	case msg.Opcode() == opcode.OpNewPlayerInGame:
		m.enter(p)
	}
	if err != nil {
		log.Printf("%v: %v", p.session, err)
	}
}

// compare continues the comparison of files. When it is complete, the player gets a slot. The client
// must acknowledge each reply, because its address may be forged: Challenge drops its payloads until
// then.
func (m *match) compare(p *player, msg opcode.Message) error {
	reply, err := p.files.Receive(msg)
	if reply != nil {
		p.session.Challenge()
		send(p, reply)
	}
	if p.files.State() != checksum.StateComplete {
		return err
	}
	slot := int(p.sender.PeerID) - 2 // as in all captures
	if slot >= len(m.slots) || m.slots[slot] != nil {
		slot = slices.Index(m.slots[:], nil)
	}
	if slot < 0 {
		p.session.Boot(transport.BootTooManyPlayers)
		return nil
	}
	p.session.Keep() // no other client replaces this one
	p.sender.Slot, m.slots[slot] = objectid.Slot(slot), p
	send(p, &opcode.Settings{GameTime: m.seconds(), PlayerSlot: objectid.Slot(slot), Map: stream.Text("Multiplayer.Episode.Mission1.Mission1")})
	p.session.Challenge()
	send(p, &opcode.GameInit{})
	return nil
}

// enter brings a player into the game. The player learns the names and ships of the others.
func (m *match) enter(p *player) {
	send(p, &opcode.MissionInit{PlayerLimit: 16, System: 1, TimeLimit: opcode.NoLimit, FragLimit: opcode.NoLimit})
	for _, other := range m.inGame {
		_ = p.session.SendSystem(other.name)
		_ = other.session.SendSystem(p.name)
		if creation, err := other.reports.Ship(other.sender.Ship).Creation(); err == nil {
			send(p, creation)
		}
	}
	m.inGame = append(m.inGame, p)
	m.ships.AddReceiver(p.sender.PeerID)
	m.broadcast(opcode.NewPlayerJoined(p.sender.PeerID), nil)
}

// play acts on a message of a player in the game, and relays it.
func (m *match) play(p *player, msg opcode.Message) error {
	sign(msg, p.sender.PeerID)
	if err := opcode.Authorize(msg, p.sender); err != nil {
		return err
	}
	change, err := p.reports.Apply(msg)
	if change.Created {
		m.removeShip(p)
		p.sender.Ship, err = change.ObjectID, m.ships.AddShip(change.Ship)
	}
	switch msg.Opcode().Info().Relay {
	case opcode.RelayForward:
		m.broadcast(msg, p)
	case opcode.RelayAll, opcode.RelayTeam: // there are no teams
		m.broadcast(msg, nil)
	}
	return err
}

// sign writes the sender into a line of chat. OpenBC's client writes its slot there.
func sign(msg opcode.Message, from objectid.PeerID) {
	switch line := msg.(type) {
	case *opcode.ChatMessage:
		line.SenderID = opcode.Speaker(msg, from, false)
	case *opcode.TeamChatMessage:
		line.SenderID = opcode.Speaker(msg, from, false)
	}
}

// tick sends the updates of all ships that are due.
func (m *match) tick(time.Time) {
	for peer, payload := range m.ships.Updates(m.seconds()) {
		if session := m.hub.Session(peer); session != nil {
			_ = session.Send(payload, transport.Unreliable)
		}
	}
}

func (m *match) leave(p *player) {
	if p.sender.Slot != objectid.NoSlot {
		m.slots[p.sender.Slot] = nil
	}
	if i := slices.Index(m.inGame, p); i >= 0 {
		m.inGame = slices.Delete(m.inGame, i, i+1)
		m.ships.RemoveReceiver(p.sender.PeerID)
		m.removeShip(p)
		m.broadcast(opcode.NewPlayerLeft(p.sender.PeerID), nil)
	}
}

func (m *match) removeShip(p *player) {
	if p.sender.Ship != objectid.None {
		m.ships.RemoveShip(p.sender.Ship)
		m.broadcast(&opcode.DestroyObject{ObjectID: p.sender.Ship}, nil)
		p.sender.Ship = objectid.None
	}
}

// broadcast sends a message to the players in the game, except one who may be nil.
func (m *match) broadcast(msg opcode.Message, except *player) {
	for _, p := range m.inGame {
		if p != except {
			send(p, msg)
		}
	}
}

// send sends a message reliably. A message that does not encode or fit the queue is lost.
func send(p *player, msg opcode.Message) {
	if payload, err := opcode.Marshal(msg); err == nil {
		_ = p.session.Send(payload, transport.Reliable)
	}
}

func (m *match) seconds() float32 { return float32(time.Since(m.began).Seconds()) }
