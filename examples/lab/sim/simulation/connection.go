package simulation

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// connection is what the checkers know of a process and its session.
type connection struct {
	s        *simulation
	peer     *peer
	session  *transport.Session // of the client
	server   *transport.Session // nil: the server has not accepted the client
	host     *host              // of server
	label    string             // of its link
	observer *match.Match       // of its link
	events   []match.Event      // deaths and lines of chat on its link
	entered  time.Time
	tainted  bool                 // a datagram was changed on its way, or was an old one
	second   bool                 // on its address
	received map[string]time.Time // payloads, if numbers are modulo 256
	kicked   bool                 // by the console
	member   bool                 // the server has had it in the game
	flushed  time.Time            // when the server has last had nothing to send
	gone     bool                 // the process has ended, or the server cannot know its address

	up                          [][]byte // reliable messages that the player has sent, and the server has not received
	upEmpty, downEmpty, drained patience // of up, of down, and of the queue of the server

	lies     map[string]string   // payloads that the server must refuse
	full     time.Time           // when the session of the server had no room
	floods   time.Time           // until then, it sends too much
	speakers map[string][]string // who has sent what the server relays to the client

	refused objectid.ID // the last ship that the server has not taken, or None

	down []relay // what the server must relay to the player, and the player has not received
}

// relay is a message that the server relays.
type relay struct {
	wire  []byte
	at    time.Time
	waits bool // the session had no room: a newer state can replace the message, or it is lost if too much waits
}

// waitTime is the longest time for which messages wait after a session has had no room.
const waitTime = 5 * time.Second

// noRoom reports whether a session has had no room a moment ago: what waits is sent ten times a second, and Acks make
// room between two looks.
func noRoom(s *transport.Session) bool { return s.Room() < 16 }

// connect begins a connection.
func (s *simulation) connect(p *peer, x *process) *connection {
	s.links++
	c := &connection{s: s, peer: p, session: x.session, label: strconv.Itoa(s.links), observer: &match.Match{Events: true}}
	_, c.second = s.byAddr[x.addr]
	s.byAddr[x.addr], s.asked[c.label] = c, p.name
	return c
}

// sent notes a message that a player has sent.
func (c *connection) sent(m opcode.Message) {
	if m.Opcode().Info().Unreliable {
		return
	}
	payload, err := opcode.Marshal(m)
	if err != nil {
		c.s.fail("a message was sent that does not encode: %v", err)
	}
	c.up = append(c.up, payload)
}

// joining reports whether an opcode is of a join, in which package join sends the messages.
func joining(op opcode.Code) bool {
	return op == opcode.OpChecksumResponse || op == opcode.OpFileTransferAck || op == opcode.OpNewPlayerInGame
}

// arrived checks a reliable payload that the server receives.
func (c *connection) arrived(payload []byte) {
	switch op := opcode.Code(payload[0]); {
	case c.tainted || joining(op):
	case len(c.up) == 0:
		c.s.fail("the server receives %v of %s, which was not sent, or again", op, c.peer.name)
	case !bytes.Equal(c.up[0], payload):
		c.s.fail("the server receives %v of %s, but %v is the next one", op, c.peer.name, opcode.Code(c.up[0][0]))
	default:
		c.up = c.up[1:]
	}
}

// relayed reports whether the server relays messages of an opcode, and sends none itself.
func (s *simulation) relayed(payload []byte) bool {
	op := opcode.Code(payload[0])
	switch op {
	case opcode.OpObjectCreateTeam, opcode.OpTeamMessage:
		return false
	case opcode.OpChatMessage:
		if len(payload) > 1 && (objectid.PeerID(payload[1]) == objectid.Host && s.dialect != LikeOpenBC || payload[1] == 0xFF) {
			return false
		}
	}
	i := op.Info()
	if i.Direction != opcode.DirUp && i.Direction != opcode.DirBoth {
		return false
	}
	r := i.Relay
	return r == opcode.RelayForward || r == opcode.RelayAll || r == opcode.RelayTeam
}

// isOld reports whether a payload that nobody has sent may be of an old datagram: of an earlier connection on the address,
// or one that was received a while ago and has the number of a later message, modulo 256.
func (c *connection) isOld(payload []byte) bool {
	at, ok := c.received[string(payload)]
	return c.second || ok && c.s.Now.Sub(at) > time.Second
}

// delivered checks an event of the session of a client.
func (c *connection) delivered(e transport.Event) {
	if e.Kind != transport.EventPayload || e.Delivery&transport.Reliable == 0 || len(e.Payload) == 0 || c.tainted || !c.s.relayed(e.Payload) {
		return
	}
	op := opcode.Code(e.Payload[0])
	i := slices.IndexFunc(c.down, func(r relay) bool { return bytes.Equal(r.wire, e.Payload) })
	switch {
	case i >= 0:
	case c.isOld(e.Payload):
		c.tainted = true // an old datagram had the number of a message, which is lost now
		return
	default:
		c.s.fail("%s receives %v %x, which nobody has sent, or again", c.peer.name, op, e.Payload)
	}
	if c.peer.counts256() {
		if c.received == nil {
			c.received = map[string]time.Time{}
		}
		c.received[string(e.Payload)] = c.s.Now
	}
	for _, r := range c.down[:i] {
		if !r.waits {
			c.s.fail("%s receives %v %x, but %v %x is the next one", c.peer.name, op, e.Payload, opcode.Code(r.wire[0]), r.wire)
		}
	}
	c.down = c.down[i+1:]
}

// event passes an event on to the match, and checks its effect.
func (h *host) event(now time.Time, e transport.Event) {
	c := h.connectionOf(e.Session)
	if c != nil {
		c.server, c.host = e.Session, h
	}
	if e.Kind != transport.EventPayload || len(e.Payload) == 0 {
		h.game.Handle(now, e)
		if e.Kind == transport.EventEnded && len(h.game.Members()) == 0 { // the host says too little to show what it has refused
			maps.DeleteFunc(h.s.truth.refused, func(_ string, at time.Time) bool { return now.Sub(at) < 15*time.Second })
		}
		if e.Kind == transport.EventConnected && h.s.dialect == LikeOpenBC {
			h.game.Hub().Receive(now, e.Addr, openBCSign(e.Session.PeerID()))
		}
		return
	}
	payload := slices.Clone(e.Payload)
	if c != nil && e.Delivery&transport.Reliable != 0 {
		c.arrived(payload)
	}
	members := h.game.Members()
	from := slices.IndexFunc(members, func(m *join.Member) bool { return m.Session == e.Session })
	h.dropped = h.dropped[:0]
	h.game.Handle(now, e)
	for _, reason := range h.dropped {
		h.s.meaning.note("refused " + reason)
		if m, err := opcode.Decode(payload); err == nil {
			if line, ok := m.(*opcode.ChatMessage); ok {
				h.s.truth.refused[printable(line.Text).String()] = now
			}
		}
	}
	switch {
	case from >= 0 && c != nil && !c.tainted && h.checkLie(c, payload):
	case len(h.dropped) > 0 && c != nil && !c.tainted:
		h.checkDrop(c, payload)
	case len(h.dropped) > 0, from < 0, !h.s.relayed(payload):
	default:
		h.expect(members, members[from], payload)
	}
}

// checkDrop checks the reason for which the server has dropped a message of a player.
func (h *host) checkDrop(c *connection, payload []byte) {
	op := opcode.Code(payload[0])
	m, _ := opcode.Decode(payload)
	if ship, ok := m.(*opcode.ObjectCreateTeam); ok {
		c.refused = ship.ObjectID
	}
	switch reason := h.dropped[0]; reason {
	case "forged": // an update of a ship whose creation is late, or an event of a ship that was refused
		if e, ok := m.(opcode.EventMessage); op != opcode.OpStateUpdate && (!ok || c.refused == objectid.None || e.Envelope().Dest != c.refused) {
			h.s.fail("the server takes %v of %s for forged", op, c.peer.name)
		}
	case "rate": // what waits for a while comes at once
		if !h.s.Now.Before(c.peer.trouble) && !h.s.Now.Before(c.floods) {
			h.s.fail("the server drops %v of %s: too many", op, c.peer.name)
		}
	case "improbable": // a strict server
		if !h.s.on(Combat) {
			h.s.fail("the server drops %v of %s: %s", op, c.peer.name, reason)
		}
	case "ended", "repeated ship", "no ship", "collision", "early", "refused":
	default:
		h.s.fail("the server drops %v of %s: %s", op, c.peer.name, reason)
	}
}

// printable returns a line of chat as a Host relays it: without control characters.
func printable(line stream.Text) stream.Text {
	return slices.DeleteFunc(line, func(b byte) bool { return b < 0x20 || b == 0x7F })
}

// expect notes who must receive a message that the server has accepted: the rule of its opcode, with the
// peer ID of the sender.
func (h *host) expect(members []*join.Member, from *join.Member, payload []byte) {
	m, err := opcode.Decode(payload)
	if err != nil {
		h.s.fail("the server accepts a malformed message: %v", err)
	}
	id := from.Session.PeerID()
	rule := m.Opcode().Info().Relay
	switch m := m.(type) {
	case *opcode.TorpedoFire:
		m.PlayerID = id
	case *opcode.BeamFire:
		m.PlayerID = id
	case *opcode.ChatMessage:
		m.SenderID, m.Text = id, printable(m.Text)
		if c := h.connectionOf(from.Session); c != nil {
			h.s.truth.accepted[m.Text.String()] = true
			h.s.truth.chat = append(h.s.truth.chat, chat{from.Name, m.Text.String()})
		}
	case *opcode.TeamChatMessage:
		m.SenderID, m.Text = id, printable(m.Text)
	}
	wire, err := opcode.Marshal(m)
	if err != nil {
		h.s.fail("the server accepts a message that does not encode: %v", err)
	}
	if h.s.dialect == LikeOpenBC {
		writeSlot(wire)
	}
	for _, to := range members {
		if rule == opcode.RelayForward && to == from || rule == opcode.RelayTeam && to.Team != from.Team {
			continue
		}
		if c := h.connectionOf(to.Session); c != nil {
			c.expectSpeaker(wire, from.Name)
			if !c.gone {
				if noRoom(to.Session) {
					c.full = h.s.Now
				}
				c.down = append(c.down, relay{wire, h.s.Now, h.s.Now.Sub(c.full) < waitTime})
			}
		}
	}
}
