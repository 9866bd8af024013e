package opcode_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// extent is the range of the sizes of valid payloads of an opcode.
type extent struct{ least, most int }

// String returns the columns min and max of messages.txt.
func (s extent) String() string {
	if s.most == unlimited {
		return fmt.Sprintf("%d -", s.least)
	}
	return fmt.Sprintf("%d %d", s.least, s.most)
}

// unlimited is the longest size if only the transport limits it.
const unlimited = transport.MaxPayload + 1

// agrees reports whether the Info of an opcode has the sizes.
func (s extent) agrees(op opcode.Code) bool { return s == extentOf(op) }

// extentOf returns the sizes in the Info of an opcode.
func extentOf(op opcode.Code) extent {
	info := op.Info()
	if info.MaxSize == 0 {
		return extent{info.MinSize, unlimited}
	}
	return extent{info.MinSize, info.MaxSize}
}

// validSize returns the size of the payload of a message, and false if the message is not valid.
func validSize(m opcode.Message) (int, bool) {
	p, err := opcode.Marshal(m)
	if err != nil || opcode.Validate(m) != nil {
		return 0, false
	}
	if again, err := opcode.Decode(p); err != nil || reflect.TypeOf(again) != reflect.TypeOf(m) {
		return 0, false // the payload has another form than the message
	}
	return len(p), true
}

// The sizes of Info are those of the shortest and the longest message that Validate accepts. The
// test tries messages with values at the limits of their fields.
func TestInfoSizes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	eachType(t, func(t *testing.T, op opcode.Code, payloads [][]byte) {
		found, stock := extent{least: unlimited}, map[int]bool{0: true}
		try := func(m opcode.Message) {
			if n, ok := validSize(m); ok {
				found = extent{min(found.least, n), min(max(found.most, n), unlimited)}
				stock[n] = true
			}
		}
		for _, p := range payloads {
			m, err := opcode.Decode(p)
			require.NoError(t, err)
			try(m)
		}
		for range 4000 {
			if found.agrees(op) && stock[op.Info().StockSize] {
				break
			}
			m := opcode.New(op)
			atLimits(rng, reflect.ValueOf(m).Elem(), 0)
			try(m)
		}
		require.Equal(t, extentOf(op), found, "opcode/messages.txt, row of %v: the columns min and max are %v, valid messages have %v", op, extentOf(op), found)

		info := op.Info()
		switch {
		case info.Direction == opcode.DirNone:
			require.Zero(t, info.StockSize, "opcode/messages.txt, row of %v: the game does not send the message, so stock is -", op)
		case info.MinSize == info.MaxSize:
			require.Equal(t, info.MinSize, info.StockSize, "opcode/messages.txt, row of %v: min and max are equal, so stock is the same", op)
		case info.StockSize != 0:
			require.True(t, stock[info.StockSize], "opcode/messages.txt, row of %v: no valid message has the stock size %d", op, info.StockSize)
		}
	})
}

// No valid message is shorter or longer than the sizes of Info: neither a known one, nor a random one.
func TestInfoBoundsValidMessages(t *testing.T) {
	valid := func(t require.TestingT, m opcode.Message) bool {
		n, ok := validSize(m)
		if ok {
			info := m.Opcode().Info()
			require.GreaterOrEqual(t, n, info.MinSize, "%v", m)
			require.True(t, info.MaxSize == 0 || n <= info.MaxSize, "%v has %d bytes", m, n)
		}
		return ok
	}
	classes := map[opcode.Code]opcode.EventClass{}
	eachType(t, func(t *testing.T, op opcode.Code, payloads [][]byte) {
		accepted := 0
		for _, p := range payloads {
			m, err := opcode.Decode(p)
			require.NoError(t, err)
			if valid(t, m) {
				accepted++
			}
			if e, ok := m.(opcode.EventMessage); ok {
				classes[op] = e.Envelope().Class
			}
		}
		require.Positive(t, accepted)
	})
	rapid.Check(t, func(t *rapid.T) {
		op := rapid.SampledFrom(types).Draw(t, "type")
		m := opcode.New(op)
		fill(t, op, reflect.ValueOf(m).Elem(), 0)
		if e, ok := m.(opcode.EventMessage); ok && rapid.Bool().Draw(t, "class of a vector") {
			e.Envelope().Class = classes[op]
		}
		valid(t, m)
	})
}

// atLimits sets the fields of a message to values at limits: numbers that Validate accepts, and
// lists that are empty or as long as their counts allow.
func atLimits(rng *rand.Rand, v reflect.Value, depth int) {
	pick := func(values ...int) int { return values[rng.IntN(len(values))] }
	switch v.Type() {
	case eventClass:
		v.SetUint(uint64(pick(0, int(opcode.ClassEvent), int(opcode.ClassBoolEvent), int(opcode.ClassCharEvent), int(opcode.ClassObjPtrEvent),
			int(opcode.ClassPlayerEvent), int(opcode.ClassCollisionEvent), int(opcode.ClassStartFiringEvent), int(opcode.ClassWarpEvent))))
		return
	case objectClass:
		v.SetUint(uint64(pick(0, int(opcode.ObjectShip), int(opcode.ObjectTorpedo))))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			atLimits(rng, v.Field(i), depth)
		}
	case reflect.Slice:
		bytes := v.Type().Elem().Kind() == reflect.Uint8
		n := pick(0, 1, 29, 249, 255)
		switch {
		case depth > 1:
			n = 0
		case bytes && rng.IntN(2) == 0:
			n = pick(1<<16-1, transport.MaxPayload+1)
		case !bytes && rng.IntN(32) == 0:
			n = 1<<16 - 1
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		if n == 0 || bytes {
			return
		}
		atLimits(rng, v.Index(0), depth+1)
		for i := 1; i < n; i++ {
			v.Index(i).Set(v.Index(0)) // all have their shortest or longest form
		}
	case reflect.Bool:
		v.SetBool(rng.IntN(2) == 0)
	case reflect.Int8, reflect.Int32:
		v.SetInt(int64(pick(0, 1)))
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		v.SetUint(uint64(pick(0, 1, 2, 4, 5, 8, 0x20, 0x80, 255)))
	}
}

// An opcode without a type has no direction and no longest size.
func TestInfoOfUnusedOpcodes(t *testing.T) {
	for c := range 256 {
		if op := opcode.Code(c); !slices.Contains(types, op) {
			require.Equal(t, opcode.DirNone, op.Info().Direction)
			require.Zero(t, op.Info().StockSize)
			require.Zero(t, op.Info().MaxSize)
		}
	}
}
