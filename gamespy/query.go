package gamespy

import (
	"math/bits"
	"strings"
)

// MaxQuery is the length of the longest query that the stock game reads whole.
const MaxQuery = 254

// QueryTypes is a set of what a query asks for.
type QueryTypes uint8

// What a query can ask for, in the order of the answer. [ServerInfo] lists the keys of
// the sections.
const (
	Basic   QueryTypes = 1 << iota // the section basic
	Info                           // the section info
	Rules                          // the section rules
	Players                        // the section players
	Status                         // all sections, in as few datagrams as possible
	Packets                        // all sections, each in a datagram of its own
	Echo                           // the text of the query
	Secure                         // an answer to a challenge
)

const sections = Basic | Info | Rules | Players

// queryKeys holds the keys of the types, in the order of their bits.
var queryKeys = [...]string{"basic", "info", "rules", "players", "status", "packets", "echo", "secure"}

// String returns the types as "basic|secure".
func (t QueryTypes) String() string {
	var names []string
	for ; t != 0; t &= t - 1 {
		names = append(names, queryKeys[bits.TrailingZeros8(uint8(t))])
	}
	return strings.Join(names, "|")
}

// Query asks a server about itself. A client or a master sends it:
//
//	\basic\          \status\         \echo\text
//	\info\           \packets\        \secure\challenge
//	\rules\
//	\players\
//
// or several of them in one datagram.
//
// Evidence: \status\ and \basic\\secure\ are observed, the others documented.
type Query struct {
	Types     QueryTypes
	Echo      Text // if Types has Echo
	Challenge Text // if Types has Secure
}

// ParseQuery returns what a datagram asks for. Keys that ask for nothing are ignored. A
// datagram with the key final is a reply and asks for nothing: two servers would send
// each other echoes for ever. It fails with [ErrNotText], and with [ErrTooLong] for more
// than [MaxQuery] bytes.
func ParseQuery(datagram []byte) (Query, error) {
	q, _, err := parseQuery(datagram)
	return q, err
}

// parseQuery is ParseQuery. It reports whether the datagram is a reply.
func parseQuery(datagram []byte) (q Query, isReply bool, err error) {
	if len(datagram) > MaxQuery {
		return Query{}, false, alone("query", MaxQuery, tooMany(ErrTooLong, len(datagram), "bytes", MaxQuery))
	}
	m, err := Parse(datagram)
	if err != nil {
		return Query{}, false, err
	}
	for _, p := range m.Pairs {
		if p.Key.is("final") {
			return Query{}, true, nil
		}
		q.add(p)
	}
	return q, false, nil
}

// add takes a pair. Of several with one key the first counts.
func (q *Query) add(p Pair) {
	for i, key := range queryKeys {
		t := QueryTypes(1) << i
		if q.Types&t != 0 || !p.Key.is(key) {
			continue
		}
		q.Types |= t
		switch t {
		case Echo:
			q.Echo = p.Value
		case Secure:
			q.Challenge = p.Value
		}
	}
}

// AppendBinary appends the query to dst, its types in the order of their constants. On an
// error it returns dst as it was: with [ErrNotText] for a query that asks for nothing,
// [ErrBackslash], or [ErrTooLong] for more than [MaxQuery] bytes.
func (q Query) AppendBinary(dst []byte) ([]byte, error) {
	var m Message
	for i, key := range queryKeys {
		p := Pair{Key: Text(key)}
		switch t := QueryTypes(1) << i; q.Types & t {
		case 0:
			continue
		case Echo:
			p.Value = q.Echo
		case Secure:
			p.Value = q.Challenge
		}
		m.Pairs = append(m.Pairs, p)
	}
	out, err := m.AppendBinary(dst)
	if size := len(out) - len(dst); size > MaxQuery {
		return dst, alone("query", -1, tooMany(ErrTooLong, size, "bytes", MaxQuery))
	}
	return out, err
}

// MarshalBinary returns the query.
func (q Query) MarshalBinary() ([]byte, error) { return q.AppendBinary(nil) }
