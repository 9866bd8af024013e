package transport

import "net/netip"

// maxRefusals is how many refusals may wait to be sent.
const maxRefusals = 256

// refusal is the answer to a Connect that is not accepted.
type refusal struct {
	addr   netip.AddrPort
	reason BootReason
	ack    bool
}

// Refuse answers an EventConnect with a Boot. Nothing is remembered: should it get lost,
// the client asks again, and the event with it. Events of other kinds have no answer.
func (h *Hub) Refuse(e Event, reason BootReason) {
	switch {
	case e.Kind != EventConnect:
	case len(h.refusals) >= maxRefusals:
		h.drop(DropRefusal)
	default:
		h.refusals = append(h.refusals, refusal{e.Addr, reason, e.sequenced})
	}
}

// refuseAll sends what waits, and says whether the caller wants more.
func (h *Hub) refuseAll(yield func(netip.AddrPort, []byte) bool) bool {
	for len(h.refusals) > 0 {
		r := h.refusals[0]
		h.refusals = h.refusals[:copy(h.refusals, h.refusals[1:])]
		h.counters.Sent++
		if h.buf = r.append(h.buf[:0]); !yield(r.addr, h.buf) {
			return false
		}
	}
	return true
}

func (r refusal) append(dst []byte) []byte {
	p := page{b: append(dst, byte(Host), 0), start: len(dst)}
	if r.ack {
		p.addAck(Ack{Flags: AckSystem})
	}
	p.count++
	boot := NewMessage(0, Boot{Reason: r.reason, PeerID: NoPeer})
	p.b = boot.append(p.b)
	p.b[p.start+1] = byte(p.count)
	return p.b
}
