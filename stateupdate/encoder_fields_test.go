package stateupdate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/testdata"
)

// A captured stock server has sent these five blocks of a Sovereign to its owner.
func TestEncoderRound(t *testing.T) {
	s := newSender(t, toOwner, stateupdate.Stock().Named("sovereign"))
	s.ship.Position[0], s.ship.Speed, s.ship.Cloaked = 50, 77, true // not sent to the owner
	ff := func(n int) string { return strings.Repeat("ff", n) }
	for i, block := range []string{
		"00 ff ff 20" + ff(6), "02 ff 60" + ff(13), "06 ff 40" + ff(9), "08" + ff(5) + "40" + ff(3), "0a ff ff ff 20" + ff(6),
	} {
		require.Equal(t, wire("20"+block), s.sent(float32(i)))
	}
	s.ship.Subsystems[2].Condition, s.ship.Subsystems[4].Parts[1], s.ship.Subsystems[3].BackupBattery = 1, 2, 3
	require.Equal(t, wire("20 02 01 60 ffff03 ffff02"+ff(7)), s.sent(6))
}

// Players other than the owner get the power in percent, truncated.
func TestEncoderPower(t *testing.T) {
	s := newSender(t, toOther, stateupdate.Stock().Named("cardfreighter"))
	s.ship.Subsystems[1].Power = stateupdate.PowerPercent(125) + 50
	s.ship.Subsystems[2].Power = 0
	require.Equal(t, wire("20 00 ff ffffff 43 7d ffff 00"), s.sent(0.1))
	s.e = toOwner.encoder()
	require.Equal(t, wire("20 00 ff ffffff 80 ffff ff ffff"), s.sent(0.1))
}

// The largest power has the largest byte.
func TestEncoderLargestPower(t *testing.T) {
	s := newSender(t, toOther, stateupdate.Stock().Named("cardfreighter"))
	s.ship.Subsystems[1].Power = stateupdate.PowerPercent(255) + stateupdate.PowerPercent(1) - 1
	s.ship.Subsystems[2].Power = 0
	require.Equal(t, wire("20 00 ff ffffff 43 ff ffff 00"), s.sent(0.1))
}

// The encoder produces the golden vectors that are first updates of a ship.
func TestEncoderVectors(t *testing.T) {
	first := map[string]struct {
		role  role
		class string
	}{
		"state-update-9d-akira-client":        {fromOwner, "akira"},
		"state-update-dd-vorcha-client":       {fromOwner, "vorcha"},
		"state-update-7d-vorcha-remote":       {toOther, "vorcha"},
		"state-update-20-akira-remote-start0": {toOther, "akira"},
	}
	for _, v := range testdata.Load[payload](t, "payloads.json") {
		update, ok := first[v.Name]
		if !ok {
			continue
		}
		delete(first, v.Name)
		var m opcode.StateUpdate
		require.NoError(t, opcode.Unmarshal(v.Hex, &m))
		ship := newShip(m.ObjectID, stateupdate.Stock().Named(update.class))
		e := update.role.encoder()
		if m.Flags == opcode.StateSubsystems {
			e.SendMotion(ship, m.GameTime)
		} else {
			ship.Position, ship.Forward, ship.Up, ship.Speed, ship.Cloaked = m.Position, m.Forward, m.Up, m.Speed, m.Cloak
		}
		got, err := e.Append(nil, seconds(m.GameTime), ship)
		require.NoError(t, err)
		m.HasHash, m.Hash = false, 0 // an encoder sends no hash
		want, err := opcode.Marshal(&m)
		require.NoError(t, err)
		require.Equal(t, want, got, v.Name)
	}
	require.Empty(t, first)
}

// The owner sends at most three power settings in an update. Each setting is sent once, and
// again when it changes.
func TestEncoderSettings(t *testing.T) {
	s := newSender(t, fromOwner, stateupdate.Stock().Named("akira"))
	require.Equal(t, wire("80 01cc 02cc 04cc"), s.sent(0.1))
	require.Equal(t, wire("80 05cc 06cc 07cc"), s.sent(0.2))
	require.Equal(t, wire("80 08cc 09cc"), s.sent(0.3))
	require.Equal(t, "80", s.sent(0.4), "no settings, but the flag")
	s.ship.Subsystems[5].Power = stateupdate.PowerPercent(125)
	s.ship.Subsystems[0].Power = 1 // a hull has no power
	s.ship.Subsystems[3].Power = 1
	require.Equal(t, wire("80 05ff"), s.sent(0.5))
	for _, i := range []int{1, 2, 4, 6} {
		s.ship.Subsystems[i].Power = 0
	}
	require.Equal(t, wire("80 0100 0200 0400"), s.sent(0.6), "after a full round")
	require.Equal(t, wire("80 0600"), s.sent(0.7))
	s.ship.Subsystems[4].Power += 24
	require.Equal(t, "80", s.sent(0.8), "the code has not changed")

	s = newSender(t, fromOwner, stateupdate.Stock().Named("cardfreighter"))
	for i := range s.ship.Subsystems {
		s.ship.Subsystems[i].Power = 0
	}
	require.Equal(t, wire("80 0100 0200 0300"), s.sent(0), "a power of 0 is also sent first")
}

func TestEncoderRefresh(t *testing.T) {
	for _, v := range []struct {
		refresh    time.Duration
		early, due float32
	}{{5 * time.Second, 4.9, 5}, {2 * time.Second, 1.9, 2}, {0, 1e5, 1e7}, {-1, 1e5, 1e7}} {
		s := newSender(t, fromOwner, stateupdate.Stock().Named("akira"))
		s.e.SetRefresh(v.refresh)
		settings := func(now float32) string {
			s.e.SendMotion(s.ship, now)
			return s.sent(now)
		}
		for range 3 {
			settings(1)
		}
		require.Equal(t, "80", settings(1+v.early))
		if v.refresh <= 0 {
			require.Equal(t, "80", settings(1+v.due))
			s.ship.Subsystems[1].Power = 0
			require.Equal(t, wire("80 0100"), settings(1+v.due))
			require.Equal(t, "80", settings(1), "the clock was set back")
			continue
		}
		require.Equal(t, wire("80 08cc 09cc 01cc"), settings(1+v.due))
		require.Equal(t, wire("80 02cc 04cc 05cc"), settings(1+v.due))
		require.Equal(t, wire("80 06cc 07cc"), settings(1+v.due))
		require.Equal(t, "80", settings(1+v.due))
		require.Equal(t, wire("80 06cc 07cc 08cc"), settings(1), "the clock was set back")
	}
}

// A ship without a class has neither subsystems nor power settings. If it does not move,
// nothing is sent.
func TestEncoderClassless(t *testing.T) {
	for _, role := range roles {
		s := newSender(t, role, nil)
		require.Empty(t, s.sent(0.5))
		s.ship.Speed = 1
		want := "100100"
		if role == toOwner {
			want = ""
		}
		require.Equal(t, want, s.sent(0.6))
	}
}

// For another ship, or another class of the ship, the encoder sends everything again.
func TestEncoderOtherClass(t *testing.T) {
	s := newSender(t, toOwner, stateupdate.Stock().Named("akira"))
	s.sent(0.1)
	s.sent(0.2)
	other := newShip(1, stateupdate.Stock().Named("cardfreighter"))
	s.ship.Class, s.ship.Subsystems = other.Class, other.Subsystems
	require.Equal(t, wire("20 00 ff"), s.sent(0.3)[:6])

	s = newSender(t, fromOwner, stateupdate.Stock().Named("akira"))
	require.Equal(t, wire("80 01cc 02cc 04cc"), s.sent(0.1))
	s.ship.Class, s.ship.Subsystems = other.Class, other.Subsystems
	full := wire("9d" + strings.Repeat("00", 12) + "20" + nose + roof + stop)
	require.Equal(t, full+wire("01cc 02cc 03cc"), s.sent(0.2))
	s.ship.Class, s.ship.Subsystems = nil, nil
	require.Equal(t, "1d"+full[2:], s.sent(0.3))

	s = newSender(t, toOther, nil)
	require.Empty(t, s.sent(0.1))
	s.ship = newShip(2, nil)
	s.ship.Position[0] = 1
	require.Equal(t, wire("1d 0000803f")+strings.Repeat("00", 8)+"20"+nose+roof+stop, s.sent(0.2), "no delta from the position of another ship")
}
