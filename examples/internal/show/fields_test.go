package show

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// The JSON output has the fields of every payload vector whose opcode has a type.
func TestPayloadVectors(t *testing.T) {
	type vector struct {
		testdata.Vector
		Dir, Hex, Error, ErrorAt string
		Fields                   map[string]any
		Subsystems               []map[string]any
	}
	for _, v := range testdata.Load[vector](t, "payloads.json") {
		payload := testdata.Bytes(v.Hex)
		if _, ok := opcode.New(opcode.Code(payload[0])).(*opcode.Unknown); ok {
			continue
		}
		t.Run(v.Name, func(t *testing.T) {
			datagram := pack(t, 2, transport.NewData(7, payload))
			records := runJSON(t, v.Dir+" "+hexLines(datagram), "-plain")
			require.Len(t, records, 1)
			require.Equal(t, v.Hex, records[0].Hex)
			fails := v.Error != "" && v.ErrorAt != "subsystems"
			require.Equal(t, fails, records[0].Error != "", records[0].Error)
			if split, ok := records[0].Fields["Subsystems"].(map[string]any); ok {
				delete(v.Fields, "subsystemsRaw")
				requireSystems(t, split, v.Subsystems)
			}
			requireFields(t, records[0].Fields, v.Fields, v.Name)
		})
	}
}

// requireFields requires that got has all fields of want. The names of fields in the vectors
// begin with a lower-case letter.
func requireFields(t *testing.T, got, want map[string]any, path string) {
	t.Helper()
	for key, value := range want {
		if _, hash := want["nameHash"]; value == nil || hash && key == "name" {
			continue // not on the wire
		}
		if text, ok := got["Set"].(map[string]any); ok && key == "setRaw" {
			require.Equal(t, value, text["raw"])
			continue
		}
		found := false
		for name, have := range got {
			if strings.EqualFold(name, key) {
				found = true
				requireValue(t, have, value, path+"."+name)
			}
		}
		require.True(t, found, "%s.%s is missing in %v", path, key, got)
	}
}

// requireValue compares a value with the value of a vector. Vectors have IDs, hashes and opcodes
// as hex strings, and enumerations as numbers.
func requireValue(t *testing.T, got, want any, path string) {
	t.Helper()
	if o, ok := got.(map[string]any); ok {
		got = plainValue(o, want)
	}
	switch want := want.(type) {
	case map[string]any:
		o, ok := got.(map[string]any)
		require.True(t, ok, "%s: %v", path, got)
		requireFields(t, o, want, path)
	case []any:
		list, ok := got.([]any)
		require.True(t, ok, "%s: %v", path, got)
		require.Len(t, list, len(want), path)
		for i := range want {
			requireValue(t, list[i], want[i], fmt.Sprintf("%s[%d]", path, i))
		}
	case float64:
		require.InDelta(t, want, got, 1e-6, path)
	case string:
		requireText(t, got, want, path)
	default:
		require.Equal(t, want, got, path)
	}
}

// plainValue returns the part of an ID, an enumeration or a text that occurs in vectors.
func plainValue(o map[string]any, want any) any {
	if _, ok := want.(map[string]any); ok {
		return o
	}
	if _, enum := o["name"]; enum {
		return o["raw"]
	}
	for _, key := range []string{"id", "text", "value"} {
		if v, ok := o[key]; ok {
			return v
		}
	}
	return o
}

func requireText(t *testing.T, got any, want, path string) {
	t.Helper()
	number, isNumber := got.(float64)
	if !isNumber {
		require.Equal(t, want, got, path)
		return
	}
	n, err := strconv.ParseUint(want, 0, 64)
	require.NoError(t, err, path)
	require.InDelta(t, float64(n), number, 0, path)
}

// The fields of a payload do not include others, such as the opcode.
func TestFieldsCount(t *testing.T) {
	for payload, count := range map[string]int{"2a20": 1, "2a": 0, "28": 0, "350801ffff": 4, "2c02000000050068656c6c6f": 2, "cd2a": 1} {
		datagram := pack(t, 2, transport.NewData(0, testdata.Bytes(payload)))
		records := runJSON(t, hexLines(datagram), "-plain")
		require.Len(t, records[0].Fields, count, payload)
	}
}

func TestTextThatIsNotASCII(t *testing.T) {
	datagram := pack(t, 2, transport.NewData(0, chat("\x80 caf\xE9 <&>")))
	res := render(t, hexLines(datagram), "-json", "-plain")
	require.Contains(t, res.stdout, `"Text":{"text":"€ café <&>","raw":"8020636166e9203c263e"}`)
	require.Contains(t, render(t, hexLines(datagram), "-plain").stdout, `Text="€ café <&>"`)

	name := &transport.NameChange{PeerID: 2, Name: systemText(t, "Zoë")}
	res = render(t, hexLines(pack(t, 2, transport.NewMessage(1, name))), "-json", "-plain")
	require.Contains(t, res.stdout, `"Name":{"text":"Zoë","raw":"5a006f00eb000000"}`)

	name.Name = transport.UTF16Z{'A', 0} // without its NUL
	res = render(t, hexLines(pack(t, 2, transport.NewMessage(1, name))), "-json", "-plain")
	require.Contains(t, res.stdout, `"Name":{"text":"A","raw":"4100"}`)
}

func TestNumbersThatJSONLacks(t *testing.T) {
	settings := func(bits string) string {
		payload := testdata.Bytes("00" + bits + "60" + "00" + "0000")
		return render(t, hexLines(pack(t, 1, transport.NewData(0, payload))), "-json", "-plain").stdout
	}
	require.Contains(t, settings("0000c07f"), `"GameTime":"NaN"`)
	require.Contains(t, settings("0000807f"), `"GameTime":"Infinity"`)
	require.Contains(t, settings("000080ff"), `"GameTime":"-Infinity"`)
}

// phase is an enumeration that the output does not know.
type phase uint8

func (p phase) String() string { return map[phase]string{2: "photon"}[p] }

// fieldOf returns the texts of a field that a walk encodes.
func fieldOf(t *testing.T, walk func(c *stream.Codec)) (text, object, details string) {
	j := JSON{message: new(Message)}
	each := func(f *stream.Field) bool {
		text, details = string(appendShort(nil, f, nil)), detail(f)
		j.value(f)
		return true
	}
	_, err := (&stream.Codec{Visit: each}).Append(nil, -1, "", walk)
	require.NoError(t, err)
	return text, string(j.Bytes), details
}

// An enumeration that the output does not know has its number and its name.
func TestValuesOfOtherTypes(t *testing.T) {
	p := phase(2)
	text, object, details := fieldOf(t, func(c *stream.Codec) {
		c.Field("Phase").Uint8((*uint8)(&p))
		stream.Show(c, p)
	})
	require.Equal(t, []string{"photon", `{"raw":2,"name":"photon"}`, "2, 0x02"}, []string{text, object, details})
	n := int16(-3)
	text, object, details = fieldOf(t, func(c *stream.Codec) { c.Field("N").Int16(&n) })
	require.Equal(t, []string{"-3", "-3", ""}, []string{text, object, details})
}

// tree is a message with lists in lists, whose elements are not together.
func tree(c *stream.Codec) {
	n, small := int32(-5), uint8(7)
	c.Field("Damagers").Count8(3, 0)
	for i := range 3 {
		c.Element("Damagers", i)
		c.Field("ID").Uint8(&small)
		c.End()
	}
	c.Field("None").Count8(0, 0)
	c.Group("Tree")
	c.Element("Files", 0)
	c.Field("").Uint8(&small)
	c.End()
	c.Element("Files", 1)
	c.Field("").Uint8(&small)
	c.End()
	c.Field("Dirs").Count8(2, 0)
	for i := range 2 {
		c.Element("Dirs", i)
		c.Field("Score").Int32(&n)
		c.End()
	}
	for i := range 2 {
		c.Element("Dirs", i)
		c.Group("Tree")
		c.Field("Files").Count8(0, 0)
		c.End()
		c.End()
	}
	c.End()
	c.Field("Last").Uint8(&small)
}

func TestTree(t *testing.T) {
	var v visitor
	_, err := (&stream.Codec{Visit: func(f *stream.Field) bool {
		v.fields = append(v.fields, *f)
		return true
	}}).Append(nil, -1, "", tree)
	require.NoError(t, err)
	sortDirectories(v.fields[:len(v.fields)-1])
	j, s := new(JSON), summary{message: new(Message)}
	j.Raw("{")
	for i := range v.fields {
		j.field(&v.fields[i])
		s.field(&v.fields[i])
	}
	j.closeTo(0)
	s.closeTo(0)
	require.Equal(t, `{"Damagers":[{"ID":7},{"ID":7},{"ID":7}],"None":[],"Tree":{"Files":[7,7],"Dirs":[{"Score":-5,"Tree":{"Files":[]}},{"Score":-5,"Tree":{"Files":[]}}]},"Last":7`, string(j.Bytes))
	require.Equal(t, "Damagers=[3] None=[0] Tree={Files=[2] Dirs=[2]} Last=7", string(s.dst))
}

// A repeated payload has the kept fields only if its class and its ships are the same.
func TestKeptFields(t *testing.T) {
	shared, number := new(JSON), 0
	fields := func(m Message) string {
		alone := string(new(JSON).AppendFields(nil, &m))
		for range 2 {
			require.Equal(t, alone, string(shared.AppendFields(nil, &m)), "packet %d", number)
		}
		return alone
	}
	classes, fleets := 0, 0 // messages whose fields depend on them
	battle(t, func(p *Packet, m *Message) {
		number = p.Number
		with := fields(*m)
		if other := *m; other.Class != nil {
			if other.Class = nil; fields(other) != with {
				classes++
			}
		}
		if other := *m; other.fleet != nil {
			if other.fleet = nil; fields(other) != with && len(m.Payload) >= minKept {
				fleets++
			}
		}
	})
	require.Greater(t, classes, 100)
	require.Greater(t, fleets, 10)
}
