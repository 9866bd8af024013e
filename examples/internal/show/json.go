package show

import (
	"strconv"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// JSON appends messages as JSON. It reuses its memory, so that most messages need none. The zero value is ready
// to use. It is not safe for concurrent use.
type JSON struct {
	// Short leaves out the raw codes of compressed numbers. Their values have the digits that their codes have,
	// and other numbers have the digits of a float32.
	Short bool

	visitor
	dst     []byte
	message *Message
	group   *stream.Group // of the last field, or anyGroup
	each    func(*stream.Field) bool
	cache   [cachedFloats]cachedFloat
	codes   []int     // of the current value
	numbers []float32 // of the current value
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
	j.dst = dst
	j.text(`{"packet":`).int(int64(p.Number)).text(`,"time":`)
	j.dst = appendFloat(j.dst, p.Time)
	j.text(`,"dir":"`).text(string(p.Dir)).text(`","peer":`)
	if p.HasPeer() {
		j.int(int64(p.Peer))
	} else {
		j.text("null") // GameSpy text
	}
	j.sender(p, r)
	j.text(`,"index":`).int(int64(r.Index)).text(`,"type":"`).text(r.Type) // empty if the message is missing
	j.text(`","reliable":`).bool(r.Frame.Reliable).text(`,"seq":`).int(int64(r.Frame.Seq))
	j.text(`,"fragment":`)
	j.fragment(r)
	j.text(`,"opcode":"`)
	if len(r.Payload) > 0 {
		j.text("0x").text(r.code.Hex())
	}
	j.text(`","name":"`).text(r.Name).text(`","fields":`)
	j.fields(r)
	j.text(`,"hex":`).hex(r.Content()).text(`,"note":`).quote(r.Note()).text(`,"error":`)
	if r.Err != nil {
		j.quote(r.Err.Error())
	} else {
		j.quote("")
	}
	return j.text("}").dst
}

// sender appends the client and the sender as far as they are known. A client is a number, as in a recording, or
// an address.
func (j *JSON) sender(p *Packet, r *Message) {
	if p.Client != "" {
		j.text(`,"client":`)
		if n, err := strconv.ParseInt(p.Client, 10, 64); err == nil {
			j.int(n)
		} else {
			j.quote(p.Client)
		}
	}
	if r.Sender.Name != "" {
		j.text(`,"player":`).quote(r.Sender.Name)
	}
	if r.Sender.Slot.Valid() {
		j.text(`,"slot":`).int(int64(r.Sender.Slot))
	}
	if r.Sender.Ship != objectid.None {
		j.dst = appendHex(j.text(`,"ship":"`).dst, r.Sender.Ship)
		j.text(`"`)
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
		j.text(`{"index":`).int(int64(index)).text(`,"total":`).int(int64(total)).text("}")
	} else {
		j.text("null")
	}
}

// AppendFields appends the fields of a message as an object.
func (j *JSON) AppendFields(dst []byte, r *Message) []byte {
	j.dst = dst
	j.fields(r)
	return j.dst
}

func (j *JSON) fields(r *Message) {
	if j.each == nil {
		j.each = j.field // one closure for all messages
	}
	j.message, j.group = r, nil
	j.text("{")
	j.elements(r, j.each)
	j.closeTo(0)
	j.text("}")
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
			j.key(l.name).text("{")
		case listLevel:
			j.key(l.name).text("[")
		default:
			j.comma()
		}
		j.open = append(j.open, l)
	}
}

// isOpcode reports whether a field is the opcode of a payload.
func isOpcode(f *stream.Field) bool {
	return f.Offset == 0 && f.Name == "Opcode" && f.Group == nil
}

// key appends a key. It begins the object of an element.
func (j *JSON) key(name string) *JSON {
	if n := len(j.open); n > 0 && !j.open[n-1].begun {
		j.open[n-1].begun = true
		j.text("{")
	}
	return j.comma().quote(name).text(":")
}

// comma appends a comma unless an object or a list has just begun.
func (j *JSON) comma() *JSON {
	if last := j.dst[len(j.dst)-1]; last != '{' && last != '[' {
		j.text(",")
	}
	return j
}

// closeTo closes objects and lists until n are open.
func (j *JSON) closeTo(n int) {
	for ; len(j.open) > n; j.open = j.open[:len(j.open)-1] {
		switch l := &j.open[len(j.open)-1]; {
		case l.begun:
			j.text("}")
		case l.index == listLevel:
			j.text("]")
		}
	}
}
