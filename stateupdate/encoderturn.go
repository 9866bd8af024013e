package stateupdate

import (
	"time"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// The game stops a block before the first subsystem that begins at or after this many
// bytes, and the power settings after this many. The last subsystem of a block may end
// beyond.
const (
	blockBudget = 10 // StartIndex included
	powerBudget = 6
)

// settings adds the power settings that are due, from where it stopped the last time.
func (e *sent) settings(m *opcode.StateUpdate, s *Ship, refresh float32) {
	m.Flags |= opcode.StatePower
	m.Power = e.entries[:0]
	for range s.Subsystems {
		if 2*len(m.Power) >= powerBudget {
			return
		}
		i := e.next
		e.next = s.Class.next(i)
		if value := s.Subsystems[i].Power.Setting(); s.Class.powered(uint8(i)) != nil && e.power[i].due(value, m.GameTime, refresh) {
			m.Power = append(m.Power, opcode.PowerEntry{Index: uint8(i), Value: value})
		}
	}
}

func (p *sentPower) due(value uint8, now, refresh float32) bool {
	since := now - p.at
	return !p.known || p.value != value || refresh > 0 && (since >= refresh || since < 0)
}

// commit remembers the timers and the power settings of an update that was sent.
func (e *sent) commit(m *opcode.StateUpdate, force bool, interval time.Duration) {
	if force || hasAllMotion(m.Flags) {
		e.forced = m.GameTime
	}
	e.pace(float64(m.GameTime), interval)
	e.started = true
	for _, p := range m.Power {
		e.power[p.Index] = sentPower{value: p.Value, known: true, at: m.GameTime}
	}
}

// blocks encodes the message with the subsystems whose turn it is.
func (e *sent) blocks(dst []byte, m *opcode.StateUpdate, s *Ship, power bool) ([]byte, error) {
	m.Flags |= opcode.StateSubsystems
	m.StartIndex = int8(e.next)
	var w stream.Codec
	w.Append(dst, uint8(opcode.OpStateUpdate))
	next := s.walk(&w, m, power)
	if !w.Done() {
		w.Again(updateName)
		next = s.walk(&w, m, power)
	}
	e.next = next
	return w.Result()
}

// walk encodes a message with the subsystems from StartIndex on that the budget allows,
// and returns which is the next.
func (s *Ship) walk(w *stream.Codec, m *opcode.StateUpdate, power bool) int {
	m.WalkHead(w)
	mark := w.Offset() - 1 // StartIndex
	i := int(m.StartIndex)
	w.Group("Subsystems")
	for range s.Subsystems {
		if w.Offset()-mark >= blockBudget {
			break
		}
		status := s.Subsystems[i]
		status.Subsystem, status.HasPower = &s.Class.Subsystems[i], power
		status.walkBlock(w)
		i = s.Class.next(i)
	}
	w.End()
	return i
}
