package gamespy

import (
	"net/netip"
	"strings"
	"time"
)

// maxQuery is the maximum length of a query that the game reads completely, in bytes.
const maxQuery = 254

// queryTypes is a set of query types, in the order of the answer.
type queryTypes uint8

const (
	basic queryTypes = 1 << iota
	info
	rules
	players
	status  // all sections, in as few datagrams as possible
	packets // all sections, one datagram each
	echo    // the text in the query
	secure  // the answer to a challenge

	sections = basic | info | rules | players
)

// queryKeys holds the keys of the types in bit order.
var queryKeys = [...]string{"basic", "info", "rules", "players", "status", "packets", "echo", "secure"}

// query is what a datagram asks for.
type query struct {
	types     queryTypes
	text      string // of echo
	challenge string // of secure, as on the wire
}

// parseQuery parses a datagram and ignores unknown keys.
func parseQuery(datagram []byte) (q query, err error) {
	if len(datagram) > maxQuery {
		return query{}, alone("query", maxQuery, tooMany(len(datagram), "bytes", maxQuery))
	}
	m, err := Parse(datagram)
	if err != nil {
		return query{}, err
	}
	for _, p := range m.Pairs {
		q.add(p)
	}
	return q, nil
}

// add adds the type of a pair. If a key is repeated, the first pair counts.
func (q *query) add(p Pair) {
	for i, key := range queryKeys {
		t := queryTypes(1) << i
		if q.types&t != 0 || !strings.EqualFold(p.Key, key) {
			continue
		}
		q.types |= t
		switch t {
		case echo:
			q.text = p.Value
		case secure:
			q.challenge = wire(p.Value)
		}
	}
}

// A Responder answers the queries that a server receives. A datagram has one or more of these:
//
//	\basic\    \rules\      \status\     \echo\text
//	\info\     \players\    \packets\    \secure\challenge
//
// The first four ask for a section of a [ServerInfo]. Both \status\ and \packets\ ask for all
// sections; the answer to \packets\ has a datagram for each. The zero value is ready to use. A
// Responder is not safe for concurrent use.
//
// Queries with forged source addresses could flood a victim: the captured reply of 267 bytes is 33 times as long as its
// query. A Responder therefore sends to one source at most 10 answers at once and 2 a second, and to all sources
// together at most 32 KiB a second. A source is an IPv4 address, an IPv6 network of 64 bits, or a port of the loopback
// interface. An answer counts as at least 256 bytes.
//
// Evidence: \status\ and \basic\\secure\ are observed, the others documented.
type Responder struct {
	// AnswerAll answers a query without known keys with \final\, as the game does. By default such
	// a query gets no answer. Evidence: documented (B), FUN_006ac1e0 and FUN_006ac950.
	AnswerAll bool

	limiter limiter
	number  uint32 // number of the last query
}

// Answer returns the datagrams to send to the source of a query. It returns nil if the datagram is
// itself a reply. Like the game, it also returns nil for a query with a challenge of more than
// 128 bytes. It ignores an empty challenge.
//
// Each valid query within the limits increases the number in the queryid, even without an answer.
// Answer removes control characters and backslashes from the texts of info, which must not be nil.
// It replaces characters that are not in Windows-1252 by question marks.
//
// The error wraps [stream.ErrInvalid] if the datagram is not text, or if Extra has the key final or queryid. It wraps
// [stream.ErrLimit] if a rate limit is reached, for a query of more than 254 bytes, for a pair of more than 1,349
// bytes, and for more than 512 pairs or 48 datagrams. At the rate limit of all sources, Answer also returns
// \final\ alone, which is not longer than a query: forged queries cannot hide that the server runs.
func (r *Responder) Answer(now time.Time, from netip.AddrPort, datagram []byte, info *ServerInfo) ([][]byte, error) {
	r.limiter.set(now)
	exhausted := r.limiter.exhausted()
	if !exhausted && !r.limiter.allow(from) {
		return nil, rateError{}
	}
	q, err := parseQuery(datagram)
	switch {
	case err != nil:
		return nil, err
	case Classify(datagram) == KindReply: // two servers would answer each other forever
		return nil, nil
	case exhausted && len(datagram) >= len(finalText):
		return [][]byte{[]byte(finalText)}, rateError{}
	case exhausted:
		return nil, rateError{}
	}
	r.number++
	if len(q.challenge) > maxChallenge {
		return nil, nil
	}
	var more Pairs
	if q.types&echo != 0 {
		more = append(more, Pair{"echo", q.text})
	}
	if q.challenge != "" {
		answer, _ := Validate(SecretKey, q.challenge)
		more = append(more, Pair{"validate", answer})
	}
	datagrams, err := info.reply(q.types, r.number, more)
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
	r.limiter.spend(from, size)
	return datagrams, nil
}
