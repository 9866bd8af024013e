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
)

// answer is a hook that answers the first response with messages.
func answer(messages ...opcode.Message) func(*hosttest.Client, opcode.Message) bool {
	return func(c *hosttest.Client, m opcode.Message) bool {
		if m.Opcode() == opcode.OpChecksumResponse {
			c.Send(messages...)
			return true
		}
		return false
	}
}

// Everything that a host can do to a player who wants to join.
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
		want End
		text string
	}{
		"wrong password": {
			hosttest.Options{Refuse: transport.BootPassword},
			End{Reason: Refused, Boot: transport.BootPassword},
			"refused: wrong password",
		},
		"full": {
			hosttest.Options{Refuse: transport.BootTooManyPlayers},
			End{Reason: Refused, Boot: transport.BootTooManyPlayers},
			"refused: too many players",
		},
		"kicked while joining": {
			hosttest.Options{Hook: boot(transport.BootRemoved)},
			End{Reason: Refused, State: Checksums, Boot: transport.BootRemoved},
			"refused: removed by host",
		},
		"wrong password after the reply": {
			hosttest.Options{Hook: boot(transport.BootPassword)},
			End{Reason: Refused, State: Checksums, Boot: transport.BootPassword},
			"refused: wrong password",
		},
		"version": {
			hosttest.Options{Hook: answer(&opcode.VersionMismatch{Name: stream.Text("61")})},
			End{Reason: WrongVersion, State: Checksums, Name: "61"},
			`refused: the host has another version of the game: "61"`,
		},
		"file": {
			hosttest.Options{Hook: answer(&opcode.SystemChecksumFailed{Name: stream.Text("scripts/App.pyc")})},
			End{Reason: WrongFile, State: Checksums, Name: "scripts/App.pyc"},
			`refused: the host has another file: "scripts/App.pyc"`,
		},
		"file, by comparison": {
			hosttest.Options{Files: checksum.Server{Manifest: manifest}},
			End{Reason: WrongFile, State: Checksums, Name: "scripts/App.pyc"},
			`refused: the host has another file: "scripts/App.pyc"`,
		},
		"OpenBC, version": {
			hosttest.Options{Hook: answer(&opcode.BootPlayer{Reason: 1})},
			End{Reason: WrongVersion, State: Checksums},
			"refused: the host has another version of the game",
		},
		"OpenBC, full": {
			hosttest.Options{Hook: answer(&opcode.BootPlayer{Reason: 2})},
			End{Reason: Refused, State: Checksums, Boot: transport.BootTooManyPlayers},
			"refused: too many players",
		},
		"OpenBC, banned": {
			hosttest.Options{Hook: answer(&opcode.BootPlayer{Reason: 3})},
			End{Reason: Refused, State: Checksums, Boot: transport.BootBanned},
			"refused: banned",
		},
		"OpenBC, file": {
			hosttest.Options{Hook: answer(&opcode.BootPlayer{Reason: 4})},
			End{Reason: WrongFile, State: Checksums},
			"refused: the host has another file",
		},
		"OpenBC, anything": {
			hosttest.Options{Hook: answer(&opcode.BootPlayer{Reason: 0})},
			End{Reason: Refused, State: Checksums},
			"refused: unspecified",
		},
		"no such slot": {
			hosttest.Options{Settings: &opcode.Settings{PlayerSlot: 16}},
			End{Reason: Broken, State: Checksums},
			"cannot go on: slot 16: objectid: no such slot",
		},
		"shut down": {
			hosttest.Options{Hook: func(c *hosttest.Client, _ opcode.Message) bool {
				c.Session.Close()
				return true
			}},
			End{Reason: HostLeft, State: Checksums},
			"the host has shut down",
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{Ship: akira(), Files: manifest}
			if strings.Contains(name, "comparison") {
				o.Files = &checksum.Manifest{}
			}
			l := newLink(t, o, c.host)
			end := *l.ended()
			require.Equal(t, c.text, end.Error())
			if end.Reason == Broken {
				require.ErrorIs(t, &end, objectid.ErrSlot)
				end.Err = nil
			}
			require.Equal(t, c.want, end)
			require.Equal(t, Closed, l.player.State())
			require.Len(t, take[Ended](l), 1)
			require.Less(t, l.now.Sub(epoch), 10*time.Second)
		})
	}
}

// A client that goes after a rejection says so, and what comes after it is no news.
func TestRejectedLeaves(t *testing.T) {
	l := newLink(t, Options{}, hosttest.Options{Hook: answer(&opcode.VersionMismatch{}, &opcode.Settings{}, &opcode.GameInit{})})
	l.ended()
	l.player.systemMessage(transport.NameChange{PeerID: 2, Name: systemText(t, "another")})
	l.send()
	require.IsType(t, Ended{}, l.events[len(l.events)-1])
	require.True(t, l.host.Last().Ended)
	require.Equal(t, transport.EndLeft, l.host.Last().End)
}

func TestTimeouts(t *testing.T) {
	t.Run("no answer", func(t *testing.T) {
		l := newLink(t, Options{}, hosttest.Options{Deaf: true})
		require.Equal(t, End{Reason: NoAnswer}, *l.ended())
		require.Equal(t, "no answer", l.player.End().Error())
		require.InDelta(t, 45, l.now.Sub(epoch).Seconds(), 1)
		require.InDelta(t, 45, len(l.wire), 1)
	})
	t.Run("stalled", func(t *testing.T) {
		// Keepalives do not prolong it, and what does not belong here does not help.
		l := newLink(t, Options{}, hosttest.Options{Hook: answer(&opcode.ChecksumRequest{Index: 77}, &opcode.GameInit{})})
		end := *l.ended()
		require.Equal(t, Stalled, end.Reason)
		require.Equal(t, "joining takes too long: answering checksums: "+
			"checksum: ChecksumRequest of round 77: not a round of the game", end.Error())
		require.ErrorIs(t, &end, checksum.ErrForged)
		require.InDelta(t, 120, l.now.Sub(epoch).Seconds(), 6)
	})
	t.Run("never loaded", func(t *testing.T) {
		l := newLink(t, Options{}, hosttest.Options{Hook: answer(&opcode.Settings{}, &opcode.ChecksumComplete{})})
		require.Equal(t, "joining takes too long: loading", l.ended().Error())
	})
	t.Run("silent", func(t *testing.T) {
		l := newLink(t, Options{Ship: akira()}, hosttest.Options{})
		l.join()
		l.silence, l.now = true, l.now.Add(time.Millisecond)
		began := l.now
		require.Equal(t, End{Reason: Silent, State: InGame}, *l.ended())
		require.Equal(t, "the host is silent", l.player.End().Error())
		require.InDelta(t, 45+5, l.now.Sub(began).Seconds(), 2, "and the Disconnect")
	})
	t.Run("silent while joining", func(t *testing.T) { // as OpenBC is to who has other files
		l := newLink(t, Options{}, hosttest.Options{Hook: answer()})
		l.until("questions", time.Second, func() bool { return l.player.State() == Checksums })
		l.silence = true
		require.Equal(t, "the host is silent: answering checksums", l.ended().Error())
	})
	t.Run("leave without an answer", func(t *testing.T) {
		l := newLink(t, Options{}, hosttest.Options{})
		l.join()
		l.silence = true
		began := l.now
		l.player.Leave(l.now)
		require.Equal(t, Left, l.ended().Reason)
		require.InDelta(t, 5, l.now.Sub(began).Seconds(), 0.5)
	})
	t.Run("leave while connecting", func(t *testing.T) {
		l := newLink(t, Options{}, hosttest.Options{Deaf: true})
		l.pass(time.Second)
		l.player.Leave(l.now)
		l.player.Leave(l.now)
		require.Equal(t, End{Reason: Left, State: Connecting}, *l.ended())
	})
}

func TestDismissed(t *testing.T) {
	l := newLink(t, Options{Ship: akira()}, hosttest.Options{})
	l.join().Session.Boot(transport.BootRemoved)
	require.Equal(t, End{Reason: Dismissed, State: InGame, Boot: transport.BootRemoved}, *l.ended())
	require.Equal(t, "dismissed: removed by host", l.player.End().Error())
	require.ErrorIs(t, l.player.Say("x"), ErrNotJoined)
	l.until("nothing is left to do", time.Minute, func() bool { return l.player.NextDeadline().IsZero() })
}

// The session can fail for reasons of its own.
func TestBroken(t *testing.T) {
	l := newLink(t, Options{Transport: transport.Options{MaxPartialAge: time.Second}}, hosttest.Options{})
	l.join()
	piece, err := transport.AppendFragments(nil, 10, make([]byte, 1000))
	require.NoError(t, err)
	packet := transport.Packet{PeerID: objectid.Host, Messages: piece[:1]}
	datagram, err := packet.MarshalBinary()
	require.NoError(t, err)
	l.player.Receive(l.now, datagram)
	require.Equal(t, "cannot go on: fragments too old", l.ended().Error())
}

func TestInvalidOptions(t *testing.T) {
	long := strings.Repeat("x", MaxName+1)
	for want, o := range map[string]Options{
		"player: name: too long":     {Name: long},
		"player: password: too long": {Password: long},
		"player: name: ":             {Name: "Łukasz"},
		"player: name: stream: ":     {Name: "A\x00nn"},
		"player: password: str":      {Password: "se\x00cret"},
		"player: chat: ":             {Say: strings.Repeat("x", 250)},
		"player: chat: stream: ":     {Say: "☃"},
	} {
		require.ErrorContains(t, o.Validate(), want)
		p := New(epoch, o)
		require.Equal(t, Closed, p.State())
		require.ErrorContains(t, p.End(), want)
		require.Empty(t, p.AppendDatagram(nil, epoch))
		require.True(t, p.Done())
	}
	require.NoError(t, (&Options{Name: "Zoë", Say: "très bien"}).Validate())
}
