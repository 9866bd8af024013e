package stateupdate_test

import (
	"encoding/hex"
	"errors"
	"io"
	"math"
	"strings"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
)

// slotID returns the ID of a player's first ship.
func slotID(slot int) objectid.ID {
	id, ok := objectid.Base(objectid.Slot(slot))
	if !ok {
		panic("no such slot")
	}
	return id
}

// unhex reads hex, with spaces where they help the reader.
func unhex(text string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		panic(err)
	}
	return b
}

// course moves a ship: every step changes its position, orientation and speed.
type course struct {
	ship       *stateupdate.Ship
	yaw, pitch float64 // radians
}

// step moves the ship for a tenth of a second with a speed in game units per second and turns
// in radians per second.
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
	x, y, z := s.Velocity()
	s.Position[0] += x / 10
	s.Position[1] += y / 10
	s.Position[2] += z / 10
}

// isEnd says whether an error is one of a payload that is cut.
func isEnd(err error) bool {
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, stream.ErrBadBitGroup)
}
