package recording

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"io"
	"math"
	"net/netip"
	"strconv"
	"time"
)

// Writer writes a recording. A nil Writer writes nothing, and a zero Writer returns errors. A
// Writer is not safe for concurrent use: a udp.Conn calls its PacketConn from several goroutines,
// so a PacketConn that records needs a lock.
type Writer struct {
	w       *bufio.Writer // returns its first error in all later calls
	start   time.Time
	numbers numbers
	line    []byte // reused
}

// NewWriter returns a Writer that writes to w. Times of [Writer.WriteAddrPort] count from start.
func NewWriter(w io.Writer, start time.Time) *Writer {
	return &Writer{w: bufio.NewWriter(w), start: start}
}

// Write writes a datagram without retaining it. In notes, U+FFFD replaces invalid UTF-8. It returns
// an [*Error] wrapping [ErrValue] if the Seconds are not finite or the direction is unknown, or
// [ErrTooLong] if the line would be longer than [MaxLine]. After an error of the underlying writer,
// all calls return that error.
func (w *Writer) Write(d Datagram) error {
	switch {
	case w == nil:
		return nil
	case w.w == nil:
		return errNoWriter
	}
	if err := validate(&d); err != nil {
		return &Error{Err: err}
	}
	w.line = appendLine(w.line[:0], &d)
	if len(w.line) > MaxLine+len("\n") {
		return &Error{Err: errTooMuch}
	}
	_, err := w.w.Write(w.line)
	return err
}

// WriteAddrPort writes a datagram that the client at an address sends or receives, and returns the
// errors of Write. It numbers the addresses from 1. An IPv4-mapped address gets another number than
// the IPv4 address: use [netip.Addr.Unmap].
func (w *Writer) WriteAddrPort(at time.Time, direction Direction, client netip.AddrPort, data []byte) error {
	if w == nil {
		return nil
	}
	return w.Write(Datagram{
		Seconds:   seconds(at.Sub(w.start)),
		Direction: direction,
		Client:    w.numbers.of(client),
		Data:      data,
	})
}

// Flush writes the buffered lines to the underlying writer, and returns its first error.
func (w *Writer) Flush() error {
	switch {
	case w == nil:
		return nil
	case w.w == nil:
		return errNoWriter
	}
	return w.w.Flush()
}

// seconds returns a duration in seconds. It rounds once, unlike [time.Duration.Seconds], so the
// number has no digits below nanoseconds.
func seconds(d time.Duration) float64 { return float64(d) / float64(time.Second) }

// validate returns an error if a line cannot hold a datagram.
func validate(d *Datagram) error {
	switch {
	case math.IsNaN(d.Seconds) || math.IsInf(d.Seconds, 0):
		return causef(ErrValue, "t: %v, want a finite number", d.Seconds)
	case !d.Direction.valid():
		return badDirection(d.Direction)
	case len(d.Data) > MaxLine/2 || len(d.Note) > MaxLine: // checked before memory is allocated for the line
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
