package show

import (
	"bytes"
	"hash/crc32"
	"strconv"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// JSON appends messages as JSON. It reuses its memory, so that most messages need none. The zero value is ready
// to use. It is not safe for concurrent use.
type JSON struct {
	// If Short is set, compressed numbers have no raw codes and only the digits that the codes have; other numbers
	// have the digits of a float32.
	terminal.JSONText

	visitor
	message *Message
	group   *stream.Group // of the last field, or anyGroup
	each    func(*stream.Field) bool
	kept    [keptFields]kept
	codes   []int       // of the current value
	numbers [16]float32 // of the current value
}

// anyGroup is the group of no field.
var anyGroup = new(stream.Group)

// NewJSON returns an output that prints one JSON object per message. It escapes invisible
// characters.
func NewJSON() Output { return new(JSON) }

// Append appends the objects of a datagram, one per line.
func (j *JSON) Append(dst []byte, p *Packet) []byte {
	for _, r := range p.Messages {
		dst = append(j.AppendMessage(dst, p, r), '\n')
	}
	return dst
}

// AppendMessage appends the object of a message. Its keys and their order are a contract.
func (j *JSON) AppendMessage(dst []byte, p *Packet, r *Message) []byte {
	j.Bytes = dst
	j.Raw(`{"packet":`).Int(int64(p.Number)).Raw(`,"time":`)
	j.Float64(p.Time).Raw(`,"dir":"`).Raw(string(p.Dir)).Raw(`","peer":`)
	if p.HasPeer() {
		j.Int(int64(p.Peer))
	} else {
		j.Raw("null") // GameSpy text
	}
	j.sender(p, r)
	j.Raw(`,"index":`).Int(int64(r.Index)).Raw(`,"type":"`).Raw(r.Type) // empty if the message is missing
	j.Raw(`","reliable":`).Bool(r.Frame.Reliable).Raw(`,"seq":`).Int(int64(r.Frame.Seq))
	j.Raw(`,"fragment":`)
	j.fragment(r)
	j.Raw(`,"opcode":"`)
	if len(r.Payload) > 0 {
		j.Raw("0x").Raw(r.code.Hex())
	}
	j.Raw(`","name":"`).Raw(r.Name).Raw(`","fields":`)
	j.fields(r)
	j.Raw(`,"hex":`).Hex(r.Content()).Raw(`,"note":`).Quote(r.Note()).Raw(`,"error":`)
	if r.Err != nil {
		j.Quote(r.Err.Error())
	} else {
		j.Quote("")
	}
	return j.Raw("}").Bytes
}

// sender appends the client and the sender as far as they are known. A client is a number, as in a recording, or
// an address.
func (j *JSON) sender(p *Packet, r *Message) {
	if p.Client != "" {
		j.Raw(`,"client":`)
		if n, err := strconv.ParseInt(p.Client, 10, 64); err == nil {
			j.Int(n)
		} else {
			j.Quote(p.Client)
		}
	}
	if r.Sender.Name != "" {
		j.Raw(`,"player":`).Quote(r.Sender.Name)
	}
	if r.Sender.Slot.Valid() {
		j.Raw(`,"slot":`).Int(int64(r.Sender.Slot))
	}
	if r.Sender.Ship != objectid.None {
		j.Bytes = appendHex(j.Raw(`,"ship":"`).Bytes, r.Sender.Ship)
		j.Raw(`"`)
	}
}

// fragment appends the index of a fragment, or of the fragment that an Ack acknowledges. The total is 0 if it is
// not on the wire.
func (j *JSON) fragment(r *Message) {
	index, total, ok := r.Frame.FragIndex, r.Frame.FragTotal, r.Frame.Fragment
	if ack, isAck := r.Body.(*transport.Ack); isAck && !ok {
		index, total, ok = ack.FragIndex, 0, ack.Flags&transport.AckFragment != 0
	}
	if ok {
		j.Raw(`{"index":`).Int(int64(index)).Raw(`,"total":`).Int(int64(total)).Raw("}")
	} else {
		j.Raw("null")
	}
}

// AppendFields appends the fields of a message as an object.
func (j *JSON) AppendFields(dst []byte, r *Message) []byte {
	j.Bytes = dst
	j.fields(r)
	return j.Bytes
}

// Limits of the complete payloads whose fields are kept, because a host relays many to several clients.
const (
	keptFields = 1 << 6
	minKept    = 24 // bytes of the payload; the fields of shorter ones are quickly made again
	maxKept    = 256
)

// kept are the fields of a payload, and what they depend on.
type kept struct {
	payload []byte
	class   *stateupdate.Class
	fleet   fleet
	text    []byte // empty if nothing is kept
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli) // processors calculate it

func (j *JSON) fields(r *Message) {
	if n := len(r.Payload); !r.Whole || n < minKept || n > maxKept {
		j.render(r)
		return
	}
	k := &j.kept[crc32.Checksum(r.Payload, castagnoli)%keptFields]
	sameFleet := len(k.fleet) == len(r.fleet) && (len(r.fleet) == 0 || &k.fleet[0] == &r.fleet[0])
	if len(k.text) > 0 && k.class == r.Class && sameFleet && bytes.Equal(k.payload, r.Payload) {
		j.Bytes = append(j.Bytes, k.text...)
		return
	}
	start := len(j.Bytes)
	j.render(r)
	*k = kept{append(k.payload[:0], r.Payload...), r.Class, r.fleet, append(k.text[:0], j.Bytes[start:]...)}
}

func (j *JSON) render(r *Message) {
	if j.each == nil {
		j.each = j.field // one closure for all messages
	}
	j.message, j.group = r, nil
	j.Raw("{")
	j.elements(r, j.each)
	j.closeTo(0)
	j.Raw("}")
}

// field appends a field, between the objects and lists that it needs and others do not.
func (j *JSON) field(f *stream.Field) bool {
	if f.Err != nil || isOpcode(f) {
		return true
	}
	if f.Group != j.group {
		j.begin(f.Group)
		j.group = f.Group
	}
	if f.Name != "" {
		j.key(f.Name)
	}
	j.value(f)
	return true
}

// begin closes what is not around the next field, and opens what is.
func (j *JSON) begin(g *stream.Group) {
	n := j.enter(g)
	j.closeTo(n)
	for _, l := range j.levels[n:] {
		switch l.index {
		case structLevel:
			j.key(l.name).Raw("{")
		case listLevel:
			j.key(l.name).Raw("[")
		default:
			j.Comma()
		}
		j.open = append(j.open, l)
	}
}

// isOpcode reports whether a field is the opcode of a payload.
func isOpcode(f *stream.Field) bool {
	return f.Offset == 0 && f.Name == "Opcode" && f.Group == nil
}

// key appends a key. It begins the object of an element.
func (j *JSON) key(name string) *terminal.JSONText {
	if n := len(j.open); n > 0 && !j.open[n-1].begun {
		j.open[n-1].begun = true
		j.Raw("{")
	}
	return j.Key(name)
}

// closeTo closes objects and lists until n are open.
func (j *JSON) closeTo(n int) {
	for ; len(j.open) > n; j.open = j.open[:len(j.open)-1] {
		switch l := &j.open[len(j.open)-1]; {
		case l.begun:
			j.Raw("}")
		case l.index == listLevel:
			j.Raw("]")
		}
	}
}
