package main

import (
	"bytes"
	"errors"
	"time"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// loadTimeout is how long a client may take to build the game.
const loadTimeout = 2 * time.Minute

// check goes on with the comparison of files.
func (m *match) check(p *player, msg opcode.Message) {
	reply, err := p.exchange.Receive(msg)
	var outOfTurn *checksum.ExchangeError
	switch {
	case errors.As(err, &outOfTurn):
		m.drop(p, msg.Opcode(), "out of turn", err)
	case err != nil:
		m.log.Warn("files", "player", p, "error", err)
	}
	if reply == nil {
		return
	}
	p.session.Challenge()
	m.send(p, reply)
	p.deadline = m.now.Add(p.exchange.Timeout())
	switch p.exchange.State() {
	case checksum.StateRejected:
		finding, _ := p.exchange.Rejection()
		m.logStranger(p, "files differ", "finding", finding)
		p.stage = refused
	case checksum.StateComplete:
		m.admit(p)
	}
}

// admit gives a client whose files are accepted a slot and a name, and tells it the
// settings.
func (m *match) admit(p *player) {
	if !m.takeSlot(p) {
		m.logStranger(p, "no free slot")
		p.dismiss(transport.BootTooManyPlayers)
		return
	}
	settings := &opcode.Settings{
		GameTime: m.gameTime(), CollisionDamage: m.collisionDamage, HostModem: m.hostModem,
		PlayerSlot: uint8(p.slot), Map: text(m.mission),
	}
	if p.asked != "" {
		p.name = m.unique(p.asked)
		if settings.Renamed = p.name != p.asked; settings.Renamed {
			settings.NewName, _ = stream.NewUTF16(p.name) // the game can show all of it
		}
	}
	m.send(p, settings)
	p.session.Challenge()
	m.send(p, &opcode.GameInit{})
	p.stage, p.deadline = loading, m.now.Add(loadTimeout)
}

// ready answers a client that has loaded the mission.
func (m *match) ready(p *player) {
	p.stage = proving
	p.session.Challenge()
	m.send(p, m.missionInit())
}

// maxPending is how many payloads of a client are kept until it has shown that it receives.
const maxPending = 32

// keepPending keeps a payload of a client that has not acknowledged all that it was sent.
// Each message to a client that joins waits for the Ack of the one before: the client's
// own messages can be sent blindly from a forged address.
func (m *match) keepPending(p *player, payload []byte) {
	if len(p.pending) >= maxPending {
		p.dismiss(transport.BootTimeout)
		return
	}
	p.pending = append(p.pending, bytes.Clone(payload))
}

// proven goes on with a client that has acknowledged what it was sent.
func (m *match) proven(p *player) {
	if p.stage == proving {
		m.enter(p)
	}
	if p.echo {
		m.echoName(p)
	}
	for len(p.pending) > 0 && p.session.Proven() {
		payload := p.pending[0]
		p.pending = p.pending[1:]
		m.payload(p, payload)
	}
}

// enter lets a player into the game and tells it what there is, and the others its name.
func (m *match) enter(p *player) {
	p.stage, p.receiver = inGame, m.updates.AddReceiver(p.id())
	if p.name == "" { // its NameChange is late, or will never come
		p.name, p.standIn = m.unique(""), true
	}
	m.announce(p)
	m.remember(p)
	m.log.Info("joined", "player", p)
	for _, other := range m.everybody(p) {
		m.send(p, other.score.message(other.id()))
	}
	for _, other := range m.everybody(p) {
		m.sendShip(p, other)
		m.sendTeam(p, other)
	}
	joined := opcode.NewPlayerJoined(p.id())
	m.send(p, joined)
	m.broadcast(m.everybody(p), joined)
	if !p.score.none() { // it has come back
		m.broadcast(m.everybody(nil), p.score.message(p.id()))
	}
	if m.ended {
		m.send(p, &opcode.EndGame{Reason: m.reason})
	}
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
	for _, p := range m.players {
		if p.stage != inGame && p.stage != proving && !m.now.Before(p.deadline) {
			m.logStranger(p, "too late", "error", p.exchange.Expire())
			p.dismiss(transport.BootRemoved)
		}
	}
}
