package match

import (
	"maps"
	"slices"
	"strconv"

	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// world is the state of the match as one link reports it. A client sends the motion of its own
// ship, and the host sends everything else, so a world reads both directions.
type world struct {
	tracker stateupdate.Tracker
	ships   map[objectid.ID]*shipInfo // one for each ship of the tracker
	players map[objectid.PeerID]*Player
	self    objectid.PeerID         // the client of the link
	weapons [objectid.Slots]string  // the weapon that each player has fired last
	chats   []recentChat            // lines of the client that the host has not sent back yet
	chat    *opcode.HostChat        // of the server, for the worlds of all its links
	header  Header                  // of the message that is applied
	sent    recording.Direction     // of the message that is applied
	change  func(Change)            // is called with each change; nil for none
	event   func(Event)             // is called with each event; nil for none
	roster  func()                  // is called when a player has changed; nil for none
	updated func(*stateupdate.Ship) // is called with each ship that a message is about; nil for none
}

// shipInfo is what a Tracker does not keep of a ship.
type shipInfo struct {
	key   string
	moved float64 // time of the last motion
	off   stateupdate.IndexSet

	unread stateupdate.IndexSet // subsystems without a state since a block that could not be read
	bare   bool                 // the host sends neither facings nor power of shield generators
}

func newWorld(chat *opcode.HostChat) *world {
	return &world{ships: map[objectid.ID]*shipInfo{}, players: map[objectid.PeerID]*Player{}, chat: chat}
}

// clone returns a deep copy without the callbacks.
func (w *world) clone() *world {
	clone := *w
	clone.change, clone.event, clone.roster, clone.updated = nil, nil, nil, nil
	clone.tracker = *w.tracker.Clone()
	clone.ships = make(map[objectid.ID]*shipInfo, len(w.ships))
	for id, s := range w.ships {
		own := *s
		clone.ships[id] = &own
	}
	clone.players = make(map[objectid.PeerID]*Player, len(w.players))
	for peer, p := range w.players {
		own := *p
		clone.players[peer] = &own
	}
	clone.chats = slices.Clone(w.chats)
	chat := *w.chat
	clone.chat = &chat
	return &clone
}

// apply applies a message. A retransmission changes nothing.
func (w *world) apply(p *show.Packet, m *show.Message, t float64, number int) {
	w.header, w.sent = Header{Time: t, Message: number}, p.Dir
	if m.NewConnection {
		w.reset()
	}
	if m.Duplicate || m.Err != nil {
		return
	}
	if p.Dir == recording.ToServer && p.Peer.Valid() && p.Peer != objectid.Host {
		w.self = p.Peer
	}
	w.system(p.Peer, m.Body)
	if m.Decoded != nil {
		w.game(m.Decoded)
	}
}

// reset empties the world.
func (w *world) reset() {
	w.tracker.Reset()
	clear(w.ships)
	clear(w.players)
	w.self, w.weapons, w.chats = 0, [objectid.Slots]string{}, nil
	w.emit(&Reset{w.head("reset")})
}

// head returns the header of a change of the message that is applied.
func (w *world) head(kind string) Header {
	h := w.header
	h.Kind = kind
	return h
}

func (w *world) emit(c Change) {
	if w.change != nil {
		w.change(c)
	}
}

// system applies a message of the transport.
func (w *world) system(sender objectid.PeerID, body transport.Body) {
	switch b := body.(type) {
	case *transport.ConnectReply:
		w.self = b.PeerID
	case *transport.NameChange:
		peer := b.PeerID
		if w.sent == recording.ToServer && sender.Valid() {
			peer = sender // a client can write any peer ID into the message
		}
		w.join(peer, text(b.Name.String()))
	case *transport.Disconnect:
		w.leave(b.PeerID)
	case *transport.Boot:
		w.leave(b.PeerID)
	}
}

// game applies a message of the game.
func (w *world) game(m opcode.Message) {
	change, err := w.tracker.Apply(m) // an error concerns a part of the message only
	w.shipChanged(m, &change, err)
	switch m := m.(type) {
	case opcode.Shot:
		w.fired(m)
	case *opcode.StopFiring:
		w.stopped(m.Dest)
	case *opcode.StopFiringAtTarget:
		w.stopped(m.Dest)
	case *opcode.Explosion:
		w.exploded(m)
	case *opcode.CollisionEffect:
		w.collided(m)
	case *opcode.PythonEvent:
		w.pythonEvent(m, &change)
	case *opcode.SubsystemStatus:
		w.switched(m)
	case *opcode.EndGame:
		w.log(Event{Kind: "end", Text: "the game ends: " + m.Reason.String()})
	case *opcode.RestartGame:
		w.log(Event{Kind: "end", Text: "the game restarts"})
	default:
		w.playerMessage(m)
	}
}

// snapshot returns the state.
func (w *world) snapshot() *Snapshot {
	s := &Snapshot{Players: []*Player{}, Ships: []*Ship{}}
	for _, p := range w.sortedPlayers() {
		own := *p
		s.Players = append(s.Players, &own)
	}
	for ship := range w.tracker.Ships() {
		s.Ships = append(s.Ships, w.ship(ship))
	}
	return s
}

// sortedPlayers returns the players in the order of their peer IDs.
func (w *world) sortedPlayers() (all []*Player) {
	for _, peer := range slices.Sorted(maps.Keys(w.players)) {
		all = append(all, w.players[peer])
	}
	return all
}

// key returns the key of a ship that appears at a time.
func key(id objectid.ID, t float64) string {
	return id.String() + "@" + strconv.FormatFloat(t, 'f', -1, 64)
}
