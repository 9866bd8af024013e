package match

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// view is what the host has announced on a link, as far as the link has shown it. A peer ID and an object ID mean
// what they mean here, however late the link is.
type view struct {
	system, game seats
	ships        map[objectid.ID]sight
	round        int     // of the server
	ended        bool    // the host has announced the end of the round
	gone         *Player // whose leave the game channel has announced last, by the peer ID
	begun        bool    // the host has announced that the client is in the game
}

// seats are the players whom a channel means by their peer IDs.
type seats [128]*seat // nil for an ID of which nothing is known

// at returns the seat of a valid peer ID.
func (s *seats) at(peer objectid.PeerID) *seat {
	if s[peer] == nil {
		s[peer] = &seat{}
	}
	return s[peer]
}

// player returns the player with a valid peer ID, or nil.
func (s *seats) player(peer objectid.PeerID) *Player {
	if x := s[peer]; x != nil {
		return x.player
	}
	return nil
}

// of returns the seat of a player, or an empty one if the channel means another player.
func (s *seats) of(p *Player) seat {
	if x := s[p.PeerID]; x != nil && x.player == p {
		return *x
	}
	return seat{}
}

// seat is the player whom a channel means by a peer ID.
type seat struct {
	player *Player // nil before the announcement of a player and after the announcement of the leave
	last   uint32  // number of the last player whom the channel has meant
	joined bool    // the game channel has announced the join
	doubt  *Player // an earlier player whom the game channel may mean and who was not seen to enter, or nil

	// The places in what the host has announced of the player.
	name, scored int
	score        score // as the channel has announced it
	valued       bool  // it has
	acts         [audiences]place
}

// place is a place in acts. Until the channel has told one of them, it is the earliest that it can be.
type place struct {
	at   int
	sure bool
}

// unsure reports whether one of two players with different names is meant.
func (x *seat) unsure() bool {
	return x.player != nil && x.doubt != nil && !x.player.called(x.doubt.Name)
}

// sight is a ship that a link shows.
type sight struct {
	*ship
	over   bool // the link has shown the end
	sets   int  // place in the star systems of the ship
	behind bool // the tracker has a later ship with the ID, whose creation the view has not followed yet
}

// maxSights is the number of ships that a view retains, with those that have ended. It retains twice as many that have
// not.
const maxSights = 256

// see records that an object ID means a ship from now on.
func (v *view) see(id objectid.ID, x *ship) {
	if v.ships == nil {
		v.ships = make(map[objectid.ID]sight)
	}
	if len(v.ships) >= maxSights {
		maps.DeleteFunc(v.ships, func(_ objectid.ID, y sight) bool { return y.over })
	}
	if len(v.ships) >= 2*maxSights {
		oldest := slices.MinFunc(slices.Collect(maps.Values(v.ships)), func(a, b sight) int { return cmp.Compare(a.number, b.number) })
		delete(v.ships, oldest.id)
	}
	v.ships[id] = sight{ship: x}
}

// again reports whether the view shows a ship of a player already, whose creation is told once more.
func (v *view) again(p *Player, id objectid.ID) bool {
	y, ok := v.ships[id]
	if !ok || y.over || y.player != p {
		return false
	}
	y.behind = false
	v.ships[id] = y
	return true
}

// advance begins a round, without the ships of the one before.
func (v *view) advance(round int) {
	v.round, v.ended = round, false
	clear(v.ships)
}

// forget makes the view forget a player who is no longer retained.
func (v *view) forget(p *Player) {
	if v.gone == p {
		v.gone = nil
	}
	for _, all := range []*seats{&v.system, &v.game} {
		switch x := all[p.PeerID]; {
		case x == nil:
		case x.player == p:
			x.player = nil
		case x.doubt == p:
			x.doubt = nil
		}
	}
}

// sit makes a player the one whom a channel means.
func (l *Link) sit(seats *seats, p *Player) *seat {
	x := seats.at(p.PeerID)
	if x.player == p {
		return x
	}
	if before := *x; before.player != nil { // no leave was announced: it was this player before
		*x = seat{player: p, last: p.number, score: before.score, valued: before.valued}
	} else {
		*x = seat{player: p, last: p.number}
	}
	for a := range x.acts {
		x.acts[a].at = p.acts[a].since(l.earliest(&l.view.system))
	}
	return x
}

// rise ends what a channel means by a peer ID.
func (x *seat) rise() { x.player, x.joined = nil, false }

// earliest returns the time of the earliest announcement that a channel can show: the host announces to a client
// nothing from before the client has connected and, on the game channel of the stock game, from before it has said
// that it is in the game. The link of a capture that begins later may show anything.
func (l *Link) earliest(channel *seats) time.Duration {
	switch {
	case !l.begun:
		return 0
	case channel == &l.view.game && l.observer.Host().Program() != transport.ProgramOpenBC:
		return l.ready
	}
	return l.since
}

// find returns the player whom a channel can mean by a peer ID that it has not announced since the last leave. It is
// a player who came after the last one and, as far as the own link shows that, before the message, who has not left
// before the link began, and whom the host has announced if it could be seen. Among several, rank counts, and then the
// order in which they came. A negative rank excludes a player.
func (l *Link) find(seats *seats, peer objectid.PeerID, rank func(p *Player) int) (found *Player) {
	if !peer.Valid() {
		return nil
	}
	least, last := 0, seats.at(peer).last
	for _, p := range l.server.roster {
		if p.PeerID != peer || p.number <= last || p.alone || p.began > l.server.m.seen || p.state.over() && p.ended < l.earliest(seats) {
			continue
		}
		if r := rank(p); r >= 0 && (found == nil || r < least) {
			found, least = p, r
		}
	}
	return found
}

// byName ranks players for a NameChange: one with the name, and then one whose name the host has not announced.
func byName(name string) func(*Player) int {
	return func(p *Player) int {
		switch {
		case p.called(name):
			return 0
		case len(p.names.list) == 0 && !p.state.over():
			return 1
		}
		return -1
	}
}

// byEntry ranks players for an announcement of the game channel, which tells only of players in the game: first by
// the name, if the announcement has one, then those who have entered it, those whom the system channel means, and the
// others, with those who have left without entering last.
func (l *Link) byEntry(name string) func(*Player) int {
	return func(p *Player) (rank int) {
		if name != "" && !p.called(name) {
			rank = otherName
		}
		switch {
		case p.state.entered():
			return rank
		case p.state.over():
			return rank + 3
		case l.view.system.player(p.PeerID) == p:
			return rank + 1
		}
		return rank + 2
	}
}

// otherName is the rank of players with another name.
const otherName = 4

// byJoin ranks players for the announcement of a join. The host announces to a client the joins after its own, but the
// clocks of two captures may differ.
func (l *Link) byJoin(p *Player) int {
	switch rank := l.byEntry("")(p); {
	case p.joined == 0 || p.joined >= l.earliest(&l.view.game):
		return rank
	case p.state.over():
		return -1
	}
	return otherName
}

// suppose makes a player the one whom the game channel means, although it has told no name. It may mean a rival.
func (l *Link) suppose(p *Player) *seat {
	last := l.view.game.at(p.PeerID).last
	var doubt *Player
	if !p.state.entered() {
		doubt = l.rival(p, last)
	}
	x := l.sit(&l.view.game, p)
	if x.doubt = doubt; doubt != nil {
		x.last = last
	}
	return x
}

// rival returns another player who may have joined and whose leave the system channel has told before the game channel
// tells the join, or nil.
func (l *Link) rival(p *Player, last uint32) *Player {
	for _, q := range l.server.roster {
		if q.PeerID == p.PeerID && q.number > last && q.number < p.number && q.state == absent && q.ended >= l.earliest(&l.view.game) {
			return q
		}
	}
	return nil
}

// holder returns the player whom the game channel means by a peer ID, or nil. A player whom it has not announced yet,
// because the announcement is from before the capture or was lost, is the one that it can be; see find. If another
// link has shown the leave of the player, the name of a later one shows that this link has lost the leave. Without a
// name, nobody knows who is meant by a message that has come after the leave, behind a gap.
func (l *Link) holder(peer objectid.PeerID, name string) *Player {
	if !peer.Valid() {
		return nil
	}
	x := l.view.game.at(peer)
	known := x.player
	lost := known != nil && l.mayLack(known)
	switch {
	case known == nil || lost || (known.state.over() || x.doubt != nil) && name != "" && !known.called(name):
	case name == "" && x.unsure():
		return nil
	default:
		return known
	}
	rank, entered := l.byEntry(name), 0
	p := l.find(&l.view.game, peer, func(p *Player) int {
		if p.state.entered() {
			entered++
		}
		return rank(p)
	})
	switch {
	case p == nil, known != nil && name != "" && !p.called(name):
		return known
	case name == "" && (lost || entered > 1): // any of them
		return nil
	}
	return p
}

// mayLack reports whether the link may have lost the leave of a player, in a gap that has ended after it.
func (l *Link) mayLack(p *Player) bool {
	return p.state.over() && min(l.from[gameChannel].whole, l.server.m.seen) > p.ended
}

// newcomer returns the holder of a peer ID, whom the game channel means from now on. If nobody can be meant, a new
// player begins.
func (l *Link) newcomer(peer objectid.PeerID, name string) *Player {
	if !peer.Valid() {
		return nil
	}
	p, x := l.holder(peer, name), l.view.game.at(peer)
	switch {
	case p == x.player && p != nil && !(x.unsure() && p.called(name)):
	case p != nil && p.called(name):
		doubt := x.doubt != nil
		x = l.sit(&l.view.game, p)
		if x.last, x.doubt = p.number, nil; doubt {
			x.joined = true
			l.server.enter(p)
		}
	case p != nil:
		l.suppose(p)
	case x.player == nil && l.find(&l.view.game, peer, l.byEntry(name)) == nil:
		p = l.server.begin(peer)
		l.sit(&l.view.game, p)
	}
	return p
}

// returned returns the next connection of a player who has left, if what a channel tells fits it, or nil. It is for what
// does not fit the player: a host need not tell a client of one who has come and gone while it did not hear the client.
func (s *server) returned(p *Player, fits func(*Player) bool) *Player {
	if !p.state.over() {
		return nil
	}
	for _, next := range s.roster {
		if next.PeerID == p.PeerID && next.number > p.number && next.called(p.Name) && fits(next) {
			return next
		}
	}
	return nil
}

// knows reports whether a link is of a player, or has announced the player and not the leave.
func (l *Link) knows(p *Player) bool {
	return l.Player == p || l.view.system.player(p.PeerID) == p || l.view.game.player(p.PeerID) == p
}

// sender returns the player who sends a message of a client.
func (l *Link) sender(peer objectid.PeerID) *Player {
	if l.shared() {
		return l.holder(peer, "")
	}
	return l.Player
}

// past reports whether the game channel has told of a later player with the peer ID of a player.
func (l *Link) past(p *Player) bool {
	x := l.view.game[p.PeerID]
	return x != nil && p.number < x.last
}

// owner returns the player whose ship or part an ID is on the link, or nil.
func (l *Link) owner(id objectid.ID) *Player {
	if x := l.shipWith(id); x != nil && x.player != nil {
		return x.player
	}
	if slot, ok := id.Slot(); ok {
		return l.server.inSlot(slot, func(p *Player) bool { return l.holder(p.PeerID, "") == p })
	}
	return nil
}

// subject returns the player whom a message of the host concerns: the one whose message the host relays, or whose
// ship it describes, or else the player on the host.
func (l *Link) subject(m opcode.Message, object objectid.ID) *Player {
	switch g := m.(type) {
	case *opcode.StateUpdate:
		return l.owner(object)
	case *opcode.ObjectCreateTeam:
		return l.creator(g)
	case *opcode.ChatMessage:
		return l.speaker(g)
	case *opcode.TeamChatMessage:
		return l.speaker((*opcode.ChatMessage)(g))
	case *opcode.TeamMessage:
		return l.holder(g.PlayerID, "")
	case *opcode.NewPlayerInGame:
		return nil
	case opcode.Shot, opcode.EventMessage:
		if i := m.Opcode().Info(); i.Direction == opcode.DirUp || i.Direction == opcode.DirBoth {
			return l.owner(object)
		}
	}
	return l.holder(objectid.Host, "")
}
