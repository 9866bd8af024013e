package player

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/examples/bot/internal/hosttest"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// answer returns a hook that replies to the first response with messages.
func answer(messages ...opcode.Message) func(*hosttest.Client, opcode.Message) bool {
	return func(c *hosttest.Client, m opcode.Message) bool {
		if m.Opcode() == opcode.OpChecksumResponse {
			c.Send(messages...)
			return true
		}
		return false
	}
}

// A host can refuse a player with several messages. The player ends at once, with the reason.
func TestRefused(t *testing.T) {
	boot := func(r transport.BootReason) func(*hosttest.Client, opcode.Message) bool {
		return func(c *hosttest.Client, _ opcode.Message) bool {
			c.Session.Boot(r)
			return true
		}
	}
	manifest := checksum.Vanilla()
	for name, c := range map[string]struct {
		host hosttest.Options
		want string
	}{
		"wrong password": {
			hosttest.Options{Refuse: transport.BootPassword}, "join: connecting: wrong password",
		},
		"kicked while joining": {
			hosttest.Options{Hook: boot(transport.BootRemoved)}, "join: comparing files: refused by the server: removed by host",
		},
		"file": {
			hosttest.Options{Hook: answer(&opcode.SystemChecksumFailed{Name: stream.Text("scripts/App.pyc")})},
			`join: comparing files: the server has other files: "scripts/App.pyc"`,
		},
		"file, by comparison": {
			hosttest.Options{Files: checksum.Server{Manifest: manifest}},
			`join: comparing files: the server has other files: "scripts/App.pyc"`,
		},
		"OpenBC, full": {
			hosttest.Options{Hook: answer(&opcode.BootPlayer{Reason: opcode.RefusalFull})}, "join: comparing files: the server is full",
		},
		"no such slot": {
			hosttest.Options{Settings: &opcode.Settings{PlayerSlot: 16}},
			"join: comparing files: the server has broken the protocol: slot 16, not 0 to 15",
		},
		"shut down": {
			hosttest.Options{Hook: func(c *hosttest.Client, _ opcode.Message) bool {
				c.Session.Close()
				return true
			}},
			"join: comparing files: the server has disconnected",
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{Ship: akira(), Files: manifest}
			if strings.Contains(name, "comparison") {
				o.Files = &checksum.Manifest{}
			}
			l := newLink(t, o, c.host)
			require.EqualError(t, l.ended(), c.want)
			require.Equal(t, Closed, l.player.State())
			require.Less(t, l.now.Sub(epoch), 10*time.Second)
		})
	}
}

// A rejected player leaves, and reports nothing that arrives later.
func TestRejectedLeaves(t *testing.T) {
	l := newLink(t, Options{}, hosttest.Options{Hook: answer(&opcode.VersionMismatch{}, &opcode.Settings{}, &opcode.GameInit{})})
	l.ended()
	l.passSystem(&transport.NameChange{PeerID: 2, Name: systemText(t, "another")})
	l.send()
	require.Empty(t, l.lines)
	require.True(t, l.host.Last().Ended)
	require.Equal(t, transport.EndLeft, l.host.Last().End)
}

func TestTimeouts(t *testing.T) {
	t.Run("no answer", func(t *testing.T) {
		l := newLink(t, Options{}, hosttest.Options{Silent: true})
		require.EqualError(t, l.ended(), "join: connecting: the server does not answer")
		require.InDelta(t, 45, l.now.Sub(epoch).Seconds(), 1)
		require.InDelta(t, 45, len(l.wire), 1)
	})
	t.Run("stalled", func(t *testing.T) {
		// Keepalives do not prolong the time to join, and unexpected messages have no effect.
		l := newLink(t, Options{}, hosttest.Options{Hook: answer(&opcode.ChecksumRequest{Index: 77}, &opcode.GameInit{})})
		err := l.ended()
		require.EqualError(t, err, "join: comparing files: the server does not answer: "+
			"checksum: ChecksumRequest of round 77: not a round of the game")
		require.InDelta(t, 120, l.now.Sub(epoch).Seconds(), 6)
	})
	t.Run("never loaded", func(t *testing.T) {
		l := newLink(t, Options{}, hosttest.Options{Hook: answer(&opcode.Settings{}, &opcode.ChecksumComplete{})})
		require.EqualError(t, l.ended(), "join: starting: the server does not answer: Settings, but no GameInit")
	})
	t.Run("silent", func(t *testing.T) {
		l := newLink(t, Options{Ship: akira()}, hosttest.Options{})
		l.join()
		l.silence, l.now = true, l.now.Add(time.Millisecond)
		began := l.now
		require.EqualError(t, l.ended(), "join: in the game: the server does not answer")
		require.InDelta(t, 45+5, l.now.Sub(began).Seconds(), 2, "and the Disconnect")
	})
	t.Run("silent while joining", func(t *testing.T) { // as OpenBC is to a client that has other files
		l := newLink(t, Options{}, hosttest.Options{Hook: answer()})
		l.waitUntil("questions", time.Second, func() bool { return l.player.client != nil && l.player.client.State().Stage == join.StageChecking })
		l.silence = true
		require.EqualError(t, l.ended(), "join: comparing files: the server does not answer")
	})
	t.Run("leave without an answer", func(t *testing.T) {
		l := newLink(t, Options{}, hosttest.Options{})
		l.join()
		l.silence = true
		began := l.now
		l.player.Leave()
		require.Equal(t, ErrLeft, l.ended())
		require.InDelta(t, 5, l.now.Sub(began).Seconds(), 0.5)
	})
	t.Run("leave while connecting", func(t *testing.T) {
		l := newLink(t, Options{}, hosttest.Options{Silent: true})
		l.advance(time.Second)
		l.player.Leave()
		l.player.Leave()
		require.Equal(t, ErrLeft, l.ended())
	})
}

func TestKicked(t *testing.T) {
	l := newLink(t, Options{Ship: akira()}, hosttest.Options{})
	l.join().Session.Boot(transport.BootRemoved)
	require.EqualError(t, l.ended(), "join: in the game: refused by the server: removed by host")
	require.ErrorIs(t, l.player.Err(), join.ErrRefused)
	require.ErrorIs(t, l.player.Say("x"), transport.ErrNotOpen)
	require.Zero(t, l.player.NextDeadline())
	l.waitUntil("nothing is left to do", time.Minute, func() bool { return l.client.NextDeadline().IsZero() })
}

// A session ends without the host if fragments stay incomplete.
func TestSessionEnds(t *testing.T) {
	l := newLinkWith(t, transport.Options{SendTimeout: time.Hour}, Options{}, hosttest.Options{})
	l.join()
	fragments, err := transport.AppendFragments(nil, 10, make([]byte, 1000))
	require.NoError(t, err)
	packet := transport.Packet{PeerID: objectid.Host, Messages: fragments[:1]}
	datagram, err := packet.MarshalBinary()
	require.NoError(t, err)
	l.client.Receive(l.now, datagram)
	require.EqualError(t, l.ended(), "join: in the game: the server has broken the protocol: fragments too old")
}

func TestInvalidOptions(t *testing.T) {
	long := strings.Repeat("x", MaxName+1)
	for want, o := range map[string]Options{
		"player: name: 33 characters, at most 32": {Name: long},
		"player: name: ":         {Name: "Łukasz"},
		"player: name: stream: ": {Name: "A\x00nn"},
		"player: chat: ":         {Say: strings.Repeat("x", 250)},
		"player: chat: stream: ": {Say: "☃"},
	} {
		require.ErrorContains(t, o.Validate(), want)
	}
	require.NoError(t, (&Options{Name: "Zoë", Say: "très bien"}).Validate())
}

// A name that a NameChange cannot have ends the player.
func TestNameWithNUL(t *testing.T) {
	l := newLink(t, Options{Name: "A\x00nn"}, hosttest.Options{})
	require.ErrorContains(t, l.ended(), "cannot be encoded")
}
