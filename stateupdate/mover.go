package stateupdate

import (
	"math"

	"github.com/bcwire/bcwire/compress"
)

// Mover flies a ship, for tests and bots: a simple model of turning and speeding up, not
// that of the game. The same steps give the same motion on every machine. [NewMover] makes
// one; the zero value has no ship, and its Step does nothing.
type Mover struct {
	// Acceleration is how fast the speed changes, in game units per second and second. What
	// is not positive is DefaultAcceleration.
	Acceleration float32

	ship        *Ship
	position    [3]float64
	orientation [4]float64
	speed       float64
}

// DefaultAcceleration is that of a [Mover], in game units per second and second.
const DefaultAcceleration = 1.5

// fastest is the speed beyond which the wire has no codes.
const fastest = 10000

// Helm is what a [Mover] is told to do: the speed to reach, in game units per second, and
// how fast to turn, in radians per second: Yaw to the left, Pitch the nose up, Roll to the
// right.
type Helm struct{ Speed, Yaw, Pitch, Roll float32 }

// NewMover returns the mover of a ship, from where it is.
func NewMover(s *Ship) *Mover {
	m := &Mover{ship: s, speed: float64(s.Speed.Float32())}
	for i, p := range s.Position {
		m.position[i] = float64(p)
	}
	for i, q := range Orientation(s.Forward, s.Up) {
		m.orientation[i] = float64(q)
	}
	return m
}

// Step moves the ship for a time in seconds: it changes Position, Forward, Up and Speed.
// The step should be short, such as a tenth of a second; a negative one, or one that is
// not a number, is none.
func (m *Mover) Step(seconds float32, helm Helm) {
	dt := float64(seconds)
	if m.ship == nil || !(dt > 0) || math.IsInf(dt, 1) {
		return
	}
	m.turn(dt, helm)
	m.accelerate(dt, float64(helm.Speed))
	forward, up := axes(m.orientation)
	for i := range m.position {
		to := m.position[i] + mul(forward[i], mul(m.speed, dt))
		m.position[i] = max(-math.MaxFloat32, min(to, math.MaxFloat32))
		m.ship.Position[i] = float32(m.position[i])
	}
	m.ship.Forward, m.ship.Up = encode(forward), encode(up)
	m.ship.Speed = compress.EncodeFloat16(float32(m.speed))
}

// turn adds half of the step's rotation to the quaternion, q += q*(0, v)*dt/2, and makes
// it one of length 1 again.
func (m *Mover) turn(dt float64, helm Helm) {
	x, y, z := float64(helm.Pitch)*dt/2, float64(helm.Roll)*dt/2, float64(helm.Yaw)*dt/2
	q := m.orientation
	next := [4]float64{
		q[0] - (mul(q[1], x) + mul(q[2], y) + mul(q[3], z)),
		q[1] + (mul(q[0], x) + mul(q[2], z) - mul(q[3], y)),
		q[2] + (mul(q[0], y) + mul(q[3], x) - mul(q[1], z)),
		q[3] + (mul(q[0], z) + mul(q[1], y) - mul(q[2], x)),
	}
	length := length4(next)
	if !(length > 0) || math.IsInf(length, 1) {
		return // nobody turns that fast
	}
	for i := range next {
		m.orientation[i] = next[i] / length
	}
}

func (m *Mover) accelerate(dt, want float64) {
	most := float64(m.Acceleration)
	if !(most > 0) {
		most = DefaultAcceleration
	}
	if math.IsNaN(want) {
		return
	}
	want = max(-fastest, min(want, fastest))
	m.speed += max(-most*dt, min(want-m.speed, most*dt))
}
