package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"time"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// tick is the time between two updates of a ship.
const tick = 100 * time.Millisecond

// self is the client whose link is written.
const self objectid.PeerID = 2

var classes = []string{"akira", "sovereign", "warbird", "vorcha", "galor", "birdofprey", "marauder", "keldon"}

// generator writes the datagrams of a link.
type generator struct {
	out      *bufio.Writer
	line     []byte
	random   *rand.Rand
	now      time.Duration
	ships    [objectid.Slots]*stateupdate.Ship
	lives    [objectid.Slots]int // number of ships that each player has had
	updates  stateupdate.Broadcaster
	own      stateupdate.Encoder
	sides    [2]side // the client and the host
	encoding []byte
}

// side is a sender.
type side struct {
	peer    objectid.PeerID
	seq     uint16
	acks    []transport.Message // for messages of the other side
	waiting []transport.Message
}

func newGenerator(w io.Writer) (*generator, error) {
	g := &generator{out: bufio.NewWriter(w), random: rand.New(rand.NewPCG(1, 2))}
	g.updates.AddReceiver(self).All = true
	g.sides[0].peer, g.sides[1].peer = self, objectid.Host
	connect := transport.NewMessage(0, &transport.ConnectRequest{ConnID: 7})
	if err := g.write(recording.ToServer, objectid.NoPeer, []transport.Message{connect}); err != nil {
		return nil, err
	}
	g.sides[1].waiting = append(g.sides[1].waiting, transport.NewMessage(0, &transport.ConnectReply{PeerID: self}))
	for slot := range objectid.Slots {
		name, err := transport.NewUTF16Z(playerName(slot))
		if err != nil {
			return nil, err
		}
		change := &transport.NameChange{PeerID: peerOf(slot), Name: name}
		g.sides[1].waiting = append(g.sides[1].waiting, transport.NewMessage(uint16(1+slot), change))
	}
	for slot := range objectid.Slots {
		if err := g.launch(slot); err != nil {
			return nil, err
		}
	}
	return g, nil
}

func playerName(slot int) string           { return fmt.Sprintf("Player %d", slot+1) }
func peerOf(slot int) objectid.PeerID      { return objectid.PeerID(slot + 2) }
func (g *generator) host() *side           { return &g.sides[1] }
func (g *generator) chance(n float64) bool { return g.random.Float64() < n }

// run writes the match.
func (g *generator) run(length time.Duration) error {
	for ; g.now < length; g.now += tick {
		if err := g.step(); err != nil {
			return err
		}
	}
	return g.out.Flush()
}

// step writes a tenth of a second.
func (g *generator) step() error {
	for slot, ship := range g.ships {
		g.fly(slot, ship)
		if g.chance(0.02) {
			if err := g.fire(slot, ship); err != nil {
				return err
			}
		}
	}
	if g.chance(0.01) {
		chat := &opcode.ChatMessage{SenderID: peerOf(g.random.IntN(objectid.Slots)), Text: stream.Lossy("anybody out there?")}
		if err := g.send(g.host(), chat); err != nil {
			return err
		}
	}
	if g.chance(1.0 / 300) {
		if err := g.kill(g.random.IntN(objectid.Slots), g.random.IntN(objectid.Slots)); err != nil {
			return err
		}
	}
	return g.datagrams()
}

// fly moves and damages a ship.
func (g *generator) fly(slot int, s *stateupdate.Ship) {
	t := g.now.Seconds()
	angle := t/20 + float64(slot)
	radius := 100 + 20*float64(slot%5)
	s.Position = [3]float32{float32(radius * math.Cos(angle)), float32(radius * math.Sin(angle)), float32(10 * math.Sin(t/7))}
	s.SetHeading(float32(-math.Sin(angle)), float32(math.Cos(angle)), 0)
	s.Speed = compress.EncodeFloat16(float32(5 + math.Sin(t/3+float64(slot))))
	if g.chance(0.1) {
		system := &s.Subsystems[g.random.IntN(len(s.Subsystems))]
		system.Condition = max(40, system.Condition-stateupdate.Level(g.random.IntN(8)))
	}
	if shield := s.FirstOf(stateupdate.KindShield); shield != nil && g.chance(0.3) {
		shield.Parts[g.random.IntN(6)] = byte(g.random.IntN(256))
	}
}

// launch creates a ship for a player.
func (g *generator) launch(slot int) error {
	base, _ := objectid.Base(objectid.Slot(slot))
	id := base + objectid.ID(g.lives[slot]*200)
	s := stateupdate.NewShip(id, stateupdate.Stock().Named(classes[(slot+g.lives[slot])%len(classes)]))
	s.OwnerSlot, s.PeerID, s.PlayerName, s.SetName = objectid.Slot(slot), peerOf(slot), playerName(slot), "Multi1"
	g.lives[slot]++
	if old := g.ships[slot]; old != nil {
		g.updates.RemoveShip(old.ID)
	}
	g.ships[slot] = s
	if s.PeerID == self {
		g.own = stateupdate.Encoder{}
	}
	creation, err := s.Creation()
	if err != nil {
		return err
	}
	sender := g.host()
	if s.PeerID == self {
		sender = &g.sides[0]
	}
	if err := g.send(sender, creation); err != nil {
		return err
	}
	return g.updates.AddShip(s)
}

// fire fires a weapon at the next ship.
func (g *generator) fire(slot int, s *stateupdate.Ship) error {
	target := g.ships[(slot+1)%len(g.ships)]
	sender := g.host()
	if s.PeerID == self {
		sender = &g.sides[0]
	}
	system := s.FirstOf(stateupdate.KindTorpedo)
	if system == nil || len(system.Subsystem.Children) == 0 {
		return nil
	}
	tube, ok := s.Class.PartID(s.ID, int(system.Index), g.random.IntN(len(system.Subsystem.Children)))
	if !ok {
		return nil
	}
	return g.send(sender, opcode.NewTorpedoFire(tube, s.PeerID, s.Forward, target.ID, compress.Contact{}))
}

// kill destroys the ship of a player and gives the player another one.
func (g *generator) kill(victim, killer int) error {
	ship := g.ships[victim]
	exploding, err := opcode.NewObjectExploding(ship.ID, g.ships[killer].ID, peerOf(killer), 5)
	if err != nil {
		return err
	}
	score := &opcode.ScoreChange{KillerID: peerOf(killer), KillerKills: 1, KillerScore: 100, VictimID: peerOf(victim), VictimDeaths: int32(g.lives[victim])}
	for _, m := range []opcode.Message{exploding, score} {
		if err := g.send(g.host(), m); err != nil {
			return err
		}
	}
	return g.launch(victim)
}

// send queues a reliable message, which the other side acknowledges.
func (g *generator) send(from *side, m opcode.Message) error {
	payload, err := opcode.Marshal(m)
	if err != nil {
		return err
	}
	message := transport.NewData(from.seq, payload)
	from.seq++
	from.waiting = append(from.waiting, message)
	other := &g.sides[0]
	if from == other {
		other = g.host()
	}
	other.acks = append(other.acks, transport.NewMessage(0, transport.AckOf(&message)))
	return nil
}

// datagrams writes the datagrams of both sides.
func (g *generator) datagrams() error {
	payload, err := g.own.Append(g.encoding[:0], g.now, g.ships[0])
	if err != nil {
		return err
	}
	if len(payload) > 0 {
		g.sides[0].waiting = append(g.sides[0].waiting, transport.NewUnreliable(append([]byte(nil), payload...)))
	}
	updates, err := g.updates.Advance(g.now)
	if err != nil {
		return err
	}
	for _, u := range updates {
		g.host().waiting = append(g.host().waiting, transport.NewUnreliable(append([]byte(nil), u.Payload...)))
	}
	for i, dir := range []recording.Direction{recording.ToServer, recording.ToClient} {
		s := &g.sides[i]
		all := append(s.acks, s.waiting...)
		s.acks, s.waiting = nil, nil
		for len(all) > 0 {
			size, n := 2, 0
			for n < len(all) && n < 255 && size+all[n].Len() <= transport.MaxDatagram {
				size += all[n].Len()
				n++
			}
			if err := g.write(dir, s.peer, all[:n]); err != nil {
				return err
			}
			all = all[n:]
		}
	}
	return nil
}

func (g *generator) write(dir recording.Direction, peer objectid.PeerID, messages []transport.Message) error {
	p := transport.Packet{PeerID: peer, Messages: messages}
	data, err := p.MarshalBinary()
	if err != nil {
		return err
	}
	cipher.Encrypt(data)
	g.line, err = recording.Append(g.line[:0], recording.Datagram{Seconds: g.now.Seconds(), Direction: dir, Client: 1, Data: data})
	if err != nil {
		return err
	}
	_, err = g.out.Write(g.line)
	return err
}
