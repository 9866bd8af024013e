package stateupdate

import (
	"math"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/opcode"
)

// Motion is the position, orientation and speed of a ship.
type Motion struct {
	Position [3]float32       // game units
	Forward  compress.Vector3 // direction of the nose
	Up       compress.Vector3 // direction of the roof
	Speed    compress.Float16 // game units per second; negative is backwards
	Cloaked  bool             // the device is on; takes precedence over Status.Cloaked
}

// SetHeading turns the nose to a direction of any length above 1e-6. The roof keeps its
// direction as far as possible. A shorter or non-finite vector changes nothing.
func (m *Motion) SetHeading(x, y, z float32) {
	nose, ok := unit([3]float64{float64(x), float64(y), float64(z)})
	if !ok {
		return
	}
	old := components(m.Forward)
	for _, hint := range [...][3]float64{components(m.Up), {-old[0], -old[1], -old[2]}, {2: 1}, {1: 1}} {
		if side, ok := unit(cross(nose, hint)); ok {
			roof := cross(side, nose)
			m.Forward, m.Up = encode(nose[0], nose[1], nose[2]), encode(roof[0], roof[1], roof[2])
			return
		}
	}
}

// wire returns the velocity in the form of object creation.
func (m *Motion) wire() (dir compress.Vector3, magnitude float32) {
	switch speed := m.Speed.Float32(); {
	case speed > 0:
		return m.Forward, speed
	case speed < 0:
		return compress.Vector3{X: -m.Forward.X, Y: -m.Forward.Y, Z: -m.Forward.Z}, -speed
	}
	return compress.Vector3{}, 0
}

// differs returns the flags of the values that differ from another motion.
func (m *Motion) differs(before *Motion) (flags opcode.StateFlags) {
	set := func(flag opcode.StateFlags, differs bool) {
		if differs {
			flags |= flag
		}
	}
	set(opcode.StatePosition, m.Position != before.Position)
	set(opcode.StateForward, m.Forward != before.Forward)
	set(opcode.StateUp, m.Up != before.Up)
	set(opcode.StateSpeed, m.Speed != before.Speed)
	set(opcode.StateCloak, m.Cloaked != before.Cloaked)
	return flags
}

// axes returns the directions of a ship's nose and roof: the axes +Y and +Z rotated by the unit
// quaternion W, X, Y, Z of an object creation. It returns zero vectors if q is not finite.
func axes(q [4]float32) (forward, up compress.Vector3) {
	w, x, y, z := float64(q[0]), float64(q[1]), float64(q[2]), float64(q[3])
	return encode(2*(mul(x, y)-mul(w, z)), 1-2*(mul(x, x)+mul(z, z)), 2*(mul(y, z)+mul(w, x))),
		encode(2*(mul(x, z)+mul(w, y)), 2*(mul(y, z)-mul(w, x)), 1-2*(mul(x, x)+mul(y, y)))
}

func encode(x, y, z float64) compress.Vector3 {
	return compress.EncodeVector3(float32(x), float32(y), float32(z))
}

// mul rounds a product before it is added to another, so that all machines compute the same
// result.
func mul(a, b float64) float64 { return float64(a * b) }

// orientation returns the unit quaternion W, X, Y, Z for the directions of a ship's nose and
// roof. They need not be perpendicular or of length 1. If they define no orientation,
// orientation returns the quaternion for a nose at +Y and a roof at +Z.
func orientation(forward, up compress.Vector3) [4]float32 {
	f, _ := unit(components(forward)) // without a direction, there is no side
	r, ok := unit(cross(f, components(up)))
	if !ok {
		return [4]float32{1}
	}
	u := cross(r, f)
	// r, f and u are the columns of the rotation matrix.
	return quaternion([3][3]float64{{r[0], f[0], u[0]}, {r[1], f[1], u[1]}, {r[2], f[2], u[2]}})
}

// quaternion converts a rotation matrix. It divides by the largest component.
func quaternion(m [3][3]float64) (q [4]float32) {
	trace := m[0][0] + m[1][1] + m[2][2]
	if trace > 0 {
		s := 2 * math.Sqrt(trace+1)
		return [4]float32{float32(s / 4), float32((m[2][1] - m[1][2]) / s), float32((m[0][2] - m[2][0]) / s), float32((m[1][0] - m[0][1]) / s)}
	}
	i := 0
	for k := 1; k < 3; k++ {
		if m[k][k] > m[i][i] {
			i = k
		}
	}
	j, k := (i+1)%3, (i+2)%3
	s := 2 * math.Sqrt(1+m[i][i]-m[j][j]-m[k][k])
	q[0] = float32((m[k][j] - m[j][k]) / s)
	q[1+i] = float32(s / 4)
	q[1+j] = float32((m[j][i] + m[i][j]) / s)
	q[1+k] = float32((m[k][i] + m[i][k]) / s)
	return q
}

func components(v compress.Vector3) [3]float64 {
	x, y, z := v.Float32()
	return [3]float64{float64(x), float64(y), float64(z)}
}

func cross(a, b [3]float64) [3]float64 {
	return [3]float64{
		mul(a[1], b[2]) - mul(a[2], b[1]),
		mul(a[2], b[0]) - mul(a[0], b[2]),
		mul(a[0], b[1]) - mul(a[1], b[0]),
	}
}

// unit returns the vector with length 1, and reports whether it has a direction.
func unit(v [3]float64) ([3]float64, bool) {
	length := math.Sqrt(mul(v[0], v[0]) + mul(v[1], v[1]) + mul(v[2], v[2]))
	if !(length > 1e-6) {
		return v, false
	}
	return [3]float64{v[0] / length, v[1] / length, v[2] / length}, true
}
