package rows

import (
	"time"

	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// Message is a row of the table messages. The tag unit is the unit of a column, and doc is its meaning.
// Both are in examples/dump/schema.md.
type Message struct {
	Source    string   `parquet:"source,dict" doc:"name of the input, without directory and extension"`
	Match     int32    `parquet:"match,dict" doc:"number of the match in the input, from 0"`
	Datagram  int64    `parquet:"datagram,delta" doc:"number of the datagram in the input, from 1; packet in -json"`
	Index     int32    `parquet:"index,dict" doc:"number of the message in the datagram, from 0"`
	Time      float64  `parquet:"time,split" unit:"s" doc:"time of the datagram"`
	Direction string   `parquet:"direction,dict" doc:"c2s to the server, s2c to the client; dir in -json"`
	Client    string   `parquet:"client,dict,optional" doc:"the client of the link: its number or its address"`
	Link      string   `parquet:"link,dict,optional" doc:"name of the player of the link, in both directions; NULL before the NameChange"`
	Peer      *int32   `parquet:"peer,dict,optional" doc:"peer ID of the sender, 1 for the host, -1 before the ConnectReply; NULL for GameSpy text"`
	Player    string   `parquet:"player,dict,optional" doc:"name of the player whose message it is; the host relays messages of players"`
	Slot      *int32   `parquet:"slot,dict,optional" doc:"slot of that player, 0 to 15"`
	Ship      string   `parquet:"ship,dict,optional" doc:"ID of the ship of that player"`
	Type      string   `parquet:"type,dict,optional" doc:"type of the transport message; NULL for a datagram without messages"`
	Opcode    string   `parquet:"opcode,dict,optional" doc:"opcode of the payload, such as 0x19"`
	Name      string   `parquet:"name,dict,optional" doc:"name of the payload, such as TorpedoFire, or the type"`
	Channel   string   `parquet:"channel,dict,optional" doc:"game or system; of an Ack: the channel of the acknowledged message"`
	Reliable  bool     `parquet:"reliable" doc:"the message is acknowledged and retransmitted"`
	Seq       *int32   `parquet:"seq,optional" doc:"sequence number of a reliable message"`
	AckSeq    *int32   `parquet:"ack_seq,optional" doc:"sequence number that an Ack acknowledges"`
	Fragment  *int32   `parquet:"fragment,dict,optional" doc:"index of the fragment, from 0; of an Ack: of the acknowledged fragment"`
	Fragments *int32   `parquet:"fragments,dict,optional" doc:"number of fragments, in the first one"`
	Duplicate bool     `parquet:"duplicate" doc:"a reliable message that was in the input before"`
	RoundTrip *float64 `parquet:"round_trip,optional" unit:"ms" doc:"of an Ack: the time since the message; NULL if one of them is repeated or unknown"`
	Sends     *int32   `parquet:"sends,dict,optional" doc:"of an Ack: how often the message was sent before"`
	Acks      *int32   `parquet:"acks,dict,optional" doc:"of an Ack: how often the message was acknowledged, with this Ack"`
	Size      int32    `parquet:"size,dict" unit:"bytes" doc:"length of the message in the datagram, with its header"`
	Object    string   `parquet:"object,dict,optional" doc:"ID of the object that the message is about: a weapon, another part or a ship"`
	Part      string   `parquet:"part,dict,optional" doc:"class and name of the object if it is a part of a known ship"`
	Class     string   `parquet:"class,dict,optional" doc:"class of the ship that is the object or has it as a part, such as Akira"`
	Owner     string   `parquet:"owner,dict,optional" doc:"name of the player of that ship"`
	Target    string   `parquet:"target,dict,optional" doc:"ID of the target of a shot, or of the other object of a collision"`
	Fields    []byte   `parquet:"fields,json,optional" doc:"the fields of the message as in -json, without the raw codes of compressed numbers; NULL with -fields=false"`
	Bytes     []byte   `parquet:"bytes,optional" doc:"the payload if it is complete, else the message; hex in -json; NULL if the fields are all of it: without a note and an error"`
	Note      string   `parquet:"note,dict,optional" doc:"what is unusual, as dump prints it"`
	Error     string   `parquet:"error,dict,optional" doc:"why the message does not decode"`
}

// key puts messages of a kind about an object next to each other, because they are similar.
func (r *Message) key() [2]string { return [2]string{r.Name, r.Object} }

// set sets the columns of a message but its link, its subject and its fields. The row aliases the bytes of the datagram.
func (r *Message) set(p *show.Packet, m *show.Message, names *ids) {
	r.Datagram = int64(p.Number)
	r.Index = int32(m.Index)
	r.Time = p.Time
	r.Direction = string(p.Dir)
	r.Client = valid(p.Client)
	r.Player = valid(m.Sender.Name)
	r.Ship = names.of(m.Sender.Ship)
	r.Type = m.Type
	r.Name = m.Name
	r.Reliable = m.Frame.Reliable
	r.Duplicate = m.Duplicate
	r.Size = int32(len(m.Raw))
	r.Bytes = m.Content()
	r.Note = valid(m.Note())
	if r.Bytes == nil {
		r.Bytes = []byte{} // not NULL
	}
	if m.Sender.Slot.Valid() {
		r.Slot = number(m.Sender.Slot)
	}
	if p.HasPeer() {
		r.Peer = number(p.Peer)
	}
	if code, ok := m.Opcode(); ok {
		r.Opcode = opcodes[code]
	}
	if m.Err != nil {
		r.Error = valid(m.Err.Error())
	}
	r.transport(m)
	r.acked(m)
}

// opcodes are the texts of all opcodes.
var opcodes = func() (all [256]string) {
	const digits = "0123456789ABCDEF"
	for i := range all {
		all[i] = "0x" + string([]byte{digits[i>>4], digits[i&15]})
	}
	return all
}()

// transport sets the columns of the header.
func (r *Message) transport(m *show.Message) {
	f := &m.Frame
	switch {
	case f.Reliable:
		r.Seq = number(f.Seq)
	case f.Type == transport.TypeAck && f.Seq != 0: // also of an Ack that ends before its flags
		r.AckSeq = number(f.Seq)
	}
	if f.Fragment {
		r.Fragment = number(f.FragIndex)
		if f.FragTotal != 0 {
			r.Fragments = number(f.FragTotal)
		}
	}
	if m.Type != "" && m.Type != "GameSpy" {
		r.Channel = channel(f.System())
	}
}

func channel(system bool) string {
	if system {
		return "system"
	}
	return "game"
}

// acked sets the columns of an Ack.
func (r *Message) acked(m *show.Message) {
	ack, ok := m.Body.(*transport.Ack)
	if !ok {
		return
	}
	r.Channel = channel(ack.Flags&transport.AckSystem != 0)
	r.AckSeq = number(ack.Seq)
	if ack.Flags&transport.AckFragment != 0 {
		r.Fragment = number(ack.FragIndex)
	}
	if m.Acked.Sends > 0 {
		r.Sends, r.Acks = number(m.Acked.Sends), number(m.Acked.Acks)
	}
	if d, ok := m.RoundTrip(); ok {
		ms := float64(d) / float64(time.Millisecond)
		r.RoundTrip = &ms
	}
}

// subject is the object that a message is about. The messages before it tell what the object is.
type subject struct {
	match  int32       // number of the match
	object objectid.ID // a weapon, another part or a ship; or objectid.None
	target objectid.ID // the target of a shot, or the other object of a collision; or objectid.None
	part   stateupdate.Part

	// Of the ship that is the object or has it as a part: the class, such as "Akira", and the player.
	class, owner string
}

// subjectOf returns the subject of a step. A malformed message has none.
func subjectOf(step *match.Step) subject {
	s := subject{match: int32(max(0, step.Link.Match))}
	if _, malformed := step.Err.(*stream.Error); malformed || step.Game == nil {
		return s
	}
	s.object, s.part = step.Object, step.Part
	if ship := step.Ship; ship != nil {
		s.owner = ship.PlayerName
		if ship.Class != nil {
			s.class = ship.Class.Name
		}
	}
	switch m := step.Game.(type) {
	case *opcode.StateUpdate:
	case opcode.Shot:
		_, s.target, _ = m.Fired()
	case *opcode.CollisionEffect:
		_, s.target, _ = m.Collided()
	case *opcode.StopFiringAtTarget:
		s.target = m.Object
	}
	return s
}

// set sets the columns of the subject.
func (s *subject) set(r *Message, names *ids) {
	r.Match = s.match
	r.Object, r.Target = names.of(s.object), names.of(s.target)
	r.Class, r.Owner = valid(s.class), valid(s.owner)
	if s.part.Subsystem != nil {
		r.Part = valid(s.class + " " + s.part.String())
	}
}

// playerOf returns the name of the player of a link, as far as it is known after a step.
func playerOf(step *match.Step) string {
	p := step.Link.Player
	if step.Link.Client == "" && !step.FromHost { // the link is of several clients
		p = step.Sender
	}
	if p == nil {
		return ""
	}
	return p.Name
}
