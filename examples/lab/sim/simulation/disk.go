package simulation

import (
	"errors"
	"net/netip"
	"time"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/transport/recording"
)

// disk is a disk that becomes full, and the recording on it.
type disk struct {
	s        *simulation
	recorder *capture.Recorder
	room     int
	flushed  time.Time
	failed   bool
}

var errFull = errors.New("the disk is full")

func newDisk(s *simulation) *disk {
	d := &disk{s: s, room: s.faults[Disk].IntN(20 << 20)}
	d.recorder = capture.NewLines(d, s.Now)
	return d
}

// Write implements io.Writer.
func (d *disk) Write(b []byte) (int, error) {
	if d.failed && len(b) > 0 {
		d.s.fail("a recording is written after an error")
	}
	n := min(len(b), d.room)
	if d.room -= n; n < len(b) {
		d.failed = true
		return n, errFull
	}
	return n, nil
}

// write records a datagram, like the program server.
func (d *disk) write(now time.Time, dir recording.Direction, client netip.AddrPort, datagram []byte) {
	d.recorder.WriteAddrPort(now, dir, client, datagram)
	if now.Sub(d.flushed) < time.Second {
		return
	}
	d.flushed = now
	if err := d.recorder.Flush(); errors.Is(err, errFull) != d.failed {
		d.s.fail("the recording reports %v", err)
	}
}
