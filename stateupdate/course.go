package stateupdate

import (
	"math"
	"time"

	"github.com/bcwire/bcwire/compress"
)

// courseStep is the step of time of a Course, an update of the game.
const courseStep = 16500 * time.Microsecond

const (
	courseSeconds = 0.0165            // courseStep
	response      = 0.016364620061678 // 1 - exp(-courseSeconds): motion approaches what is wanted with a time constant of 1 s
)

// Helm is how the owner of a ship wants to fly.
type Helm struct {
	Throttle float64    // fraction of MaxSpeed, -1 to 1
	Turn     [3]float64 // radians per second about the axes to starboard, forward and up
	Direct   bool       // Turn may exceed MaxTurn, as in the game's AI
}

// Course is the motion of a ship that flies by the law of the game, with full precision. A [Flight] has one; other
// programs, such as simulations, can compute ships with it:
//
//	dv/dt = clamp(wanted - v, ±maximum)
//
// This holds for the velocity, with MaxSpeed and MaxAcceleration of [Physics], and for the rate of turn about each axis,
// with MaxTurn and MaxTurnAcceleration. Evidence: observed (A), within 0.5 %. The same calls have the same results on
// every platform.
type Course struct {
	Position, Velocity [3]float64 // game units, and per second; in the axes of the star system
	Right, Forward, Up [3]float64 // the axes of the ship: perpendicular, of length 1
	Spin               [3]float64 // radians per second about Right, Forward and Up
}

// Course returns a course that begins with a motion. If the directions define no orientation, the nose is at +Y and the
// roof at +Z.
func (m *Motion) Course() (c Course) {
	for i, x := range m.Position {
		c.Position[i] = float64(x)
	}
	if !c.orient(components(m.Forward), components(m.Up)) {
		c.Right, c.Forward, c.Up = [3]float64{1, 0, 0}, [3]float64{0, 1, 0}, [3]float64{0, 0, 1}
	}
	c.Velocity = times(c.Forward, float64(m.Speed.Float32()))
	return c
}

// SetCourse sets the position, orientation and speed of a motion to those of a course. The speed is that along the
// nose; the wire has no other.
func (m *Motion) SetCourse(c *Course) {
	for i, x := range c.Position {
		m.Position[i] = float32(x)
	}
	m.Forward, m.Up = encode(c.Forward[0], c.Forward[1], c.Forward[2]), encode(c.Up[0], c.Up[1], c.Up[2])
	m.Speed = compress.EncodeFloat16(float32(dot(c.Velocity, c.Forward)))
}

// Step flies for 16.5 ms, an update of the game. The power of the engines is a factor of all limits; 1 is normal. Without
// physics, the ship keeps its velocity and does not turn. A Helm that is not finite is ignored.
func (c *Course) Step(p *Physics, h Helm, power float64) {
	if p != nil {
		c.steer(p, h, power)
		axis := add(add(times(c.Right, float64(c.Spin[0]*courseSeconds)), times(c.Forward, float64(c.Spin[1]*courseSeconds))),
			times(c.Up, float64(c.Spin[2]*courseSeconds)))
		c.orient(add(c.Forward, cross(axis, c.Forward)), add(c.Up, cross(axis, c.Up)))
	}
	c.Position = add(c.Position, times(c.Velocity, courseSeconds))
}

// steer changes velocity and spin.
func (c *Course) steer(p *Physics, h Helm, power float64) {
	for _, x := range [...]float64{h.Throttle, h.Turn[0], h.Turn[1], h.Turn[2]} {
		if !(math.Abs(x) <= 1e12) {
			h = Helm{}
		}
	}
	speed := float64(float64(p.MaxSpeed*max(-1, min(1, h.Throttle))) * power)
	c.Velocity = approach(c.Velocity, times(c.Forward, speed), float64(p.MaxAcceleration*power))
	for axis, turn := range h.Turn {
		if most := float64(p.MaxTurn * power); !h.Direct {
			turn = max(-most, min(most, turn))
		}
		c.Spin[axis] = approach([3]float64{c.Spin[axis]}, [3]float64{turn}, float64(p.MaxTurnAcceleration*power))[0]
	}
}

// approach returns a velocity after a step.
func approach(v, wanted [3]float64, acceleration float64) [3]float64 {
	missing := sub(wanted, v)
	if n := math.Sqrt(dot(missing, missing)); n > acceleration {
		return add(v, times(missing, acceleration/n*courseSeconds))
	}
	return add(v, times(missing, response))
}

// orient turns the nose to a direction, and the roof to another as far as possible. It reports false, and changes
// nothing, if the nose has no direction.
func (c *Course) orient(forward, up [3]float64) bool {
	f, _ := direction(forward) // without a direction, there is no side
	for _, hint := range [...][3]float64{up, {2: 1}, {1: 1}} {
		if right, ok := direction(cross(f, hint)); ok {
			c.Right, c.Forward, c.Up = right, f, cross(right, f)
			return true
		}
	}
	return false
}

// Toward returns the helm that turns the nose to a direction, and the roof to another as far as possible. It slows the
// turn down in time. A direction may have any length; if it is zero, the ship does not turn to it. A ship that turns
// around flies slower.
func (c *Course) Toward(p *Physics, nose, roof [3]float64, throttle float64) Helm {
	h := Helm{Throttle: throttle}
	if p == nil {
		return h
	}
	if nose, ok := direction(nose); ok {
		turn := [3]float64{dot(nose, c.Up), 0, -dot(nose, c.Right)}
		if dot(nose, c.Forward) < 0 { // from 90 degrees on, the error grows up to 2
			if unit, ok := direction(turn); ok {
				turn = times(unit, 2-math.Sqrt(dot(turn, turn)))
			} else {
				turn = [3]float64{0, 0, 2}
			}
			h.Throttle = float64(throttle * 0.6)
		}
		h.Turn = turn
	}
	if roof, ok := direction(sub(roof, times(c.Forward, dot(roof, c.Forward)))); ok {
		h.Turn[1] = dot(roof, c.Right)
		if dot(roof, c.Up) < 0 {
			h.Turn[1] = math.Copysign(2-math.Abs(h.Turn[1]), h.Turn[1])
		}
	}
	for axis, e := range h.Turn {
		h.Turn[axis] = math.Copysign(min(math.Abs(e), math.Sqrt(float64(p.MaxTurnAcceleration*math.Abs(e)))), e)
	}
	return h
}

// enginePower returns the factor of the speeds and accelerations of a ship: the power setting of its impulse engines,
// less the engines that are damaged.
func (s *Ship) enginePower() float64 {
	engines := s.FirstOf(KindImpulse)
	if engines == nil || engines.Off || s.Disabled(Part{Index: int(engines.Index), Child: -1}) {
		return 0
	}
	whole := 1.0
	for k, level := range engines.Parts {
		health := float64(Level(level).Fraction())
		if s.Disabled(Part{Index: int(engines.Index), Child: k}) {
			health = 0
		}
		whole -= (1 - health) / float64(len(engines.Parts))
	}
	return float64(float64(min(engines.Power, maxPower)) / float64(fullPower) * max(0, whole))
}

func add(a, b [3]float64) [3]float64 { return [3]float64{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
func sub(a, b [3]float64) [3]float64 { return [3]float64{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

func times(a [3]float64, f float64) [3]float64 {
	return [3]float64{mul(a[0], f), mul(a[1], f), mul(a[2], f)}
}

func dot(a, b [3]float64) float64 { return mul(a[0], b[0]) + mul(a[1], b[1]) + mul(a[2], b[2]) }

// direction returns a vector with length 1, and reports whether it has a direction.
func direction(a [3]float64) ([3]float64, bool) {
	n := math.Sqrt(dot(a, a))
	if !(n > 1e-9 && n < math.MaxFloat64) {
		return [3]float64{}, false
	}
	return times(a, 1/n), true
}
