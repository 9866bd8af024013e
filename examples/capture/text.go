package capture

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"iter"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// Malformed lines of an input without a datagram. After some of them, the input is not a recording and is not read on.
// Few of them are all reported.
const (
	maxMalformed = 20
	maxReported  = 3
)

// text iterates over the datagrams of JSON lines or hex text. The next iteration overwrites them. Until the first
// datagram, it holds the errors back.
func (in *Reader) text(r *bufio.Reader) iter.Seq2[*Datagram, error] {
	return func(yield func(*Datagram, error) bool) {
		var dg Datagram
		directions := directions{notes: &in.notes, yield: yield}
		found := false
		var held []error
		for d, err := range recording.Read(r) {
			if !errors.Is(err, recording.ErrTooLong) {
				in.numbers++
			}
			if err != nil && !found {
				if held = append(held, err); len(held) == maxMalformed {
					break
				}
				continue
			}
			for _, before := range held {
				if !yield(nil, before) {
					return
				}
			}
			found, held = true, nil
			if err == nil {
				dg = Datagram{Number: in.numbers, Time: d.Seconds, Dir: d.Direction, Client: d.ClientName(), Data: d.Data}
			}
			if !directions.pass(&dg, err) {
				return
			}
		}
		if len(held) > maxReported {
			held = []error{foreign(held[0])}
		}
		for _, err := range held {
			if !yield(nil, err) {
				return
			}
		}
		directions.flush()
	}
}

// foreign returns the error of a text that is not a recording, given that of its first line.
func foreign(first error) error {
	if line, ok := first.(*recording.Error); ok {
		return fmt.Errorf("%w; line %d: %w", ErrFormat, line.Line, line.Err)
	}
	return first // of the reader
}

// directions compares the directions of a recording with the peer IDs of the senders, which are not enciphered: the host
// sends with 1, and clients with others. A direction to the client is wrong if the ID is that of a client. A direction to
// the server may be right if the ID is that of the host, because a client can send anything: other directions near it
// show whether the recording is right.
type directions struct {
	notes      *notes
	yield      func(*Datagram, error) bool
	queue      []passed // from a datagram in doubt
	right      int
	wrong      int
	fromHost   bool // there are right directions to the client
	unreliable bool // it has wrong directions to the client, or no right ones
}

// passed is a datagram or an error on its way.
type passed struct {
	d   Datagram
	err error
}

// maxQueue is the number of datagrams that are read to decide about one in doubt.
const maxQueue = 256

// pass corrects the direction of a datagram and passes it on, or an error. It reports whether the iteration continues.
func (x *directions) pass(d *Datagram, err error) bool {
	if err == nil {
		x.compare(d)
	}
	if len(x.queue) == 0 && (err != nil || !x.inDoubt(d)) {
		return x.send(d, err)
	}
	own := passed{err: err}
	if err == nil {
		own.d = *d
		own.d.Data = bytes.Clone(d.Data)
	}
	x.queue = append(x.queue, own)
	return !x.unreliable && len(x.queue) < maxQueue || x.flush()
}

// flush passes the queue on.
func (x *directions) flush() bool {
	queue := x.queue
	x.queue = nil
	x.unreliable = x.unreliable || len(queue) > 0 && !x.fromHost
	for i := range queue {
		if !x.send(&queue[i].d, queue[i].err) {
			return false
		}
	}
	return true
}

// compare counts whether the peer ID of a datagram shows the direction.
func (x *directions) compare(d *Datagram) {
	shown := x.shown(d)
	switch {
	case d.Dir == "" || shown == "":
	case shown == d.Dir:
		x.right++
		x.fromHost = x.fromHost || shown == recording.ToClient
	default:
		x.wrong++
		x.unreliable = x.unreliable || shown == recording.ToServer
	}
}

// inDoubt reports whether either the direction of a datagram or the peer ID is wrong.
func (x *directions) inDoubt(d *Datagram) bool {
	return !x.unreliable && d.Dir == recording.ToServer && x.shown(d) == recording.ToClient
}

// send corrects the direction of a datagram and passes it on, or an error.
func (x *directions) send(d *Datagram, err error) bool {
	if err != nil {
		return x.yield(nil, err)
	}
	shown := x.shown(d)
	if transport.IsGameSpy(d.Data) {
		shown = x.gamespy(d)
	}
	switch {
	case d.Dir == "" || shown == "" || shown == d.Dir:
	case x.inDoubt(d):
		x.notes.add(peerWrong, 0, d.Number)
	default:
		x.notes.add(directionWrong, 0, d.Number)
		d.Dir = shown
	}
	return x.yield(d, nil)
}

// shown returns the direction that the peer ID of a datagram shows, or "".
func (x *directions) shown(d *Datagram) recording.Direction {
	if len(d.Data) == 0 || transport.IsGameSpy(d.Data) {
		return ""
	}
	switch peer := objectid.PeerID(int8(d.Data[0])); {
	case peer == objectid.Host:
		return recording.ToClient
	case peer.Valid(), peer == objectid.NoPeer:
		return recording.ToServer
	}
	return ""
}

// gamespy returns the direction that a text shows, or else that of most datagrams.
func (x *directions) gamespy(d *Datagram) recording.Direction {
	shown := textDirection(d.Data)
	switch {
	case shown != "":
		return shown
	case x.wrong <= x.right:
		return d.Dir
	case d.Dir == recording.ToClient:
		return recording.ToServer
	}
	return recording.ToClient
}
