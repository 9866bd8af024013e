package recording

import (
	"encoding/hex"
	"encoding/json"
	"math"
	"strconv"
)

// Append appends the line of a datagram, with its line feed, to dst. In notes, U+FFFD replaces
// invalid UTF-8. It returns dst and an [*Error] if the Seconds are not finite or the direction is
// unknown. The error wraps [ErrTooLong] if the line would be longer than 512 KiB.
func Append(dst []byte, d Datagram) ([]byte, error) {
	if err := validate(&d); err != nil {
		return dst, &Error{Err: err}
	}
	n := len(dst)
	dst = appendLine(dst, &d)
	if len(dst)-n > maxLine+len("\n") {
		return dst[:n], &Error{Err: errTooMuch}
	}
	return dst, nil
}

// validate returns an error if a line cannot hold a datagram.
func validate(d *Datagram) error {
	switch {
	case math.IsNaN(d.Seconds) || math.IsInf(d.Seconds, 0):
		return causef(errValue, "t: %v, want a finite number", d.Seconds)
	case !d.Direction.valid():
		return badDirection(d.Direction)
	case len(d.Data) > maxLine/2 || len(d.Note) > maxLine: // checked before memory is allocated for the line
		return errTooMuch
	}
	return nil
}

// appendLine appends the line of a datagram.
func appendLine(b []byte, d *Datagram) []byte {
	b = appendNumber(append(b, `{"t":`...), d.Seconds)
	if d.Direction != "" {
		b = append(append(append(b, `,"dir":"`...), d.Direction...), '"')
	}
	if d.Client != NoClient {
		b = strconv.AppendInt(append(b, `,"client":`...), d.Client, 10)
	}
	b = append(hex.AppendEncode(append(b, `,"hex":"`...), d.Data), '"')
	if d.Note != "" {
		note, _ := json.Marshal(d.Note) // cannot fail for a string
		b = append(append(b, `,"note":`...), note...)
	}
	return append(b, "}\n"...)
}

// appendNumber appends a number with the fewest digits that are read as the same number.
func appendNumber(b []byte, v float64) []byte {
	format := byte('f')
	if abs := math.Abs(v); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(b, v, format, -1, 64)
}
