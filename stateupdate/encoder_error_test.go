package stateupdate_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
)

// An error in Append changes neither dst nor the encoder.
func TestEncoderErrors(t *testing.T) {
	for name, v := range map[string]struct {
		role  role
		spoil func(*stateupdate.Ship)
		err   error
		text  string
	}{
		"missing subsystems": {
			fromOwner, func(s *stateupdate.Ship) { s.Subsystems = s.Subsystems[1:] },
			stateupdate.ErrOrder, "stateupdate: subsystems missing or out of order: 10 statuses for 11 subsystems",
		},
		"too many subsystems": {
			toOther, func(s *stateupdate.Ship) { s.Subsystems = append(s.Subsystems, stateupdate.Status{}) },
			stateupdate.ErrOrder, "stateupdate: subsystems missing or out of order: 12 statuses for 11 subsystems",
		},
		"missing parts": {
			toOwner, func(s *stateupdate.Ship) { s.Subsystems[4].Parts = nil },
			stream.ErrRange, "stateupdate: encode StateUpdate.Subsystems.Impulse Engines.Children at offset %d: wrong length: 0 bytes, must be 2",
		},
		"too many facings": {
			toOther, func(s *stateupdate.Ship) { s.Subsystems[1].Parts = make(stateupdate.Levels, 7) },
			stream.ErrRange, "stateupdate: encode StateUpdate.Subsystems.Shield Generator.Facings at offset %d: wrong length: 7 bytes, must be 6",
		},
		"power above 255 %": {
			toOther, func(s *stateupdate.Ship) { s.Subsystems[5].Power = 256 * 51 },
			stream.ErrRange, "stateupdate: encode StateUpdate.Subsystems.Phasers.Power at offset %d: number out of range",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, plain := newSender(t, v.role, stateupdate.Stock().Named("akira")), newSender(t, v.role, stateupdate.Stock().Named("akira"))
			failed := 0
			for tick := range 12 {
				now := float32(tick) / 5
				s.ship.Position[0]++
				plain.ship.Position[0]++
				spoiled := s.ship.Clone()
				v.spoil(spoiled)
				probe := s.e
				if _, err := probe.Append(nil, seconds(now), spoiled); err != nil {
					failed++
					checkFailure(t, &s.e, now, spoiled, v.err, v.text)
				}
				require.Equal(t, plain.sent(now), s.sent(now))
			}
			require.NotZero(t, failed)
		})
	}
}

func checkFailure(t *testing.T, e *stateupdate.Encoder, now float32, ship *stateupdate.Ship, want error, text string) {
	for _, dst := range [][]byte{[]byte("before"), append(make([]byte, 0, 99), "before"...)} {
		b, err := e.Append(dst, seconds(now), ship)
		require.ErrorIs(t, err, want)
		var located *stream.Error
		if errors.As(err, &located) {
			require.EqualError(t, err, fmt.Sprintf(text, located.Offset))
		} else {
			require.ErrorContains(t, err, text)
		}
		require.Equal(t, "before", string(b))
	}
}

// The same calls give the same bytes, for any capacity of dst.
func TestEncoderDeterministic(t *testing.T) {
	for _, role := range roles {
		s := newSender(t, role, stateupdate.Stock().Named("warbird"))
		twin := role.encoder()
		twin.SendMotion(s.ship, 0)
		course := course{ship: s.ship}
		for tick := range 100 {
			now := float32(tick) / 10
			course.step(float32(tick%20)-5, 0.3, -0.2)
			s.ship.Subsystems[tick%13].Condition--
			s.ship.Subsystems[tick%13].Power++
			s.ship.Cloaked = tick%7 == 0
			want := s.sent(now)
			got, err := twin.Append(make([]byte, 5, 5+tick), seconds(now), s.ship)
			require.NoError(t, err)
			require.Equal(t, want, fmt.Sprintf("%x", got[5+9:]))
		}
	}
}

// The error of AppendBlob and AppendUpdate names the status that does not fit.
func TestOrderErrors(t *testing.T) {
	ship := newShip(0x3fffffff, stateupdate.Stock().Named("akira"))
	all := ship.Subsystems
	other := newShip(0x3fffffff, &stateupdate.Class{Name: "X", Subsystems: slices.Clone(ship.Class.Subsystems)})
	for want, err := range map[string]error{
		"3 statuses from index 0, but the class has 11 subsystems":  second(ship.Class.AppendBlob(nil, all[:3])),
		"10 statuses from index 1, but the class has 11 subsystems": second(ship.Class.AppendBlob(nil, all[1:])),
		"12 statuses, but the class has 11 subsystems":              second(ship.Class.AppendUpdate(nil, &opcode.StateUpdate{}, append(slices.Clone(all), all[0]))),
		"status 1 has index 2, must be 1":                           second(ship.Class.AppendUpdate(nil, &opcode.StateUpdate{}, []stateupdate.Status{all[0], all[2]})),
		"Subsystem of status 0 is not in this Class":                second(ship.Class.AppendUpdate(nil, &opcode.StateUpdate{}, other.Subsystems[:1])),
	} {
		require.ErrorIs(t, err, stateupdate.ErrOrder)
		require.EqualError(t, err, "stateupdate: subsystems missing or out of order: "+want)
	}
}

func second(_ []byte, err error) error { return err }
