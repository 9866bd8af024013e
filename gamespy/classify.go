package gamespy

import (
	"bytes"
	"fmt"
	"slices"
)

// Kind is what a datagram is; see [Classify].
type Kind uint8

const (
	KindNone      Kind = iota // not GameSpy text; usually a datagram of the game
	KindUnknown               // GameSpy text of no other kind
	KindQuery                 // of a browser or a master; see [Responder]
	KindReply                 // a datagram of a reply to a query; see [Assembler]
	KindHeartbeat             // see [Beacon]
)

var kindNames = [...]string{"none", "unknown", "query", "reply", "heartbeat"}

// String returns the name of the kind, such as "query".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Classify returns the kind of any datagram, of any sender. It reads only the keys:
//
//	heartbeat  the first key is heartbeat
//	reply      it has the key final, or the key queryid after a first key that no query has
//	query      another text with a key of a query, such as status
//
// It allocates nothing.
func Classify(datagram []byte) Kind {
	kind, _ := classify(datagram)
	return kind
}

// classify returns the kind of a datagram, and whether it is a reply with the answer to a challenge.
func classify(datagram []byte) (kind Kind, validates bool) {
	if !isText(datagram) {
		return KindNone, false
	}
	var asks, asksFirst, answers, ends, isPart bool
	for rest, first := datagram[1:], true; len(rest) > 0; first = false {
		var key []byte
		key, rest, _ = bytes.Cut(rest, []byte(`\`))
		_, rest, _ = bytes.Cut(rest, []byte(`\`))
		switch {
		case isKey(key, "heartbeat") && first:
			return KindHeartbeat, false
		case isKey(key, "final"):
			ends = true
		case isKey(key, "queryid"):
			isPart = true
		case isKey(key, "validate"):
			answers = true
		case slices.ContainsFunc(queryKeys[:], func(word string) bool { return isKey(key, word) }):
			asks, asksFirst = true, asksFirst || first
		}
	}
	switch {
	case ends || isPart && !asksFirst:
		return KindReply, answers
	case asks:
		return KindQuery, false
	}
	return KindUnknown, false
}

// isKey reports whether a key on the wire is a word of small letters, ignoring the case of the key.
func isKey(key []byte, word string) bool {
	if len(key) != len(word) {
		return false
	}
	for i, c := range key {
		if c|0x20 != word[i] {
			return false
		}
	}
	return true
}
