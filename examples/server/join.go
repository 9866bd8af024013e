package main

import (
	"cmp"
	"errors"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// connect accepts a client or refuses it. Between two rounds it holds the client, as the game does.
func (m *match) connect(e transport.Event) {
	request, _ := e.Body.(*transport.ConnectRequest)
	right, counts := m.rightPassword(e, request.Password.String())
	switch {
	case m.closed:
		m.stats.drop("closed")
	case !counts:
		m.stats.drop("guesses")
		m.logGuess("too many wrong passwords", e)
	case !right:
		m.logGuess("wrong password", e)
		m.refuse(e, transport.BootPassword)
	case m.ended:
		m.hold(e)
	default:
		m.accept(e)
	}
}

// accept accepts a client if there is a slot. The client gets none yet, because its address may be
// forged.
func (m *match) accept(e transport.Event) {
	restart := m.find(func(p *player) bool { return p.session.Addr() == e.Addr }) != nil
	if !restart && m.freeSlot(objectid.NoPeer) == objectid.NoSlot && m.weakestLoader(network(e.Addr.Addr())) == objectid.NoSlot {
		m.refuse(e, transport.BootTooManyPlayers)
		return
	}
	session, err := m.hub.Accept(e)
	switch {
	case err != nil: // the hub is full and has refused the client, or the Connect is out of date
		m.stats.drop("refused connect")
	case session.Value == nil: // otherwise this is a copy of an earlier Connect
		request, _ := e.Body.(*transport.ConnectRequest)
		exchange, first := m.files.NewExchange()
		p := &player{
			session: session, slot: objectid.NoSlot, ip: request.LocalIP, exchange: exchange,
			deadline: m.now.Add(m.patience(exchange.Timeout())), limits: newLimits(), boot: transport.BootRemoved, team: opcode.TeamNone,
		}
		session.Value = p
		m.send(first, p)
	}
}

func (m *match) refuse(e transport.Event, reason transport.BootReason) {
	m.stats.drop("refused connect")
	m.log.Debug("refused", "addr", e.Addr, "reason", reason)
	m.hub.Refuse(e, reason)
}

// compare continues the comparison of files. After each reply the client must acknowledge it: a
// client with a forged address can predict its own messages, but not when the replies arrive.
func (m *match) compare(p *player, msg opcode.Message) (reason string, err error) {
	reply, err := p.exchange.Receive(msg)
	switch {
	case errors.Is(err, checksum.ErrUnexpected):
		return "out of turn", err
	case err != nil:
		m.log.Warn("files", "player", p, "error", err)
	}
	if reply == nil {
		return "", nil
	}
	p.session.Challenge()
	m.send(reply, p)
	p.deadline = m.now.Add(m.patience(p.exchange.Timeout()))
	switch p.exchange.State() {
	case checksum.StateRejected:
		finding, _ := p.exchange.Rejection()
		m.logJoin(p, "files differ", "finding", finding)
	case checksum.StateComplete:
		m.admit(p)
	}
	return "", nil
}

// admit gives a client a slot and a name, and sends it the settings.
func (m *match) admit(p *player) {
	if weakest := m.weakestLoader(p.network()); weakest != objectid.NoSlot && m.freeSlot(p.id()) == objectid.NoSlot {
		old := m.slots[weakest]
		old.session.Boot(transport.BootTimeout)
		m.leave(old, transport.EndReplaced)
	}
	slot := m.freeSlot(p.id())
	if slot == objectid.NoSlot {
		m.logJoin(p, "no free slot")
		p.session.Boot(transport.BootTooManyPlayers)
		return
	}
	p.session.Keep()
	p.slot, m.slots[slot] = slot, p
	settings := &opcode.Settings{
		GameTime: m.gameTime(), CollisionDamage: m.collisions, HostModem: m.modem, PlayerSlot: slot, Map: text(m.mission),
	}
	if p.asked != "" {
		p.name = m.unique(p.asked)
		if settings.Renamed = p.name != p.asked; settings.Renamed {
			settings.NewName, _ = stream.NewUTF16(p.name) // has only characters of the game
		}
	}
	m.send(settings, p)
	p.session.Challenge()
	m.send(&opcode.GameInit{}, p)
	p.stage, p.loadingSince, p.deadline = loading, m.now, m.now.Add(m.loadingTime())
}

// ready sends the limits of the match to a client that has loaded the game.
func (m *match) ready(p *player) {
	init := &opcode.MissionInit{
		PlayerLimit: uint8(m.maxPlayers), System: m.system,
		TimeLimit: uint8(cmp.Or(m.timeLimit, opcode.NoLimit)), FragLimit: uint8(cmp.Or(m.fragLimit, opcode.NoLimit)),
	}
	if m.timeLimit > 0 {
		init.EndTime = int32(m.endTime().Sub(m.began).Seconds())
	}
	p.stage = proving
	p.session.Challenge()
	m.send(init, p)
}

// enter brings a player into the game, and sends it the names, scores, ships and teams.
func (m *match) enter(p *player) {
	p.stage, p.active, p.receiver = inGame, m.now, m.updates.AddReceiver(p.id())
	if p.name == "" { // the client has not sent a NameChange
		p.name = m.unique("")
	}
	m.announce(p)
	p.score = m.finished[p.name]
	delete(m.finished, p.name)
	m.log.Info("joined", "player", p)
	others := m.players(p)
	for _, other := range others {
		m.send(other.score.message(other.id()), p)
	}
	for _, other := range others {
		m.sendShip(p, other)
		if other.team != opcode.TeamNone {
			m.send(&opcode.TeamMessage{PlayerID: other.id(), Team: other.team}, p)
		}
	}
	m.send(opcode.NewPlayerJoined(p.id()), m.players(nil)...)
	if p.score != (score{}) {
		m.send(p.score.message(p.id()), m.players(nil)...)
	}
	if m.ended {
		m.send(&opcode.EndGame{Reason: m.reason}, p)
	}
}

// leave removes a player whose session has ended, and informs the others.
func (m *match) leave(p *player, end transport.EndReason) {
	p.session.Value = nil
	if p.slot != objectid.NoSlot {
		m.slots[p.slot] = nil
	}
	if p.slot != objectid.NoSlot && p.stage != inGame {
		m.networks.of(m.now, p.network()).squatted++
	}
	if p.stage != inGame {
		m.logJoin(p, "left", "how", end)
		return
	}
	m.log.Info("left", "player", p, "how", end)
	m.updates.RemoveReceiver(p.id())
	var body transport.Body = &transport.Boot{Reason: transport.BootTimeout, PeerID: p.id()}
	switch end {
	case transport.EndLeft:
		body = &transport.Disconnect{PeerID: p.id(), IP: p.ip}
	case transport.EndClosed, transport.EndBadFragment:
		body = &transport.Boot{Reason: p.boot, PeerID: p.id()}
	}
	others := m.players(nil)
	m.sendSystem(body, others...)
	m.removeShip(p, others...)
	m.send(opcode.NewPlayerLeft(p.id()), others...)
	m.send(&opcode.DeletePlayerAnim{Name: text(p.name)}, others...)
	if p.score != (score{}) {
		if len(m.finished) >= maxFinished {
			clear(m.finished) // the newest scores matter most
		}
		m.finished[p.name] = p.score
	}
}
