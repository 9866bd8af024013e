package transport

import (
	"net/netip"
	"time"
)

// maxPast is how many Connects a Hub remembers.
const maxPast = 256

// past is the Connects whose sessions have ended, for the sake of their late copies.
type past struct {
	list []pastConnect // a ring, once it is full
	next int
}

type pastConnect struct {
	addr  netip.AddrPort
	id    uint32
	until time.Duration
}

func (p *past) add(addr netip.AddrPort, id uint32, until time.Duration) {
	c := pastConnect{addr, id, until}
	if len(p.list) < maxPast {
		p.list = append(p.list, c)
		return
	}
	p.list[p.next] = c
	p.next = (p.next + 1) % maxPast
}

func (p *past) has(addr netip.AddrPort, id uint32, now time.Duration) bool {
	for i := range p.list {
		if c := &p.list[i]; c.id == id && c.addr == addr && now < c.until {
			return true
		}
	}
	return false
}
