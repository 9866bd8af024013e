package gamespy

import (
	"net/netip"
	"time"
)

// Responder answers the queries that a server receives. The zero value is ready, with the
// key of the game and the limits that [Limiter] lists. It is not safe for concurrent use.
type Responder struct {
	Key     string // for challenges; "" means that of the game
	Limiter Limiter

	// AnswerAll answers a query that asks for nothing known with \final\ alone, as the game
	// does. By default there is no answer: nobody needs one, and it may go to a forged
	// address. The Limiter counts these answers as it counts others.
	//
	// Evidence: documented (B): the engine's code of queries, FUN_006ac1e0, FUN_006ac950.
	AnswerAll bool

	number uint32 // of the last query
}

// Answer returns the datagrams that answer one, to be sent to where it came from. It
// returns none for a reply, which has the key final: the game would answer it, and two
// servers each other for ever. Like the game, it returns none at all for a query with a
// challenge of more than [MaxChallenge] bytes, and leaves out the answer to an empty one.
// The number in the queryid grows by one with each query, also with one that has no answer.
//
// It fails with [ErrRate] if the source, or all together, asked too much; with what
// [ParseQuery] returns for a datagram that is not text or too long; and with what
// [ServerInfo.Reply] returns.
func (r *Responder) Answer(now time.Time, from netip.AddrPort, datagram []byte, info *ServerInfo) ([][]byte, error) {
	if !r.Limiter.Allow(now, from.Addr()) {
		return nil, ErrRate
	}
	q, isReply, err := parseQuery(datagram)
	if err != nil || isReply {
		return nil, err
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
