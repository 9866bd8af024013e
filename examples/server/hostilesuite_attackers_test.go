package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
)

// pace tells how many datagrams are due, at so many a second.
type pace struct {
	perSecond float64
	due       float64
}

func (p *pace) next() (n int) {
	p.due += p.perSecond * step.Seconds()
	n = int(p.due)
	p.due -= float64(n)
	return n
}

// forgedAddr returns the i-th of the addresses that nobody has.
func forgedAddr(i, port int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{198, byte(18 + i>>16&1), byte(i >> 8), byte(i)}), uint16(port))
}

// deaf is an attacker that takes nothing from what it hears.
type deaf struct{}

func (deaf) hear(*siege, netip.AddrPort, []byte) {}

// churn joins and leaves: it connects, reads its peer ID, and sends a name and a Disconnect
// in one datagram.
type churn struct {
	pace
	ips    int
	name   string // "" for none
	n      int
	joined map[netip.AddrPort]bool // addresses that have sent the second datagram
}

func (c *churn) attack(s *siege) {
	for range c.next() {
		from := forgedAddr(c.n%c.ips, 1024+c.n/c.ips%60000)
		c.n++
		s.sendPacket(from, connectPacket(uint32(c.n)))
	}
}

func (c *churn) hear(s *siege, at netip.AddrPort, datagram []byte) {
	if reply, ok := replyIn(datagram); ok && !c.joined[at] {
		c.joined[at] = true
		s.sendPacket(at, churnPacket(s.t, reply, c.name))
	}
}

// churnPacket is the second and last datagram of churn.
func churnPacket(t testing.TB, reply *transport.ConnectReply, name string) transport.Packet {
	p := transport.Packet{PeerID: reply.PeerID}
	seq := uint16(1)
	if name != "" {
		p.Messages = append(p.Messages, transport.NewMessage(seq, &transport.NameChange{PeerID: reply.PeerID, Name: systemText(t, name)}))
		seq++
	}
	p.Messages = append(p.Messages, transport.NewMessage(seq, &transport.Disconnect{PeerID: reply.PeerID}))
	return p
}

func connectPacket(connID uint32) transport.Packet {
	return transport.Packet{PeerID: objectid.NoPeer, Messages: []transport.Message{
		transport.NewMessage(0, &transport.ConnectRequest{ConnID: connID}),
	}}
}

// replyIn returns the reply to a Connect.
func replyIn(datagram []byte) (reply *transport.ConnectReply, ok bool) {
	var p transport.Packet
	_ = p.UnmarshalBinary(datagram) // a message that is malformed is left out
	for _, m := range p.Messages {
		if m.Type == transport.TypeConnect {
			body, _ := m.Decode()
			reply, ok = body.(*transport.ConnectReply)
			return reply, ok
		}
	}
	return reply, false
}

// connectFlood sends Connects from forged addresses.
type connectFlood struct {
	deaf
	pace
	rng *rand.Rand
}

func (f *connectFlood) attack(s *siege) {
	for range f.next() {
		s.sendPacket(forgedAddr(f.rng.IntN(1<<17), 1+f.rng.IntN(65535)), connectPacket(f.rng.Uint32()))
	}
}

// acks are those that a blind attacker sends.
type acks int

const (
	noAcks    acks = iota
	firstAck       // of the first ChecksumRequest alone
	exactAcks      // of all messages of the host up to the join, each after it was sent
	wrongAcks      // of messages that were never sent
)

// blindJoin joins from forged addresses by a fixed script of 19 datagrams. It predicts the
// peer ID and all sequence numbers. The test tells it the peer ID, so that its prediction is
// as good as can be.
type blindJoin struct {
	acks    acks
	every   time.Duration // between two addresses
	guesses int           // one of so many predictions of the peer ID is right; 0: all are
	stop    int           // the script ends after so many datagrams; 0: it does not
	brief   bool          // the script is two datagrams: the Connect, and all up to NewPlayerInGame

	tries []*blindTry
}

// blindTry is the script, played from one address.
type blindTry struct {
	from  netip.AddrPort
	began time.Time
	sent  int
	reply *transport.ConnectReply
	heard bool
}

const (
	blindDatagrams = 19
	blindJoining   = 8                      // of these up to NewPlayerInGame
	blindPause     = 250 * time.Millisecond // in which the host has answered the datagram before
	blindRest      = 4 * time.Second        // between the others, which keep the session
	blindTail      = 30 * time.Second       // in which the host gives up an address
)

func (b *blindJoin) attack(s *siege) {
	n := len(b.tries)
	due := n == 0 || !s.now.Before(b.tries[n-1].began.Add(b.every))
	if due && s.now.Before(s.ends.Add(-blindTail)) {
		b.tries = append(b.tries, &blindTry{from: forgedAddr(n, 5000+n), began: s.now, reply: &transport.ConnectReply{}})
	}
	for _, try := range b.tries {
		for try.sent < b.length() && !s.now.Before(try.began.Add(blindOffset(try.sent))) {
			s.sendPacket(try.from, b.packet(s, try))
			try.sent++
		}
	}
}

func (b *blindJoin) length() int {
	switch {
	case b.brief:
		return 2
	case b.stop > 0:
		return b.stop
	}
	return blindDatagrams
}

// blindOffset returns when to send a datagram of the script.
func blindOffset(i int) time.Duration {
	return blindPause*time.Duration(min(i, blindJoining)) + blindRest*time.Duration(max(0, i-blindJoining))
}

func (b *blindJoin) hear(s *siege, at netip.AddrPort, datagram []byte) {
	for i, try := range b.tries {
		if try.from != at || try.heard {
			continue
		}
		if reply, ok := replyIn(datagram); ok {
			if try.heard = true; b.guesses > 0 && i%b.guesses != b.guesses/2 {
				reply.PeerID = 2 + (reply.PeerID+1)%80 // another one
			}
			try.reply = reply
		}
	}
}

// packet returns the next datagram of the script.
func (b *blindJoin) packet(s *siege, try *blindTry) transport.Packet {
	if try.sent == 0 {
		return connectPacket(uint32(try.from.Port()))
	}
	p := transport.Packet{PeerID: try.reply.PeerID, Messages: b.acksOf(try.sent)}
	switch {
	case b.brief:
		for i := 2; i < blindJoining; i++ {
			p.Messages = append(p.Messages, blindMessage(s.t, i))
		}
	case try.sent == 1:
		name := &transport.NameChange{PeerID: try.reply.PeerID, Name: systemText(s.t, "Eve")}
		p.Messages = append(p.Messages, transport.NewMessage(1, name))
	case try.sent == blindJoining+1:
		p.Messages = append(p.Messages, transport.NewData(6, marshal(s.t, s.blindShip(try))))
	default:
		p.Messages = append(p.Messages, blindMessage(s.t, try.sent))
	}
	return p
}

// blindShip returns the ship of a forged client, which gets ship updates from then on. The
// test tells it the slot, which is the lowest free one.
func (s *siege) blindShip(try *blindTry) opcode.Message {
	m := &opcode.ObjectCreateTeam{NetPlayerID: try.reply.PeerID}
	for i, p := range s.match.slots {
		if p != nil && p.session.Addr() == try.from {
			m.OwnerSlot = objectid.Slot(i)
		}
	}
	base, _ := objectid.Base(objectid.Slot(m.OwnerSlot))
	ship := stateupdate.NewShip(base, stateupdate.Stock().Named("akira"))
	ship.SetName = "Multi1"
	var err error
	m.Object, err = ship.Object()
	require.NoError(s.t, err)
	return m
}

// blindMessage returns a message of the script: five responses, NewPlayerInGame, keepalives.
func blindMessage(t testing.TB, i int) transport.Message {
	rounds := [...]uint8{0, 1, 2, 3, 255}
	switch {
	case i < blindJoining-1:
		return transport.NewData(uint16(i-2), marshal(t, &opcode.ChecksumResponse{Index: rounds[i-2], NoFiles: true}))
	case i < blindJoining:
		return transport.NewData(5, marshal(t, &opcode.NewPlayerInGame{}))
	}
	return transport.NewMessage(0, &transport.DoNothing{})
}

// acksOf returns the Acks that go with a datagram of the script.
func (b *blindJoin) acksOf(i int) (all []transport.Message) {
	ack := func(flags transport.AckFlags, numbers ...uint16) {
		for _, seq := range numbers {
			all = append(all, transport.NewMessage(0, &transport.Ack{Seq: seq, Flags: flags}))
		}
	}
	switch {
	case b.acks == wrongAcks && i > 1:
		ack(0, uint16(i))
	case b.acks == firstAck && i == 1:
		ack(0, 0)
	case b.acks != exactAcks:
	case i == 1:
		ack(transport.AckSystem, 0)
		ack(0, 0)
	case i == 2: // NameChange
		ack(transport.AckSystem, 1)
	case i <= 6: // ChecksumRequests
		ack(0, uint16(i-2))
	case i == 7: // ChecksumComplete, Settings, GameInit
		ack(0, 5, 6, 7)
	case i == 8: // MissionInit
		ack(0, 8)
	}
	return all
}

// noise sends datagrams that are nothing, or nearly something.
type noise struct {
	deaf
	pace
	rng   *rand.Rand
	kinds []func(*rand.Rand) []byte
}

func (n *noise) attack(s *siege) {
	for range n.next() {
		kind := n.kinds[n.rng.IntN(len(n.kinds))]
		s.send(forgedAddr(n.rng.IntN(1<<17), 1+n.rng.IntN(65535)), kind(n.rng))
	}
}

// query returns a query of a browser.
func query(rng *rand.Rand) []byte {
	return []byte([...]string{`\status\`, `\info\`, `\basic\`, `\rules\`, `\players\`, `\secure\abcdef`, `\echo\x`}[rng.IntN(7)])
}

// statusQuery returns the query with the longest answer.
func statusQuery(*rand.Rand) []byte { return []byte(`\status\`) }

// puppets are players in the game who do what the attacker wants.
type puppets struct {
	deaf
	all   []*puppet
	began time.Time
	start func(s *siege) []*puppet
	act   func(s *siege, all []*puppet, at time.Duration)
}

// puppet is one of them. It remembers nothing, and counts what it sends.
type puppet struct {
	*guest
	s     *siege
	ships int
}

// Receive implements client.
func (p *puppet) Receive(now time.Time, datagram []byte) {
	p.guest.Receive(now, datagram)
	if len(p.updates) > 0 {
		p.updates = p.updates[:0]
	}
}

// AppendDatagram implements client.
func (p *puppet) AppendDatagram(dst []byte, now time.Time) []byte {
	b := p.guest.AppendDatagram(dst, now)
	p.s.received += len(b)
	return b
}

func (s *siege) puppet(name string) *puppet {
	p := &puppet{guest: s.connect(name, "", nil), s: s}
	s.clients[s.order[len(s.order)-1]] = p
	return p
}

// attack implements attacker.
func (p *puppets) attack(s *siege) {
	if p.all == nil {
		p.all, p.began = p.start(s), s.now
	}
	p.act(s, p.all, s.now.Sub(p.began))
}

// launchCycle is fifteen players who launch a ship and destroy it, 25 times a second each.
func launchCycle() attacker {
	p := &puppets{start: func(s *siege) (all []*puppet) {
		for i := range objectid.Slots - 1 {
			all = append(all, s.puppet(fmt.Sprint("Eve ", i)))
		}
		s.world.until(10*time.Second, func() bool { return len(s.match.players(nil)) == objectid.Slots })
		return all
	}}
	next := time.Duration(0)
	p.act = func(_ *siege, all []*puppet, at time.Duration) {
		if at < next {
			return
		}
		next = at + time.Second/25
		for _, eve := range all {
			if eve.heard, eve.lines = nil, nil; eve.ended != nil {
				continue
			}
			eve.ships++
			eve.launch("akira", eve.ships%0x3FFFF)
			eve.say(&opcode.HostMessage{})
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
func newForger() attacker {
	f := &forger{known: map[string]bool{}}
	f.start = func(s *siege) []*puppet {
		eve := s.puppet("Eve")
		f.watcher = s.puppet("Wes")
		s.world.until(10*time.Second, func() bool { return len(s.match.players(nil)) == len(s.players)+2 })
		eve.launch("akira", 0)
		s.world.run(time.Second)
		for _, p := range s.players {
			f.forge(eve, uint32(p.Ship().ID), byte(p.ID()))
		}
		for _, b := range f.forged {
			f.known[string(b)] = true
		}
		return []*puppet{eve}
	}
	n := 0
	f.act = func(s *siege, all []*puppet, at time.Duration) {
		eve := all[0]
		for _, m := range f.watcher.heard {
			if f.known[string(marshal(s.t, m))] {
				s.relayed++
			}
		}
		for _, p := range []*puppet{eve, f.watcher} {
			p.heard, p.lines = nil, nil
		}
		require.Nil(s.t, f.watcher.ended)
		for ; eve.ended == nil && time.Duration(n)*(time.Second/20) < at; n++ {
			_ = eve.Send(f.forged[n%len(f.forged)], transport.Reliable)
		}
	}
	return f
}

// forge adds events with the IDs of another player in each of their fields, and messages in
// the name of that player.
func (f *forger) forge(eve *puppet, other uint32, peer byte) {
	own := uint32(eve.id(0))
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

// scenarios are those of the suite. Their limits are a third above what was measured.
func scenarios() []scenario {
	name := strings.Repeat("x", maxNameLength)
	churnFrom := func(ips int, name string) func() attacker {
		return func() attacker {
			return &churn{pace: pace{perSecond: 450}, ips: ips, name: name, joined: map[netip.AddrPort]bool{}}
		}
	}
	blind := func(b blindJoin) func() attacker {
		return func() attacker {
			fresh := b
			return &fresh
		}
	}
	seed := func() *rand.Rand { return rand.New(rand.NewPCG(1, 13)) }
	flood := func() attacker { return &connectFlood{pace: pace{perSecond: 400}, rng: seed()} }
	noisy := func(perSecond float64, kinds ...func(*rand.Rand) []byte) func() attacker {
		return func() attacker { return &noise{pace: pace{perSecond: perSecond}, rng: seed(), kinds: kinds} }
	}
	const (
		brief    = 10 * time.Second
		aMinute  = time.Minute
		session  = 100 * time.Second // longer than a session that falls silent
		halfOpen = 5 << 20           // 1,024 sessions
		few      = 1 << 20
		quiet    = 800 // bytes of log a second
	)
	var (
		often   = 2 * time.Second
		byUsual = aMinute / 16  // each of the default peer IDs once in a minute
		byGuess = aMinute / 124 // each of all peer IDs
	)
	slow := []time.Duration{0, 100 * time.Millisecond, 400 * time.Millisecond}
	return []scenario{
		{
			name: "churn", attacker: churnFrom(1, name), latencies: slow,
			lasts: brief, amplification: 0.7, memory: halfOpen, log: quiet,
		},
		{
			name: "churn without names", attacker: churnFrom(1, ""), latencies: slow,
			lasts: brief, amplification: 2.4, memory: halfOpen, log: quiet,
		},
		{
			name: "churn from 200 addresses", attacker: churnFrom(200, name), latencies: slow,
			lasts: brief, amplification: 0.7, memory: halfOpen, log: quiet,
		},
		{
			name: "blind join, no Acks", attacker: blind(blindJoin{every: often}),
			lasts: aMinute, amplification: 3, memory: few, log: quiet,
		},
		{
			name: "blind join, two datagrams", attacker: blind(blindJoin{every: often, brief: true}),
			lasts: aMinute, amplification: 5, memory: few, log: quiet,
		},
		{
			name: "blind join, first Ack", attacker: blind(blindJoin{every: often, brief: true, acks: firstAck}),
			lasts: aMinute, amplification: 6, memory: few, log: quiet,
		},
		{
			name: "blind join, no Ack of Settings", attacker: blind(blindJoin{every: often, acks: exactAcks, stop: 7}),
			lasts: aMinute, amplification: 6.5, memory: few, log: quiet,
		},
		{
			name: "blind join, wrong Acks", attacker: blind(blindJoin{every: often, acks: wrongAcks}),
			lasts: aMinute, amplification: 0.5, memory: few, log: quiet,
		},
		{
			name: "blind join, exact Acks", attacker: blind(blindJoin{every: 2 * time.Minute, acks: exactAcks}),
			lasts: session, amplification: 800, memory: few, log: quiet,
		},
		{
			name: "blind join, exact Acks, guessed IDs", attacker: blind(blindJoin{every: byUsual, guesses: 16, acks: exactAcks}),
			lasts: session, amplification: 50, memory: few, log: quiet,
		},
		{
			name: "blind join, exact Acks, random IDs", attacker: blind(blindJoin{every: byGuess, guesses: 124, acks: exactAcks}), random: true,
			lasts: session, amplification: 8, memory: few, log: quiet,
		},
		{
			name: "blind join, two datagrams, random IDs", attacker: blind(blindJoin{every: byGuess, guesses: 124, brief: true}), random: true,
			lasts: aMinute, amplification: 0.8, memory: few, log: quiet,
		},
		{
			name: "connect flood", attacker: flood,
			lasts: brief, amplification: 4.2, memory: halfOpen, log: quiet,
		},
		{
			name: "connect flood, random IDs", attacker: flood, random: true,
			lasts: brief, amplification: 4.2, memory: halfOpen, log: quiet,
		},
		{
			name: "forged events", attacker: newForger, proven: true,
			lasts: 15 * time.Second, memory: few, log: quiet,
		},
		{
			name: "launch cycle", attacker: launchCycle, proven: true, crowd: true, latencies: slow,
			lasts: 30 * time.Second, memory: few, log: 3500,
		},
		{
			name: "garbage flood", attacker: noisy(1000, garbage, mutated, forged),
			lasts: brief, amplification: 0.1, memory: few, log: quiet,
		},
		{
			name: "GameSpy, few queries", attacker: noisy(20, statusQuery),
			lasts: brief, amplification: 45, memory: few, log: quiet,
		},
		{
			name: "GameSpy flood", attacker: noisy(1000, query),
			lasts: brief, amplification: 4, memory: few, log: quiet,
		},
	}
}
