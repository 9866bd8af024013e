package gamespy

import (
	"cmp"
	"net/netip"
	"slices"
	"time"
)

// doneReply identifies a completed reply of several parts, because UDP may duplicate a
// part.
type doneReply struct {
	from   netip.AddrPort
	number uint32
	at     time.Time
}

// remember stores a completed reply and forgets the oldest if there is no room.
func (a *Assembler) remember(r doneReply) {
	if len(a.done) >= cmp.Or(max(a.MaxReplies, 0), 1024) {
		a.done = slices.Delete(a.done, 0, 1)
	}
	a.done = append(a.done, r)
}

// over reports whether a reply was completed within MaxAge. It forgets older replies.
func (a *Assembler) over(now time.Time, from netip.AddrPort, number uint32) bool {
	a.done = slices.DeleteFunc(a.done, func(r doneReply) bool { return now.Sub(r.at) > a.maxAge() })
	return slices.ContainsFunc(a.done, func(r doneReply) bool { return r.from == from && r.number == number })
}
