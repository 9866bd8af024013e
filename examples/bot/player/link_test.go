package player

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/examples/bot/internal/hosttest"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
)

// epoch is when tests begin.
var epoch = time.Date(2002, 2, 26, 0, 0, 0, 0, time.UTC)

// clientAddr is the address of the player.
var clientAddr = netip.MustParseAddrPort("192.0.2.2:1025")

// link is a network between a player and a host, in virtual time.
type link struct {
	t       testing.TB
	now     time.Time
	player  *Player
	host    *hosttest.Host
	delay   time.Duration
	loss    float64
	rand    *rand.Rand
	flying  []flying
	events  []Event
	wire    []string // what was sent
	quiet   bool     // wire is not kept
	silence bool     // the host sends nothing
}

type flying struct {
	at     time.Time
	toHost bool
	data   []byte
}

// newLink returns a player and a host that have not met.
func newLink(t testing.TB, o Options, h hosttest.Options) *link {
	t.Helper()
	if o.Files == nil {
		o.Files = checksum.Vanilla()
	}
	return &link{
		t: t, now: epoch, delay: 5 * time.Millisecond, rand: rand.New(rand.NewPCG(1, o.Seed)),
		player: New(epoch, o), host: hosttest.New(epoch, h),
	}
}

// send puts everything that is due on its way.
func (l *link) send() {
	for d := l.player.AppendDatagram(nil, l.now); len(d) > 0; d = l.player.AppendDatagram(nil, l.now) {
		l.post(d, true)
	}
	for _, d := range l.host.Datagrams(l.now) {
		if !l.silence {
			l.post(slices.Clone(d), false)
		}
	}
	l.events = slices.AppendSeq(l.events, l.player.Events())
}

func (l *link) post(d []byte, toHost bool) {
	if !l.quiet {
		l.wire = append(l.wire, transcript(l.t, d, toHost))
	}
	if l.rand.Float64() >= l.loss {
		l.flying = append(l.flying, flying{l.now.Add(l.delay), toHost, d})
	}
}

// until lets time pass until something holds, and fails if it does not within a time.
func (l *link) until(what string, limit time.Duration, holds func() bool) {
	l.t.Helper()
	end := l.now.Add(limit)
	for l.send(); !holds(); l.step(end.Add(time.Second)) {
		require.False(l.t, l.now.After(end), "%s, not within %v; %v, %v", what, limit, l.player.State(), l.player.End())
	}
}

// pass lets a time pass.
func (l *link) pass(d time.Duration) {
	end := l.now.Add(d)
	for l.send(); l.now.Before(end); l.step(end) {
	}
}

// step goes on to whatever happens next, and not beyond a time.
func (l *link) step(next time.Time) {
	for _, at := range []time.Time{l.player.NextDeadline(), l.host.Hub.NextDeadline()} {
		if !at.IsZero() && at.Before(next) {
			next = at
		}
	}
	if len(l.flying) > 0 && l.flying[0].at.Before(next) {
		next = l.flying[0].at
	}
	if !next.After(l.now) {
		next = l.now.Add(time.Millisecond)
	}
	l.now = next
	for len(l.flying) > 0 && !l.flying[0].at.After(l.now) {
		f := l.flying[0]
		l.flying = l.flying[1:]
		if f.toHost {
			l.host.Receive(l.now, clientAddr, f.data)
		} else {
			l.player.Receive(l.now, f.data)
		}
	}
	l.send()
}

// join lets the player come as far as it can without a ship, or with one.
func (l *link) join() *hosttest.Client {
	l.t.Helper()
	state := InGame
	if l.player.options.Ship == nil {
		state = Joined
	}
	l.until("joined", time.Minute, func() bool { return l.player.State() == state && l.player.mission != nil })
	l.pass(4 * l.delay) // the host hears of the ship
	return l.host.Last()
}

// ended lets the player come to its end, and returns it.
func (l *link) ended() *End {
	l.t.Helper()
	l.until("ended", 10*time.Minute, func() bool { return l.player.Done() })
	return l.player.End()
}

// tell sends messages of the host and waits until they have arrived.
func (l *link) tell(messages ...opcode.Message) {
	l.host.Last().Send(messages...)
	l.pass(300 * time.Millisecond)
}

// take returns the events of a type that have happened, and forgets all.
func take[E Event](l *link) (all []E) {
	for _, e := range l.events {
		if e, ok := e.(E); ok {
			all = append(all, e)
		}
	}
	l.events = nil
	return all
}

func akira() *stateupdate.Class { return stateupdate.Stock(opcode.SpeciesAkira) }

// transcript returns a line for a datagram: who sends it, as which peer, and its messages
// with their channels and numbers. Those with a high priority have a "!", unreliable ones
// no number.
func transcript(t testing.TB, d []byte, toHost bool) string {
	who := "host"
	if toHost {
		who = "client"
	}
	var messages []string
	for m, err := range transport.Messages(d) {
		require.NoError(t, err)
		messages = append(messages, messageText(m))
	}
	return fmt.Sprintf("%s %d: %s", who, int8(d[0]), strings.Join(messages, ", "))
}

func messageText(m *transport.Message) string {
	text := m.Type.String()
	switch a, isAck := m.Ack(); {
	case isAck && a.Flags&transport.AckSystem != 0:
		return fmt.Sprintf("Ack system %d", a.Seq)
	case isAck && a.Flags&transport.AckFragment != 0:
		return fmt.Sprintf("Ack %d.%d", a.Seq, a.FragIndex)
	case isAck:
		return fmt.Sprintf("Ack %d", a.Seq)
	case m.Type == transport.TypeData && m.Fragment:
		text = fmt.Sprintf("part %d of", m.FragIndex)
	case m.Type == transport.TypeData:
		text = opcode.Code(m.Body[0]).String()
	}
	if m.Reliable {
		text += fmt.Sprintf(" %d", m.Seq)
	}
	if m.HighPriority {
		text += "!"
	}
	return text
}

// systemText returns a string as the text of a system message.
func systemText(t testing.TB, s string) transport.UTF16Z {
	text, err := transport.NewUTF16Z(s)
	require.NoError(t, err)
	return text
}
