package join

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/internal/limit"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// onConnect accepts a client or refuses it. Between two rounds it holds the client, as the game does. The reply does not
// depend on the password, because the address may be forged.
func (h *Host) onConnect(e transport.Event) {
	if h.over {
		h.hold(e)
		return
	}
	h.accept(e)
}

// accept accepts a client if there is a slot. The client gets none yet, because its address may be
// forged.
func (h *Host) accept(e transport.Event) {
	restart := h.find(func(m *Member) bool { return m.Session.Addr() == e.Addr }) != nil
	if !restart && h.freeSlot(objectid.NoPeer, h.options.Reserved) == objectid.NoSlot && h.weakestLoader(limit.Of(e.Addr)) == objectid.NoSlot {
		h.refuse(e, transport.BootTooManyPlayers)
		return
	}
	session, err := h.hub.Accept(e)
	if err != nil || session.Value != nil { // the Hub is full, or this is a copy of an earlier Connect
		return
	}
	exchange, first := h.options.Files.NewExchange()
	m := &Member{
		Player:  Player{PeerID: session.PeerID(), Slot: objectid.NoSlot, Team: opcode.TeamNone},
		Session: session, exchange: exchange, ip: e.Body.(*transport.ConnectRequest).LocalIP,
	}
	session.Value = m
	h.Send(first, m)
}

func (h *Host) refuse(e transport.Event, reason transport.BootReason) {
	h.log.Debug("refused", "addr", e.Addr, "reason", reason)
	h.hub.Refuse(e, reason)
}

// compare continues the comparison of files.
func (h *Host) compare(m *Member, msg opcode.Message) (reason string, err error) {
	reply, err := m.exchange.Receive(msg)
	switch {
	case errors.Is(err, checksum.ErrUnexpected):
		return "early", err
	case err != nil:
		h.logJoin(m, "file not sent", "error", err)
	}
	if reply == nil {
		return "", nil
	}
	h.Send(reply, m)
	m.deadline = h.clock.Now + h.patience(m.exchange.Timeout())
	if finding, rejected := m.exchange.Rejection(); rejected {
		h.logJoin(m, "files differ", "finding", fmt.Sprintf("%.200q", finding.String()))
	}
	if m.exchange.Accepted() {
		h.admit(m)
	}
	return "", nil
}

// admit gives a client a slot and a name, and sends it the Settings.
func (h *Host) admit(m *Member) {
	if weakest := h.weakestLoader(m.network()); weakest != objectid.NoSlot && h.freeSlot(m.PeerID, h.options.Reserved) == objectid.NoSlot {
		old := h.slots[weakest]
		old.Session.Boot(transport.BootTimeout)
		h.leave(old, transport.EndReplaced, nil)
	}
	slot := h.freeSlot(m.PeerID, h.options.Reserved)
	if slot == objectid.NoSlot {
		h.logJoin(m, "no free slot")
		m.Session.Boot(transport.BootTooManyPlayers)
		return
	}
	m.account.Spend(h.clock.Now, relay, joinBytes)
	m.Session.Keep()
	m.Slot, h.slots[slot] = slot, m
	settings := h.options.Settings
	settings.GameTime, settings.PlayerSlot = float32(h.GameTime().Seconds()), slot
	settings.Renamed, settings.NewName, settings.Opaque, settings.Rest = false, nil, false, nil
	if m.asked != "" {
		m.Name = h.unique(m.asked)
		if settings.Renamed = m.Name != m.asked; settings.Renamed {
			settings.NewName, _ = stream.NewUTF16(m.Name) // has only characters of the game
		}
	}
	h.Send(&settings, m)
	h.Send(&opcode.GameInit{}, m)
	m.stage, m.loading, m.deadline = loading, h.clock.Now, h.clock.Now+h.options.LoadTimeout
}

// ready sends the limits of the match to a client that has loaded the mission, which is then in the game. The files of
// the first player may be those that the others must have.
func (h *Host) ready(m *Member) {
	if finding, differs := m.exchange.Learn(); differs {
		h.logJoin(m, "files differ", "finding", fmt.Sprintf("%.200q", finding.String()))
		m.Session.Boot(transport.BootRemoved)
		return
	}
	mission := h.options.Mission
	mission.EndTime = int32((h.started + time.Duration(mission.TimeLimit)*time.Minute).Seconds()) // sent if there is a limit
	h.Send(&mission, m)
	h.enter(m)
}

// AddPlayer adds a player that the program plays, such as a computer player or the ghost of a recording. It is in the
// game at once, as any other player: its name is changed if it is taken, Enter is called, [Host.Relay] sends what it
// does, its ships have the IDs of its slot, its Session's Close makes it leave, and Boot kicks it. Its session
// discards what is sent to it.
//
// The player counts for Mission.PlayerLimit. AddPlayer returns [ErrFull] if there are as many players, or an error
// wrapping [transport.ErrHubFull] without a free peer ID. See HostOptions.Reserved.
func (h *Host) AddPlayer(name string) (*Member, error) {
	if h.freeSlot(objectid.NoPeer, 0) == objectid.NoSlot {
		return nil, ErrFull
	}
	session, err := h.local()
	if err != nil {
		return nil, fmt.Errorf("join: %w", err)
	}
	slot := h.freeSlot(session.PeerID(), 0)
	m := &Member{
		Player:  Player{PeerID: session.PeerID(), Slot: slot, Name: h.unique(name), Team: opcode.TeamNone},
		Session: session,
	}
	m.account = h.accounts.Open(h.clock.Now, m.network())
	session.Value, h.slots[slot] = m, m
	h.enter(m)
	return m, nil
}

// local opens a session with a peer ID that no player has, nor one who leaves: the others are told of the leave after
// Leave, which may call AddPlayer.
func (h *Host) local() (*transport.Session, error) {
	s, err := h.hub.Local()
	if err != nil {
		return nil, err
	}
	has := func(m *Member) bool { return m.PeerID == s.PeerID() }
	if h.find(has) == nil && !slices.ContainsFunc(h.leaving, has) {
		return s, nil
	}
	defer s.Close()
	return h.local()
}

// ofHost reports whether AddPlayer has added a player. It is false for nil.
func (m *Member) ofHost() bool { return m != nil && !m.Session.Addr().IsValid() }

// enter brings a player into the game, and sends it the names, scores, ships and teams.
func (h *Host) enter(m *Member) {
	if m.Name == "" { // the client has not sent a NameChange
		m.Name = h.unique("")
	}
	h.announce(m)
	m.stage, m.active = inGame, h.clock.Now
	h.logPlayer(m, "joined")
	others := h.others(m)
	for _, other := range others {
		h.Send(other.score(), m)
	}
	h.enterFleet(m)
	if h.options.Enter != nil {
		h.options.Enter(m)
	}
	for _, other := range others {
		if other.Team != opcode.TeamNone {
			h.Send(&opcode.TeamMessage{PlayerID: other.PeerID, Team: other.Team}, m)
		}
	}
	h.send(opcode.NewPlayerJoined(m.PeerID), m, h.Members()...)
	h.Send(m.score(), h.others(m)...) // clients keep that of a player who had the peer ID
	if score := m.score(); *score != (opcode.Score{PlayerID: m.PeerID}) {
		h.Send(score, m)
	}
	if h.over {
		h.Send(&opcode.EndGame{Reason: h.reason}, m)
	}
}

func (m *Member) score() *opcode.Score {
	return &opcode.Score{PlayerID: m.PeerID, Kills: m.Kills, Deaths: m.Deaths, Score: m.Points}
}

// leave removes a client whose session has ended, and informs the players. The last message that the
// Host has sent to the client is a Boot if the program has kicked the client.
func (h *Host) leave(m *Member, end transport.EndReason, last transport.Body) {
	m.Session.Value = nil
	boot, kicked := last.(*transport.Boot)
	if kicked {
		end = transport.EndBooted
	}
	before := m.stage
	m.stage = gone
	if i := slices.Index(h.slots[:], m); i >= 0 {
		h.slots[i] = nil
		if before != inGame && end != transport.EndClosed { // for which the client can do nothing
			h.networks.Spend(h.clock.Now, m.network(), squats, 1)
		}
	}
	switch before {
	case inGame:
		h.logPlayer(m, "left", "how", end)
	case connecting: // anybody can forge many of them
		return
	default:
		h.logJoin(m, "left", "how", end)
	}
	if h.accounts.Close(h.clock.Now, m.account); before != inGame {
		return
	}
	reason := transport.BootTimeout
	switch {
	case kicked:
		reason = boot.Reason
	case end == transport.EndClosed, end == transport.EndBadFragment:
		reason = transport.BootRemoved
	}
	var body transport.Body = &transport.Boot{Reason: reason, PeerID: m.PeerID}
	if end == transport.EndLeft {
		body = &transport.Disconnect{PeerID: m.PeerID, IP: m.ip}
	}
	told := slices.DeleteFunc(h.Members(), func(p *Member) bool { return p.outbox.entry(m) >= 0 })
	h.sendSystem(body, m, told...)
	h.leaveFleet(m, told) // before Leave, which can give the slot to another player
	if h.options.Leave != nil {
		h.leaving = append(h.leaving, m)
		h.options.Leave(m, end)
		h.leaving = h.leaving[:len(h.leaving)-1]
	}
	h.send(opcode.NewPlayerLeft(m.PeerID), m, told...)
	h.send(&opcode.DeletePlayerAnim{Name: text(m.Name)}, m, told...)
	for _, p := range h.Members() { // also what Leave has said
		p.outbox.forget(m)
	}
}
