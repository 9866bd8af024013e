package match

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// Player is a player of a match: one connection of one client with a server, or the player on the host.
// A player who joins again is another Player.
type Player struct {
	PeerID objectid.PeerID
	Slot   objectid.Slot // NoSlot if unknown
	// Name is "" if it is unknown. Names are all names from the oldest to Name, at most eight. Since has
	// the times of the datagrams that have shown each of Names first.
	Name   string
	Names  []string
	Since  []time.Duration
	Server string // as in [Datagram]
	// InGame reports that the player has joined and not left.
	InGame bool
	// Ship is the living ship of the player, or None.
	Ship objectid.ID
	Team opcode.Team
	// Kills, Deaths and Score are as the host has last announced them in the match.
	Kills, Deaths, Score int32
	// Link is the link of the player's client, or nil if it is not observed or another player has it.
	Link *Link

	server   *server
	since    time.Duration // of the clock, when the player was first seen
	entered  bool          // has been in the game
	left     bool
	seen     bool          // the join was observed from its beginning
	own      bool          // the name is from the link of the player
	named    *Link         // the link that has given the name
	number   uint16        // of the last NameChange of the host on named
	numbered time.Duration // when the connection began on which this number was seen
	doubtful bool          // may have left while no link was open
	scored   time.Duration // of the clock, when the score has last changed

	joining bool          // the join is not reported yet
	leaving bool          // the leave is not reported yet
	at      time.Duration // of the datagram with that join or leave
	reason  string        // of the leave
	due     time.Duration // of the clock, when to report it
}

// Times for which a join waits for a name, and a leave for its reason.
const (
	nameTime   = 2 * time.Second
	reasonTime = time.Second
)

// silence is the silence of a link after which its connection may have timed out.
const silence = 10 * time.Second

// Reasons of a leave.
const (
	left     = "left"
	kicked   = "kicked"
	timedOut = "timed out"
)

// label returns the name of a player, or "peer 5".
func (p *Player) label() string {
	if p == nil {
		return ""
	}
	if p.Name != "" {
		return p.Name
	}
	return labelOf(p.PeerID)
}

func labelOf(peer objectid.PeerID) string {
	if !peer.Valid() {
		return ""
	}
	return "peer " + strconv.Itoa(int(peer))
}

// clip returns a text as the game displays it, up to the first NUL, as valid UTF-8 with at most maxText
// bytes.
func clip(s string) string {
	s, _, _ = strings.Cut(s, "\x00")
	if len(s) > maxText {
		end := maxText
		for end > maxText-utf8.UTFMax && !utf8.RuneStart(s[end]) {
			end--
		}
		s = s[:end]
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// wait reports the join or the leave of a player later.
func (p *Player) wait(d time.Duration) {
	m := p.server.m
	p.due = p.server.now() + d
	if !slices.Contains(m.waiting, p) {
		m.waiting = append(m.waiting, p)
	}
}

// settle reports the join or leave that waits.
func (p *Player) settle() {
	if p.joining || p.leaving {
		p.report("")
	}
}

// report reports the join or the leave that waits. The reason of a leave may be empty.
func (p *Player) report(reason string) {
	m := p.server.m
	m.waiting = slices.DeleteFunc(m.waiting, func(other *Player) bool { return other == p })
	joining, leaving := p.joining, p.leaving
	p.joining, p.leaving = false, false
	if joining && m.Events {
		e := p.server.event(Join, p)
		e.Time = p.at
	}
	if leaving && m.Events {
		e := p.server.event(Leave, p)
		e.Time = p.at
		if e.Reason = reason; reason == "" {
			e.Reason = p.reason
		}
	}
	if leaving {
		p.depart()
	}
}

// overdue reports the joins and leaves that have waited long enough.
func (m *Match) overdue() {
	for i := 0; i < len(m.waiting); {
		if p := m.waiting[i]; p.due <= m.clock.now {
			p.report("")
		} else {
			i++
		}
	}
}

// enter reports that a player is in the game.
func (s *server) enter(p *Player) {
	if p == nil || p.InGame || p.left {
		return
	}
	p.InGame, p.entered, p.doubtful = true, true, false
	s.once.add(keyOf(aboutJoin, int64(p.PeerID)), s.now()) // other links will tell
	p.joining, p.at = true, s.m.step.Time
	if p.Name != "" {
		p.report("")
	} else {
		p.wait(nameTime)
	}
}

// leave ends the connection of a player. An empty reason is not known yet.
func (s *server) leave(p *Player, reason string) {
	if p == nil || p.left {
		return
	}
	if p.joining {
		p.report("")
	}
	p.left, p.at = true, s.m.step.Time
	if p.Link != nil {
		p.Link.over = true
	}
	now, peer := s.now(), int64(p.PeerID)
	for _, about := range []int{aboutLeaveSystem, aboutLeaveGame} {
		s.once.add(keyOf(about, peer), now)
	}
	s.once.add(textKey(keyOf(aboutLeaveName), p.Name), now)
	if !p.InGame {
		p.depart()
		if !p.entered {
			s.forgetGuest(p)
		}
		return
	}
	p.InGame, p.leaving, p.reason = false, true, s.guess(p)
	if reason != "" || p.Link == nil {
		p.report(reason)
	} else {
		p.wait(reasonTime)
	}
}

// forgetGuest removes a player who has never been in the game from the roster.
func (s *server) forgetGuest(p *Player) {
	s.roster = slices.DeleteFunc(s.roster, func(other *Player) bool { return other == p })
}

// depart ends what a player has until the leave is reported.
func (p *Player) depart() {
	p.server.vacate(p)
	p.Ship = objectid.None
}

// guess returns the reason of a leave that only the host announces.
func (s *server) guess(p *Player) string {
	if l := p.Link; l != nil && l.ToHost.Datagrams > 0 && s.now()-l.heard >= silence {
		return timedOut
	}
	return left
}

// dropped ends the connection of a player that another one replaces.
func (s *server) dropped(p *Player) {
	if p.left {
		p.settle()
		return
	}
	s.leave(p, s.guess(p))
}

// vanished reports whether a client has connected and said nothing more. The host may give its peer ID to another
// client, and the datagrams of the first one can still arrive.
func (p *Player) vanished() bool {
	l := p.Link
	return p.Name == "" && l != nil && l.ToHost.Datagrams > 0 && p.server.now()-l.heard >= silence
}

// rename gives a player a name that a link has carried. own reports that it is the name that the player's
// client gives or is given.
//
// The name on the link of the player counts. Without one, the first link that has named the player counts,
// because others may be late.
func (s *server) rename(p *Player, name string, l *Link, own bool) {
	name = clip(name)
	if p == nil || name == "" || p.own && !own {
		return
	}
	if !own && p.Name != "" && p.named != l && p.named.live() {
		return
	}
	p.own, p.named, p.doubtful = own, l, false
	if p.Name == name {
		return
	}
	before := p.Name
	p.Name = name
	if len(p.Names) == maxNames {
		p.Names, p.Since = slices.Delete(p.Names, 0, 1), slices.Delete(p.Since, 0, 1)
	}
	p.Names, p.Since = append(p.Names, name), append(p.Since, s.m.step.Time)
	switch {
	case p.joining:
		p.report("")
	case p.InGame && before != "" && s.m.Events:
		s.event(Rename, p).Text = before
	}
}
