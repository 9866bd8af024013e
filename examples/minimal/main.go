// Minimal is a dedicated server in one file: players join, choose ships, fly, fire, talk and leave.
// Package join lets players join, and limits what they may send. The program server adds damage,
// deaths, scores, an end of the match, and replies to browsers.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"time"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
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
	m := newMatch(time.Now(), join.HostOptions{
		Mission: opcode.MissionInit{PlayerLimit: objectid.Slots}, Log: slog.Default(),
	})
	if err := udp.Serve(ctx, conn.(*net.UDPConn), m.Hub(), udp.Handler{Event: m.Handle, Tick: m.tick}); err != nil {
		log.Fatal(err)
	}
}

// match is the state of the game. It belongs to the goroutine of udp.Serve. The Value of a player is
// a *stateupdate.Tracker, which follows the player's ship by the player's own updates.
type match struct {
	*join.Host
	ships stateupdate.Broadcaster
	log   *slog.Logger
}

func newMatch(now time.Time, o join.HostOptions) *match {
	m := &match{log: o.Log}
	o.Enter, o.Message, o.Leave = m.enter, m.message, m.leave
	m.Host = join.NewHost(now, o)
	return m
}

// enter sends a player the ships of the others. Package join sends the names and the scores.
func (m *match) enter(p *join.Member) {
	p.Value = &stateupdate.Tracker{MaxShips: 1}
	m.ships.AddReceiver(p.PeerID)
	for _, other := range m.Members() {
		if creation, err := other.Value.(*stateupdate.Tracker).Ship(other.Ship).Creation(); err == nil {
			m.Send(creation, p)
		}
	}
}

// message acts on a message that the player may send, and relays it.
func (m *match) message(p *join.Member, msg opcode.Message) {
	change, err := p.Value.(*stateupdate.Tracker).Apply(msg)
	if change.Created {
		m.removeShip(p)
		p.Ship, err = change.ObjectID, m.ships.AddShip(change.Ship)
	}
	if err != nil {
		m.log.Debug("not a stock ship", "player", p.Name, "error", err)
	}
	m.Relay(p, msg)
}

// tick sends the updates of all ships that are due.
func (m *match) tick(now time.Time) {
	m.Tick(now)
	for peer, payload := range m.ships.Updates(m.GameTime()) {
		if session := m.Hub().Session(peer); session != nil {
			_ = session.Send(payload, transport.Unreliable)
		}
	}
}

func (m *match) leave(p *join.Member, _ transport.EndReason) {
	m.ships.RemoveReceiver(p.PeerID)
	m.removeShip(p)
}

func (m *match) removeShip(p *join.Member) {
	if p.Ship != objectid.None {
		m.ships.RemoveShip(p.Ship)
		m.Broadcast(&opcode.DestroyObject{ObjectID: p.Ship})
		p.Ship = objectid.None
	}
}
