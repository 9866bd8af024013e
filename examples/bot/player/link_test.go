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
	"github.com/bcwire/bcwire/examples/lab/simulated"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
)

// epoch is the time at which tests begin.
var epoch = time.Date(2002, 2, 26, 0, 0, 0, 0, time.UTC)

// clientAddr is the address of the player.
var clientAddr = netip.MustParseAddrPort("192.0.2.2:1025")

// link is a network between a player and a host, in virtual time.
type link struct {
	t        testing.TB
	now      time.Time
	player   *Player
	client   *simulated.Client
	host     *hosttest.Host
	delay    time.Duration
	loss     float64
	rand     *rand.Rand
	inFlight []inFlight
	lines    []string // reports since the last call of reports
	wire     []string // datagrams
	quiet    bool     // reports and datagrams are not kept
	silence  bool     // the host sends nothing
}

type inFlight struct {
	at     time.Time
	toHost bool
	data   []byte
}

// newLink returns a player and a host before the first datagram.
func newLink(t testing.TB, o Options, h hosttest.Options) *link {
	t.Helper()
	return newLinkWith(t, transport.Options{}, o, h)
}

// newLinkWith is newLink with options of the session.
func newLinkWith(t testing.TB, session transport.Options, o Options, h hosttest.Options) *link {
	t.Helper()
	if o.Files == nil {
		o.Files = checksum.Vanilla()
	}
	l := &link{
		t: t, now: epoch, delay: 5 * time.Millisecond, rand: rand.New(rand.NewPCG(1, o.Seed)),
		host: hosttest.New(epoch, h),
	}
	o.Report = func(line string) {
		if !l.quiet {
			l.lines = append(l.lines, line)
		}
	}
	s, err := transport.NewClient(epoch, transport.ConnectRequest{ConnID: 1}, session)
	require.NoError(t, err)
	l.player = New(epoch, o)
	l.client = simulated.New(l.player, s)
	return l
}

// send sends the datagrams that are due.
func (l *link) send() {
	for d := l.client.AppendDatagram(nil, l.now); len(d) > 0; d = l.client.AppendDatagram(nil, l.now) {
		l.post(d, true)
	}
	for _, d := range l.host.Datagrams(l.now) {
		if !l.silence {
			l.post(slices.Clone(d), false)
		}
	}
}

func (l *link) post(d []byte, toHost bool) {
	if !l.quiet {
		l.wire = append(l.wire, transcript(l.t, d, toHost))
	}
	if l.rand.Float64() >= l.loss {
		l.inFlight = append(l.inFlight, inFlight{l.now.Add(l.delay), toHost, d})
	}
}

// waitUntil advances the time until a condition holds. It fails after a limit.
func (l *link) waitUntil(what string, limit time.Duration, holds func() bool) {
	l.t.Helper()
	end := l.now.Add(limit)
	for l.send(); !holds(); l.step(end.Add(time.Second)) {
		require.False(l.t, l.now.After(end), "%s, not within %v; %v, %v", what, limit, l.player.State(), l.player.Err())
	}
}

// advance advances the time.
func (l *link) advance(d time.Duration) {
	end := l.now.Add(d)
	for l.send(); l.now.Before(end); l.step(end) {
	}
}

// step advances to the next deadline or arrival, but not beyond a time.
func (l *link) step(next time.Time) {
	for _, at := range []time.Time{l.client.NextDeadline(), l.host.Hub.NextDeadline()} {
		if !at.IsZero() && at.Before(next) {
			next = at
		}
	}
	if len(l.inFlight) > 0 && l.inFlight[0].at.Before(next) {
		next = l.inFlight[0].at
	}
	if !next.After(l.now) {
		next = l.now.Add(time.Millisecond)
	}
	l.now = next
	for len(l.inFlight) > 0 && !l.inFlight[0].at.After(l.now) {
		f := l.inFlight[0]
		l.inFlight = l.inFlight[1:]
		if f.toHost {
			l.host.Receive(l.now, clientAddr, f.data)
		} else {
			l.client.Receive(l.now, f.data)
		}
	}
	l.send()
}

// join lets the player join and, if it has a ship, enter the game.
func (l *link) join() *hosttest.Client {
	l.t.Helper()
	state := InGame
	if l.player.options.Ship == nil {
		state = Joined
	}
	l.waitUntil("joined", time.Minute, func() bool {
		return l.player.State() == state && l.player.Counters().Received[opcode.OpMissionInit] > 0
	})
	l.advance(4 * l.delay) // the host receives the ship
	return l.host.Last()
}

// ended waits for the end of the player, and returns the reason.
func (l *link) ended() error {
	l.t.Helper()
	l.waitUntil("ended", 10*time.Minute, l.client.Done)
	return l.player.Err()
}

// hostSends sends messages of the host and waits until they have arrived.
func (l *link) hostSends(messages ...opcode.Message) {
	l.host.Last().Send(messages...)
	l.advance(300 * time.Millisecond)
}

// pass passes a payload to the player without a session.
func (l *link) pass(payload []byte) { l.player.Handle(l.now, transport.Event{Payload: payload}) }

// passSystem passes a message of the transport to the player without a session.
func (l *link) passSystem(body transport.Body) {
	l.player.Handle(l.now, transport.Event{Kind: transport.EventSystem, Body: body})
}

// reports returns the reported lines that contain a text, since the last call.
func (l *link) reports(text string) (lines []string) {
	for _, line := range l.lines {
		if strings.Contains(line, text) {
			lines = append(lines, line)
		}
	}
	l.lines = nil
	return lines
}

func akira() *stateupdate.Class { return stateupdate.Stock().Species(opcode.SpeciesAkira) }

// transcript returns a line for a datagram: its sender, the peer ID, and its messages with their
// sequence numbers. Messages of high priority have a "!", and unreliable ones no number.
func transcript(t testing.TB, d []byte, toHost bool) string {
	sender := "host"
	if toHost {
		sender = "client"
	}
	var messages []string
	for m, err := range transport.Messages(d) {
		require.NoError(t, err)
		messages = append(messages, messageText(m))
	}
	return fmt.Sprintf("%s %d: %s", sender, int8(d[0]), strings.Join(messages, ", "))
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
	case m.Probe():
		return "probe"
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

// distance returns the square of the distance of two positions.
func distance(a, b *[3]float32) (sum float64) {
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		sum += d * d
	}
	return sum
}
