package stateupdate

import (
	"iter"
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// SendMotion sets the state of an encoder that has sent all motion of a ship. The next update
// then has only subsystems or power settings.
func (e *Encoder) SendMotion(s *Ship, now float32) {
	e.prepare(s)
	e.motion(&opcode.StateUpdate{GameTime: now}, s, true, true)
	e.started, e.forced = true, now
}

// Limits of a Tracker, a Broadcaster and a Class.
const (
	DefaultMaxShips   = defaultMaxShips
	DefaultMaxUnknown = defaultMaxUnknown
	MaxDestroyed      = maxDestroyed
	MaxBuffered       = maxBuffered
	MaxBlock          = maxBlock
	MaxBlob           = maxBlob
	MaxSubsystems     = maxSubsystems
	MaxChildren       = maxChildren
)

// Functions of positions and power.
var (
	Axes         = axes
	Orientation  = orientation
	PowerPercent = powerPercent
)

// Blob iterates over the subsystems of a create blob.
func (c *Class) Blob(raw []byte) iter.Seq2[Status, error] { return c.created(raw) }

// Clone returns a copy that shares only the Class.
func (s *Ship) Clone() *Ship {
	clone := *s
	clone.detach()
	return &clone
}

// Blob returns the create blob of a ship without a class, to be changed by tests.
func (s *Ship) Blob() *[]byte { return &s.blob }

// Time returns the time of the newest motion of a ship.
func (t *Tracker) Time(id objectid.ID) float32 { return t.ships[id].time }

// Setting returns the Value of a power in a PowerEntry.
func (p Power) Setting() uint8 { return p.setting() }

// SetRefresh sets the time after which an unchanged power setting is sent again.
func (e *Encoder) SetRefresh(after time.Duration) { e.refresh = after }

// SetPace sets the interval of updates, and whether only forced updates have subsystems.
func (e *Encoder) SetPace(interval time.Duration, omit bool) { e.interval, e.omit = interval, omit }

// Counts returns the number of ships in a tracker, of created ships, and of ships that are
// listed as unknown.
func (t *Tracker) Counts() (ships, created, unknown int) {
	return len(t.ships), t.created, len(t.unknown)
}

// Buffered returns the number of buffered updates of a ship, and the size of the largest one.
func (t *Tracker) Buffered(id objectid.ID) (updates, most int) {
	s := t.ships[id]
	for i := range s.buffered {
		m := &s.buffered[i]
		most = max(most, len(m.Data)+2*len(m.Power))
	}
	return len(s.buffered), most
}

// Destroyed returns the number of destroyed ships that a tracker remembers.
func (t *Tracker) Destroyed() int { return len(t.destroyed) }

// JSONLength returns the length of a list of numbers in a file of classes.
func JSONLength(key string) int { return jsonLength(key) }

// ReadBlock decodes a block without a codec, and reports whether it is valid.
func (c *Class) ReadBlock(m *opcode.StateUpdate) bool {
	var s Status
	r := c.reader(m, formGame)
	for r.next(&s) {
	}
	return !r.bad
}

// WalkBlock decodes a block of the game without an open bit group by the walk, and reports whether it is valid.
func (c *Class) WalkBlock(w *stream.Codec, m *opcode.StateUpdate) bool {
	return w.Fits(m.Data, -1, func(w *stream.Codec) { c.walkBlocks(w, m, formGame) })
}
