package transport

import (
	"time"

	"github.com/bcwire/bcwire/objectid"
)

// Receive receives a deciphered datagram from the peer. Events alias the datagram: do not reuse it
// before its events have been read. Receive drops and counts datagrams of other peers, GameSpy
// text, and malformed or forged messages.
func (s *Session) Receive(now time.Time, datagram []byte) {
	s.clock.Set(now)
	s.receive(datagram)
	s.notify(changedDeadline)
}

func (s *Session) receive(d []byte) {
	s.receiver.reclaim(s.events.len() > 0)
	switch {
	case s.life.state == stateReleased:
		s.drop(dropLate)
	case s.events.len() >= maxEvents:
		s.drop(dropUnread)
	case len(d) < 2 || IsGameSpy(d):
		s.drop(dropMalformed)
	case s.life.host && peerOf(d[0]) == objectid.NoPeer:
		s.receiveConnect(d)
	case s.life.host && s.life.state == stateConnecting:
		s.drop(dropEarly)
	case !s.life.accepts(peerOf(d[0])):
		s.drop(dropWrongPeer)
	default:
		s.counters.Received++
		if s.life.halfOpen() { // and validated, or without a Hub
			s.opened()
		}
		s.receiveMessages(d)
	}
}

func (s *Session) receiveMessages(d []byte) {
	if d[1] == 0 {
		s.heard()
	}
	off, acknowledged := 2, false
	for range d[1] {
		var m Message
		n, err := m.parse(d[off:])
		off += n
		if err != nil {
			s.drop(dropMalformed)
		} else {
			s.heard()
			if !s.life.host {
				acknowledged = acknowledged || m.acknowledgesConnect()
				s.life.peer.hear(&m, acknowledged)
			}
			s.receiveMessage(&m)
		}
		if n == 0 {
			break
		}
	}
}

func (s *Session) receiveMessage(m *Message) {
	connecting := s.life.state == stateConnecting
	switch {
	case m.Type == TypeAck:
		s.receiveAck(m)
	case m.Type == TypeDoNothing:
	case m.Short:
		s.receiveShort(m)
	case connecting && m.Type == TypeData && !m.Reliable && !m.Fragment:
		s.deliver(m) // OpenBC refuses a client in this way
	case connecting && (m.Seq != 0 || m.Type != TypeConnect && m.Type != TypeBoot):
		s.drop(dropEarly)
	case m.System() && !m.Reliable:
		s.drop(dropMalformed) // the offset of its body is unknown
	case m.System() && !m.HighPriority:
		s.receiveUnnumbered(m)
	case m.Reliable:
		s.receiveReliable(m)
	default:
		s.deliver(m)
	}
}

// receiveReliable delivers a reliable message, and the messages that waited for it.
func (s *Session) receiveReliable(m *Message) {
	if m.Probe() && !s.receiver.mayBeNext(m) {
		s.receiver.acknowledge(s.clock.Now, m)
		s.counters.Duplicates++
		return
	}
	switch s.receiver.receive(s.clock.Now, m) {
	case outcomeReady:
		s.deliver(m)
		s.deliverReady(channelOf(m.System()))
	case outcomeDuplicate:
		if !s.leavesAgain(m) {
			s.counters.Duplicates++
		}
	case outcomeNarrow:
		s.speaksOpenBC()
	case outcomeBroken:
		s.disconnect(EndBadFragment, s.life.closingMessage(EndBadFragment))
	}
}

// deliverReady delivers the buffered messages that are next in the order of a channel.
func (s *Session) deliverReady(channel int) {
	ready := s.receiver.ready(channel)
	if len(ready) == 0 {
		return
	}
	for i := range ready {
		s.deliver(&ready[i].m)
	}
	s.receiver.delivered(channel, len(ready))
}

// receiveAck removes the message that an Ack acknowledges.
func (s *Session) receiveAck(m *Message) {
	a, _ := m.Ack() // valid, since it was parsed
	if a.Flags&openBCAck != 0 {
		s.speaksOpenBC()
	}
	sent := s.sender.find(a)
	if sent == nil && a.Flags&AckSystem == 0 && s.sender.echo(a) {
		s.receiveEcho()
		return
	}
	if sent == nil || s.life.state == stateConnecting {
		if a.Seq != 0 || a.Flags&(AckSystem|AckFragment) != AckSystem { // the reply or the first datagram acknowledges the handshake
			s.counters.StrayAcks++
		}
		return
	}
	if !s.sender.echoes.wide && !sent.system {
		s.sender.echoes.acknowledged(sent, s.clock.Now)
	}
	s.quality.acknowledged(s.clock.Now, sent)
	s.acknowledged(sent)
}

// acknowledged removes a message that the peer has received. The last message of a closing
// session completes the end.
func (s *Session) acknowledged(m *storedMessage) {
	s.sender.acknowledged(m)
	if s.life.state == stateClosing && s.sender.channels[systemChannel].n == 0 {
		s.life.enter(stateLingering)
	}
}

// deliver delivers a message that is next in its order.
func (s *Session) deliver(m *Message) {
	switch {
	case m.System():
		s.receiveSystem(m)
	case s.life.ended():
		s.drop(dropLate)
	default:
		s.counters.Payloads++
		s.event(Event{Kind: EventPayload, Payload: m.Body, Delivery: deliveryOf(m)})
	}
}

func (s *Session) receiveSystem(m *Message) {
	if s.life.ended() {
		return
	}
	body, err := m.Decode()
	if err != nil {
		s.drop(dropMalformed)
		return
	}
	switch b := body.(type) {
	case *ConnectReply:
		s.receiveReply(b)
	case *ConnectRequest:
		s.drop(dropForged) // receiveConnect receives the request of the client
	case *Boot:
		s.receiveBoot(b)
	case *Disconnect:
		s.receiveDisconnect(b)
	default:
		s.event(Event{Kind: EventSystem, Delivery: deliveryOf(m), Body: body})
	}
}

func (s *Session) receiveBoot(b *Boot) {
	switch {
	case s.life.host:
		s.drop(dropForged)
	case b.PeerID == s.life.client.peer || b.PeerID == objectid.NoPeer || s.life.state == stateConnecting:
		s.abort(EndBooted, b)
	default:
		s.event(Event{Kind: EventSystem, Body: b})
	}
}

func (s *Session) receiveDisconnect(d *Disconnect) {
	switch {
	case s.life.host && d.PeerID != s.life.client.peer:
		s.drop(dropForged)
	case s.life.host || d.PeerID == objectid.Host || d.PeerID == s.life.client.peer: // OpenBC sends the client's own
		s.abort(EndLeft, d)
	default:
		s.event(Event{Kind: EventSystem, Body: d})
	}
}
