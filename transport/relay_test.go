package transport_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport"
)

// filler is a payload that receivers ignore: an opcode without a meaning.
const filler = "\x24"

// relayed are two sessions with a relay between them. All payloads that begin with "X" are unwanted.
type relayed struct {
	t            *testing.T
	client, host *harness
	now          time.Time
	loss         func() bool
	// edit returns the messages in place of a message.
	edit func(m transport.Message) []transport.Message
	got  map[*harness][]string
	ends []string
}

func newRelayed(t *testing.T, loss func() bool, edit func(transport.Message) []transport.Message) *relayed {
	return &relayed{
		t: t, client: newClient(t, transport.ConnectRequest{ConnID: 1}, transport.Options{}), host: newHost(t, transport.Options{}),
		now: start, loss: loss, edit: edit, got: map[*harness][]string{},
	}
}

// run lets time pass until a condition holds, at most for a while.
func (r *relayed) run(most time.Duration, done func() bool) {
	for end := r.now.Add(most); r.now.Before(end) && !done(); r.now = r.now.Add(tick) {
		r.pass(r.client, r.host)
		r.pass(r.host, r.client)
	}
}

// pass brings the datagrams of a session to the other one.
func (r *relayed) pass(from, to *harness) {
	for d := range from.Datagrams(r.now) {
		if r.loss() {
			continue
		}
		var p transport.Packet
		require.NoError(r.t, p.UnmarshalBinary(slices.Clone(d)))
		var edited []transport.Message
		for _, m := range p.Messages {
			edited = append(edited, r.edit(m)...)
		}
		p.Messages = edited
		out, err := p.MarshalBinary()
		require.NoError(r.t, err)
		if !r.loss() {
			to.Session.Receive(r.now, out)
		}
		for e := range to.Session.Events() {
			switch e.Kind {
			case transport.EventPayload:
				r.got[to] = append(r.got[to], string(e.Payload))
			case transport.EventEnded:
				r.ends = append(r.ends, e.End.String())
			}
		}
	}
	for range from.Session.Events() {
	}
}

func noLoss() bool { return false }

// unwanted reports whether a message is unwanted, or the first fragment of an unwanted payload.
func unwanted(m transport.Message) bool {
	return m.Type == transport.TypeData && (!m.Fragment || m.FragIndex == 0) && strings.HasPrefix(string(m.Body), "X")
}

// fill replaces the body of an unwanted message, and keeps its header.
func fill(m transport.Message) []transport.Message {
	if unwanted(m) {
		m.Body = []byte(filler)
	}
	return []transport.Message{m}
}

// A relay replaces the bodies of some messages, and of the first fragments of some payloads. Both sides receive
// all others in their order, although a fifth of the datagrams is lost on each side of the relay.
func TestRelayReplacesBodies(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 2))
	r := newRelayed(t, func() bool { return random.IntN(5) == 0 }, fill)
	r.run(time.Minute, func() bool { return r.client.PeerID() > 0 && r.host.Flushed() })
	const total = 600 // more than 256 numbers
	sent := map[*harness][]string{}
	for i := range total {
		for _, s := range []*harness{r.client, r.host} {
			payload := fmt.Sprint("payload ", i)
			if random.IntN(3) == 0 {
				payload = "X" + payload
			}
			if i%50 == 0 {
				payload += strings.Repeat("!", 2000) // in fragments
			}
			s.Queue(reliable, payload)
			sent[s] = append(sent[s], payload)
		}
		r.run(200*time.Millisecond, func() bool { return false })
	}
	r.run(5*time.Minute, func() bool { return r.client.Flushed() && r.host.Flushed() })
	require.Empty(t, r.ends)
	for from, to := range map[*harness]*harness{r.client: r.host, r.host: r.client} {
		require.True(t, from.Flushed(), "everything is acknowledged")
		require.Len(t, r.got[to], total)
		for i, payload := range sent[from] {
			if strings.HasPrefix(payload, "X") {
				require.True(t, strings.HasPrefix(r.got[to][i], filler), i)
			} else {
				require.Equal(t, payload, r.got[to][i])
			}
		}
		require.False(t, to.OpenBC())
		require.Zero(t, to.Counters().Drops[transport.DropBadFragment])
	}
}

// Without a message under its number, the messages after it never arrive.
func TestRelayMustNotRemoveNumbers(t *testing.T) {
	for name, edit := range map[string]func(transport.Message) []transport.Message{
		"removed": func(transport.Message) []transport.Message { return nil },
		"DoNothing": func(transport.Message) []transport.Message {
			return []transport.Message{{Type: transport.TypeDoNothing}}
		},
		"unreliable": func(transport.Message) []transport.Message {
			return []transport.Message{transport.NewUnreliable([]byte(filler))}
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRelayed(t, noLoss, func(m transport.Message) []transport.Message {
				if unwanted(m) {
					return edit(m)
				}
				return []transport.Message{m}
			})
			r.run(time.Second, func() bool { return r.client.PeerID() > 0 })
			r.client.Queue(reliable, "a", "X", "b")
			r.run(30*time.Second, r.client.Flushed)
			require.False(t, r.client.Flushed())
			require.NotContains(t, r.got[r.host], "b")
		})
	}
}

// A fragment that is another one in its retransmission ends the session.
func TestRelayMustNotChangeItsMind(t *testing.T) {
	seen := false
	r := newRelayed(t, noLoss, nil)
	r.edit = func(m transport.Message) []transport.Message {
		switch {
		case m.Type == transport.TypeAck && seen: // so that the client sends the fragment again
			return nil
		case unwanted(m) && seen:
			return fill(m)
		case m.Fragment && m.FragIndex == 1:
			return nil
		}
		seen = seen || unwanted(m)
		return []transport.Message{m}
	}
	r.run(time.Second, func() bool { return r.client.PeerID() > 0 })
	r.client.Queue(reliable, "X"+strings.Repeat("!", 500))
	r.run(30*time.Second, func() bool { return len(r.ends) > 0 })
	require.Equal(t, "bad fragment", r.ends[0])
}
