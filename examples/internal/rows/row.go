// Package rows writes decoded messages as Parquet files, one row per message. DuckDB, ClickHouse
// and Spark read them. A [Row] is built from a message of package show. A [File] is one Parquet
// file, and a [Target] is one file for all matches or a directory with a file for each.
package rows

import (
	"math"
	"time"
	"unicode/utf8"

	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
)

// Version is the version of the schema. A column that is added keeps the version. A column that is
// removed, or that changes its name, type, unit or meaning, increments it.
const Version = "1"

// VersionKey is the key of [Version] in the metadata of a file.
const VersionKey = "bcwire.schema"

// Row is a message. The tag unit is the unit of a column, and doc is its meaning. Both are in
// examples/dump/schema.md. In optional columns, an empty text and a nil pointer are NULL.
type Row struct {
	Match     string   `parquet:"match,dict" doc:"name of the recording, without directory and extension"`
	Datagram  int64    `parquet:"datagram,delta" doc:"number of the datagram in the recording, from 1; packet in -json"`
	Index     int32    `parquet:"index,dict" doc:"number of the message in the datagram, from 0"`
	Time      float64  `parquet:"time" unit:"s" doc:"time of the datagram"`
	Direction string   `parquet:"direction,dict" doc:"c2s to the server, s2c to the client; dir in -json"`
	Client    string   `parquet:"client,dict,optional" doc:"the client of the link: its number or its address"`
	Peer      *int32   `parquet:"peer,dict,optional" doc:"peer ID of the sender, 1 for the host, -1 before the ConnectReply; NULL for GameSpy text"`
	Slot      *int32   `parquet:"slot,dict,optional" doc:"slot of the player on the link, 0 to 15"`
	Player    string   `parquet:"player,dict,optional" doc:"name of the player on the link, in both directions; NULL before the NameChange"`
	Type      string   `parquet:"type,dict,optional" doc:"type of the transport message; NULL for a datagram without messages"`
	Opcode    string   `parquet:"opcode,dict,optional" doc:"opcode of the payload, such as 0x19"`
	Name      string   `parquet:"name,dict,optional" doc:"name of the payload, such as TorpedoFire, or the type"`
	Channel   string   `parquet:"channel,dict,optional" doc:"game or system; of an Ack: the channel of the acknowledged message"`
	Reliable  bool     `parquet:"reliable" doc:"the message is acknowledged and retransmitted"`
	Seq       *int32   `parquet:"seq,dict,optional" doc:"sequence number of a reliable message"`
	AckSeq    *int32   `parquet:"ack_seq,dict,optional" doc:"sequence number that an Ack acknowledges"`
	Fragment  *int32   `parquet:"fragment,dict,optional" doc:"index of the fragment, from 0; of an Ack: of the acknowledged fragment"`
	Fragments *int32   `parquet:"fragments,dict,optional" doc:"number of fragments, in the first one"`
	Duplicate bool     `parquet:"duplicate" doc:"a reliable message that was in the recording before"`
	RoundTrip *float64 `parquet:"round_trip,optional" unit:"ms" doc:"of an Ack: the time since the message; NULL if one of them is repeated or unknown"`
	Sends     *int32   `parquet:"sends,dict,optional" doc:"of an Ack: how often the message was sent before"`
	Acks      *int32   `parquet:"acks,dict,optional" doc:"of an Ack: how often the message was acknowledged, with this Ack"`
	Size      int32    `parquet:"size,dict" unit:"bytes" doc:"length of the message in the datagram, with its header"`
	Object    string   `parquet:"object,dict,optional" doc:"ID of the object that the message is about: a weapon, another part or a ship"`
	Part      string   `parquet:"part,dict,optional" doc:"class and name of the object if it is a part of a known ship"`
	Ship      string   `parquet:"ship,dict,optional" doc:"ID of the ship that is the object or has it as a part"`
	Class     string   `parquet:"class,dict,optional" doc:"class of the ship, such as Akira"`
	Owner     string   `parquet:"owner,dict,optional" doc:"name of the player of the ship"`
	Target    string   `parquet:"target,dict,optional" doc:"ID of the target of a shot, or of the other object of a collision"`
	Death     bool     `parquet:"death" doc:"the ship explodes; every client is told"`
	Killer    string   `parquet:"killer,dict,optional" doc:"of a death: name of the player who gets the kill, or peer and the ID; NULL for nobody"`
	Speaker   string   `parquet:"speaker,dict,optional" doc:"of a line of chat: name of the player who said it, or peer and the ID; NULL for the host"`
	Fields    []byte   `parquet:"fields,json" doc:"all fields of the message, as in -json"`
	Bytes     []byte   `parquet:"bytes" doc:"the payload if it is complete, else the message; hex in -json"`
	Note      string   `parquet:"note,dict,optional" doc:"what is unusual, as dump prints it"`
	Error     string   `parquet:"error,dict,optional" doc:"why the message does not decode"`
}

// Of returns the row of a message. It aliases the bytes of the datagram.
func Of(match string, p *show.Packet, m *show.Message) (Row, error) {
	fields, err := m.Fields()
	if err != nil {
		return Row{}, err
	}
	r := Row{
		Match:     match,
		Datagram:  int64(p.Number),
		Index:     int32(m.Index),
		Time:      p.Time,
		Direction: string(p.Dir),
		Client:    valid(p.Client),
		Player:    valid(p.Player.Name),
		Type:      m.Type,
		Name:      m.Name,
		Reliable:  m.Frame.Reliable,
		Duplicate: m.Duplicate,
		Size:      int32(len(m.Raw)),
		Fields:    fields,
		Bytes:     m.Content(),
		Note:      valid(m.Note()),
	}
	if p.HasPeer() {
		r.Peer = number(p.Peer)
	}
	if p.Player.Slot.Valid() {
		r.Slot = number(p.Player.Slot)
	}
	if code, ok := m.Opcode(); ok {
		r.Opcode = "0x" + code.Hex()
	}
	if m.Err != nil {
		r.Error = valid(m.Err.Error())
	}
	r.transport(m)
	r.acked(p, m)
	r.subject(&m.Subject)
	return r, nil
}

// transport sets the columns of the header.
func (r *Row) transport(m *show.Message) {
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
func (r *Row) acked(p *show.Packet, m *show.Message) {
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
	if d, ok := p.RoundTrip(m); ok {
		ms := float64(d) / float64(time.Millisecond)
		r.RoundTrip = &ms
	}
}

// subject sets the columns of the object that the message is about.
func (r *Row) subject(s *show.Subject) {
	r.Object, r.Target, r.Ship = object(s.Object), object(s.Target), object(s.Ship)
	r.Part, r.Class, r.Owner = valid(s.Part), valid(s.Class), valid(s.Owner)
	r.Death, r.Killer, r.Speaker = s.Death, valid(s.Killer), valid(s.Speaker)
}

// object returns the text of an ID, or "" for none.
func object(id objectid.ID) string {
	if id == objectid.None {
		return ""
	}
	return id.String()
}

// number returns a number for an optional column. Numbers of the wire fit; larger counts stop at
// the maximum.
func number[T ~uint8 | ~uint16 | ~int | ~int32](n T) *int32 {
	v := int32(min(int64(n), math.MaxInt32))
	return &v
}

// valid returns a text with U+FFFD in place of each byte that is not UTF-8, as in -json.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

// size returns about how many bytes a row takes before compression.
func (r *Row) size() int { return len(r.Fields) + len(r.Bytes) + len(r.Note) + len(r.Error) + 200 }
