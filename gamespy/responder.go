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

	number uint32 // of the last answer
}

// Answer returns the datagrams that answer one, to be sent to where it came from. It
// returns none for what is no query, and for a challenge of a bad length. The number in
// the queryid grows by one with each answer.
//
// It fails with [ErrRate] if the source, or all together, asked too much; with what
// [ParseQuery] returns for a datagram that is not text or too long; and with what
// [ServerInfo.Reply] returns.
func (r *Responder) Answer(now time.Time, from netip.AddrPort, datagram []byte, info *ServerInfo) ([][]byte, error) {
	if !r.Limiter.Allow(now, from.Addr()) {
		return nil, ErrRate
	}
	q, err := ParseQuery(datagram)
	if err != nil {
		return nil, err
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
	datagrams, err := info.Reply(q.Types, r.number+1, more...)
	if err != nil || datagrams == nil {
		return nil, err
	}
	r.number++
	size := 0
	for _, d := range datagrams {
		size += len(d)
	}
	r.Limiter.Spend(now, from.Addr(), size)
	return datagrams, nil
}
