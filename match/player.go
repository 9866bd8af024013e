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
	// Refused is the number of claims that the host has not passed on to players who are observed: lines of chat, shots,
	// ships and teams.
	Refused int
	// Link is the link of the player's client, or nil if it is not observed or another player has it.
	Link *Link

	server *server
	number uint32        // in the order in which the players of the server came
	since  time.Duration // of the clock, when the player was first seen
	began  time.Duration // of the clock, when the own connection began, or 0 if that was not observed
	ended  time.Duration // of the clock, when the player has left
	joined time.Duration // of the clock, when the host has announced the join first, or 0
	alone  bool          // has left, and the host has not announced the join even to the player's own client
	state  playerState
	report playerReport
	at     time.Duration // of the datagram with the join or the leave that is to be reported
	due    time.Duration // of the clock, when to report it
	reason string        // of the leave

	claim     string        // the name that the client has given itself last
	claimedAt time.Duration // of the datagram with this name
	names     history[string]
	scores    history[score]
	acts      [audiences]acts
}

// playerState is the state of a player.
type playerState uint8

const (
	guest   playerState = iota // is known, and was not seen in the game
	inGame                     // has joined
	hasLeft                    // has left the game
	absent                     // has left without having been in the game
)

// entered reports whether the player is or was in the game.
func (s playerState) entered() bool { return s == inGame || s == hasLeft }

// over reports whether the connection of the player has ended.
func (s playerState) over() bool { return s >= hasLeft }

// connected reports whether the connection of a player has not ended.
func connected(p *Player) bool { return !p.state.over() }

// playerReport is what waits to be reported.
type playerReport uint8

const (
	nothing playerReport = iota
	joining              // waits for a name
	leaving              // waits for a reason
	parting              // the client says that it leaves, and the host does not yet
)

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

// called reports whether a player has or had a name, or claims it.
func (p *Player) called(name string) bool {
	return name != "" && (p.claim == name || slices.Contains(p.Names, name))
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

// wait reports a join or a leave later.
func (p *Player) wait(what playerReport, d time.Duration) {
	m := p.server.m
	p.report, p.due = what, m.clock.now+d
	if !slices.Contains(m.waiting, p) {
		m.waiting = append(m.waiting, p)
	}
}

// ready ends the wait of a player, and returns for what it was.
func (p *Player) ready() (what playerReport) {
	if what, p.report = p.report, nothing; what != nothing {
		m := p.server.m
		m.waiting = slices.DeleteFunc(m.waiting, func(other *Player) bool { return other == p })
	}
	return what
}

// settle reports the join or the leave that waits. The reason of a leave may be empty.
func (p *Player) settle(reason string) {
	s := p.server
	switch what := p.ready(); {
	case what == nothing:
	case what == joining:
		s.event(Join, p, p.at)
	case what == parting: // the host has not told it
		s.leaveAt(p, left, p.at)
	case reason != "":
		p.reason = reason
		fallthrough
	default:
		if e := s.event(Leave, p, p.at); e != nil {
			e.Reason = p.reason
		}
		p.Ship = objectid.None
	}
}

// overdue reports the joins and leaves that have waited long enough, and the leaves of which no link can show any more
// that the host has followed them.
func (m *Match) overdue() {
	for i := 0; i < len(m.waiting); {
		p := m.waiting[i]
		if p.due <= m.clock.now || p.report == parting && !p.awaited() {
			p.settle("")
		} else {
			i++
		}
	}
}

// awaited reports whether a link can show that the host has followed the leave of a client. That of another one that
// leaves does not.
func (p *Player) awaited() bool {
	for l := range p.server.audience(p, others, p.due-claimTime) {
		if l.Player == nil || l.Player.report != parting {
			return true
		}
	}
	return false
}

// enter handles the first sign that a player is in the game.
func (s *server) enter(p *Player) {
	if p == nil || p.state.entered() {
		return
	}
	if p.state == absent { // the system channel has overtaken the game channel
		p.state = hasLeft
		s.event(Join, p, s.m.at)
		if e := s.event(Leave, p, s.m.at); e != nil {
			e.Reason = left
		}
		return
	}
	p.state, p.InGame, p.at = inGame, true, s.m.at
	p.wait(joining, nameTime)
	if len(p.names.list) > 0 || p.Name != "" && (p.claim == "" || !s.heard) {
		p.settle("")
	}
}

// sign handles what only a player in the game can do, which may be the first sign of one who has joined before the
// capture began.
func (s *server) sign(p *Player) {
	if p.state == guest && (p.Link == nil || !p.Link.begun) {
		s.enter(p)
	}
}

// part handles a Disconnect, which is a claim: the host may not receive it, and then ends the connection later.
func (s *server) part(p *Player) {
	switch {
	case p.state.over(): // the host has ended it before it could read this
		p.settle("")
		return
	case p.state == guest, !s.observed(p, others, s.now(), 0):
		s.leave(p, left)
		return
	}
	p.settle("") // the join
	p.at = s.m.at
	p.wait(parting, claimTime)
}

// leave ends the connection of a player. An empty reason is not known yet. A player who has said so has left at that
// time.
func (s *server) leave(p *Player, reason string) {
	if p != nil && !p.state.over() && p.Link != nil {
		p.Link.gaps(true) // nothing more comes that could end them
	}
	if p != nil && p.report == parting {
		p.ready()
		if s.guess(p) == left && (reason == "" || reason == left) {
			s.leaveAt(p, left, p.at)
			return
		}
	}
	s.leaveAt(p, reason, s.m.at)
}

func (s *server) leaveAt(p *Player, reason string, at time.Duration) {
	switch {
	case p == nil:
	case p.state.over():
		if p.report == leaving && reason != "" {
			p.settle(reason)
		}
	case p.state == guest:
		p.state, p.ended = absent, s.now()
		p.disconnect()
		p.Ship = objectid.None
	default:
		p.settle("")        // the join
		if reason != left { // the host has ended the connection: it has not passed on what waits
			s.lapses(p, s.now(), 0)
		}
		p.state, p.InGame, p.ended, p.at = hasLeft, false, s.now(), at
		p.reason = s.guess(p)
		p.disconnect()
		s.lapses(p, -1, 0) // what only the own link could show
		p.wait(leaving, reasonTime)
		if reason != "" || p.Link == nil {
			p.settle(reason)
		}
	}
}

// disconnect ends the connection of the player's link.
func (p *Player) disconnect() {
	if l := p.Link; l != nil {
		l.state = ended
		c := &l.from[gameChannel]
		p.alone = p.joined == 0 && l.begun && c.known && len(c.held) == 0 && c.whole <= l.ready
	}
}

// guess returns the reason of a leave that only the host announces.
func (s *server) guess(p *Player) string {
	if p == nil {
		return left
	}
	if l := p.Link; l != nil && l.ToHost.Datagrams > 0 && s.now()-l.heard >= silence {
		return timedOut
	}
	return left
}

// rename gives a player another name. Another name of a player in the game is an event.
func (s *server) rename(p *Player, name string) {
	if name == "" || p.Name == name {
		return
	}
	before, at := p.Name, s.m.at
	if name == p.claim {
		at = p.claimedAt
	}
	p.Name = name
	if len(p.Names) == maxNames {
		p.Names, p.Since = slices.Delete(p.Names, 0, 1), slices.Delete(p.Since, 0, 1)
	}
	p.Names, p.Since = append(p.Names, name), append(p.Since, at)
	if p.state == inGame && p.report != joining && before != "" {
		if e := s.event(Rename, p, at); e != nil {
			e.Text = before
		}
	}
}
