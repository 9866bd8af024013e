package player

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/stateupdate"
)

// course changes the order to the helm every few seconds, at random.
type course struct {
	rand  *rand.Rand
	order helm
	until time.Duration
}

// arena is the greatest distance from the origin at which a ship starts, along each axis.
const arena = 100

// start returns the position at which a ship starts.
func (c *course) start() (position [3]float32) {
	for i := range position {
		position[i] = c.within(arena)
	}
	c.until = 0
	return position
}

// helm returns the order at a time.
func (c *course) helm(now time.Duration) helm {
	if now >= c.until {
		c.until = now + 3*time.Second + time.Duration(c.rand.Int64N(int64(5*time.Second)))
		c.order = helm{
			Speed: 4 + c.within(2), Yaw: c.within(0.4), Pitch: c.within(0.2), Roll: c.within(0.2),
		}
	}
	return c.order
}

// within returns a random number from -limit to limit.
func (c *course) within(limit float32) float32 { return (2*c.rand.Float32() - 1) * limit }

// mover flies a ship with a model of turning and acceleration that is simpler than the game's.
// The same steps give the same motion on every machine.
type mover struct {
	ship        *stateupdate.Ship
	orientation [4]float32
	speed       float32
}

// acceleration is in game units per second and second.
const acceleration = 1.5

// helm is an order to a mover: the speed to reach in game units per second, and the rates of
// turning in radians per second. Yaw is to the left, Pitch up and Roll to the right.
type helm struct{ Speed, Yaw, Pitch, Roll float32 }

func newMover(s *stateupdate.Ship) *mover {
	return &mover{s, stateupdate.Orientation(s.Forward, s.Up), s.Speed.Float32()}
}

// step moves the ship for a time in seconds: it changes Position, Forward, Up and Speed. The
// time should be short, such as a tenth of a second.
func (m *mover) step(seconds float32, order helm) {
	m.turn(seconds, order)
	most := mul(acceleration, seconds)
	m.speed += max(-most, min(order.Speed-m.speed, most))
	for i, nose := range m.nose() {
		m.ship.Position[i] += mul(nose, mul(m.speed, seconds))
	}
	m.ship.Forward, m.ship.Up = stateupdate.Axes(m.orientation)
	m.ship.Speed = compress.EncodeFloat16(m.speed)
}

// nose returns the direction of the ship's nose: +Y, rotated by the quaternion.
func (m *mover) nose() [3]float32 {
	w, x, y, z := m.orientation[0], m.orientation[1], m.orientation[2], m.orientation[3]
	return [3]float32{2 * (mul(x, y) - mul(w, z)), 1 - 2*(mul(x, x)+mul(z, z)), 2 * (mul(y, z) + mul(w, x))}
}

// mul returns a product that is rounded before it is added to another, so that the result is
// the same on processors that can do both at once.
func mul(a, b float32) float32 { return float32(a * b) }

// turn adds half of the step's rotation to the quaternion, q += q*(0, v)*dt/2, and
// normalises it.
func (m *mover) turn(dt float32, order helm) {
	x, y, z := mul(order.Pitch, dt)/2, mul(order.Roll, dt)/2, mul(order.Yaw, dt)/2
	q := m.orientation
	next := [4]float32{
		q[0] - (mul(q[1], x) + mul(q[2], y) + mul(q[3], z)),
		q[1] + (mul(q[0], x) + mul(q[2], z) - mul(q[3], y)),
		q[2] + (mul(q[0], y) + mul(q[3], x) - mul(q[1], z)),
		q[3] + (mul(q[0], z) + mul(q[1], y) - mul(q[2], x)),
	}
	square := mul(next[0], next[0]) + mul(next[1], next[1]) + mul(next[2], next[2]) + mul(next[3], next[3])
	length := float32(math.Sqrt(float64(square)))
	for i := range next {
		m.orientation[i] = next[i] / length
	}
}
