package gamespy

import (
	"net/netip"
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
