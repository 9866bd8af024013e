package stateupdate_test

import (
	"errors"
	"io"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

// slotID returns the ID of a player's first ship.
func slotID(slot int) objectid.ID {
	id, ok := objectid.Base(objectid.Slot(slot))
	if !ok {
		panic("no such slot")
	}
	return id
}

// seconds returns the time of a value of GameTime.
func seconds(gameTime float32) time.Duration {
	return time.Duration(math.Round(float64(gameTime) * float64(time.Second)))
}

// role is the relation of the receiver of updates to a ship, whose player is [pilot].
type role objectid.PeerID

const (
	fromOwner role = 0
	toOwner        = role(pilot)
	toOther        = role(pilot + 1)

	pilot objectid.PeerID = 2
)

var roles = []role{fromOwner, toOwner, toOther}

func (r role) encoder() stateupdate.Encoder {
	return stateupdate.Encoder{Receiver: objectid.PeerID(r)}
}

// newShip returns the ship of a pilot.
func newShip(id objectid.ID, class *stateupdate.Class) *stateupdate.Ship {
	s := stateupdate.NewShip(id, class)
	s.PeerID = pilot
	return s
}

// course moves a ship. Every step changes its position, orientation and speed.
type course struct {
	ship       *stateupdate.Ship
	yaw, pitch float64 // radians
}

// step moves the ship for 0.1 s. The speed is in game units per second, the turns in radians
// per second.
func (c *course) step(speed, yaw, pitch float32) {
	c.yaw += float64(yaw) / 10
	c.pitch += float64(pitch) / 10
	sinYaw, cosYaw := math.Sincos(c.yaw / 2)
	sinPitch, cosPitch := math.Sincos(c.pitch / 2)
	s := c.ship
	s.Forward, s.Up = stateupdate.Axes([4]float32{
		float32(cosYaw * cosPitch), float32(cosYaw * sinPitch), float32(sinYaw * sinPitch), float32(sinYaw * cosPitch),
	})
	s.Speed = compress.EncodeFloat16(speed)
	x, y, z := s.Forward.Float32()
	for i, nose := range [3]float32{x, y, z} {
		s.Position[i] += nose * s.Speed.Float32() / 10
	}
}

// isWeapon reports whether a subsystem is a weapon system, which has a flag in a create blob.
func isWeapon(k stateupdate.Kind) bool {
	return slices.Contains([]stateupdate.Kind{stateupdate.KindPhaser, stateupdate.KindTorpedo, stateupdate.KindTractor, stateupdate.KindPulse}, k)
}

// firstOf returns the index of the first subsystem of a kind, or -1.
func firstOf(class *stateupdate.Class, kind stateupdate.Kind) int {
	return slices.IndexFunc(class.Subsystems, func(s stateupdate.Subsystem) bool { return s.Kind == kind })
}

// setting returns the Value of a power in a PowerEntry, truncated.
func setting(p stateupdate.Power) uint8 { return uint8(min(p/25, 255)) }

// isEnd reports whether an error can be caused by a truncated payload.
func isEnd(err error) bool {
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, stream.ErrBadBitGroup)
}

// creation returns the creation of a ship that moves backwards and has half of its hull.
func creation(t testing.TB, species opcode.Species) *opcode.ObjectCreateTeam {
	ship := stateupdate.NewShip(slotID(0), stateupdate.Stock().Species(species))
	ship.Species = species
	ship.PlayerName, ship.SetName, ship.Position = "Cady2", "Multi1", [3]float32{88, -66, -73}
	ship.Speed = compress.EncodeFloat16(-5)
	if ship.Class != nil {
		ship.Subsystems[0].Condition = 127
	} else {
		*ship.Blob() = testdata.Bytes("ff ff 64 60")
	}
	object, err := ship.Object()
	require.NoError(t, err)
	return &opcode.ObjectCreateTeam{NetPlayerID: 2, Object: object}
}

var (
	nan = float32(math.NaN())
	inf = float32(math.Inf(1))
)

// motion returns an update with all fields except subsystems and power settings.
func motion(at float32, more opcode.StateFlags) *opcode.StateUpdate {
	return &opcode.StateUpdate{
		ObjectID: slotID(0), GameTime: at, Position: [3]float32{1, 2, 3}, Delta: compress.EncodeVector4(10, 0, 0),
		Forward: compress.Vector3{X: 127}, Up: compress.Vector3{Z: -127}, Speed: compress.EncodeFloat16(4), Cloak: true,
		Flags: opcode.StateForward | opcode.StateUp | opcode.StateSpeed | opcode.StateCloak | more,
	}
}

func withBlock(start int8, data string) *opcode.StateUpdate {
	m := motion(1, opcode.StateSubsystems)
	m.StartIndex, m.Data, m.Flags = start, testdata.Bytes(data), m.Flags&^opcode.StateCloak
	return m
}

// dissect returns the fields that a class passes.
func dissect(c *stateupdate.Class, payload []byte) (fields []stream.Field, err error) {
	var w stream.Codec
	err = c.Visit(&w, payload, func(f *stream.Field) bool {
		fields = append(fields, *f)
		return true
	})
	return fields, err
}
