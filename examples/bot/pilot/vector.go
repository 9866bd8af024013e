package pilot

import (
	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/examples/internal/geometry"
)

type vec = geometry.Vec

// encode returns the direction of a vector on the wire.
func encode(v vec) compress.Vector3 {
	return compress.EncodeVector3(float32(v[0]), float32(v[1]), float32(v[2]))
}
