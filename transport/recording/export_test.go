package recording

// MaxLine is the length of the longest line.
const MaxLine = maxLine

// The causes without a name in the API.
var (
	ErrSyntax = errSyntax
	ErrValue  = errValue
	ErrHex    = errHex
)

// Canonical reads a line without encoding/json, if it can.
func Canonical(line []byte) (d Datagram, ok bool) {
	ok = new(reader).canonical(line, &d)
	return d, ok
}
