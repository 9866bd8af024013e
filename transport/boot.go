package transport

import "strconv"

// Boot is the host's refusal or dismissal of a client.
//
//	offset  size  field
//	0       1     Reason
//	1       1     PeerID, NoPeer if the client was not given one
//
// Evidence: observed.
type Boot struct {
	Reason BootReason
	PeerID int8
}

// Type returns TypeBoot.
func (Boot) Type() Type { return TypeBoot }

// AppendBinary appends the body to dst. It does not fail.
func (b Boot) AppendBinary(dst []byte) ([]byte, error) {
	return append(dst, byte(b.Reason), byte(b.PeerID)), nil
}

func (b Boot) fields(d *dissection) {
	d.take("Reason", 1, b.Reason)
	d.take("PeerID", 1, b.PeerID)
}

// BootReason tells why a client is dismissed.
type BootReason uint8

// The reasons. Only BootRemoved has been observed; the name of BootBanned is inferred.
const (
	BootUnspecified    BootReason = 0
	BootTimeout        BootReason = 1
	BootPassword       BootReason = 2
	BootTooManyPlayers BootReason = 3
	BootRemoved        BootReason = 4 // by the host, also when its integrity check fails
	BootBanned         BootReason = 5
)

var bootReasons = [...]string{"unspecified", "timed out", "wrong password", "too many players", "removed by host", "banned"}

// String returns the reason in words, or its number.
func (r BootReason) String() string {
	if int(r) < len(bootReasons) {
		return bootReasons[r]
	}
	return strconv.Itoa(int(r))
}
