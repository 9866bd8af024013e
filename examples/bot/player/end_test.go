package player

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/examples/bot/internal/hosttest"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
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
	refuse := func(r opcode.RefusalReason) hosttest.Options {
		return hosttest.Options{Hook: answer(&opcode.BootPlayer{Reason: r})}
	}
	manifest := checksum.Vanilla()
	for name, c := range map[string]struct {
		host hosttest.Options
		want string
	}{
		"wrong password": {
			hosttest.Options{Refuse: transport.BootPassword}, "booted: connecting",
		},
		"full": {
			hosttest.Options{Refuse: transport.BootTooManyPlayers}, "booted: connecting",
		},
		"kicked while joining": {
			hosttest.Options{Hook: boot(transport.BootRemoved)}, "booted: answering checksums",
		},
		"wrong password after the reply": {
			hosttest.Options{Hook: boot(transport.BootPassword)}, "booted: answering checksums",
		},
		"version": {
			hosttest.Options{Hook: answer(&opcode.VersionMismatch{Name: stream.Text("61")})},
			`refused: the host has a different version of the game: "61"`,
		},
		"file": {
			hosttest.Options{Hook: answer(&opcode.SystemChecksumFailed{Name: stream.Text("scripts/App.pyc")})},
			`refused: the host has a different file: "scripts/App.pyc"`,
		},
		"file, by comparison": {
			hosttest.Options{Files: checksum.Server{Manifest: manifest}},
			`refused: the host has a different file: "scripts/App.pyc"`,
		},
		"OpenBC, version":  {refuse(1), "refused by the server (other version)"},
		"OpenBC, full":     {refuse(2), "refused by the server (too many players)"},
		"OpenBC, banned":   {refuse(3), "refused by the server (banned)"},
		"OpenBC, file":     {refuse(4), "refused by the server (other files)"},
		"OpenBC, anything": {refuse(0), "refused by the server (no reason given)"},
		"no such slot": {
			hosttest.Options{Settings: &opcode.Settings{PlayerSlot: 16}},
			"objectid: no such slot: the host has assigned slot 16, must be 0 to 15: answering checksums",
		},
		"shut down": {
			hosttest.Options{Hook: func(c *hosttest.Client, _ opcode.Message) bool {
				c.Session.Close()
				return true
			}},
			"left: answering checksums",
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

// The error of an end wraps its cause.
func TestEndErrors(t *testing.T) {
	l := newLink(t, Options{}, hosttest.Options{Settings: &opcode.Settings{PlayerSlot: 16}})
	require.ErrorIs(t, l.ended(), objectid.ErrSlot)
	l = newLink(t, Options{}, hosttest.Options{Hook: answer(&opcode.BootPlayer{})})
	require.ErrorIs(t, l.ended(), udp.ErrRefused)
}

// A rejected player leaves, and reports nothing that arrives later.
func TestRejectedLeaves(t *testing.T) {
	l := newLink(t, Options{}, hosttest.Options{Hook: answer(&opcode.VersionMismatch{}, &opcode.Settings{}, &opcode.GameInit{})})
	l.ended()
	l.player.systemMessage(&transport.NameChange{PeerID: 2, Name: systemText(t, "another")})
	l.send()
	require.Equal(t, []string{"accepted as player 2"}, l.lines)
	require.True(t, l.host.Last().Ended)
	require.Equal(t, transport.EndLeft, l.host.Last().End)
}

func TestTimeouts(t *testing.T) {
	t.Run("no answer", func(t *testing.T) {
		l := newLink(t, Options{}, hosttest.Options{Silent: true})
		require.EqualError(t, l.ended(), "handshake not completed: connecting")
		require.InDelta(t, 45, l.now.Sub(epoch).Seconds(), 1)
		require.InDelta(t, 45, len(l.wire), 1)
	})
	t.Run("stalled", func(t *testing.T) {
		// Keepalives do not prolong the time to join, and unexpected messages have no effect.
		l := newLink(t, Options{}, hosttest.Options{Hook: answer(&opcode.ChecksumRequest{Index: 77}, &opcode.GameInit{})})
		err := l.ended()
		require.EqualError(t, err, "the host has not let the player join in time: "+
			"checksum: ChecksumRequest of round 77: not a round of the game: answering checksums")
		require.ErrorIs(t, err, checksum.ErrUnexpected)
		require.InDelta(t, 120, l.now.Sub(epoch).Seconds(), 6)
	})
	t.Run("never loaded", func(t *testing.T) {
		l := newLink(t, Options{}, hosttest.Options{Hook: answer(&opcode.Settings{}, &opcode.ChecksumComplete{})})
		require.EqualError(t, l.ended(), "the host has not let the player join in time: loading")
	})
	t.Run("silent", func(t *testing.T) {
		l := newLink(t, Options{Ship: akira()}, hosttest.Options{})
		l.join()
		l.silence, l.now = true, l.now.Add(time.Millisecond)
		began := l.now
		require.EqualError(t, l.ended(), "timed out")
		require.InDelta(t, 45+5, l.now.Sub(began).Seconds(), 2, "and the Disconnect")
	})
	t.Run("silent while joining", func(t *testing.T) { // as OpenBC is to a client that has other files
		l := newLink(t, Options{}, hosttest.Options{Hook: answer()})
		l.waitUntil("questions", time.Second, func() bool { return l.player.State() == Checksums })
		l.silence = true
		require.EqualError(t, l.ended(), "timed out: answering checksums")
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
		require.EqualError(t, l.ended(), "left before joining: connecting")
		require.NotErrorIs(t, l.player.Err(), ErrLeft)
	})
}

func TestKicked(t *testing.T) {
	l := newLink(t, Options{Ship: akira()}, hosttest.Options{})
	l.join().Session.Boot(transport.BootRemoved)
	require.Equal(t, &udp.EndError{
		Reason: transport.EndBooted, Body: &transport.Boot{Reason: transport.BootRemoved, PeerID: 2},
	}, l.ended())
	require.ErrorIs(t, l.player.Say("x"), ErrNotConnected)
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
	require.EqualError(t, l.ended(), "fragments too old")
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
