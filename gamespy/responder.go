package gamespy

import (
	"math/bits"
	"net/netip"
	"strings"
	"time"
)

// final is the shortest reply.
const final = `\final\`

// A Responder answers the queries that a server receives. The zero value has the key of the
// game and the default limits of [Limiter]. A Responder is not safe for concurrent use.
type Responder struct {
	Key     string // key of challenges; "" means SecretKey
	Limiter Limiter

	// AnswerAll answers a query without known keys with \final\, as the game does. By default such
	// a query gets no answer. Evidence: documented (B), FUN_006ac1e0 and FUN_006ac950.
	AnswerAll bool

	number uint32 // number of the last query
}

// Answer returns the datagrams to send to the source of a query. It returns nil if the datagram is
// itself a reply. Like the game, it also returns nil for a query with a challenge of more than
// [MaxChallenge] bytes. It ignores an empty challenge.
// Each valid query within the limits increases the number in the queryid, even without an answer.
// The argument info must not be nil. Answer returns the errors of [ParseQuery] and
// [ServerInfo.Reply], and [ErrRate] if a limit is reached. If this is the limit of all sources, it
// also returns \final\ alone, which is not longer than a query: forged queries cannot hide that the
// server runs.
func (r *Responder) Answer(now time.Time, from netip.AddrPort, datagram []byte, info *ServerInfo) ([][]byte, error) {
	exhausted := r.Limiter.exhausted(now)
	if !exhausted && !r.Limiter.Allow(now, from.Addr()) {
		return nil, ErrRate
	}
	q, isReply, err := parseQuery(datagram)
	switch {
	case err != nil || isReply:
		return nil, err
	case exhausted && len(datagram) >= len(final):
		return [][]byte{[]byte(final)}, ErrRate
	case exhausted:
		return nil, ErrRate
	}
	r.number++
	if len(q.Challenge) > MaxChallenge {
		return nil, nil
	}
	var more []Pair
	if q.Types&Echo != 0 {
		more = append(more, Pair{"echo", q.Echo})
	}
	if q.Types&Secure != 0 {
		if answer, err := Validate(orKey(r.Key), string(q.Challenge)); err == nil {
			more = append(more, Pair{"validate", Text(answer)})
		}
	}
	datagrams, err := info.Reply(q.Types, r.number, more...)
	if err == nil && datagrams == nil && r.AnswerAll {
		w := replyWriter{number: r.number}
		datagrams, err = w.finish()
	}
	if err != nil || datagrams == nil {
		return nil, err
	}
	size := 0
	for _, d := range datagrams {
		size += len(d)
	}
	r.Limiter.Spend(now, from.Addr(), size)
	return datagrams, nil
}

// MaxQuery is the maximum length of a query that the game reads completely, in bytes.
const MaxQuery = 254

// QueryTypes is a set of query types.
type QueryTypes uint8

// Query types, in the order of the answer. The first four request sections of a [ServerInfo].
const (
	Basic QueryTypes = 1 << iota
	Info
	Rules
	Players
	Status  // all sections, in as few datagrams as possible
	Packets // all sections, one datagram each
	Echo    // the text in the query
	Secure  // the answer to a challenge
)

const sections = Basic | Info | Rules | Players

// queryKeys holds the keys of the types in bit order.
var queryKeys = [...]string{"basic", "info", "rules", "players", "status", "packets", "echo", "secure"}

// String returns the types, such as "basic|secure".
func (t QueryTypes) String() string {
	var names []string
	for ; t != 0; t &= t - 1 {
		names = append(names, queryKeys[bits.TrailingZeros8(uint8(t))])
	}
	return strings.Join(names, "|")
}

// A Query asks a server for information. A datagram has one or more of these types:
//
//	\basic\    \rules\      \status\     \echo\text
//	\info\     \players\    \packets\    \secure\challenge
//
// Evidence: \status\ and \basic\\secure\ are observed, the others documented.
type Query struct {
	Types     QueryTypes
	Echo      Text // if Types has Echo
	Challenge Text // if Types has Secure
}

// ParseQuery parses a datagram and ignores unknown keys. A reply, which has the key final, gives an
// empty Query. The error is [ErrNotText], or wraps [ErrTooLong] for more than [MaxQuery] bytes.
func ParseQuery(datagram []byte) (Query, error) {
	q, _, err := parseQuery(datagram)
	return q, err
}

// parseQuery is ParseQuery, and reports whether the datagram is a reply. A server that answered
// replies could exchange datagrams with another server forever.
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

// add adds the type of a pair. If a key is repeated, the first pair counts.
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

// AppendBinary appends the query to dst in the order of the types. On error it returns dst
// unchanged. The error is [ErrNotText] for an empty query, or wraps [ErrTooLong] for more than
// [MaxQuery] bytes or [ErrBackslash].
func (q Query) AppendBinary(dst []byte) ([]byte, error) {
	var m Message
	size := 0
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
		size += len(`\\`) + len(p.Key) + len(p.Value)
	}
	if size > MaxQuery {
		return dst, alone("query", -1, tooMany(ErrTooLong, size, "bytes", MaxQuery))
	}
	return m.AppendBinary(dst)
}

// MarshalBinary returns the encoded query.
func (q Query) MarshalBinary() ([]byte, error) { return q.AppendBinary(nil) }
