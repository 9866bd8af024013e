package stateupdate

import "strconv"

// Role is who tells whom about a ship. It decides which fields a StateUpdate has.
type Role uint8

// The roles.
const (
	// Owner is a client that tells the host about its own ship: motion and power settings.
	Owner Role = iota
	// HostToOwner is the host that tells a client about the client's own ship: subsystems
	// without their power.
	HostToOwner
	// HostToOther is the host that tells a client about any other ship: motion and
	// subsystems.
	HostToOther
)

// String returns the role in words, "host to owner", or the number of an unknown one.
func (r Role) String() string {
	switch r {
	case Owner:
		return "owner"
	case HostToOwner:
		return "host to owner"
	case HostToOther:
		return "host to other"
	}
	return "Role(" + strconv.Itoa(int(r)) + ")"
}
