// Minimal is a dedicated server in one file, to read and to start from. Players join, choose
// ships, fly, fire, talk and leave. A server for strangers needs more, which the program server
// has: limits for what a player sends, unique names, damage, scores, the end of a match.
//
//	go run -C examples ./minimal -addr 127.0.0.1:22101
package main

import (
	"bytes"
	"context"
	"flag"
	"iter"
	"log"
	"net"
	"net/netip"
	"os"
	"os/signal"
	"slices"
	"time"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:22101", "`IP:PORT` to listen at")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *addr); err != nil {
		log.Fatal(err)
	}
}

// run serves a match until the context ends.
func run(ctx context.Context, addr string) error {
	conn, err := net.ListenPacket("udp4", addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	log.Print("listening at ", conn.LocalAddr())
	m := &match{began: time.Now(), hub: transport.NewHub(time.Now(), transport.HubOptions{})}
	return udp.Serve(ctx, conn.(*net.UDPConn), m.hub, udp.Handler{Event: m.event, Query: m.query, Tick: m.tick})
}

// match is the state of the game. All of it belongs to the goroutine of udp.Serve.
type match struct {
	hub     *transport.Hub
	began   time.Time
	files   checksum.Server   // accepts all files
	browser gamespy.Responder // answers server browsers
	slots   [objectid.Slots]*player
	ships   stateupdate.Broadcaster
}

// player is the Value of its session.
type player struct {
	session *transport.Session
	files   *checksum.ServerExchange
	slot    objectid.Slot // NoSlot until the files are compared
	inGame  bool
	name    transport.NameChange
	waiting [][]byte            // payloads that arrived before the client was proven
	reports stateupdate.Tracker // follows the ship of the player by the player's own updates
	ship    *stateupdate.Ship
}

func (m *match) event(_ time.Time, e transport.Event) {
	if e.Kind == transport.EventConnect {
		m.connect(e)
		return
	}
	p := e.Session.Value.(*player)
	switch e.Kind {
	case transport.EventPayload:
		if p.waiting = append(p.waiting, bytes.Clone(e.Payload)); len(p.waiting) > 32 {
			p.session.Boot(transport.BootTimeout) // it acknowledges nothing
		}
	case transport.EventSystem:
		if n, ok := e.Body.(transport.NameChange); ok && !p.inGame {
			p.name = transport.NameChange{PeerID: p.session.PeerID(), IP: n.IP, Name: slices.Clone(n.Name)}
		}
	case transport.EventEnded:
		m.leave(p)
		return
	}
	// An unproven client may have a forged address: it gets no answer.
	for ; p.session.Proven() && len(p.waiting) > 0; p.waiting = p.waiting[1:] {
		m.payload(p, p.waiting[0])
	}
}

// connect accepts a client and sends it the first question about its files.
func (m *match) connect(e transport.Event) {
	session, err := m.hub.Accept(e)
	switch {
	case err != nil:
		m.hub.Refuse(e, transport.BootTooManyPlayers)
	case session.Value == nil: // otherwise this is a copy of an earlier Connect
		exchange, first := m.files.NewExchange()
		session.Value = &player{session: session, slot: objectid.NoSlot, files: exchange,
			reports: stateupdate.Tracker{MaxShips: 1, MaxUnknown: 1}}
		_ = session.SendMessage(first, transport.Reliable)
	}
}

func (m *match) payload(p *player, payload []byte) {
	msg, err := opcode.Decode(payload)
	switch {
	case err != nil:
	case p.slot == objectid.NoSlot:
		err = m.compare(p, msg)
	case p.inGame:
		err = m.play(p, msg, payload)
	case msg.Opcode() == opcode.OpNewPlayerInGame:
		m.enter(p)
	}
	if err != nil {
		log.Printf("%v: %v", p.session, err)
	}
}

// compare continues the comparison of files. When it is complete, the player gets a slot.
func (m *match) compare(p *player, msg opcode.Message) error {
	reply, err := p.files.Receive(msg)
	if reply != nil {
		send(p, reply)
	}
	if p.files.State() != checksum.StateComplete {
		return err
	}
	slot := slices.Index(m.slots[:], nil)
	if slot < 0 {
		p.session.Boot(transport.BootTooManyPlayers)
		return nil
	}
	p.slot, m.slots[slot] = objectid.Slot(slot), p
	send(p, &opcode.Settings{GameTime: m.clock(), PlayerSlot: uint8(slot), Map: stream.Lossy("Multiplayer.Episode.Mission1.Mission1")})
	send(p, &opcode.GameInit{})
	return nil
}

// enter brings a player into the game. The player learns the names and ships of the others.
func (m *match) enter(p *player) {
	send(p, &opcode.MissionInit{PlayerLimit: uint8(len(m.slots)), System: 1, TimeLimit: opcode.NoLimit, FragLimit: opcode.NoLimit})
	for other := range m.players(nil) {
		_ = p.session.SendSystem(other.name)
		if creation, err := other.ship.Creation(); other.ship != nil && err == nil {
			send(p, creation)
		}
	}
	p.inGame = true
	m.ships.AddReceiver(p.session.PeerID())
	for to := range m.players(nil) {
		_ = to.session.SendSystem(p.name)
		send(to, opcode.NewPlayerJoined(p.session.PeerID()))
	}
}

// play acts on a message of a player in the game, and relays it.
func (m *match) play(p *player, msg opcode.Message, payload []byte) error {
	from := opcode.Sender{PeerID: p.session.PeerID(), Slot: p.slot}
	if p.ship != nil {
		from.Ship = p.ship.ID
	}
	if err := opcode.Authorize(msg, from); err != nil {
		return err
	}
	change, err := p.reports.Apply(msg)
	switch {
	case change.Created:
		m.removeShip(p)
		p.ship = change.Ship
		if err = m.ships.AddShip(p.ship); err != nil {
			return err
		}
	case msg.Opcode() == opcode.OpHostMessage: // self-destruct
		m.removeShip(p)
	}
	switch msg.Opcode().Info().Relay {
	case opcode.RelayForward, opcode.RelayOthers:
		m.relay(payload, p)
	case opcode.RelayAll, opcode.RelayTeam: // there are no teams
		m.relay(payload, nil)
	}
	return err
}

func (m *match) relay(payload []byte, except *player) {
	for to := range m.players(except) {
		_ = to.session.Send(payload, transport.Reliable)
	}
}

// tick sends the updates of all ships that are due.
func (m *match) tick(time.Time) {
	for peer, payload := range m.ships.Updates(m.clock()) {
		for p := range m.players(nil) {
			if p.session.PeerID() == peer {
				_ = p.session.Send(payload, transport.Unreliable)
			}
		}
	}
}

func (m *match) leave(p *player) {
	if p.slot == objectid.NoSlot {
		return
	}
	m.slots[p.slot] = nil
	m.removeShip(p)
	m.ships.RemoveReceiver(p.session.PeerID())
	for to := range m.players(nil) {
		_ = to.session.SendSystem(transport.Disconnect{PeerID: p.session.PeerID(), IP: p.name.IP})
		send(to, opcode.NewPlayerLeft(p.session.PeerID()))
	}
}

func (m *match) removeShip(p *player) {
	if p.ship == nil {
		return
	}
	m.ships.RemoveShip(p.ship.ID)
	for to := range m.players(nil) {
		send(to, &opcode.DestroyObject{ObjectID: p.ship.ID})
	}
	p.ship = nil
}

// query answers a server browser.
func (m *match) query(now time.Time, from netip.AddrPort, text []byte) [][]byte {
	info := gamespy.NewServerInfo("bcwire minimal")
	info.NumPlayers, info.MaxPlayers = m.hub.Len(), len(m.slots)
	replies, _ := m.browser.Answer(now, from, text, &info) // too many queries have no answer
	return replies
}

func send(p *player, msg opcode.Message) {
	if err := p.session.SendMessage(msg, transport.Reliable); err != nil {
		p.session.Boot(transport.BootTimeout) // without the message the player cannot go on
	}
}

// players iterates over the players in the game, except one who may be nil.
func (m *match) players(except *player) iter.Seq[*player] {
	return func(yield func(*player) bool) {
		for _, p := range m.slots {
			if p != nil && p.inGame && p != except && !yield(p) {
				return
			}
		}
	}
}

// clock returns the time of the game in seconds.
func (m *match) clock() float32 { return float32(time.Since(m.began).Seconds()) }
