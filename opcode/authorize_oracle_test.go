package opcode_test

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// allowed is a slow reference for Authorize. It uses only the rules in the doc comments, the
// evidence grades, and the event table of the protocol's documents.
func allowed(m opcode.Message, from opcode.Sender) bool {
	op := m.Opcode()
	if !slices.Contains(clients, op) || reflect.TypeOf(m) != reflect.TypeOf(opcode.New(op)) {
		return false
	}
	switch m := m.(type) {
	case *opcode.StateUpdate:
		if m.Flags&opcode.StateSubsystems != 0 {
			return false
		}
	case *opcode.ObjectCreateTeam:
		if m.ClassID != opcode.ObjectShip {
			return false
		}
	case opcode.EventMessage:
		if !allowedEvent(op, m.Envelope()) {
			return false
		}
	}
	fields, _ := described(m)
	for _, f := range fields {
		p, has := parts[op][f.Path()]
		if !has {
			continue
		}
		v := get(field(m, f.Path()))
		_, isID := f.Value().(objectid.ID)
		slot := math.Floor((float64(v) - 0x3FFFFFFF) / 0x40000)
		mine := isID && float64(from.Slot) == slot && slot >= 0 && slot < 16 ||
			!isID && f.Path() == "OwnerSlot" && v == int64(from.Slot) && v >= 0 && v < 16 ||
			!isID && f.Path() != "OwnerSlot" && v == int64(from.PeerID) && v > 0
		switch p {
		case owns:
		case isShip:
			mine = mine && (from.Ship == 0 || v == int64(from.Ship))
		case maybe:
			mine = mine || v == 0
		case anybodys:
			mine = true
		}
		if !mine {
			return false
		}
	}
	return true
}

// wire holds the class and the code of each event of a client, from the protocol's documents. The
// class is 0 if the layout is inferred.
var wire = map[opcode.Code][2]uint32{
	0x07: {0x8128, 0x8000D8}, 0x08: {0x101, 0x8000DA}, 0x0A: {0x104, 0x8000DD}, 0x0B: {}, 0x0C: {}, 0x0D: {0x10C, 0x800058},
	0x0E: {}, 0x0F: {}, 0x10: {0x812A, 0x8000EC}, 0x11: {0x10C, 0x800076}, 0x12: {0x105, 0x8000E0}, 0x15: {0x8124, 0x800050},
	0x1B: {0x105, 0x8000FE},
}

func allowedEvent(op opcode.Code, e *opcode.Event) bool {
	if want := wire[op]; want[0] != 0 {
		return want == [2]uint32{uint32(e.Class), uint32(e.Code)}
	}
	if !slices.Contains([]uint32{0x101, 0x104, 0x105, 0x106, 0x107, 0x108, 0x10C, 0x8124, 0x8128, 0x812A}, uint32(e.Class)) {
		return false
	}
	switch low := e.Code & 0xFFFF; e.Code >> 16 {
	case 0x06:
		return false
	case 0x80:
		return low >= 0x58 && low <= 0x8C || low >= 0xD7 && low <= 0xE5 || low >= 0xEC && low <= 0xEF || low == 0xFD || low == 0xFE
	}
	return true
}

// Authorize agrees with the reference for every message, and no accepted message names another
// player where it must name its sender.
func propertyAuthorize(seeds map[opcode.Code][][]byte) func(*rapid.T) {
	return func(t *rapid.T) { checkAuthorize(t, seeds) }
}

func checkAuthorize(t *rapid.T, seeds map[opcode.Code][][]byte) {
	from := opcode.Sender{
		PeerID: objectid.PeerID(rapid.Int8Range(-1, 17).Draw(t, "peer")), Slot: objectid.Slot(rapid.Int8Range(-1, 16).Draw(t, "slot")),
	}
	if base, ok := objectid.Base(from.Slot); ok && rapid.Bool().Draw(t, "has a ship") {
		from.Ship = base + objectid.ID(rapid.IntRange(0, 99).Draw(t, "ship"))
	}
	var m opcode.Message
	op := rapid.SampledFrom(types).Draw(t, "type")
	if form := rapid.IntRange(-1, len(seeds[op])-1).Draw(t, "form"); form < 0 {
		m = opcode.New(op)
		fill(t, op, reflect.ValueOf(m).Elem(), 0)
	} else {
		m, _ = opcode.Decode(seeds[op][form])
	}
	if from.Slot.Valid() {
		speaking(m, from)
	}
	var all []string
	for name := range parts[op] {
		all = append(all, name)
	}
	slices.Sort(all)
	for range min(len(all), rapid.IntRange(0, 2).Draw(t, "forged")) {
		f := field(m, rapid.SampledFrom(all).Draw(t, "field"))
		if v := rapid.SampledFrom(append(foreign(from), 0, 1, 2, 3, -1)).Draw(t, "value"); fits(f, v) {
			set(f, v)
		}
	}
	requireAgreement(t, m, from)
}

// requireAgreement compares Authorize with the reference.
func requireAgreement(t require.TestingT, m opcode.Message, from opcode.Sender) {
	err := opcode.Authorize(m, from)
	if _, encodes := opcode.Marshal(m); encodes != nil {
		return // the reference needs the bytes
	}
	require.Equal(t, allowed(m, from), err == nil, "%v: %v", m, err)
	if err != nil {
		require.NotEmpty(t, err.Error())
		return
	}
	fields, _ := described(m)
	for _, f := range fields {
		p, has := parts[m.Opcode()][f.Path()]
		if id, ok := f.Value().(objectid.ID); ok && has && p != anybodys && id != objectid.None {
			slot, _ := id.Slot()
			require.Equal(t, from.Slot, slot, "%v", m)
		}
	}
}

func TestAuthorize(t *testing.T) { rapid.Check(t, propertyAuthorize(golden(t))) }

func FuzzAuthorizeProperty(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propertyAuthorize(golden(f)))) }

// golden returns the payloads of each type.
func golden(t testing.TB) map[opcode.Code][][]byte {
	all := map[opcode.Code][][]byte{}
	for _, op := range types {
		all[op] = payloads(t, op)
	}
	return all
}

func FuzzAuthorize(f *testing.F) {
	for _, all := range golden(f) {
		for _, p := range all {
			f.Add(p, int8(2), int8(0), int32(0))
			f.Add(p, int8(3), int8(1), int32(0x4003FFFF))
		}
	}
	f.Fuzz(func(t *testing.T, payload []byte, peer, slot int8, ship int32) {
		m, _ := opcode.Decode(payload)
		if m == nil {
			return
		}
		requireAgreement(t, m, opcode.Sender{PeerID: objectid.PeerID(peer), Slot: objectid.Slot(slot), Ship: objectid.ID(ship)})
	})
}
