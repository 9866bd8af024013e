package match

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// Limits of a Match, see there.
const (
	maxLinks    = 2048
	maxUnproven = 256 // links on which no player has been seen in the game
	maxServers  = 512
	maxPlayers  = 128     // of a server
	maxNames    = 8       // of a player
	maxText     = 1024    // bytes of a name or a line of chat
	maxShips    = 256     // of a server, with those that are destroyed
	maxPending  = 1 << 20 // bytes of partial payloads of a link, and of messages of a channel behind a gap
	maxTracked  = 128     // ships of a link
	maxUnknown  = 32      // ships of a link without a creation
)

// Match follows the links of one or more servers. Pass it every datagram in the order of time.
//
//	var m match.Match
//	for step := range m.Receive(match.Datagram{Time: now, Client: "1", FromHost: fromHost, Data: data}) {
//		if step.Err != nil {
//			log.Print(step.Err)
//		}
//	}
//
// A Match is bounded. If a limit is reached, the oldest item is forgotten, or, of links and servers, the
// one that has been silent for longest. A link of a player who is in the game outlasts others, then one whose client has
// used the peer ID that the host has assigned, then one on which the host has replied. The limits are
//
//	512    servers
//	2,048  links of all servers, at most 256 of them on which no player has been seen in the game
//	128    players of a server, with those that have left
//	8      names of a player; older names are forgotten
//	512    lines of chat of a player, 512 to the team, and 512 shots, ships and teams, 64 of each of them claims; a
//	       link that is late by more of them does not show the earlier ones
//	1,024  bytes of a name or a line of chat; longer texts are cut
//	256    ships of a server, with those that are destroyed
//	128    ships that were created on a link, and 32 others
//
// A link with a client takes about 100 KB. Partial payloads take at most 1 MB more: if a
// link has more, the Match forgets all of them. Messages that wait for earlier ones take at most 1 MB for each channel.
//
// The zero value is ready to use. A Match is not safe for concurrent use.
type Match struct {
	// Classes are the ship classes of a mod. They take precedence over stock classes. Set them before
	// the first datagram.
	Classes stateupdate.Catalogue
	// Events requests events. Without it, the Events of all steps are empty. Set it before the first
	// datagram.
	Events bool
	// NewDecoder returns a decoder with the messages of a mod. The default has the messages of the game. Set it before
	// the first datagram.
	NewDecoder func() *opcode.Decoder

	links     map[linkKey]*Link
	recent    [16]*Link // a cache for links, by the last byte of Client
	stranger  Link      // of datagrams that are not of the game
	nowhere   server    // of the stranger
	unproven  []*Link   // on which no player was seen in the game when they were looked at last
	servers   []*server
	number    int // of the next match
	clock     clock
	count     uint64          // datagrams
	at        time.Duration   // of the datagram whose message is followed
	seen      time.Duration   // of the clock, when that datagram came
	late      *opcode.Decoder // of messages that were held
	waiting   []*Player       // whose join or leave is not reported yet
	claimants []*Player       // with pending claims
	routine   time.Duration   // of the clock, when to look at gaps and claims next
	decoder   *opcode.Decoder
	step      Step
	pending   bool    // the datagram of the step was received and not followed yet
	data      []byte  // of the datagram
	events    []Event // that no step has had yet
}

// Datagram is a deciphered datagram of a link.
type Datagram struct {
	// Time is the time since any beginning, such as the start of the recording. It should not go
	// backwards.
	Time time.Duration
	// Client and Server identify the link. They are any names, such as the number of the client in a
	// recording, or addresses. If all links are of one server, Server may be empty. Datagrams of which
	// the client is unknown have an empty Client; see the section "Limitations" of the package.
	Client, Server string
	// FromHost reports that the host sends the datagram to the client.
	FromHost bool
	// Data is the datagram after [github.com/bcwire/bcwire/cipher.Decrypt], or GameSpy text.
	Data []byte
}

// Receive follows a datagram and iterates over its messages. Range over the result before the next call, at most
// once; the Step is valid until the next one. A datagram that is not ranged over, or not to its end, is followed all
// the same, and its events are those of the next step. A datagram of GameSpy text gives one step with
// [transport.ErrGameSpy].
func (m *Match) Receive(d Datagram) iter.Seq[*Step] {
	m.take(d)
	return func(yield func(*Step) bool) { m.steps(yield) }
}

// take receives a datagram.
func (m *Match) take(d Datagram) {
	m.finish()
	m.data = append(m.data[:0], d.Data...) // the caller's buffer may be overwritten before finish
	m.step.Datagram, m.pending = d, true
}

// steps follows the datagram that was received, if it was not followed yet. Without yield, nobody sees its steps.
func (m *Match) steps(yield func(*Step) bool) {
	if m.pending {
		m.pending = false
		m.receive(yield)
	}
}

// finish follows a datagram that was not ranged over.
func (m *Match) finish() {
	if m.pending {
		m.step.Data = m.data
		m.steps(nil)
	}
}

// Tick advances the time, and returns the events that have waited. A program that follows a live match calls it about
// once a second, because an event may wait for a name, for a reason or for the host until the next datagram. The
// result is valid until the next step.
func (m *Match) Tick(now time.Duration) []Event {
	m.finish()
	m.clock.advance(now)
	m.gaps(false)
	m.overdue()
	m.lapses()
	return m.unseen()
}

// Flush reports what waits: for a missing message, a name, a reason or the host. Call it at the end of the input.
// Without waiting events, it returns nil. The result is valid until the next step.
func (m *Match) Flush() []Event {
	m.finish()
	m.gaps(true)
	m.settle()
	for len(m.waiting) > 0 {
		m.waiting[0].settle("")
	}
	return m.unseen()
}

// unseen returns the events that nobody has seen, or nil.
func (m *Match) unseen() (events []Event) {
	if len(m.events) > 0 {
		events, m.events = m.events, nil
	}
	return events
}

// gaps ends the gaps of all channels that have reached a limit, or all of them.
func (m *Match) gaps(all bool) {
	for _, s := range m.servers {
		for _, l := range s.links {
			l.gaps(all)
		}
	}
}

// Players iterates over the players in the game and those who have left it, by server and in the order
// of their joins. A player who has not been in the game yet is not among them. The players may change
// with the next datagram.
func (m *Match) Players() iter.Seq[*Player] {
	m.finish()
	return func(yield func(*Player) bool) {
		for _, s := range m.servers {
			for _, p := range s.roster {
				if p.state.entered() && !yield(p) {
					return
				}
			}
		}
	}
}

// Links iterates over the links in the order in which they began.
func (m *Match) Links() iter.Seq[*Link] {
	m.finish()
	return func(yield func(*Link) bool) {
		var all []*Link
		for _, s := range m.servers {
			all = append(all, s.links...)
		}
		slices.SortFunc(all, func(a, b *Link) int { return cmp.Compare(a.first, b.first) })
		for _, l := range all {
			if !yield(l) {
				return
			}
		}
	}
}

// clock is the time of a Match. It never goes backwards, and advances by at most maxStep from a datagram
// to the next, so that a wrong time in a capture does no lasting harm. A datagram that is earlier than
// another by up to maxStep is late. After a larger step backwards, times count from there.
type clock struct {
	now     time.Duration
	last    time.Duration // the latest time of a datagram
	running bool
}

const maxStep = time.Minute

func (c *clock) advance(to time.Duration) {
	if !c.running {
		c.last, c.running = to, true
	}
	// The difference of two Durations can exceed a Duration.
	switch step := uint64(to) - uint64(c.last); {
	case to >= c.last:
		c.now += time.Duration(min(step, uint64(maxStep)))
		c.last = to
	case -step > uint64(maxStep):
		c.last = to
	}
}
