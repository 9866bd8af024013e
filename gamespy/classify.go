package gamespy

import (
	"bytes"
	"fmt"
	"slices"
)

// Kind is what a datagram is; see [Classify].
type Kind uint8

const (
	KindNone       Kind = iota // not GameSpy text; usually a datagram of the game
	KindUnknown                // GameSpy text of no other kind
	KindQuery                  // a query without a challenge; see [Responder]
	KindChallenge              // a query with a challenge
	KindReply                  // a datagram of a reply; see [Assembler]
	KindValidation             // a datagram of a reply with the answer to a challenge
	KindHeartbeat              // see [Beacon]
)

var kindNames = [...]string{"none", "unknown", "query", "challenge", "reply", "validation", "heartbeat"}

// String returns the name of the kind, such as "query".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Classify returns the kind of any datagram, of any sender. It reads only the keys:
//
//	heartbeat   the first key is heartbeat
//	reply       it has the key final, or the key queryid after a first key that no query has
//	validation  a reply with the key validate
//	query       another text with a key of a query, such as status
//	challenge   a query with the key secure
//
// It allocates nothing.
func Classify(datagram []byte) Kind {
	if !isText(datagram) {
		return KindNone
	}
	var asks, asksFirst, challenges, answers, ends, isPart bool
	for rest, first := datagram[1:], true; len(rest) > 0; first = false {
		var key []byte
		key, rest, _ = bytes.Cut(rest, []byte(`\`))
		_, rest, _ = bytes.Cut(rest, []byte(`\`))
		switch {
		case isKey(key, "heartbeat") && first:
			return KindHeartbeat
		case isKey(key, "final"):
			ends = true
		case isKey(key, "queryid"):
			isPart = true
		case isKey(key, "validate"):
			answers = true
		case slices.ContainsFunc(queryKeys[:], func(word string) bool { return isKey(key, word) }):
			asks, asksFirst = true, asksFirst || first
			challenges = challenges || isKey(key, "secure")
		}
	}
	switch isReply := ends || isPart && !asksFirst; {
	case isReply && answers:
		return KindValidation
	case isReply:
		return KindReply
	case challenges:
		return KindChallenge
	case asks:
		return KindQuery
	}
	return KindUnknown
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
