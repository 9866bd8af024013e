package opcode_test

import (
	"math"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// part is a rule of Authorize for a field.
type part int

const (
	owns     part = iota // must be the sender's
	isShip               // must be the sender's ship
	maybe                // must be the sender's, or none
	anybodys             // may be anybody's
)

// parts has the rule of each field that names a player or an object, as the lines "authorize" of messages.txt say.
var parts = func() map[opcode.Code]map[string]part {
	rules := map[string]part{"sender's": owns, "sender's ship": isShip, "sender's or none": maybe, "anybody's": anybodys}
	text, err := os.ReadFile("messages.txt")
	if err != nil {
		panic(err)
	}
	all := map[opcode.Code]map[string]part{}
	var op opcode.Code
	for line := range strings.Lines(string(text)) {
		if n, err := strconv.ParseUint(strings.TrimPrefix(strings.SplitN(line, " ", 2)[0], "0x"), 16, 8); err == nil {
			op = opcode.Code(n)
		}
		list, ok := strings.CutPrefix(strings.TrimSpace(line), "authorize ")
		if !ok || line[0] != ' ' {
			continue
		}
		all[op] = map[string]part{}
		for rule := range strings.SplitSeq(list, ",") {
			name, whose, _ := strings.Cut(strings.Trim(rule, " )"), " (")
			p, ok := rules[whose]
			if !ok {
				panic(line)
			}
			all[op][name] = p
		}
	}
	return all
}()

// clients are the opcodes of the messages that clients send.
var clients = slices.DeleteFunc(slices.Clone(types), func(op opcode.Code) bool {
	d := op.Info().Direction
	return d != opcode.DirUp && d != opcode.DirBoth
})

// field returns a field of a message by its name.
func field(m opcode.Message, name string) reflect.Value {
	return reflect.ValueOf(m).Elem().FieldByName(name)
}

// ownNumber is the value that a field has if it names the sender.
func ownNumber(f reflect.Value, name string, p part, from opcode.Sender) int64 {
	switch {
	case p == isShip && from.Ship != objectid.None:
		return int64(from.Ship)
	case f.Type() == reflect.TypeFor[objectid.ID]():
		base, _ := objectid.Base(from.Slot)
		return int64(base) + 7
	case strings.HasSuffix(name, "Slot"):
		return int64(from.Slot)
	}
	return int64(from.PeerID)
}

func set(f reflect.Value, n int64) {
	if f.CanInt() {
		f.SetInt(n)
	} else {
		f.SetUint(uint64(n))
	}
}

func get(f reflect.Value) int64 {
	if f.CanInt() {
		return f.Int()
	}
	return int64(f.Uint())
}

// fits reports whether a field can have a number.
func fits(f reflect.Value, n int64) bool {
	if f.CanInt() {
		return !f.OverflowInt(n)
	}
	return n >= 0 && !f.OverflowUint(uint64(n))
}

// speaking makes the fields of a message name the sender.
func speaking(m opcode.Message, from opcode.Sender) opcode.Message {
	for name, p := range parts[m.Opcode()] {
		set(field(m, name), ownNumber(field(m, name), name, p, from))
	}
	return m
}

// forms returns messages of an opcode in all known forms, and events in all classes.
func forms(t testing.TB, op opcode.Code) (all []opcode.Message) {
	known := payloads(t, op)
	skipWithout(t, known)
	for _, p := range known {
		m, err := opcode.Decode(p)
		require.NoError(t, err)
		all = append(all, m)
	}
	if _, event := opcode.New(op).(opcode.EventMessage); !event {
		return all
	}
	for _, class := range eventClasses {
		m, err := opcode.Decode(known[0])
		require.NoError(t, err)
		m.(opcode.EventMessage).Envelope().Class = class
		m.(opcode.EventMessage).Envelope().Value = 0
		all = append(all, m)
	}
	return all
}

// classStringEvent is a class of the engine without a known layout.
const classStringEvent opcode.EventClass = 0x0109

var eventClasses = []opcode.EventClass{
	opcode.ClassEvent, opcode.ClassBoolEvent, opcode.ClassCharEvent, opcode.ClassShortEvent, opcode.ClassIntEvent,
	opcode.ClassFloatEvent, classStringEvent, opcode.ClassObjPtrEvent, opcode.ClassPlayerEvent, opcode.ClassCollisionEvent,
	opcode.ClassStartFiringEvent, opcode.ClassObjectExplodingEvent, opcode.ClassWarpEvent, 0, 0xFFFFFFFF,
}

// accepted calls f for every form of every message that Authorize accepts from a sender.
func accepted(t testing.TB, from opcode.Sender, f func(op opcode.Code, m opcode.Message)) {
	for _, op := range clients {
		n := 0
		for _, m := range forms(t, op) {
			if opcode.Authorize(speaking(m, from), from) == nil {
				n++
				f(op, m)
			}
		}
		require.Positive(t, n, "%s: Authorize accepts no form of %v; does its method authorize agree with the line authorize below its row in opcode/messages.txt?", typeFile(t, op.String()), op)
	}
}

// foreign returns numbers that name neither a sender nor an object of the sender.
func foreign(from opcode.Sender) (all []int64) {
	for slot := range objectid.Slot(objectid.Slots) {
		if slot == from.Slot {
			continue
		}
		base, _ := objectid.Base(slot)
		all = append(all, int64(base), int64(base)+33, int64(base)+objectid.PerSlot-1)
	}
	return append(all, 0x22, 0x791, 0x3FFFFFFE, 0x403FFFFF, int64(objectid.All), math.MaxInt32, math.MinInt32)
}
