package capture

import (
	"errors"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/bcwire/bcwire/transport/recording"
)

// Recorder writes the datagrams of a running program to a file: a capture if the name ends in .pcapng, else JSON lines
// of package recording. After the first error, and at the limit of its size, a Recorder writes nothing more. The
// written part stays readable. A nil Recorder writes nothing. A Recorder is not safe for concurrent use.
type Recorder struct {
	packets *Writer // nil: JSON lines
	numbers numbers // of JSON lines
	start   time.Time
	server  netip.AddrPort
	file    recordFile
}

// NewRecorder creates the file, or replaces it. Only its owner can read it, because datagrams have
// passwords. Times in JSON lines begin with start. The server is the address of the server in a capture; it is made up
// if it is unspecified or invalid. A limit of 0 is none.
func NewRecorder(name string, limit Size, start time.Time, server netip.AddrPort) (*Recorder, error) {
	f, err := createPrivate(name)
	if err != nil {
		return nil, err
	}
	r := newRecorder(f, strings.EqualFold(filepath.Ext(name), ".pcapng"), limit, start)
	switch {
	case !server.IsValid():
		r.server = madeUpServer
	case server.Addr().IsUnspecified():
		r.server = netip.AddrPortFrom(madeUpServer.Addr(), server.Port())
	default:
		r.server = server
	}
	return r, nil
}

func newRecorder(w io.Writer, packets bool, limit Size, start time.Time) *Recorder {
	r := &Recorder{start: start, file: recordFile{w: w, limit: limit}}
	if packets {
		r.packets = NewWriter(&r.file.pending)
		_ = r.packets.Flush() // writes to memory
		r.file.complete()
	}
	return r
}

// NewLines returns a Recorder that writes JSON lines to w. Closing it does not close w.
func NewLines(w io.Writer, start time.Time) *Recorder {
	return newRecorder(struct{ io.Writer }{w}, false, 0, start)
}

// createPrivate creates a file that only its owner can read, or empties a file and makes it one.
func createPrivate(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Mode().IsRegular() {
		err = f.Chmod(0o600)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Write records a datagram whose client is known by a number. In a capture, the address of the client is made up. Flush
// reports the errors of the file.
func (r *Recorder) Write(d recording.Datagram) {
	switch {
	case r == nil || r.file.err != nil:
		return
	case r.packets == nil:
		r.line(d)
	default:
		r.datagram(r.start.Add(d.Time()), d.Direction, r.packets.addresses.of(strconv.FormatInt(d.Client, 10)), d.Data)
	}
	r.file.complete()
}

// WriteAddrPort records a datagram from or to the client at an address. In JSON lines, the client has a number instead.
func (r *Recorder) WriteAddrPort(at time.Time, direction recording.Direction, client netip.AddrPort, data []byte) {
	switch {
	case r == nil || r.file.err != nil:
		return
	case r.packets == nil:
		seconds := float64(at.Sub(r.start)) / float64(time.Second) // rounded once, unlike Duration.Seconds
		r.line(recording.Datagram{Seconds: seconds, Direction: direction, Client: r.numbers.of(client), Data: data})
	default:
		r.datagram(at, direction, client, data)
	}
	r.file.complete()
}

// line writes a line. A datagram that no line can hold is left out.
func (r *Recorder) line(d recording.Datagram) {
	line, _ := recording.Append(r.file.pending.AvailableBuffer(), d)
	r.file.pending.Write(line)
}

// datagram writes a packet. A datagram that is too long for UDP is left out.
func (r *Recorder) datagram(at time.Time, direction recording.Direction, client netip.AddrPort, data []byte) {
	src, dst := client, r.server
	if direction == recording.ToClient {
		src, dst = dst, src
	}
	_ = errors.Join(r.packets.write(at, src, dst, data, 0), r.packets.Flush())
}

// Flush writes buffered datagrams to the file. It returns the first error of the file, which wraps
// [ErrLimit] if the file has reached its limit.
func (r *Recorder) Flush() error {
	if r == nil {
		return nil
	}
	return r.file.flush()
}

// Close writes buffered datagrams and closes the file. It returns the first error of the file. The
// limit is no error of Close.
func (r *Recorder) Close() error {
	if r == nil {
		return nil
	}
	err := r.file.flush()
	if errors.Is(err, ErrLimit) {
		err = nil
	}
	if c, ok := r.file.w.(io.Closer); ok {
		err = errors.Join(err, c.Close())
	}
	return err
}
