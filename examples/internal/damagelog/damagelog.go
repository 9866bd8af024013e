// Package damagelog writes and reads the log of damage of a server: a line of JSON for each hit, in a file beside the
// recording. No message of the game names the source of damage. Where the server has computed it, this log does.
//
//	{"t":21.703,"at":"2026-11-29T11:30:21.703Z","player":"Ann","peer":2,"target":"Ben","targetPeer":3,"weapon":"Phasers / Dorsal Phaser 1","absorbed":120.5,"passed":0}
package damagelog

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math"
	"os"
	"strings"
	"time"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/objectid"
)

// Collision is the weapon of a collision.
const Collision = "collision"

// Hit is a hit of a shot or a collision on the ship of a player.
type Hit struct {
	Seconds    float64         `json:"t"`      // since the recording has begun
	At         time.Time       `json:"at"`     // for captures, which have the time of day
	Player     string          `json:"player"` // who has fired or collided, "" if it was nobody
	Peer       objectid.PeerID `json:"peer"`   // -1 without a player
	Target     string          `json:"target"`
	TargetPeer objectid.PeerID `json:"targetPeer"`
	Weapon     string          `json:"weapon"`
	// Absorbed and Passed are the points that the shield takes and lets through.
	Absorbed float64 `json:"absorbed"`
	Passed   float64 `json:"passed"`
}

const suffix = ".hits"

// Name returns the name of the log of a recording, which may be packed later.
func Name(recording string) string { return capture.Unpacked(recording) + suffix }

// Is reports whether a file has the name of a log.
func Is(file string) bool { return strings.HasSuffix(file, suffix) }

// Writer writes a log. After an error, and at its limit, it writes nothing more. A nil Writer writes nothing.
type Writer struct {
	file  *os.File
	out   *bufio.Writer
	start time.Time
	left  int64 // bytes until the limit
	err   error
}

// Create creates the log of a recording that has begun at a time, with at most so many bytes; 0 is no limit. It returns
// nil if the recording is a device or a pipe, which has nothing beside it.
func Create(recording string, start time.Time, limit int64) (*Writer, error) {
	if info, err := os.Stat(recording); err != nil || !info.Mode().IsRegular() {
		return nil, err
	}
	f, err := os.OpenFile(Name(recording), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	if limit == 0 {
		limit = math.MaxInt64
	}
	return &Writer{file: f, out: bufio.NewWriter(f), start: start, left: limit}, nil
}

// Write writes a hit of now.
func (w *Writer) Write(now time.Time, h Hit) {
	if w == nil || w.err != nil || w.left <= 0 {
		return
	}
	h.Seconds, h.At = now.Sub(w.start).Seconds(), now.UTC()
	line, err := json.Marshal(h)
	if w.left -= int64(len(line)) + 1; err == nil && w.left >= 0 {
		_, err = w.out.Write(append(line, '\n'))
	}
	w.err = err
}

// Flush writes what is buffered. It returns the first error.
func (w *Writer) Flush() error {
	if w != nil && w.err == nil {
		w.err = w.out.Flush()
	}
	if w == nil {
		return nil
	}
	return w.err
}

// Close writes what is buffered and closes the file. It returns the first error.
func (w *Writer) Close() error {
	if w == nil {
		return nil
	}
	return errors.Join(w.Flush(), w.file.Close())
}

// maxLine is the largest number of bytes of a line.
const maxLine = 64 << 10

// Reader reads a log along with its recording. A nil Reader has no hits.
type Reader struct {
	file  *os.File
	lines *bufio.Scanner
	next  *Hit
	line  int
	err   error
}

// Open opens the log beside a recording. It returns nil if there is none.
func Open(recording string) (*Reader, error) {
	f, err := os.Open(Name(recording))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r := &Reader{file: f, lines: bufio.NewScanner(f)}
	r.lines.Buffer(nil, maxLine)
	return r, nil
}

// delay is how late a hit is read. Its shot is known for certain when the server has passed it on to another player.
const delay = 200 * time.Millisecond

// Until returns the further hits until a datagram, by its seconds in JSON lines, or by its time of day in a capture.
func (r *Reader) Until(seconds float64, at time.Time) iter.Seq[*Hit] {
	return func(yield func(*Hit) bool) {
		for r != nil && r.peek() {
			h := r.next
			if at.IsZero() && h.Seconds+delay.Seconds() > seconds || !at.IsZero() && h.At.Add(delay).After(at) {
				return
			}
			if r.next = nil; !yield(h) {
				return
			}
		}
	}
}

// Rest returns the hits after the last datagram.
func (r *Reader) Rest() iter.Seq[*Hit] { return r.Until(math.Inf(1), time.Time{}) }

// peek reads the next hit, if it is not read yet. A line that is incomplete, as after a crash, ends the log.
func (r *Reader) peek() bool {
	if r.next != nil || r.err != nil || !r.lines.Scan() {
		return r.next != nil
	}
	r.line++
	h := new(Hit)
	if err := json.Unmarshal(r.lines.Bytes(), h); err != nil {
		r.err = fmt.Errorf("%s, line %d: %w", r.file.Name(), r.line, err)
		return false
	}
	if !(h.Absorbed >= 0 && h.Passed >= 0) { // a repair is no hit
		r.err = fmt.Errorf("%s, line %d: negative damage", r.file.Name(), r.line)
		return false
	}
	r.next = h
	return true
}

// Close closes the file. It returns the error that has ended the log.
func (r *Reader) Close() error {
	if r == nil {
		return nil
	}
	if r.err == nil && r.lines.Err() != nil {
		r.err = fmt.Errorf("%s, line %d: %w", r.file.Name(), r.line+1, r.lines.Err())
	}
	return errors.Join(r.err, r.file.Close())
}
