package player

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/examples/bot/internal/hosttest"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// name introduces a player, or renames it.
func name(t testing.TB, c *hosttest.Client, id objectid.PeerID, name string) {
	require.NoError(t, c.Session.SendSystem(&transport.NameChange{PeerID: id, Name: systemText(t, name)}))
}

// A player reports once that another has joined, is renamed or has left, however often the host
// sends it.
func TestPeers(t *testing.T) {
	l := newLink(t, Options{Name: "Ann"}, hosttest.Options{})
	c := l.join()
	l.reports("")
	name(t, c, 1, "Host")
	name(t, c, 4, "")
	l.hostSends()
	require.Empty(t, l.lines, "they are no players")
	name(t, c, 3, "Ben")

	noPeer := opcode.NewPlayerJoined(3)
	noPeer.PlayerID = -56
	l.hostSends(opcode.NewPlayerJoined(3), opcode.NewPlayerJoined(3), otherShip(t, 3, 1), noPeer)
	require.Equal(t, []string{"Ben is in the game"}, l.reports("in the game"))
	require.Equal(t, map[objectid.PeerID]string{3: "Ben"}, l.player.Peers())

	name(t, c, 3, "Benjamin")
	name(t, c, 3, "Benjamin")
	name(t, c, 2, "Ann (2)")
	l.hostSends()
	require.Equal(t, []string{"Ben is now Benjamin", "Ann is now Ann (2)"}, l.reports(""))

	require.NoError(t, c.Session.SendSystem(&transport.Disconnect{PeerID: 3}))
	require.NoError(t, c.Session.SendSystem(&transport.Boot{PeerID: 5}))
	l.hostSends(&opcode.DestroyObject{ObjectID: 0x4003FFFF}, opcode.NewPlayerLeft(3), opcode.NewPlayerLeft(2),
		&opcode.DeletePlayerAnim{Name: stream.Text("Benjamin")})
	require.Equal(t, []string{"Benjamin loses 0x4003ffff", "Benjamin leaves"}, l.reports(""))
	require.Empty(t, l.player.Peers())

	// The name in a ship counts if there was no NameChange.
	l.hostSends(otherShip(t, 6, 4))
	require.Equal(t, map[objectid.PeerID]string{6: "Ben"}, l.player.Peers())
	require.NoError(t, c.Session.SendSystem(&transport.Boot{Reason: transport.BootTimeout, PeerID: 6}))
	l.hostSends()
	require.Empty(t, l.player.Peers())
}

// OpenBC writes slots into each NameChange of its own form, which has another flag.
func TestNamesBySlot(t *testing.T) {
	l := newLink(t, Options{}, hosttest.Options{OpenBC: true})
	l.join()
	for range 5 {
		l.client.Receive(l.now, []byte("\x01\x02"+
			"\x00\x12\x80\x00\x00\x00\x7F\x00\x00\x01A\x00n\x00n\x00\x00\x00"+
			"\x00\x12\x80\x00\x00\x01\x7F\x00\x00\x01B\x00e\x00n\x00\x00\x00"))
	}
	l.hostSends(opcode.NewPlayerJoined(3))
	require.Equal(t, []string{"Bot is now Ann"}, l.reports(" is now "))
	require.Equal(t, map[objectid.PeerID]string{3: "Ben"}, l.player.Peers())
}

// A ship has the name that the host has given its player, in Windows-1252.
func TestNameInShip(t *testing.T) {
	for given, want := range map[string]string{"Ann (2)": "Ann (2)", "☃": "?"} {
		l := newLink(t, Options{Name: "Ann", Ship: akira()}, hosttest.Options{Hook: func(c *hosttest.Client, m opcode.Message) bool {
			if m.Opcode() == opcode.OpNewPlayerInGame {
				name(t, c, 2, given)
			}
			return false
		}})
		l.join()
		require.Equal(t, want, l.player.Ship().PlayerName)
	}
}

// The tracked state of another ship follows the updates of the host.
func TestTrackedShip(t *testing.T) {
	l := newLink(t, Options{Ship: akira()}, hosttest.Options{})
	c := l.join()
	create := otherShip(t, 3, 1)
	c.Send(create)
	theirs := stateupdate.NewShip(create.ObjectID, stateupdate.Stock().Named("galaxy"))
	theirs.Position = create.Position
	encoder := stateupdate.Encoder{Receiver: objectid.NoPeer}
	theirs.FirstOf(stateupdate.KindHull).Condition = 77
	for i := range 50 {
		theirs.Position[1] += 0.5
		theirs.SetHeading(float32(i), 50, 10)
		payload, err := encoder.Append(nil, time.Duration(i)*100*time.Millisecond, theirs)
		require.NoError(t, err)
		require.NoError(t, c.Session.Send(payload, transport.Unreliable))
		l.advance(100 * time.Millisecond)
	}
	l.advance(100 * time.Millisecond)
	n := 0
	for owner, ship := range l.player.Ships() {
		n++
		require.Equal(t, objectid.PeerID(3), owner)
		require.Equal(t, stateupdate.Level(77), ship.FirstOf(stateupdate.KindHull).Condition)
		require.Equal(t, theirs.Forward, ship.Forward)
		for i := range ship.Position {
			require.InDelta(t, theirs.Position[i], ship.Position[i], 0.2)
		}
		break
	}
	require.Equal(t, 1, n)
	require.Zero(t, l.player.Counters().Inapplicable)
}

// Another ship of a player replaces the one before. The host can have any number of ships.
func TestReplaced(t *testing.T) {
	l := newLink(t, Options{}, hosttest.Options{})
	l.join()
	first, second := otherShip(t, 3, 1), otherShip(t, 3, 1)
	second.ObjectID += 40
	station := otherShip(t, -1, 1)
	station.ObjectID, station.Species, station.SubsystemsRaw = 0x22, opcode.SpeciesFedStarbase, nil
	asteroid := &opcode.ObjectCreate{Object: station.Object}
	asteroid.ObjectID++
	l.reports("")
	l.hostSends(first, first, second, station, asteroid)
	var ids []objectid.ID
	for _, s := range l.player.Ships() {
		ids = append(ids, s.ID)
	}
	require.Equal(t, []objectid.ID{0x22, 0x23, second.ObjectID}, ids)
	require.Equal(t, []string{
		"Ben is in the game",
		"Ben has Galaxy 0x4003ffff",
		"Ben loses 0x4003ffff",
		"Ben has Galaxy 0x40040027",
		"the host has FedStarbase 0x00000022",
		"the host has FedStarbase 0x00000023",
	}, l.reports(""))
	require.EqualValues(t, 3, l.player.Counters().Inapplicable, "subsystems of stations, and a ship that is there")
}

// A player requests an unknown ship after a delay, and at most three times.
func TestRequests(t *testing.T) {
	l := newLink(t, Options{}, hosttest.Options{})
	c := l.join()
	create := otherShip(t, 3, 1)
	update := &opcode.StateUpdate{ObjectID: create.ObjectID, GameTime: 1, Flags: opcode.StateSpeed}
	c.Send(update)
	l.hostSends(&opcode.ObjectNotFound{ObjectID: 0x40080000})
	_, n := last[*opcode.RequestObject](c)
	require.Zero(t, n)
	for range 40 {
		update.GameTime++
		c.Send(update)
		l.advance(time.Second)
	}
	_, n = last[*opcode.RequestObject](c)
	require.Equal(t, 2*3, n)

	l.hostSends(create)
	l.hostSends(exploding(t, create.ObjectID, 0))
	update.GameTime++
	l.hostSends(update) // was in flight
	l.advance(10 * time.Second)
	_, n = last[*opcode.RequestObject](c)
	require.Equal(t, 2*3, n)
	for range l.player.Ships() {
		require.Fail(t, "a ship is left")
	}

	// The ship of the next player in the slot may have the same ID.
	update.GameTime, update.Speed = 1, compress.EncodeFloat16(7)
	l.hostSends(create)
	l.hostSends(update)
	for _, ship := range l.player.Ships() {
		require.Equal(t, update.Speed, ship.Speed)
	}
}

// The weapons fire in turn at the nearest ship, with IDs in the range of the player's ship.
func TestFire(t *testing.T) {
	for class, want := range map[string][]opcode.Code{
		"akira":         {opcode.OpStartFiring, opcode.OpStopFiring, opcode.OpTorpedoFire, opcode.OpPythonEvent2},
		"birdofprey":    {opcode.OpBeamFire, opcode.OpTorpedoFire},
		"warbird":       {opcode.OpBeamFire, opcode.OpTorpedoFire},
		"galor":         {opcode.OpStartFiring, opcode.OpTorpedoFire},
		"cardfreighter": nil,
	} {
		t.Run(class, func(t *testing.T) {
			l := newLink(t, Options{Ship: stateupdate.Stock().Named(class), Fire: true}, hosttest.Options{})
			c := l.join()
			near, far := otherShip(t, 3, 1), otherShip(t, 4, 2)
			far.Position = [3]float32{5000, 0, 0}
			rock := &opcode.ObjectCreate{Object: near.Object}
			rock.ObjectID = 0x22
			rock.Position = l.player.Ship().Position
			l.advance(5 * time.Second)
			require.Len(t, c.Got, 7, "there is no other ship")
			l.hostSends(near, far, rock)
			l.advance(40 * time.Second)
			seen := map[opcode.Code]int{}
			for _, m := range c.Got {
				seen[m.Opcode()]++
				if shot, fires := m.(opcode.Shot); fires {
					gun, target, ok := shot.Fired()
					require.True(t, ok)
					slot, ok := gun.Slot()
					require.True(t, ok)
					require.Zero(t, slot)
					require.Greater(t, gun, l.player.Ship().ID)
					require.Less(t, int(gun-l.player.Ship().ID), l.player.Ship().Class.Objects())
					require.Equal(t, near.ObjectID, target)
				}
				if torpedo, ok := m.(*opcode.TorpedoFire); ok {
					require.NotEqual(t, compress.Vector3{}, torpedo.Direction)
				}
				require.NoError(t, opcode.Validate(m))
			}
			for _, code := range want {
				require.Positive(t, seen[code], code)
			}
			if seen[opcode.OpStartFiring] > 0 {
				require.InDelta(t, seen[opcode.OpStartFiring], seen[opcode.OpStopFiring], 1)
			}
			require.LessOrEqual(t, len(c.Got), 40)
		})
	}
}
