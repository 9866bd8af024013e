package main

import (
	"time"

	"golang.org/x/time/rate"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
)

// A client may send so many messages in a second, and so many at once: others get what
// it sends. The game sends a few.
const (
	messageRate  = 50
	messageBurst = 200
)

// loadTimeout is how long a client may take to build the game.
const loadTimeout = 2 * time.Minute

// connect accepts a client or turns it away. After the end of a match nobody is let in
// until the next one begins: a client asks again every second.
func (m *match) connect(e transport.Event) {
	request, _ := e.Body.(transport.ConnectRequest)
	slot := m.freeSlot()
	switch {
	case m.ended:
		return
	case request.Password.String() != m.password:
		m.refuse(e, transport.BootPassword)
		return
	case slot < 0:
		m.refuse(e, transport.BootTooManyPlayers)
		return
	}
	session, err := m.hub.Accept(e)
	if err != nil {
		m.log.Warn("not accepted", "addr", e.Addr, "error", err)
		m.refuse(e, transport.BootTooManyPlayers)
		return
	}
	if m.players[session] != nil {
		return // a copy of a Connect that was accepted
	}
	p := &player{
		session: session, slot: slot, ip: e.Addr.Addr().Unmap().As4(),
		limit:    rate.NewLimiter(messageRate, messageBurst),
		told:     stateupdate.Decoder{MaxShips: 1, MaxUnknown: 1},
		encoders: map[objectid.ID]*stateupdate.Encoder{},
	}
	m.players[session], m.slots[slot] = p, p
	m.log.Info("connected", "player", p)
	var first *opcode.ChecksumRequest
	p.exchange, first = m.files.NewExchange()
	p.deadline = m.now.Add(checksum.RoundTimeout)
	m.send(p, first)
}

func (m *match) refuse(e transport.Event, reason transport.BootReason) {
	m.log.Info("refused", "addr", e.Addr, "reason", reason)
	m.hub.Refuse(e, reason)
}

// freeSlot returns the lowest slot that is free, -1 if the match is full.
func (m *match) freeSlot() int {
	for i, p := range m.slots[:m.maxPlayers] {
		if p == nil {
			return i
		}
	}
	return -1
}

// named takes the name of a player, tells everybody, and tells the player the others'.
func (m *match) named(p *player, body transport.Body) {
	change, ok := body.(transport.NameChange)
	if !ok || p.name != "" {
		return
	}
	p.name = m.unique(change.Name.String())
	m.remember(p)
	m.log.Info("named", "player", p)
	for _, other := range m.slots {
		if other != nil && other.name != "" {
			m.tellName(other, p)
			if other != p {
				m.tellName(p, other)
			}
		}
	}
}

// tellName tells a player the name of another.
func (m *match) tellName(to, of *player) {
	m.sendSystem(to, transport.NameChange{PeerID: of.id(), IP: of.ip, Name: transport.NewText(of.name)})
}

// check goes on with the comparison of files.
func (m *match) check(p *player, msg opcode.Message) {
	reply, err := p.exchange.Receive(msg)
	if err != nil {
		m.log.Warn("files", "player", p, "error", err)
	}
	if reply == nil {
		return
	}
	m.send(p, reply)
	switch p.exchange.State() {
	case checksum.Asking:
		p.deadline = m.now.Add(checksum.RoundTimeout)
	case checksum.Sending:
		p.deadline = m.now.Add(checksum.TransferTimeout)
	case checksum.Rejected:
		finding, _ := p.exchange.Rejection()
		m.log.Warn("files differ", "player", p, "finding", finding)
		p.stage, p.deadline = refused, m.now.Add(checksum.RejectionGrace)
	case checksum.Complete:
		m.send(p, &opcode.Settings{
			GameTime: m.gameTime(), CollisionDamage: m.collisionDamage, FriendlyFire: m.friendlyFire,
			PlayerSlot: uint8(p.slot), Map: text(m.mission),
		})
		m.send(p, &opcode.GameInit{})
		p.stage, p.deadline = loading, m.now.Add(loadTimeout)
	}
}

// enter lets a player into the game, whose client is ready, and tells it what there is.
func (m *match) enter(p *player) {
	p.stage = inGame
	m.log.Info("joined", "player", p)
	m.send(p, m.missionInit())
	for _, other := range m.everybody(p) {
		m.send(p, other.score.message(other.id()))
	}
	for _, other := range m.everybody(p) {
		m.sendShip(p, other)
	}
	joined := opcode.NewPlayerJoined(uint8(p.id()))
	m.send(p, joined)
	m.broadcast(m.everybody(p), joined)
}

func (m *match) missionInit() *opcode.MissionInit {
	init := &opcode.MissionInit{
		PlayerLimit: uint8(m.maxPlayers), System: m.system, TimeLimit: opcode.NoLimit, FragLimit: opcode.NoLimit,
	}
	if m.timeLimit > 0 {
		init.TimeLimit = uint8(m.timeLimit)
		init.EndTime = int32(m.endTime().Sub(m.began).Seconds())
	}
	if m.fragLimit > 0 {
		init.FragLimit = uint8(m.fragLimit)
	}
	return init
}

// dismissLate dismisses players who have not come on in time.
func (m *match) dismissLate() {
	for _, p := range m.slots {
		if p == nil || p.stage == inGame || m.now.Before(p.deadline) {
			continue
		}
		m.log.Info("too late", "player", p)
		p.session.Boot(transport.BootRemoved)
	}
}
