package opcode_test

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

var (
	idType   = reflect.TypeFor[objectid.ID]()
	peerType = reflect.TypeFor[objectid.PeerID]()
	slotType = reflect.TypeFor[objectid.Slot]()
)

// turn is a map that gives each valid ID another one, and turnBack is its inverse.
var (
	turn = objectid.Map{
		Object: func(id objectid.ID) objectid.ID {
			if id++; id == objectid.All {
				id = 1 // past All and None
			}
			return id
		},
		Peer: func(id objectid.PeerID) objectid.PeerID { return id%math.MaxInt8 + 1 },
		Slot: func(s objectid.Slot) objectid.Slot { return (s + 1) % objectid.Slots },
	}
	turnBack = objectid.Map{
		Object: func(id objectid.ID) objectid.ID {
			if id--; id == objectid.None {
				id = objectid.All - 1
			}
			return id
		},
		Peer: func(id objectid.PeerID) objectid.PeerID { return (id+math.MaxInt8-2)%math.MaxInt8 + 1 },
		Slot: func(s objectid.Slot) objectid.Slot { return (s + objectid.Slots - 1) % objectid.Slots },
	}
	keep = objectid.Map{
		Object: func(id objectid.ID) objectid.ID { return id },
		Peer:   func(id objectid.PeerID) objectid.PeerID { return id },
		Slot:   func(s objectid.Slot) objectid.Slot { return s },
	}
)

// turned returns the value of a field after Rebase with turn.
func turned(v any) any {
	switch id := v.(type) {
	case objectid.ID:
		if id != objectid.None && id != objectid.All {
			return turn.Object(id)
		}
	case objectid.PeerID:
		if id.Valid() {
			return turn.Peer(id)
		}
	case objectid.Slot:
		if id.Valid() {
			return turn.Slot(id)
		}
	}
	return v
}

// checkRebase checks that Rebase replaces the IDs of a message and nothing else.
func checkRebase(t require.TestingT, m opcode.Message) {
	payload, err := opcode.Marshal(m)
	require.NoError(t, err)
	before, err := described(m)
	require.NoError(t, err)
	text := opcode.Line(m)
	for _, ids := range []objectid.Map{{}, keep} {
		require.NoError(t, opcode.Rebase(m, ids))
		again, err := opcode.Marshal(m)
		require.NoError(t, err)
		require.Equal(t, payload, again)
		require.Equal(t, text, opcode.Line(m))
	}

	require.NoError(t, opcode.Rebase(m, turn))
	after, err := described(m)
	require.NoError(t, err)
	require.Len(t, after, len(before))
	for i := range before {
		b, a := &before[i], &after[i]
		require.Equal(t, b.Offset, a.Offset, text)
		if want := turned(b.Value()); !reflect.DeepEqual(want, b.Value()) {
			require.Equal(t, want, a.Value(), "%s of %s", b.Path(), text)
			continue
		}
		require.Equal(t, b.Raw, a.Raw, "%s of %s", b.Path(), text)
	}

	require.NoError(t, opcode.Rebase(m, turnBack))
	again, err := opcode.Marshal(m)
	require.NoError(t, err)
	require.Equal(t, payload, again, text)
}

// In every known payload, Rebase replaces the IDs and keeps all other bytes. The payload itself does not change.
func TestRebase(t *testing.T) {
	rebased := 0
	for _, v := range vectors(t) {
		payload := bytes.Clone(v.Hex)
		if m, err := opcode.Decode(payload); err == nil {
			checkRebase(t, m)
			rebased++
		}
		require.Equal(t, []byte(v.Hex), payload)
	}
	for _, payload := range more {
		m, err := opcode.Decode(payload)
		require.NoError(t, err)
		checkRebase(t, m)
	}
	require.Greater(t, rebased, 100)
}

// The same holds for any message that can be encoded.
func propertyRebase(t *rapid.T) {
	op := rapid.SampledFrom(types).Draw(t, "type")
	m := opcode.New(op)
	fill(t, op, reflect.ValueOf(m).Elem(), 0)
	if payload, err := opcode.Marshal(m); err == nil {
		m, err = opcode.Decode(payload) // a message may stand for another form of it
		require.NoError(t, err)
		checkRebase(t, m)
	}
}

func TestRebaseProperty(t *testing.T) { rapid.Check(t, propertyRebase) }

func FuzzRebaseProperty(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propertyRebase)) }

// isID reports whether a type is that of an object ID, a peer ID or a slot.
func isID(typ reflect.Type) bool { return typ == idType || typ == peerType || typ == slotType }

// eachWireID calls f with each field of an ID on the wire: its struct and name, such as "DamagerScore.ID", its path, and
// its value.
func eachWireID(t require.TestingT, m opcode.Message, f func(name, path string, v reflect.Value)) {
	listed := listedFields(t, m)
	var visit func(v reflect.Value, at string)
	visit = func(v reflect.Value, at string) {
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				field, path := v.Type().Field(i), strings.TrimPrefix(at+"."+v.Type().Field(i).Name, ".")
				switch {
				case field.Anonymous:
					visit(v.Field(i), at)
				case !isID(field.Type):
					visit(v.Field(i), path)
				case listed[path] != nil:
					f(v.Type().Name()+"."+field.Name, path, v.Field(i))
				}
			}
		case reflect.Slice:
			for i := range v.Len() {
				visit(v.Index(i), fmt.Sprintf("%s[%d]", at, i))
			}
		}
	}
	visit(reflect.ValueOf(m).Elem(), "")
}

// eachDeclaredID calls f with the struct and the name of each field of an ID in a type.
func eachDeclaredID(typ reflect.Type, seen map[reflect.Type]bool, f func(name string)) {
	switch typ.Kind() {
	case reflect.Pointer, reflect.Slice:
		eachDeclaredID(typ.Elem(), seen, f)
	case reflect.Struct:
		if seen[typ] {
			return
		}
		seen[typ] = true
		for i := range typ.NumField() {
			if field := typ.Field(i); isID(field.Type) {
				f(typ.Name() + "." + field.Name)
			} else {
				eachDeclaredID(field.Type, seen, f)
			}
		}
	}
}

// Rebase reaches each field whose Go type is that of an ID, in each message that has it on the wire. Every such
// field of every message is on the wire in some payload.
func TestRebaseReachesEveryID(t *testing.T) {
	declared, reached := map[string]bool{}, map[string]bool{}
	eachType(t, func(t *testing.T, op opcode.Code, payloads [][]byte) {
		eachDeclaredID(reflect.TypeOf(opcode.New(op)), map[reflect.Type]bool{}, func(name string) { declared[name] = true })
		for _, p := range payloads {
			m, err := opcode.Decode(p)
			require.NoError(t, err)
			var want []any
			eachWireID(t, m, func(_, _ string, v reflect.Value) {
				v.SetInt(int64(1 + len(want)%15))
				want = append(want, turned(v.Interface()))
			})
			require.NoError(t, opcode.Rebase(m, turn))
			var got []any
			eachWireID(t, m, func(name, _ string, v reflect.Value) {
				reached[name] = true
				got = append(got, v.Interface())
			})
			require.Equal(t, want, got, "%x", p)
		}
	})
	require.Equal(t, declared, reached)
	require.Greater(t, len(declared), 20)
}

// ghost is a message of a mod: IDs with and without names, in a list, and in fields of other types.
type ghost struct {
	Ship, Wing objectid.ID
	Loud       bool
	Owner      objectid.PeerID
	Home       uint32 // an object ID
	Name       stream.Text
	Crew       []objectid.PeerID
	Aim        compress.Vector3
	Seat       int // a slot
}

func (*ghost) Opcode() opcode.Code { return 0x70 }

func (m *ghost) Walk(c *stream.Codec) {
	c.ObjectID(&m.Ship)
	c.ObjectID(&m.Wing)
	c.Bool(&m.Loud)
	c.Field("Owner").PeerID(&m.Owner)
	home := objectid.ID(m.Home)
	c.Field("Home").ObjectID(&home)
	c.Field("Name").String8(&m.Name)
	n := c.Field("Crew").Count16(len(m.Crew), 1)
	stream.Resize(c, &m.Crew, n)
	for i := range n {
		c.Element("Crew", i)
		c.PeerID8(&m.Crew[i])
		c.End()
	}
	c.Vector3(&m.Aim)
	seat := objectid.Slot(m.Seat)
	c.Field("Seat").Slot8(&seat)
	if c.Decoding() {
		m.Home, m.Seat = uint32(home), int(seat)
	}
}

// A walk is all that Rebase needs of a mod's message.
func TestRebaseOfMod(t *testing.T) {
	message := func(id uint32, peer objectid.PeerID, slot int) *ghost {
		return &ghost{
			Ship: objectid.ID(id), Wing: objectid.ID(id + 1), Loud: true, Owner: peer, Home: id + 2, Name: stream.Text("\xff\xff\xff\x3f"),
			Crew: []objectid.PeerID{peer, objectid.NoPeer, 5, peer}, Aim: compress.Vector3{X: 2, Y: 3}, Seat: slot,
		}
	}
	m := message(0x3FFFFFFF, 2, 0)
	ann, ghostOfAnn := opcode.Sender{PeerID: 2, Slot: 0}, opcode.Sender{PeerID: 9, Slot: 7}
	require.NoError(t, opcode.Rebase(m, opcode.MapPlayer(ann, ghostOfAnn)))
	require.Equal(t, message(0x3FFFFFFF+7<<18, 9, 7), m)
	require.NoError(t, opcode.Rebase(m, opcode.MapPlayer(ghostOfAnn, ann)))
	require.Equal(t, message(0x3FFFFFFF, 2, 0), m)
	require.Error(t, opcode.Rebase(m, opcode.MapPlayer(ann, opcode.Sender{PeerID: 5, Slot: 7})), "5 is in the crew already")
	require.Equal(t, message(0x3FFFFFFF, 2, 0), m)
}

// An Unknown and bytes of unknown layout stay, because nobody knows where their IDs are.
func TestRebaseKeepsUnknownBytes(t *testing.T) {
	for text, want := range map[string]string{
		"cd ffffff3f": "cd ffffff3f",
		"0c 0d010000 00000000 ffffff3f ffff0340 ffffff3f": "0c 0d010000 00000000 ffff1b40 ffff0340 ffffff3f",
	} {
		m, err := opcode.Decode(testdata.Bytes(text))
		require.NoError(t, err)
		require.NoError(t, opcode.Rebase(m, opcode.MapPlayer(opcode.Sender{Slot: 0}, opcode.Sender{Slot: 7})))
		payload, err := opcode.Marshal(m)
		require.NoError(t, err)
		require.Equal(t, testdata.Bytes(want), payload)
	}
}

// None, All and numbers that are no peer ID and no slot stay, and are not passed to the map.
func TestRebaseKeepsNone(t *testing.T) {
	fail := objectid.Map{
		Object: func(id objectid.ID) objectid.ID { t.Error(id); return id },
		Peer:   func(id objectid.PeerID) objectid.PeerID { t.Error(id); return id },
		Slot:   func(s objectid.Slot) objectid.Slot { t.Error(s); return s },
	}
	for _, m := range []opcode.Message{
		opcode.NewScoreChange(objectid.NoPeer, 1, objectid.NoPeer, 0, 0),
		&opcode.ChatMessage{SenderID: 128}, &opcode.ChatMessage{SenderID: math.MinInt32}, &opcode.Score{},
		&opcode.Settings{PlayerSlot: objectid.NoSlot}, &opcode.Settings{PlayerSlot: 16},
		&opcode.DeletePlayerUI{Event: opcode.Event{Class: opcode.ClassPlayerEvent, Dest: objectid.All, PlayerID: objectid.NoPeer}},
	} {
		require.NoError(t, opcode.Rebase(m, fail))
	}
}

// If an ID has no valid replacement, the message is unchanged and the error names the field.
func TestRebaseWithoutReplacement(t *testing.T) {
	shot := func() opcode.Message {
		return opcode.NewTorpedoFire(0x40000001, 2, compress.Vector3{}, 0x4003FFFF, compress.Contact{})
	}
	require.NoError(t, opcode.Rebase(shot(), keep))
	for want, ids := range map[string]objectid.Map{
		"opcode: encode TorpedoFire.PlayerID at offset 5: number out of range: 2 becomes 128":  {Peer: func(objectid.PeerID) objectid.PeerID { return 128 }},
		"opcode: encode TorpedoFire.PlayerID at offset 5: number out of range: 2 becomes none": {Peer: func(objectid.PeerID) objectid.PeerID { return objectid.NoPeer }},
		"opcode: encode TorpedoFire.TargetID at offset 10: number out of range: 0x4003ffff becomes 0x00000000": {Object: func(id objectid.ID) objectid.ID {
			if id == 0x4003FFFF {
				return objectid.None
			}
			return id + 1
		}},
	} {
		m := shot()
		err := opcode.Rebase(m, ids)
		require.EqualError(t, err, want)
		require.ErrorIs(t, err, stream.ErrRange)
		require.Equal(t, shot(), m)
	}
	settings := &opcode.Settings{PlayerSlot: 3}
	err := opcode.Rebase(settings, objectid.Map{Slot: func(objectid.Slot) objectid.Slot { return 16 }})
	require.EqualError(t, err, "opcode: encode Settings.PlayerSlot at offset 6: number out of range: 3 becomes 16")
	chat := &opcode.ChatMessage{SenderID: 2}
	require.ErrorIs(t, opcode.Rebase(chat, objectid.Map{Peer: func(objectid.PeerID) objectid.PeerID { return 128 }}), stream.ErrRange, "four bytes would have room")

	require.ErrorIs(t, opcode.Rebase(&opcode.ChatMessage{Text: make(stream.Text, 1<<16)}, keep), stream.ErrTooLong)
	require.Error(t, opcode.Rebase(nil, keep))
}

// MapPlayer moves one player. It has no replacement for the IDs of the player to, or beyond the slot.
func TestMapPlayer(t *testing.T) {
	first := func(slot objectid.Slot) objectid.ID { id, _ := objectid.Base(slot); return id }
	last := func(slot objectid.Slot) objectid.ID { return first(slot) + objectid.PerSlot - 1 }
	ids := opcode.MapPlayer(opcode.Sender{PeerID: 2, Slot: 0}, opcode.Sender{PeerID: 9, Slot: 15})
	for id, want := range map[objectid.ID]objectid.ID{
		first(0): first(15), last(0): last(15), first(1): first(1), last(14): last(14), first(15): objectid.None, last(15): objectid.None,
		0x22: 0x22, first(0) - 1: first(0) - 1, last(15) + 1: last(15) + 1, math.MinInt32: math.MinInt32,
	} {
		require.Equal(t, want, ids.Object(id), id)
	}
	require.Equal(t, []objectid.PeerID{9, 3, objectid.NoPeer}, []objectid.PeerID{ids.Peer(2), ids.Peer(3), ids.Peer(9)})
	require.Equal(t, []objectid.Slot{15, 1, objectid.NoSlot}, []objectid.Slot{ids.Slot(0), ids.Slot(1), ids.Slot(15)})

	same := opcode.MapPlayer(opcode.Sender{PeerID: 2, Slot: 3}, opcode.Sender{PeerID: 2, Slot: 3})
	require.Equal(t, first(3)+5, same.Object(first(3)+5))
	require.Equal(t, []any{objectid.PeerID(2), objectid.Slot(3)}, []any{same.Peer(2), same.Slot(3)})

	next := opcode.MapPlayer(opcode.Sender{Slot: 0, Ship: first(0) + 40}, opcode.Sender{Slot: 1, Ship: first(1) + 200})
	require.Equal(t, first(1)+200, next.Object(first(0)+40))
	require.Equal(t, first(1)+207, next.Object(first(0)+47))
	require.Equal(t, first(1)+160, next.Object(first(0)))
	require.Equal(t, last(1), next.Object(last(0)-160))
	require.Equal(t, objectid.None, next.Object(last(0)-159))

	unknown := opcode.MapPlayer(opcode.Sender{Slot: 0}, opcode.Sender{Slot: 1, Ship: first(1) + 200})
	require.Equal(t, first(1)+40, unknown.Object(first(0)+40), "only one ship is known")
	unknown = opcode.MapPlayer(opcode.Sender{Slot: 0, Ship: first(0) + 40}, opcode.Sender{Slot: 1})
	require.Equal(t, first(1)+40, unknown.Object(first(0)+40), "only one ship is known")

	earlier := opcode.MapPlayer(opcode.Sender{Slot: 2, Ship: first(2) + 40}, opcode.Sender{Slot: 1, Ship: first(1)})
	require.Equal(t, first(1), earlier.Object(first(2)+40))
	require.Equal(t, objectid.None, earlier.Object(first(2)+39))
}

// What a player may say, the ghost of the player may say after MapPlayer, and the player may not, unless the message
// names nobody.
func TestMapPlayerKeepsAuthority(t *testing.T) {
	ghostOfBob := opcode.Sender{PeerID: 9, Slot: 7, Ship: 0x401C0100}
	ids := opcode.MapPlayer(bob, ghostOfBob)
	accepted(t, bob, func(op opcode.Code, m opcode.Message) {
		text := opcode.Line(m)
		require.NoError(t, opcode.Rebase(m, ids), text)
		require.NoError(t, opcode.Authorize(m, ghostOfBob), text)
		for _, p := range parts[op] {
			if p == owns || p == isShip {
				require.ErrorIs(t, opcode.Authorize(m, bob), opcode.ErrForged, text)
			}
		}
	})
}

// Rebase allocates the payload and a codec.
func TestRebaseAllocs(t *testing.T) {
	ids := opcode.MapPlayer(opcode.Sender{PeerID: 2, Slot: 0}, opcode.Sender{PeerID: 2, Slot: 0})
	eachType(t, func(t *testing.T, _ opcode.Code, payloads [][]byte) {
		m, err := opcode.Decode(payloads[0])
		require.NoError(t, err)
		if tree, ok := m.(*opcode.ChecksumResponse); !ok || len(tree.Tree.Dirs) == 0 {
			require.LessOrEqual(t, testing.AllocsPerRun(10, func() { _ = opcode.Rebase(m, ids) }), 3.0)
		}
	})
}
