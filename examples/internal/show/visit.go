package show

import (
	"cmp"
	"net/netip"
	"slices"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// visitor visits the fields of messages. It reuses its memory.
type visitor struct {
	codec   stream.Codec
	decoder opcode.Decoder
	body    []byte
	fields  []stream.Field
	path    []*stream.Group
}

// pathOf appends a group and those around it to dst, the outermost first.
func pathOf(dst []*stream.Group, g *stream.Group) []*stream.Group {
	if g == nil {
		return dst
	}
	return append(pathOf(dst, g.Parent), g)
}

// groups returns the groups around a field, valid until the next call.
func (v *visitor) groups(f *stream.Field) []*stream.Group {
	v.path = pathOf(v.path[:0], f.Group)
	return v.path
}

// inSubsystems reports whether a field is in the group of the subsystems.
func inSubsystems(f *stream.Field) bool {
	g := f.Group
	for g != nil && g.Parent != nil {
		g = g.Parent
	}
	return g != nil && g.Name == subsystems
}

// visit passes the fields of the content of a message, as package stream does. The fields of a payload include
// the opcode and, at the end, an error.
func (v *visitor) visit(r *Message, visit func(*stream.Field) bool) {
	switch {
	case r.Class != nil:
		_ = r.Class.Visit(&v.codec, r.Payload, visit)
	case r.Payload != nil:
		_, _ = v.decoder.Visit(r.Payload, visit)
	default:
		v.walk(r, visit)
	}
}

// elements is like visit. The fields of each list element are together, and the bits of the tail of a
// StateUpdate follow: a bit group may continue there, and its byte is then part of an earlier field.
func (v *visitor) elements(r *Message, visit func(*stream.Field) bool) {
	if r.code != opcode.OpChecksumResponse { // it has the names of all directories first
		v.visit(r, visit)
		if r.Class == nil && r.bits != (stream.Bits{}) {
			v.walk(r, visit)
		}
		return
	}
	for i := range v.collect(r) {
		if !visit(&v.fields[i]) {
			return
		}
	}
}

// collect returns the fields of elements, valid until the next visit.
func (v *visitor) collect(r *Message) []stream.Field {
	v.fields = v.fields[:0]
	collect := func(f *stream.Field) bool {
		v.fields = append(v.fields, *f)
		return true
	}
	if r.code != opcode.OpChecksumResponse {
		v.elements(r, collect)
		return v.fields
	}
	v.visit(r, collect)
	v.arrange(v.fields, 0)
	return v.fields
}

// arrange brings the fields of each list element together, below a depth.
func (v *visitor) arrange(fields []stream.Field, depth int) {
	key := func(f *stream.Field) (name string, index int) {
		if path := v.groups(f); depth < len(path) {
			return path[depth].Name, path[depth].Index
		}
		return f.Name, -1
	}
	for len(fields) > 0 {
		name, _ := key(&fields[0])
		run := prefix(fields, func(f *stream.Field) bool { other, _ := key(f); return other == name })
		fields = fields[len(run):]
		slices.SortStableFunc(run, func(a, b stream.Field) int {
			_, i := key(&a)
			_, k := key(&b)
			return cmp.Compare(i, k)
		})
		for len(run) > 0 {
			_, index := key(&run[0])
			element := prefix(run, func(f *stream.Field) bool { _, other := key(f); return other == index })
			if depth < len(v.groups(&run[0])) {
				v.arrange(element, depth+1)
			}
			run = run[len(element):]
		}
	}
}

// prefix returns the first fields that fulfil a condition.
func prefix(fields []stream.Field, ok func(*stream.Field) bool) []stream.Field {
	for i := range fields {
		if !ok(&fields[i]) {
			return fields[:i]
		}
	}
	return fields
}

// address is an address of IPv4 in a system message.
type address []byte

// String returns the address in dotted decimal form.
func (a address) String() string {
	ip, _ := netip.AddrFromSlice(a)
	return ip.String()
}

// walk passes the fields of a message without a payload, or the bits of the tail of a StateUpdate.
func (v *visitor) walk(r *Message, visit func(*stream.Field) bool) {
	c := &v.codec
	v.body = slices.Grow(v.body[:0], len(r.Raw)+16)
	c.Append(v.body, -1)
	r.walk(c)
	if c.Done() {
		c.Trace("", visit)
		r.walk(c)
	}
	_ = c.Err()
}

func (r *Message) walk(c *stream.Codec) {
	peer := func(id int32) {
		p := int8(id)
		c.Field("PeerID").Int8(&p)
	}
	ip := func(name string, ip []byte) {
		c.Field(name).Bytes(ip)
		stream.ShowBytes(c, address(ip))
	}
	text := func(name string, t transport.UTF16Z) {
		c.Field(name).Slice((*[]byte)(&t), len(t))
		stream.ShowBytes(c, t)
	}
	switch b := r.Body.(type) {
	case *transport.Ack:
		flags := uint8(b.Flags)
		c.Field("Seq").Uint16(&b.Seq)
		c.Field("Flags").Uint8(&flags)
		if b.Flags&transport.AckFragment != 0 {
			c.Field("FragIndex").Uint8(&b.FragIndex)
		}
	case *transport.ConnectRequest:
		ip("LocalIP", b.LocalIP[:])
		c.Field("ConnID").Uint32(&b.ConnID)
		text("Password", b.Password)
	case *transport.ConnectReply:
		peer(int32(b.PeerID))
	case *transport.NameChange:
		peer(int32(b.PeerID))
		ip("IP", b.IP[:])
		text("Name", b.Name)
	case *transport.Boot:
		c.Field("Reason").Uint8((*uint8)(&b.Reason))
		stream.Show(c, b.Reason)
		peer(int32(b.PeerID))
	case *transport.Disconnect:
		peer(int32(b.PeerID))
		ip("IP", b.IP[:])
	case *transport.DoNothing:
		c.Field("Raw").Slice(&b.Raw, len(b.Raw))
	case nil:
		switch {
		case r.Type == "GameSpy":
			raw := r.Raw
			c.Field("Text").Slice(&raw, len(raw))
			stream.ShowBytes(c, stream.Text(raw))
		case r.Payload != nil:
			bits := r.bits
			c.Group("Bits")
			c.Field("Byte").Uint8(&bits.Byte)
			c.Field("Read").Uint8(&bits.Read)
			c.End()
		case r.Type != "Data" && len(r.Frame.Body) > 0:
			body := r.Frame.Body
			c.Field("Body").Slice(&body, len(body))
		}
	}
}
