package capture

import (
	"bytes"
	"errors"
	"hash/maphash"
	"math"
	"net/netip"
	"slices"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// Errors of captures that have datagrams, but none of the game.
var (
	ErrNotGame = errors.New("no datagrams of the game")
	ErrCipher  = errors.New("no datagrams of the game in this form") // they decode with the other value of Plain
)

// flow is the key of the datagrams between two addresses, in both directions.
type flow struct{ a, b netip.AddrPort }

func flowOf(d *Datagram) flow {
	if d.Src.Compare(d.Dst) > 0 {
		return flow{d.Dst, d.Src}
	}
	return flow{d.Src, d.Dst}
}

// traffic is what is known of a flow.
type traffic struct {
	good  int // datagrams that are of the game as a whole
	bad   int // others
	other int // of the bad ones, those that are of the game with the other value of Plain
	held  []Datagram

	client, host netip.AddrPort // of the last datagram
	first        *traffic       // of which this flow is a copy, or nil
	copied       bool           // another flow is a copy of this one
	tests        int            // datagrams that were compared with those of other flows
	like         *traffic       // had the last of them, too
	likes        int            // how many of them
}

// Limits of flows.
const (
	maxFlows = 4096
	maxHeld  = 16      // datagrams of a flow that wait
	maxBytes = 1 << 20 // of the datagrams of all flows that wait
	maxBad   = 16      // malformed datagrams of a flow for each whole one
	proof    = 32      // whole datagrams after which a flow is of the game for good
)

// ofGame reports whether the flow is of the game. A random datagram is whole with a probability of 1 to a million.
func (x *traffic) ofGame() bool { return x.good > 0 && x.bad <= maxBad*x.good }

// flows finds the datagrams of the game in captures, and those that a capture shows twice, because a router has changed
// their addresses.
type flows struct {
	all    map[flow]*traffic
	bytes  int
	hosts  map[netip.AddrPort]netip.AddrPort // the first address of a server by another one
	passed [512]passage                      // the last ones of the game
	next   int                               // index in passed
	seed   maphash.Seed
	room   []byte
}

// passage is a datagram of the game that was passed on.
type passage struct {
	flow     *traffic // nil after its copy
	sum      uint64
	fromHost bool
	client   netip.AddrPort
	at       float64
}

// strangers counts the datagrams that are not of the game.
type strangers struct {
	count int
	other int             // of them, those of the game with the other value of Plain
	ports map[uint16]bool // the lower one of each datagram
}

func (f *strangers) add(x *traffic, d *Datagram) {
	f.count++
	if 2*x.other > x.bad {
		f.other++
	}
	if f.ports == nil {
		f.ports = map[uint16]bool{}
	}
	f.ports[min(d.Src.Port(), d.Dst.Port())] = true
}

// pass passes a datagram of a capture on if its flow is of the game. If that shows later, the first datagrams follow
// then. It reports whether the iteration continues.
func (in *Reader) pass(d *Datagram, yield func(*Datagram) bool) bool {
	f := &in.flows
	x := f.of(d, in.drop)
	if kind := gamespy.Classify(d.Data); kind == gamespy.KindNone || kind == gamespy.KindUnknown {
		f.judge(x, d, in.plain)
		if !x.ofGame() {
			in.hold(x, d)
			return true
		}
	}
	held := x.held
	x.held = nil
	for i := range held {
		f.bytes -= len(held[i].Data)
		if !in.deliver(x, &held[i], yield) {
			return false
		}
	}
	return in.deliver(x, d, yield)
}

func (in *Reader) deliver(x *traffic, d *Datagram, yield func(*Datagram) bool) bool {
	if in.flows.repeats(x, d) {
		in.notes.add(copyLeftOut, 0, d.Number)
		return true
	}
	return yield(d)
}

// hold keeps a copy of a datagram until it is known whether its flow is of the game.
func (in *Reader) hold(x *traffic, d *Datagram) {
	f := &in.flows
	if len(x.held) == maxHeld {
		in.foreign.add(x, d)
		return
	}
	if f.bytes += len(d.Data); f.bytes > maxBytes {
		for _, other := range f.all {
			in.drop(other)
		}
		f.bytes = len(d.Data)
	}
	x.held = append(x.held, *d)
	x.held[len(x.held)-1].Data = bytes.Clone(d.Data)
}

// drop counts the datagrams of a flow that wait as others than the game's.
func (in *Reader) drop(x *traffic) {
	for i := range x.held {
		in.foreign.add(x, &x.held[i])
		in.flows.bytes -= len(x.held[i].Data)
	}
	x.held = nil
}

// of returns the flow of a datagram. If there are too many, those that are not of the game are dropped, or else all.
func (f *flows) of(d *Datagram, drop func(*traffic)) *traffic {
	key := flowOf(d)
	x := f.all[key]
	if x == nil {
		if f.all == nil {
			f.all, f.seed = map[flow]*traffic{}, maphash.MakeSeed()
		}
		for _, all := range []bool{false, true} {
			if len(f.all) < maxFlows {
				break
			}
			for k, other := range f.all {
				if all || !other.ofGame() {
					drop(other)
					delete(f.all, k)
				}
			}
		}
		x = new(traffic)
		f.all[key] = x
	}
	x.client, x.host = d.Src, d.Dst
	if d.Dir == recording.ToClient {
		x.client, x.host = d.Dst, d.Src
	}
	return x
}

// judge counts a datagram. A truncated one shows something only if the lengths of its messages are there.
func (f *flows) judge(x *traffic, d *Datagram, plain bool) {
	switch {
	case x.good >= proof && x.ofGame():
	case f.isGame(d, plain):
		x.good++
	case d.Missing > 0:
	default:
		x.bad++
		if f.isGame(d, !plain) {
			x.other++
		}
	}
}

// isGame reports whether a datagram is of the game. What a truncated one lacks is taken as zeros.
func (f *flows) isGame(d *Datagram, plain bool) bool {
	f.room = append(f.room[:0], d.Data...)
	f.room = append(f.room, make([]byte, d.Missing)...)
	if !plain {
		cipher.Decrypt(f.room)
	}
	return transport.IsGame(f.room)
}

// Limits for copies. A router passes a datagram on at once.
const (
	copyTime = 1.0 // seconds
	soonTime = 0.005
	maxTests = 16 // datagrams of a flow
	minLikes = 4  // equal datagrams of two clients, in a row
	minLong  = 17 // bytes of a datagram of a client that others do not send, too
)

// repeats reports whether a datagram is a copy of an earlier one: a capture on the computer that forwards a port shows it
// before and after its addresses are changed. A datagram of a flow of copies that is none gets the addresses of the first
// flow, so that there is one link.
func (f *flows) repeats(x *traffic, d *Datagram) bool {
	p := passage{flow: x, sum: maphash.Bytes(f.seed, d.Data), fromHost: d.Dir == recording.ToClient, client: x.client, at: d.Time}
	if first := x.first; first == nil && !x.copied {
		f.compare(x, &p, d.Data)
	}
	if x.first != nil || x.copied {
		same := func(other *traffic) bool { return other != x && other.root() == x.root() }
		if found := f.find(&p, same); found != nil {
			found.flow = nil
			return true
		}
	}
	if client, host := x.root().client, f.hostOf(x.root().host); x.first != nil || host != x.host {
		if d.Src, d.Dst = client, host; p.fromHost {
			d.Src, d.Dst = host, client
		}
		d.Client = client.String()
	}
	f.passed[f.next] = p
	f.next = (f.next + 1) % len(f.passed)
	return false
}

// root returns the first one of a flow and its copies.
func (x *traffic) root() *traffic {
	if x.first != nil {
		return x.first
	}
	return x
}

// find returns a datagram that was passed on and is equal to another one, or nil.
func (f *flows) find(p *passage, of func(*traffic) bool) *passage {
	for i := range f.passed {
		q := &f.passed[i]
		if q.sum == p.sum && q.flow != nil && q.fromHost == p.fromHost && math.Abs(q.at-p.at) <= copyTime && of(q.flow) {
			return q
		}
	}
	return nil
}

// compare finds the flow of which another one is a copy. Equal datagrams are no copies if the host may have sent them to
// two clients, or if two clients may have sent them. A Connect has a random number.
func (f *flows) compare(x *traffic, p *passage, data []byte) {
	connect := !p.fromHost && objectid.PeerID(int8(data[0])) == objectid.NoPeer && !transport.IsGameSpy(data)
	if transport.IsGameSpy(data) || x.tests >= maxTests && !connect {
		return
	}
	if x.tests++; connect {
		x.tests = maxTests
	}
	found := f.find(p, func(other *traffic) bool {
		return other != x && (other.host != x.host || other.client != x.client)
	})
	switch long := !p.fromHost && len(data) >= minLong; {
	case found == nil:
		if long {
			x.like, x.likes = nil, 0
		}
		return
	case found.client == x.client, connect, long && math.Abs(found.at-p.at) <= soonTime:
	case !long:
		return
	default:
		if x.like != found.flow {
			x.like, x.likes = found.flow, 0
		}
		if x.likes++; x.likes < minLikes {
			return
		}
	}
	x.first = found.flow.root()
	x.first.copied = true
	if host := f.hostOf(x.first.host); host != f.hostOf(x.host) {
		if len(f.hosts) >= maxServers {
			clear(f.hosts)
		}
		if f.hosts == nil {
			f.hosts = map[netip.AddrPort]netip.AddrPort{}
		}
		f.hosts[x.host] = host
	}
}

// hostOf returns the address of a server that is used for all its addresses.
func (f *flows) hostOf(host netip.AddrPort) netip.AddrPort {
	if first, ok := f.hosts[host]; ok {
		return first
	}
	return host
}

// sorted returns the ports in order.
func (f *strangers) sorted() []uint16 {
	ports := make([]uint16, 0, len(f.ports))
	for port := range f.ports {
		ports = append(ports, port)
	}
	slices.Sort(ports)
	return ports
}
