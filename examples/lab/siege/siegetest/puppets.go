package siegetest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/netip"
	"time"

	"github.com/bcwire/bcwire/examples/lab/siege"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// puppets are players in the game who do what the attacker wants.
type puppets struct {
	match *match
	all   []*puppet
	began time.Time
	start func() []*puppet
	act   func(all []*puppet, at time.Duration)
}

// puppet is one of them. It remembers nothing, and counts what it sends.
type puppet struct {
	*siege.Guest
	match *match
	ships int
}

// Receive implements [siege.Client].
func (p *puppet) Receive(now time.Time, datagram []byte) {
	p.Guest.Receive(now, datagram)
	if len(p.Updates) > 0 {
		p.Updates = p.Updates[:0]
	}
}

// AppendDatagram implements [siege.Client].
func (p *puppet) AppendDatagram(dst []byte, now time.Time) []byte {
	b := p.Guest.AppendDatagram(dst, now)
	p.match.FromAttacker += len(b)
	return b
}

func (m *match) puppet(name string) *puppet {
	p := &puppet{Guest: m.Connect(name, "", nil), match: m}
	m.Clients[m.Order[len(m.Order)-1]] = p
	return p
}

// Act implements [siege.Attacker].
func (p *puppets) Act(*siege.Attack) {
	if p.all == nil {
		p.all, p.began = p.start(), p.match.Now
	}
	p.act(p.all, p.match.Now.Sub(p.began))
}

// Hear implements [siege.Attacker].
func (p *puppets) Hear(*siege.Attack, netip.AddrPort, []byte) {}

// launchCycle is fifteen players who launch a ship and destroy it, 25 times a second each.
func launchCycle(m *match) siege.Attacker {
	p := &puppets{match: m, start: func() (all []*puppet) {
		for i := range objectid.Slots - 1 {
			all = append(all, m.puppet(fmt.Sprint("Eve ", i)))
		}
		m.World.Until(10*time.Second, func() bool { return len(m.Server.Host.Members()) == objectid.Slots })
		return all
	}}
	next := time.Duration(0)
	p.act = func(all []*puppet, at time.Duration) {
		if at < next {
			return
		}
		next = at + time.Second/25
		for _, eve := range all {
			if eve.Heard, eve.Lines = nil, nil; eve.Ended != nil {
				continue
			}
			eve.ships++
			eve.Launch("akira", eve.ships%0x3FFFF)
			eve.Say(&opcode.HostMessage{})
		}
	}
	return p
}

// forger is a player in the game who speaks for the others, 20 times a second.
type forger struct {
	puppets
	watcher *puppet         // an honest player who remembers what it hears
	forged  [][]byte        // payloads that must not reach anybody
	known   map[string]bool // the same
}

// newForger returns the attacker, who makes a list of forgeries when it knows the others.
func newForger(m *match) siege.Attacker {
	f := &forger{puppets: puppets{match: m}, known: map[string]bool{}}
	f.start = func() []*puppet {
		eve := m.puppet("Eve")
		f.watcher = m.puppet("Wes")
		m.World.Until(10*time.Second, func() bool { return len(m.Server.Host.Members()) == len(m.players)+2 })
		eve.Launch("akira", 0)
		m.World.Run(time.Second)
		for _, p := range m.players {
			f.forge(eve, uint32(p.Ship().ID), byte(p.ID()))
		}
		for _, b := range f.forged {
			f.known[string(b)] = true
		}
		return []*puppet{eve}
	}
	n := 0
	f.act = func(all []*puppet, at time.Duration) {
		eve := all[0]
		for _, heard := range f.watcher.Heard {
			if f.known[string(siege.Marshal(m.T, heard))] {
				m.relayed++
			}
		}
		for _, p := range []*puppet{eve, f.watcher} {
			p.Heard, p.Lines = nil, nil
		}
		if f.watcher.Ended != nil {
			m.T.Fatalf("an honest player has left: %v", f.watcher.Ended)
		}
		for ; eve.Ended == nil && time.Duration(n)*(time.Second/20) < at; n++ {
			_ = eve.Send(f.forged[n%len(f.forged)], transport.Reliable)
		}
	}
	return f
}

// forge adds events with the IDs of another player in each of their fields, and messages in
// the name of that player.
func (f *forger) forge(eve *puppet, other uint32, peer byte) {
	own := uint32(eve.Object(0))
	id := binary.LittleEndian.AppendUint32
	add := func(op opcode.Code, parts ...[]byte) {
		f.forged = append(f.forged, append([]byte{byte(op)}, bytes.Join(parts, nil)...))
	}
	event := func(op opcode.Code, class opcode.EventClass, code opcode.EventCode, source, dest uint32, rest []byte) {
		add(op, id(nil, uint32(class)), id(nil, uint32(code)), id(nil, source), id(nil, dest), rest)
	}
	for _, e := range []struct {
		op    opcode.Code
		class opcode.EventClass
		code  opcode.EventCode
		rest  []byte
	}{
		{opcode.OpStartFiring, opcode.ClassStartFiringEvent, opcode.ETStartFiringNotify, append(id(nil, other), make([]byte, 4)...)},
		{opcode.OpStopFiring, opcode.ClassEvent, opcode.ETStopFiringNotify, nil},
		{opcode.OpSubsystemStatus, opcode.ClassBoolEvent, opcode.ETSubsystemStateChangedNotify, []byte{0}},
		{opcode.OpAddToRepairList, opcode.ClassEvent, opcode.ETAddToRepairList, nil},
		{opcode.OpClientEvent, opcode.ClassEvent, opcode.ETAddToRepairList, nil},
		{opcode.OpStartCloaking, opcode.ClassEvent, opcode.ETStartCloakingNotify, nil},
		{opcode.OpStopCloaking, opcode.ClassEvent, opcode.ETStopCloakingNotify, nil},
		{opcode.OpRepairListPriority, opcode.ClassObjPtrEvent, opcode.ETRepairIncreasePriority, id(nil, own+6)},
		{opcode.OpSetPhaserLevel, opcode.ClassCharEvent, opcode.ETSetPhaserLevel, []byte{2}},
		{opcode.OpTorpedoTypeChange, opcode.ClassCharEvent, opcode.ETNetTorpedoTypeChangedNotify, []byte{1}},
	} {
		event(e.op, e.class, e.code, 0, other+5, e.rest)
		event(e.op, e.class, e.code, other+5, own+5, e.rest)
		// Events of the host, under the opcodes of clients.
		event(e.op, opcode.ClassPlayerEvent, opcode.ETNetworkDeletePlayer, 0, own, []byte{peer})
		event(e.op, opcode.ClassObjectExplodingEvent, opcode.ETObjectExploding, other, own, make([]byte, 8))
	}
	event(opcode.OpRepairListPriority, opcode.ClassObjPtrEvent, opcode.ETRepairIncreasePriority, 0, own+6, id(nil, other+5))
	event(opcode.OpPythonEvent, opcode.ClassObjectExplodingEvent, opcode.ETObjectExploding, other, own, make([]byte, 8))
	event(opcode.OpDeletePlayerUI, opcode.ClassPlayerEvent, opcode.ETNetworkDeletePlayer, 0, own, []byte{peer})
	add(opcode.OpDestroyObject, id(nil, other))
	add(opcode.OpTorpedoFire, id(nil, other+5), []byte{4, byte(eve.PeerID()), 1, 2, 3})
	add(opcode.OpBeamFire, id(nil, other+5), []byte{0, byte(eve.PeerID()), 1, 2, 3})
	add(opcode.OpChatMessage, []byte{peer, 0, 0, 0, 2, 0, 'm', 'e'})
	add(opcode.OpTeamMessage, []byte{peer, 0, 0, 0, 1})
}
