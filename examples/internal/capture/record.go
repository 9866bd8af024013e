package capture

import (
	"errors"
	"io"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/bcwire/bcwire/transport/recording"
)

// Recorder writes the datagrams of a running program to a file: a capture if the name ends in
// .pcapng, else JSON lines. The capture has made-up addresses if the program does not know the
// addresses of the clients. A nil Recorder writes nothing. A Recorder is not safe for concurrent
// use.
type Recorder struct {
	lines     *recording.Writer
	packets   *Writer
	start     time.Time
	addresses Addresses
	server    netip.AddrPort
	file      io.Closer
	err       error // the first one of packets
}

// NewRecorder creates the file, or replaces it. The server is the address of the server in a
// capture.
func NewRecorder(name string, start time.Time, server netip.AddrPort) (*Recorder, error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	if server.Addr().IsUnspecified() {
		server = netip.AddrPortFrom(new(Addresses).Server().Addr(), server.Port())
	}
	r := &Recorder{start: start, server: server, file: f}
	if !strings.EqualFold(extension(name), ".pcapng") {
		r.lines = recording.NewWriter(f, start)
		return r, nil
	}
	if r.packets, err = NewWriter(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return r, nil
}

// NewLines returns a Recorder that writes JSON lines to w. Closing it does not close w.
func NewLines(w io.Writer, start time.Time) *Recorder {
	return &Recorder{lines: recording.NewWriter(w, start), file: io.NopCloser(nil)}
}

func extension(name string) string {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		return name[i:]
	}
	return ""
}

// Write records a datagram whose client is known by a number. Flush reports the errors of the file.
func (r *Recorder) Write(d recording.Datagram) {
	switch {
	case r == nil:
	case r.lines != nil:
		_ = r.lines.Write(d)
	default:
		r.datagram(r.start.Add(d.Time()), d.Direction, r.addresses.Client(strconv.FormatInt(d.Client, 10)), d.Data)
	}
}

// WriteAddrPort records a datagram from or to the client at an address.
func (r *Recorder) WriteAddrPort(at time.Time, direction recording.Direction, client netip.AddrPort, data []byte) {
	switch {
	case r == nil:
	case r.lines != nil:
		_ = r.lines.WriteAddrPort(at, direction, client, data)
	default:
		r.datagram(at, direction, client, data)
	}
}

// datagram writes a packet. A datagram that is too long for UDP is left out.
func (r *Recorder) datagram(at time.Time, direction recording.Direction, client netip.AddrPort, data []byte) {
	src, dst := client, r.server
	if direction == recording.ToClient {
		src, dst = dst, src
	}
	if err := r.packets.Datagram(at, src, dst, data, 0); err != nil && !errors.Is(err, ErrTooLong) && r.err == nil {
		r.err = err
	}
}

// Flush writes buffered datagrams to the file. It returns the first error of the file.
func (r *Recorder) Flush() error {
	switch {
	case r == nil:
		return nil
	case r.lines != nil:
		return r.lines.Flush()
	case r.err == nil:
		r.err = r.packets.Flush()
	}
	return r.err
}

// Close writes buffered datagrams and closes the file.
func (r *Recorder) Close() error {
	if r == nil {
		return nil
	}
	return errors.Join(r.Flush(), r.file.Close())
}
