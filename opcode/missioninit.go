package opcode

import "github.com/bcwire/bcwire/stream"

// MissionInit tells a client that has loaded the mission its limits. The host sends it
// in answer to [NewPlayerInGame].
//
//	offset  size  field
//	0       1     0x35
//	1       1     PlayerLimit, 2 to 8
//	2       1     System
//	3       1     TimeLimit, minutes, 5 to 45; NoLimit for none
//	4       4     EndTime, seconds on the host's clock; unless TimeLimit is NoLimit
//	4, 8    1     FragLimit, 1 to 10; NoLimit for none
//
// In missions that count points the limit is 10,000 for each of FragLimit.
//
// Evidence: observed without a time limit, else documented. A script message.
type MissionInit struct {
	PlayerLimit uint8
	System      System
	TimeLimit   uint8
	EndTime     int32
	FragLimit   uint8
}

// NoLimit is the TimeLimit and the FragLimit of a mission without one.
const NoLimit = 255

// Walk implements [Message].
func (m *MissionInit) Walk(c *stream.Codec) {
	c.Field("PlayerLimit").Uint8(&m.PlayerLimit)
	c.Field("System").Uint8((*uint8)(&m.System))
	stream.Show(c, m.System)
	c.Field("TimeLimit").Uint8(&m.TimeLimit)
	if m.TimeLimit != NoLimit {
		c.Field("EndTime").Int32(&m.EndTime)
	}
	c.Field("FragLimit").Uint8(&m.FragLimit)
}
