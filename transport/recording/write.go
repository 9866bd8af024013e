package recording

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/netip"
	"time"
)

// Writer writes a recording. A nil one writes nothing. It is not safe for concurrent use.
type Writer struct {
	w       *bufio.Writer
	enc     *json.Encoder
	began   time.Time
	numbers numbers
	err     error
}

// NewWriter returns a Writer whose times count from began.
func NewWriter(w io.Writer, began time.Time) *Writer {
	b := bufio.NewWriter(w)
	return &Writer{w: b, enc: json.NewEncoder(b), began: began}
}

// Datagram writes a datagram from or to the client at an address, to which it gives a
// number. Thousands of other addresses later a client may have another number.
func (w *Writer) Datagram(now time.Time, dir Direction, client netip.AddrPort, datagram []byte) {
	if w != nil {
		w.Numbered(now, dir, w.numbers.of(client), datagram, "")
	}
}

// Numbered writes a datagram from or to the client with a number, and a note for readers
// if it is not empty.
func (w *Writer) Numbered(now time.Time, dir Direction, client int64, datagram []byte, note string) {
	if w == nil || w.err != nil {
		return
	}
	digits := hex.EncodeToString(datagram)
	w.err = w.enc.Encode(struct {
		Line
		Note string `json:"note,omitempty"`
	}{Line{now.Sub(w.began).Seconds(), dir, &client, &digits}, note})
}

// Flush writes what is in the buffer. It returns the first error since the beginning,
// after which nothing is written.
func (w *Writer) Flush() error {
	if w == nil {
		return nil
	}
	if w.err == nil {
		w.err = w.w.Flush()
	}
	return w.err
}
