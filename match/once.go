package match

import (
	"time"

	"github.com/bcwire/bcwire/stream"
)

// window is the longest time between the sightings of one event on two links. A host keeps what a client does
// not acknowledge, or what is beyond its window, for as long as the client may be silent: 45 s.
const window = 50 * time.Second

// sharedWindow is the longest time between the sightings on a link that several clients share.
const sharedWindow = time.Second

// sightings recognizes events that several links carry. Each side of a link carries an event once. A
// sighting is therefore of the oldest equal event that this side of the link has not carried yet.
type sightings struct {
	keys  []uint64 // a ring, parallel to list
	list  []sighting
	begin int // index of the oldest
}

type sighting struct {
	at   time.Duration
	told time.Duration // when the host has first sent the event, or 0
	side [2]uint64     // the links that have carried the event, by the side that sent it
	alt  uint64        // another key, or 0
}

// carry records that a side of a link carries the event.
func (x *sighting) carry(l *Link, fromHost bool, now time.Duration) {
	x.side[side(fromHost)] |= 1 << l.index
	if fromHost && x.told == 0 {
		x.told = now
	}
}

// since reports whether the event can be on a link: since the link began, it was first seen, or the host has
// first sent it. A host may relay an event of a client on links that began later.
func (x *sighting) since(l *Link, fromHost bool) bool {
	return x.at >= l.since || fromHost && x.side[side(false)] != 0 && (x.told == 0 || x.told >= l.since)
}

// side returns the index for [sighting.side].
func side(fromHost bool) int {
	if fromHost {
		return 1
	}
	return 0
}

// seen reports whether an event was seen on another side. If not, the sighting begins a new event.
func (o *sightings) seen(key uint64, l *Link, fromHost bool, now, longest time.Duration) bool {
	if o.match(key, 0, l, fromHost, now, longest) {
		return true
	}
	o.add(key, now).carry(l, fromHost, now)
	return false
}

// match finds the oldest event with a key, or else with another key, that a side of a link has not
// carried yet. It reports whether there is one, and records that the side has carried it.
func (o *sightings) match(key, alt uint64, l *Link, fromHost bool, now, longest time.Duration) bool {
	i := o.find(key, alt, l, fromHost, now, longest)
	if i >= 0 {
		o.list[i].carry(l, fromHost, now)
	}
	return i >= 0
}

// find returns the index of the event, or -1.
func (o *sightings) find(key, alt uint64, l *Link, fromHost bool, now, longest time.Duration) int {
	found := -1
	for n := len(o.keys) - 1; n >= 0; n-- {
		i := n + o.begin
		if i >= len(o.keys) {
			i -= len(o.keys)
		}
		x := &o.list[i]
		if now-x.at > longest {
			break
		}
		if o.keys[i] != key && (alt == 0 || x.alt != alt) {
			continue
		}
		switch {
		case l.shared():
			if now-x.at <= sharedWindow {
				return i
			}
		case x.side[side(fromHost)]>>l.index&1 == 0 && x.since(l, fromHost):
			found = i
		}
	}
	return found
}

// add adds an event that no side has carried yet. The result is valid until the next call.
func (o *sightings) add(key uint64, now time.Duration) *sighting {
	x := sighting{at: now}
	if len(o.keys) < maxSightings {
		o.keys, o.list = append(o.keys, key), append(o.list, x)
		return &o.list[len(o.list)-1]
	}
	i := o.begin
	o.keys[i], o.list[i] = key, x
	o.begin = (o.begin + 1) % len(o.keys)
	return &o.list[i]
}

// forget removes a link, whose index is used again.
func (o *sightings) forget(l *Link) {
	for i := range o.list {
		o.list[i].side[0] &^= 1 << l.index
		o.list[i].side[1] &^= 1 << l.index
	}
}

// What a key is about.
const (
	aboutJoin = iota
	aboutName
	aboutLeaveSystem
	aboutLeaveGame
	aboutLeaveName
	aboutShip
	aboutSystem
	aboutEndOfShip
	aboutShot
	aboutCollision
	aboutDeath
	aboutChat
	aboutSpeaker
	aboutScore
	aboutEnd
	aboutRestart
	aboutMission
)

// The FNV-1a hash.
const fnvBasis, fnvPrime = 0xCBF29CE484222325, 0x100000001B3

// keyOf returns a key of numbers.
func keyOf(about int, numbers ...int64) uint64 {
	hash := uint64(fnvBasis)
	hash = (hash ^ uint64(about)) * fnvPrime
	for _, n := range numbers {
		for range 4 {
			hash = (hash ^ uint64(n)&0xFFFF) * fnvPrime
			n >>= 16
		}
	}
	return hash
}

// textKey adds a text to a key.
func textKey[T string | stream.Text](key uint64, text T) uint64 {
	for i := range len(text) {
		key = (key ^ uint64(text[i])) * fnvPrime
	}
	return key
}
