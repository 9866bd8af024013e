package game

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
)

// gone checks that the others hear of the end of Ann, with her ship.
func gone(t *testing.T, w *world, ann, bob, cat *guest, first string) {
	for _, g := range []*guest{bob, cat} {
		lines := g.Lines[len(g.Lines)-4:]
		require.Equal(t, []string{first, "DestroyObject", "DeletePlayerUI", "DeletePlayerAnim"}, lines)
		require.Equal(t, ann.Object(0), last[*opcode.DestroyObject](g).ObjectID)
		player, left := last[*opcode.DeletePlayerUI](g).Left()
		require.True(t, left)
		require.EqualValues(t, 2, player)
		require.Equal(t, "Ann", last[*opcode.DeletePlayerAnim](g).Name.String())
	}
	require.Equal(t, 2, w.match.Hub().Len())
	require.Nil(t, w.seat(0))
	m := w.match
	m.updates.AddReceiver(bob.PeerID()).All = true
	other := stateupdate.NewShip(ann.Object(7), stateupdate.Stock().Named("akira"))
	other.PeerID = ann.PeerID()
	require.NoError(t, m.updates.AddShip(other)) // that she would get updates of
	updates, err := m.updates.Advance(m.GameTime() + 2*time.Second)
	require.NoError(t, err)
	for _, u := range updates {
		update, err := opcode.Decode(u.Payload)
		require.NoError(t, err)
		require.NotEqual(t, ann.PeerID(), u.Receiver)
		require.NotEqual(t, ann.Object(0), update.(*opcode.StateUpdate).ObjectID)
	}
}

func TestLeaving(t *testing.T) {
	w, ann, bob, cat := three(t, options{})
	ann.Close()
	w.Run(2 * time.Second)
	require.True(t, ann.Flushed())
	gone(t, w, ann, bob, cat, "Disconnect 2")
}

func TestTimeout(t *testing.T) {
	w, ann, bob, cat := three(t, options{})
	w.Remove(ann)
	w.Run(44 * time.Second)
	require.Equal(t, 3, w.match.Hub().Len())
	w.Run(3 * time.Second)
	gone(t, w, ann, bob, cat, "Boot 2 timed out")
}

func TestKick(t *testing.T) {
	w, ann, bob, cat := three(t, options{})
	w.match.Command("kick Nobody")
	w.match.Command("kick Ann")
	w.Run(2 * time.Second)
	require.Equal(t, &transport.Boot{Reason: transport.BootRemoved, PeerID: 2}, ann.Ended.Body)
	gone(t, w, ann, bob, cat, "Boot 2 removed by host")
}

// Who comes back has the score that it left with, and another peer ID.
func TestComingBack(t *testing.T) {
	w, ann, bob, _ := three(t, options{})
	ann.Say(&opcode.HostMessage{})
	w.Run(time.Second)
	ann.Close()
	w.Run(time.Second)
	again := w.Join("Ann")
	require.EqualValues(t, 3, again.Slot, "the slot of its peer ID")
	require.EqualValues(t, 5, again.PeerID())
	require.EqualValues(t, 1, w.seat(3).Deaths)
	w.Run(time.Second)
	player, joined := last[*opcode.DeletePlayerUI](bob).Joined()
	require.True(t, joined)
	require.EqualValues(t, 5, player)
	require.Empty(t, w.match.finished)
}

// Names are distinct and printable.
func TestNames(t *testing.T) {
	w := newWorld(t, options{}, nil)
	w.Join("Ann")
	w.Join("Ann")
	w.Join("\x1b[31m")
	w.Join("\x07")
	var names []string
	for _, p := range w.match.Members() {
		names = append(names, p.Name)
	}
	require.Equal(t, []string{"Ann", "Ann (2)", "[31m", "Player"}, names)
}

// At the end the server disconnects all players.
func TestCloseDisconnects(t *testing.T) {
	w, ann, bob, _ := three(t, options{})
	require.True(t, w.match.Command("quit"))
	w.match.Hub().Close()
	w.Run(2 * time.Second)
	require.True(t, w.match.Hub().Flushed())
	for _, g := range []*guest{ann, bob} {
		require.Equal(t, &transport.Disconnect{PeerID: objectid.Host}, g.Ended.Body)
	}
	require.Zero(t, w.match.Hub().Len())
}

// A name cannot protect its player, or have another one kicked.
func TestKickIsUnambiguous(t *testing.T) {
	for command, kicked := range map[string]string{
		"kick #2":               "Ann",   // whose peer ID it is, though Bob is called so
		"kick #3":               "#2",    // by the peer ID of Bob
		`kick "#2"`:             "#2",    // by the name of Bob
		`kick   "\u0023\u0032"`: "#2",    // the same
		"kick #5":               `"Ann"`, // by the peer ID of Dan
		`kick "Ann"`:            "Ann",   // without quotes, which are Dan's
		`kick "\"Ann\""`:        `"Ann"`, // by the name of Dan
		"kick Ann":              "Ann",
		"kick Cat":              "Cat",
		"kick 'a'":              "'a'",
		`kick "a`:               `"a`,
		"kick #":                "",
		"kick #02":              "",
		`kick "#3"`:             "",
		"kick a":                "",
	} {
		w := newWorld(t, options{}, nil)
		var guests []*guest
		for i, name := range []string{"Ann", "#2", "Cat", `"Ann"`, "'a'", `"a`} {
			g := w.Join(name)
			require.EqualValues(t, i+2, g.PeerID())
			guests = append(guests, g)
		}
		require.False(t, w.match.Command(command))
		w.Run(time.Second)
		for _, g := range guests {
			require.Equal(t, g.Name == kicked, g.Ended != nil, "%s: %s", command, g.Name)
		}
	}
}
