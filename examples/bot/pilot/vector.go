package pilot

import (
	"math"

	"github.com/bcwire/bcwire/compress"
)

// vec is a vector. Each product is rounded before it is added, so that every platform has the same bits.
type vec [3]float64

func (v vec) add(u vec) vec { return vec{v[0] + u[0], v[1] + u[1], v[2] + u[2]} }
func (v vec) sub(u vec) vec { return vec{v[0] - u[0], v[1] - u[1], v[2] - u[2]} }

func (v vec) times(f float64) vec {
	return vec{float64(v[0] * f), float64(v[1] * f), float64(v[2] * f)}
}

func (v vec) dot(u vec) float64 {
	return float64(v[0]*u[0]) + float64(v[1]*u[1]) + float64(v[2]*u[2])
}

func (v vec) cross(u vec) vec {
	return vec{float64(v[1]*u[2]) - float64(v[2]*u[1]), float64(v[2]*u[0]) - float64(v[0]*u[2]), float64(v[0]*u[1]) - float64(v[1]*u[0])}
}

func (v vec) length() float64 { return math.Sqrt(v.dot(v)) }

// unit returns the direction of the vector. It reports false if it has none.
func (v vec) unit() (vec, bool) {
	n := v.length()
	if n < 1e-9 {
		return vec{}, false
	}
	return v.times(1 / n), true
}

// encode returns the direction of the vector on the wire.
func (v vec) encode() compress.Vector3 {
	return compress.EncodeVector3(float32(v[0]), float32(v[1]), float32(v[2]))
}
