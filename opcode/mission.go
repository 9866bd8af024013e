package opcode

import (
	"errors"

	"github.com/bcwire/bcwire/stream"
)

// MissionInit tells a joining client the limits of the mission.
//
//	offset  size  field
//	0       1     0x35
//	1       1     PlayerLimit, 2 to 8
//	2       1     System
//	3       1     TimeLimit, minutes, 5 to 45; NoLimit for none
//	4       4     EndTime, seconds on the host's clock; unless TimeLimit is NoLimit
//	4, 8    1     FragLimit, 1 to 10; NoLimit for none
//
// In missions that count points, a FragLimit of 3 means 30,000 points.
//
// The mod Kobayashi Maru sends a longer message of another layout. A MissionInit with trailing bytes
// therefore decodes as an [*Unknown], with [stream.ErrTrailing].
type MissionInit struct {
	PlayerLimit uint8
	System      System
	TimeLimit   uint8
	EndTime     int32
	FragLimit   uint8
}

// NoLimit is the TimeLimit or FragLimit of a mission without that limit.
const NoLimit = 255

func (m *MissionInit) Walk(c *stream.Codec) {
	if c.Decoding() {
		*m = MissionInit{}
	}
	c.Field("PlayerLimit").Uint8(&m.PlayerLimit)
	c.Field("System").Uint8((*uint8)(&m.System))
	stream.Show(c, m.System)
	c.Field("TimeLimit").Uint8(&m.TimeLimit)
	if m.TimeLimit != NoLimit {
		c.Field("EndTime").Int32(&m.EndTime)
	}
	c.Field("FragLimit").Uint8(&m.FragLimit)
}

func (m *MissionInit) validate(op Code) error {
	return errors.Join(
		within(m.PlayerLimit, 2, 8, op, "PlayerLimit"),
		limit(m.TimeLimit, 5, 45, op, "TimeLimit"),
		limit(m.FragLimit, 1, 10, op, "FragLimit"),
	)
}

// limit is like within, but also accepts NoLimit.
func limit(n, least, most uint8, op Code, field string) error {
	if n == NoLimit {
		return nil
	}
	return within(n, least, most, op, field)
}

// EndGame ends the game for all players.
//
//	offset  size  field
//	0       1     0x38
//	1       4     Reason
type EndGame struct{ Reason EndReason }

func (m *EndGame) Walk(c *stream.Codec) {
	c.Field("Reason").Int32((*int32)(&m.Reason))
	stream.Show(c, m.Reason)
}

func (m *EndGame) validate(op Code) error {
	return within(int32(m.Reason), int32(EndOver), int32(EndEnterpriseDead), op, "Reason")
}

// RestartGame restarts the game for all players. The mission, the star system and the limits stay: a
// host can choose them before its first round only. The stock host accepts no new players from
// [EndGame] until the mission starts again from the selection of ships.
//
//	offset  size  field
//	0       1     0x39
type RestartGame struct{}

func (*RestartGame) Walk(*stream.Codec) {}
