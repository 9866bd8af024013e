package stateupdate_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/testdata"
)

// sender is an encoder with its ship.
type sender struct {
	t    testing.TB
	e    stateupdate.Encoder
	ship *stateupdate.Ship
}

// newSender returns an encoder that has sent all motion of a new ship at second 0, but no
// subsystems.
func newSender(t testing.TB, role role, class *stateupdate.Class) *sender {
	s := &sender{t: t, e: role.encoder(), ship: newShip(1, class)}
	s.e.SendMotion(s.ship, 0)
	return s
}

// sent returns the update that is due, in hex, without opcode, object ID and time.
func (s *sender) sent(now float32) string {
	s.t.Helper()
	b, err := s.e.Append([]byte("before"), seconds(now), s.ship)
	require.NoError(s.t, err)
	b = b[copy(b, "before"):]
	if len(b) == 0 {
		return ""
	}
	var m opcode.StateUpdate
	require.NoError(s.t, opcode.Unmarshal(b, &m))
	require.Equal(s.t, now, m.GameTime)
	require.Equal(s.t, s.ship.ID, m.ObjectID)
	return fmt.Sprintf("%x", b[9:])
}

// wire removes the spaces from hex.
func wire(hex string) string { return strings.ReplaceAll(hex, " ", "") }

const (
	nose = "007f00"
	roof = "00007f"
	stop = "0000"
)

func TestEncoderFirstUpdate(t *testing.T) {
	s := &sender{t: t, e: toOther.encoder(), ship: newShip(1, nil)}
	s.ship.Position = [3]float32{1, 2, 3}
	const position = "0000803f 00000040 00004040"
	require.Equal(t, wire("1d"+position+"20"+nose+roof+stop), s.sent(5))
	require.Empty(t, s.sent(5))
	s.e = stateupdate.Encoder{}
	require.Equal(t, wire("1d"+position+"20"+nose+roof+stop), s.sent(5))
}

// All motion is sent again after more than a second, or after the clock was set back.
func TestEncoderForce(t *testing.T) {
	s := newSender(t, toOther, nil)
	full := wire("1d" + strings.Repeat("00", 12) + "20" + nose + roof + stop)
	require.Empty(t, s.sent(0.5))
	require.Empty(t, s.sent(1), "not longer than the interval")
	later := math.Nextafter32(1, 9)
	require.Equal(t, full, s.sent(later))
	require.Empty(t, s.sent(1+later), "the timer has restarted")
	require.Equal(t, full, s.sent(later/2), "the clock was set back")
	require.Empty(t, s.sent(later/2))
}

// A value is sent if its code has changed since the last update.
func TestEncoderChanges(t *testing.T) {
	s := newSender(t, toOther, nil)
	move := func(x float32) string {
		s.ship.Position[0] = x
		return s.sent(0.5)
	}
	delta := func(x float32) string { return "027f0000" + codeHex(x) }
	require.Equal(t, delta(5), move(5))
	require.Equal(t, delta(6), move(6))
	require.Empty(t, move(6))
	same := math.Nextafter32(6, 7)
	require.Equal(t, delta(6), delta(same), "both positions have the same code")
	require.Empty(t, move(same))
	require.Equal(t, delta(7), move(7), "the delta starts at the base, not at the last delta")
	require.Equal(t, wire("02 000000 0000"), move(0), "the ship is at the base again")
	require.Empty(t, move(0))

	s.ship.Forward = compress.Vector3{X: 127}
	require.Equal(t, "047f0000", s.sent(0.5))
	s.ship.Up = compress.Vector3{Z: -128}
	require.Equal(t, "08000080", s.sent(0.5))
	s.ship.Speed = 0x8123
	require.Equal(t, "102381", s.sent(0.5))
	s.ship.Forward, s.ship.Up, s.ship.Speed = compress.Vector3{Y: 127}, compress.Vector3{Z: 127}, 0
	s.ship.Position[1] = -1
	require.Equal(t, "1e008100"+codeHex(1)+nose+roof+stop, s.sent(0.5))
	require.Empty(t, s.sent(0.5))
}

// If a delta is too long for its code, the encoder sends an absolute position, which is the
// base of the next deltas.
func TestEncoderOverflow(t *testing.T) {
	s := newSender(t, toOther, nil)
	s.ship.Position[2] = 9999
	require.Equal(t, "0200007f", s.sent(0.1)[:8])
	s.ship.Position[2] = 10001
	require.Equal(t, wire("01 00000000 00000000 00441c46 20"), s.sent(0.2))
	require.Empty(t, s.sent(0.3))
	s.ship.Position[2] = 9999
	require.Equal(t, wire("02 000081")+codeHex(2), s.sent(0.4))
	s.ship.Position[0] = -20000
	require.Equal(t, wire("01 00409cc6 00000000 003c1c46 20"), s.sent(0.5))
	require.Equal(t, "1e", s.sent(1.1)[:2], "only the position timer restarts")
	for _, far := range []float32{inf, nan} { // both without a code
		s.ship.Position[0] = far
		require.Equal(t, "01", s.sent(1.2)[:2])
	}
	s.ship.Position[0] = 3
	require.Equal(t, wire("01 00004040 00000000 003c1c46 20"), s.sent(1.3))
	require.Empty(t, s.sent(1.4))
}

// The timers for positions and for forced updates are independent. If no position is due, a
// forced update has a delta, even if the ship has not moved.
func TestEncoderTimersAreIndependent(t *testing.T) {
	s := newSender(t, toOther, nil)
	s.ship.Position[0] = 20000
	const position = "01 00409c46 00000000 00000000 20"
	require.Equal(t, wire(position), s.sent(0.5), "the delta is too long")
	require.Empty(t, s.sent(1))
	forced := wire("1e 000000 0000" + nose + roof + stop)
	require.Equal(t, forced, s.sent(1.25))
	require.Empty(t, s.sent(1.5), "not longer than the interval")
	require.Equal(t, wire(position), s.sent(1.625))
	require.Empty(t, s.sent(2.25))
	require.Equal(t, forced, s.sent(2.375))
}

// An update that has all motion without being forced restarts the force timer.
func TestEncoderCompleteUpdateRestartsTimer(t *testing.T) {
	for _, cloak := range []bool{true, false} {
		s := newSender(t, toOther, stateupdate.Stock().Named("birdofprey"))
		s.ship.Position[0], s.ship.Forward.X, s.ship.Up.X, s.ship.Speed, s.ship.Cloaked = 1, 1, 1, 1, cloak
		want := map[bool]opcode.StateFlags{true: 0x7E, false: 0x3E}[cloak]
		flags := func(now float32) opcode.StateFlags { return opcode.StateFlags(testdata.Bytes(s.sent(now))[0]) }
		require.Equal(t, want, flags(0.5))
		if cloak {
			require.Equal(t, opcode.StateFlags(0x21), flags(1.25), "only the position timer has expired")
			require.Equal(t, opcode.StateFlags(0x7E), flags(1.75))
		} else {
			require.Equal(t, opcode.StateFlags(0x7D), flags(1.25))
		}
	}
}

// A host that omits subsystems sends them only in forced updates, also to the owner.
func TestEncoderOmitsSubsystems(t *testing.T) {
	for _, role := range []role{toOther, toOwner} {
		s := newSender(t, role, stateupdate.Stock().Named("akira"))
		s.e.SetPace(0, true)
		require.Empty(t, s.sent(0.5))
		s.ship.Speed = 1
		want := ""
		if role == toOther {
			want = "100100"
		}
		require.Equal(t, want, s.sent(0.625))
		full := s.sent(1.125)
		require.NotZero(t, opcode.StateFlags(testdata.Bytes(full)[0])&opcode.StateSubsystems)
		require.Empty(t, s.sent(1.25))
		s.e.SetPace(0, false) // the host no longer uses a modem
		require.Equal(t, "20", s.sent(1.375)[:2])
		s.e.SetPace(0, true)
		require.Empty(t, s.sent(1.5))
	}
	s := newSender(t, fromOwner, stateupdate.Stock().Named("akira"))
	s.e.SetPace(0, true)
	require.Equal(t, "80", s.sent(0.5)[:2], "an owner sends no subsystems")
}

// With an interval, the average rate of updates does not depend on the rate of the calls.
func TestEncoderInterval(t *testing.T) {
	lasts := testdata.Either(600.0, 120)
	for _, interval := range []time.Duration{time.Millisecond, 100 * time.Millisecond, 125 * time.Millisecond, 167 * time.Millisecond, time.Second} {
		for _, tick := range []float64{1. / 60, 0.0999, 0.1, 0.1001, 0.3} {
			s := newSender(t, fromOwner, stateupdate.Stock().Named("akira"))
			s.e.SetPace(interval, false)
			n, last := 0, 0.0
			for now := 0.0; now < lasts; now += tick {
				if s.sent(float32(now)) != "" {
					n++
					if gap := now - last; gap > interval.Seconds()+2*tick {
						require.Fail(t, "too late", "%v, ticks of %v s: %v s after the update before", interval, tick, gap)
					}
					last = now
				}
			}
			want := lasts / max(interval.Seconds(), tick)
			require.InDelta(t, want, n, 2+want/1000, "%v, ticks of %v s", interval, tick)
		}
	}
}

// The interval can change and the clock can be set back. Another ship restarts the timers.
func TestEncoderIntervalChanges(t *testing.T) {
	s := newSender(t, fromOwner, stateupdate.Stock().Named("akira"))
	s.e.SetPace(time.Second, false)
	due := func(now float32) bool { return s.sent(now) != "" }
	require.False(t, due(0.5))
	s.e.SetPace(250*time.Millisecond, false)
	require.True(t, due(0.625))
	s.e.SetPace(time.Second, false)
	require.False(t, due(1.25))
	require.True(t, due(1.75))
	require.True(t, due(0.5), "the clock was set back")
	require.False(t, due(0.75))
	for _, now := range []time.Duration{math.MinInt64, math.MaxInt64} {
		_, err := s.e.Append(nil, now, s.ship)
		require.NoError(t, err)
		require.True(t, due(3))
		require.False(t, due(3.5))
	}
	s.ship = newShip(2, stateupdate.Stock().Named("akira"))
	require.True(t, due(3.625))
	s.e = stateupdate.Encoder{}
	require.True(t, due(3.75))
	s.e.SetPace(0, false)
	require.True(t, due(3.75))
	s.e.SetPace(-time.Second, false)
	require.True(t, due(3.75))
}

// codeHex returns the code of a length, in hex.
func codeHex(v float32) string {
	c := compress.EncodeFloat16(v)
	return fmt.Sprintf("%02x%02x", byte(c), byte(c>>8))
}

// An absolute position resets the last delta, so the same delta is sent again.
func TestEncoderForceClearsDelta(t *testing.T) {
	s := newSender(t, toOther, nil)
	s.ship.Position[0] = 5
	first := s.sent(0.5)
	require.Equal(t, "027f0000"+codeHex(5), first)
	require.Equal(t, "1d0000a040", s.sent(1.5)[:10])
	require.Empty(t, s.sent(1.6), "no delta from the new base")
	s.ship.Position[0] = 10
	require.Equal(t, first, s.sent(1.7))
}

// For ships with a cloaking device, the cloak is sent when it changes and in forced updates.
func TestEncoderCloak(t *testing.T) {
	flags := func(s *sender, now float32) opcode.StateFlags {
		return opcode.StateFlags(testdata.Bytes(s.sent(now))[0]) &^ opcode.StateSubsystems
	}
	for name, can := range map[string]bool{"birdofprey": true, "akira": false} {
		s := newSender(t, toOther, stateupdate.Stock().Named(name))
		want := opcode.StateCloak
		if !can {
			want = 0
		}
		require.Zero(t, flags(s, 0.1))
		s.ship.Cloaked = true
		require.Equal(t, want, flags(s, 0.2))
		require.Zero(t, flags(s, 0.3))
		require.Equal(t, 0x1D|want, flags(s, 1.3))
		require.Zero(t, flags(s, 1.4))
		s.ship.Cloaked = false
		require.Equal(t, want, flags(s, 1.5))
		require.Zero(t, flags(s, 1.6))
	}
	s := newSender(t, toOther, stateupdate.Stock().Named("birdofprey"))
	s.ship.Cloaked = true
	const hullAndShield = "ff ff 64 ffffffffffff"
	require.Equal(t, wire("60 43 00"+hullAndShield), s.sent(0.1), "the bools of cloak and shield share a byte")
	s.e = toOther.encoder()
	require.Equal(t, wire("7d 00000000 00000000 00000000 66"+nose+roof+stop+"00"+hullAndShield), s.sent(0.2), "the bools of hash, cloak and shield share a byte")
}

// Ten calls a second make ten updates, also where the GameTime of two updates is not exactly 0.1 s apart.
func TestIntervalOfTenCallsASecond(t *testing.T) {
	for _, start := range []time.Duration{0, 7, 100, 5000, 30_000, 200_000} {
		ship := newShip(slotID(0), stateupdate.Stock().Named("akira"))
		e := toOwner.encoder()
		e.SetPace(100*time.Millisecond, false)
		n := 0
		for call := range 1000 {
			payload, err := e.Append(nil, start*time.Second+time.Duration(call)*100*time.Millisecond, ship)
			require.NoError(t, err)
			if len(payload) > 0 {
				n++
			}
		}
		require.Equal(t, 1000, n, "from %v s", start)
	}
}
