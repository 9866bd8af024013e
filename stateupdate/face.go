package stateupdate

import "fmt"

// ShieldFace is one of the six sides of a ship that a shield generator protects: the index
// in [Subsystem.Facings], and in the Parts of a [Status].
//
// Evidence: inferred.
type ShieldFace uint8

// The faces, in the order of the wire.
const (
	FaceFront  ShieldFace = 0
	FaceRear   ShieldFace = 1
	FaceTop    ShieldFace = 2
	FaceBottom ShieldFace = 3
	FaceLeft   ShieldFace = 4
	FaceRight  ShieldFace = 5
)

// String returns "front", or "Face 6" of an unknown value.
func (f ShieldFace) String() string {
	names := [...]string{"front", "rear", "top", "bottom", "left", "right"}
	if int(f) < len(names) {
		return names[f]
	}
	return fmt.Sprintf("Face %d", uint8(f))
}
