package stateupdate_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

func TestHostile(t *testing.T) {
	for group, try := range map[string]struct {
		decode func(in []byte) error
		rows   []row
	}{
		"Block":        {splits("akira"), hostileBlocks},
		"BlockVorcha":  {splits("vorcha"), hostileCloaked},
		"Blob":         {splitsBlob("akira"), hostileBlobs},
		"BlobBird":     {splitsBlob("birdofprey"), hostileBirds},
		"Apply":        {applies, hostileMessages},
		"ParseJSON":    {parses, hostileClasses},
		"AppendUpdate": {appends, hostileStatuses},
	} {
		t.Run(group, func(t *testing.T) {
			testdata.TryHostile(t, try.rows, func(in []byte) (int, error) {
				err := try.decode(in)
				return offset(err), err
			})
		})
	}
}

type row testdata.Hostile

func offset(err error) int {
	var located *stream.Error
	if errors.As(err, &located) {
		return located.Offset
	}
	return none
}

// Errors and values that many rows use.
const none = testdata.NoOffset

var (
	eof      = io.ErrUnexpectedEOF
	trailing = stream.ErrTrailing
	badGroup = stream.ErrBadBitGroup
	badStart = stateupdate.ErrIndex
	badClass = stateupdate.ErrClass
	errText  = errors.New("no text of classes") // any error of encoding/json
)

// splits returns a function that decodes a StateUpdate and splits its block.
func splits(class string) func([]byte) error {
	return func(in []byte) error {
		var m opcode.StateUpdate
		if err := opcode.Unmarshal(in, &m); err != nil {
			return err
		}
		_, err := collect(stateupdate.Stock().Named(class).Block(&m))
		return err
	}
}

const (
	head  = "1c ffffff3f 0000c842" // start of an update, before the flags
	moved = head + "21" + "0000803f0000004000004040"
)

var hostileBlocks = []row{
	{"no block", testdata.Bytes(head + "00"), nil, none},
	{"an empty block", testdata.Bytes(head + "20 00"), nil, none},
	{"an empty block with start index 11", testdata.Bytes(head + "20 0b"), badStart, 10},
	{"start index 254", testdata.Bytes(head + "20 fe ff60"), badStart, 10},
	{"start index -128", testdata.Bytes(head + "20 80 ff"), badStart, 10},
	{"a reactor without the second battery", testdata.Bytes(head + "20 03 ffff"), eof, 13},
	{"truncated children", testdata.Bytes(head + "20 04 ffff"), eof, 12},
	{"a shield without its sixth facing", testdata.Bytes(head + "20 01 ff20 ffffffffff"), eof, 13},
	{"a powered subsystem without its bool", testdata.Bytes(head + "20 08 ff"), eof, 12},
	{"a missing power byte", testdata.Bytes(head + "20 08 ff21"), eof, 13},
	{"a bit group of 0 bools", testdata.Bytes(head + "20 08 ff00"), badGroup, 12},
	{"a bit group of 7 bools, after OpenBC's shields", testdata.Bytes(head + "20 00 ffffffff20"), badGroup, 13},
	{"a bit group with a surplus bool", testdata.Bytes(head + "20 08 ff40"), badGroup, 12},
	{"a bit group that is too short", testdata.Bytes(head + "20 08 ff20 ffffff20"), badGroup, 12},
	{"a bit beyond the count", testdata.Bytes(head + "20 08 ff22"), badGroup, 12},
	{"a round and one hull", testdata.Bytes(head + "20 00 " + turned + " ff"), trailing, 11 + len(testdata.Bytes(turned))},
	{"a round and 64 KB", append(testdata.Bytes(head+"20 00"+turned), make([]byte, 1<<16)...), trailing, 11 + len(testdata.Bytes(turned))},
	{"a bool before the block that its bit group does not count", testdata.Bytes(moved + "20 08 ff ffffff"), badGroup, 22},
	{"a surplus bool before the block", testdata.Bytes(moved + "60 08 ff"), badGroup, 22},
}

// turned is a round of the Akira for its owner.
const turned = "ff ffa0ffffffffffff ff ffffff ffffff ffffffffffffffffff ffffff ffffffffffffff60 ff ffffff ff"

var hostileCloaked = []row{
	{"a bit group with cloak and hash, without the third bool", testdata.Bytes(head + "61 0000803f0000004000004040 40 00 ff ff ffffffffffff"), badGroup, 22},
	{"a bit group with a cloak and surplus bools", testdata.Bytes(head + "60 a0 0a ff"), badGroup, 10},
}

// splitsBlob returns a function that splits a create blob.
func splitsBlob(class string) func([]byte) error {
	return func(in []byte) error {
		_, err := collect(stateupdate.Stock().Named(class).Blob(in))
		return err
	}
}

const (
	akiraBlob = "ff ff64ffffffffffff ff64 ffffff ffffff64 ffffffffffffffffff646001 ffffff64 ffffffffffffff6400 ff64 ffffff6401 ff"
	birdBlob  = "ff ff64ffffffffffff ffffff ffffff6460 ffff6400 ffff64 ffffff64 ff9c ff64 ff64"
)

var hostileBlobs = []row{
	{"nothing", nil, eof, 0},
	{"the hull alone", testdata.Bytes("ff"), eof, 1},
	{"a blob", testdata.Bytes(akiraBlob), nil, none},
	{"a blob without the bridge", testdata.Bytes(akiraBlob)[:50], eof, 50},
	{"a blob with two bridges", testdata.Bytes(akiraBlob + "ff"), trailing, 51},
	{"a blob and 64 KB", append(testdata.Bytes(akiraBlob), make([]byte, 1<<16)...), trailing, 51},
	{"a blob with a bit group of 2", testdata.Bytes(strings.Replace(akiraBlob, "6460", "6440", 1)), badGroup, 28},
	{"a blob with a bit group of 4", testdata.Bytes(strings.Replace(akiraBlob, "6460", "6480", 1)), badGroup, 28},
	{"a blob with a bit group of 0", testdata.Bytes(strings.Replace(akiraBlob, "6460", "6400", 1)), badGroup, 28},
	{"all bytes 0xFF", bytes.Repeat([]byte{0xFF}, 51), badGroup, 28},
}

var hostileBirds = []row{
	{"a cloak with its bool", testdata.Bytes(birdBlob), nil, none},
	{"a cloak without its bool", testdata.Bytes(strings.Replace(birdBlob, "6460", "6440", 1)), nil, none},
	{"a cloak with two bools", testdata.Bytes(strings.Replace(birdBlob, "6460", "6480", 1)), badGroup, 16},
	{"a cloak without the bools of the weapons", testdata.Bytes(strings.Replace(birdBlob, "6460", "6420", 1)), badGroup, 16},
	{"a truncated blob with a cloak", testdata.Bytes(birdBlob)[:33], eof, 33},
}

// applies returns a function that applies messages in turn to a tracker with an Akira. It
// returns the error of the last message.
func applies(in []byte) (err error) {
	var d stateupdate.Tracker
	object, err := stateupdate.NewShip(slotID(0), stateupdate.Stock().Named("akira")).Object()
	if err != nil {
		return err
	}
	if _, err := d.Apply(&opcode.ObjectCreate{Object: object}); err != nil {
		return err
	}
	for len(in) > 0 {
		n := 2 + int(binary.LittleEndian.Uint16(in))
		m, decodeErr := opcode.Decode(in[2:n])
		if decodeErr != nil {
			return decodeErr
		}
		_, err = d.Apply(m)
		in = in[n:]
	}
	return err
}

// feed joins payloads for applies.
func feed(payloads ...string) (in []byte) {
	for _, text := range payloads {
		p := testdata.Bytes(text)
		in = append(binary.LittleEndian.AppendUint16(in, uint16(len(p))), p...)
	}
	return in
}

const (
	nanHex    = "0000c07f"
	explosion = "06 29810000 4e008000 00000000 ffffff3f 00000000 00001841"
	other     = "1c 22000040 0000c842" // start of an update of a ship without a creation
	again     = "02 00 08800000 ffffff3f 01 0000803f0000004000004040 0000803f000000000000000000000000 000000 00000000 00 00"
	station   = "02 00 08800000 33000040 2d 0000803f0000004000004040 0000803f000000000000000000000000 000000 00000000 00 00"
)

var hostileMessages = []row{
	{"position NaN", feed(head + "01 0000803f" + nanHex + "00004040 20"), stateupdate.ErrNotFinite, none},
	{"time NaN, with a position", feed("1c ffffff3f" + nanHex + "01 0000803f0000004000004040 20"), stateupdate.ErrNotFinite, none},
	{"time infinite", feed("1c ffffff3f 0000807f 00"), stateupdate.ErrNotFinite, none},
	{"the last finite time, then an older time", feed("1c ffffff3f ffff7f7f 10 3ffe", head+"10 3ffe"), nil, none},
	{"a delta without a position", feed(head + "02 7f7f7fff7f"), nil, none},
	{"power of the hull", feed(head + "80 00ff"), stateupdate.ErrIndex, none},
	{"power of a missing subsystem", feed(head + "80 ffff 02cc"), stateupdate.ErrIndex, none},
	{"a truncated block, with its offset in the payload", feed(head + "20 01 ff20 ffffffffff"), eof, 13},
	{"position NaN and a truncated block", feed(head + "21" + nanHex + nanHex + nanHex + "20 00 ff ff"), stateupdate.ErrNotFinite, 22},
	{"a block of an unknown ship", feed(other + "20 7f ffff"), nil, none},
	{"a block of 257 bytes of an unknown ship", feed(other + "20 00" + strings.Repeat("ff", 257)), stream.ErrLimit, none},
	{"129 power settings of an unknown ship", feed(other + "80" + strings.Repeat("01cc", 129)), stream.ErrLimit, none},
	{"a creation with the ID of a living ship", feed(strings.Replace(station, "33000040", "ffffff3f", 1)), stateupdate.ErrExists, none},
	{"a station and its block", feed(station, strings.Replace(head, "ffffff3f", "33000040", 1)+"20 00 ff"), stateupdate.ErrNoClass, none},
	{"a station whose create blob exceeds MaxBlob", feed(station + strings.Repeat("ff", 1025)), stream.ErrLimit, none},
	{"a ship without its create blob", feed(strings.Replace(station, "2d 0000", "01 0000", 1)), eof, 0},
	{"a ship with a NaN quaternion", feed(strings.Replace(station, "0000803f00000000", nanHex+nanHex, 1)), stateupdate.ErrNotFinite, none},
	{"a torpedo with the ID of a ship", feed("02 00 09800000 ffffff3f 02 ffff"), nil, none},
	{"an update of a destroyed ship", feed("14 ffffff3f", head+"20 7f"), nil, none},
	{"an update during an explosion", feed(explosion, head+"20 00 7f"), nil, none},
	{"an explosion with a NaN lifetime", feed(strings.Replace(explosion, "00001841", nanHex, 1)), stateupdate.ErrNotFinite, none},
	{"an explosion of a part of the ship", feed(strings.Replace(explosion, "ffffff3f", "00000040", 1)), nil, none},
	{"an explosion of an unknown ship", feed(strings.Replace(explosion, "ffffff3f", "22000040", 1)), nil, none},
	{"an explosion and two creations with the same ID", feed(explosion, again+akiraBlob, again+akiraBlob), stateupdate.ErrExists, none},
	{"a malformed block of a destroyed ship", feed("14 ffffff3f", head+"20 fe ff60"), nil, none},
	{"position NaN after a restart", feed("39", head+"01 "+nanHex+nanHex+nanHex+"20"), nil, none},
	{"time NaN, of a destroyed ship", feed("14 ffffff3f", "1c ffffff3f"+nanHex+"00"), nil, none},
	{"a restart and a creation with the same ID", feed("39", strings.Replace(station, "33000040", "ffffff3f", 1)), stateupdate.ErrNoClass, none},
}

// parses reads classes. Errors of encoding/json have no sentinel.
func parses(in []byte) error {
	_, err := stateupdate.ParseJSON(in)
	if err != nil && !errors.Is(err, badClass) && !errors.Is(err, eof) {
		return errText
	}
	return err
}

// ships returns the JSON of a class with subsystems.
func ships(subsystems string) []byte {
	return []byte(`{"ships":[{"species":46,"name":"X","subsystems":[` + subsystems + `]}]}`)
}

var hostileClasses = []row{
	{"nothing", nil, eof, none},
	{"truncated JSON", ships("")[:40], eof, none},
	{"a thousand nested lists", []byte(strings.Repeat("[", 1000)), eof, none},
	{"a key of a megabyte", []byte(`{"` + strings.Repeat("k", 1<<20) + `":1}`), errText, none},
	{"20,000 nested lists", []byte(strings.Repeat("[", 20_000)), errText, none},
	{"two JSON values", append(ships(`{"name":"H","kind":"hull"}`), "{}"...), errText, none},
	{"a misspelled key", ships(`{"name":"W","kind":"warp","childern":[]}`), errText, none},
	{"species 256", []byte(`{"ships":[{"species":256}]}`), errText, none},
	{"a list that is too short", ships(`{"name":"H","kind":"hull","position":[1,2]}`), badClass, none},
	{"a class without subsystems", ships(""), badClass, none},
	{"a capacity above the largest float32", ships(`{"name":"H","kind":"hull","maxCondition":1e39}`), errText, none},
	{"a negative capacity", ships(`{"name":"H","kind":"hull","maxCondition":-1}`), badClass, none},
	{"a shield with children", ships(`{"name":"S","kind":"shield","children":[{"name":"x"}]}`), badClass, none},
	{"a child with a kind", ships(`{"name":"W","kind":"warp","children":[{"name":"x","kind":"warp"}]}`), errText, none},
	{"two names that differ in case", ships(`{"name":"Hull","kind":"hull"},{"name":"HULL","kind":"hull"}`), badClass, none},
}

// appends encodes a block of an Akira. Each byte selects a subsystem: from 0x40 on, of another
// class; from 0x80 on, without its children; from 0xC0 on, with power above the maximum.
func appends(in []byte) error {
	akira, galaxy := stateupdate.NewShip(slotID(0), stateupdate.Stock().Named("akira")), stateupdate.NewShip(slotID(0), stateupdate.Stock().Named("galaxy"))
	var block []stateupdate.Status
	for _, b := range in {
		s := akira.Subsystems[b&0xF]
		switch b >> 6 {
		case 1:
			s = galaxy.Subsystems[b&0xF]
		case 2:
			s.Parts = nil
		case 3:
			s.Power = 1<<16 - 1
		}
		block = append(block, s)
	}
	_, err := akira.Class.AppendUpdate(nil, &opcode.StateUpdate{ObjectID: akira.ID}, block)
	return err
}

var hostileStatuses = []row{
	{"no subsystems", nil, nil, none},
	{"from the last to the first subsystem", []byte{9, 10, 0, 1}, nil, none},
	{"a missing subsystem", []byte{0, 2}, stateupdate.ErrOrder, none},
	{"a repeated subsystem", []byte{3, 3}, stateupdate.ErrOrder, none},
	{"more than all subsystems", []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0}, stateupdate.ErrOrder, none},
	{"a subsystem of another class", []byte{0, 0x41}, stateupdate.ErrOrder, none},
	{"a shield without facings", []byte{0, 0x81}, stream.ErrRange, 15},
	{"engines without children", []byte{0x84}, stream.ErrRange, 12},
	{"power above the maximum", []byte{0xC8}, stream.ErrRange, 13},
}

// badBlock is a malformed block.
type badBlock struct {
	class string
	start int8
	data  string // hex
	good  int    // number of valid subsystems before the error
	err   error
	text  string // after "stateupdate: decode StateUpdate."
}

func TestBadBlocks(t *testing.T) {
	const (
		shuttle    = "shuttle"    // hull, impulse+2, reactor, sensor, shield...
		akira      = "akira"      // ...engineering, tractors+2, bridge
		birdOfPrey = "birdofprey" // ...sensor, engineering
		freighter  = "cardfreighter"
	)
	for name, v := range map[string]badBlock{
		"start index 11":   {akira, 11, "ff", 0, stateupdate.ErrIndex, "StartIndex at offset 10: start index out of range"},
		"start index 127":  {akira, 127, "", 0, stateupdate.ErrIndex, "StartIndex at offset 10: start index out of range"},
		"start index 254":  {akira, -2, "ff60", 0, stateupdate.ErrIndex, "StartIndex at offset 10: start index out of range"},
		"start index 255":  {akira, -1, "", 0, stateupdate.ErrIndex, "StartIndex at offset 10: start index out of range"},
		"start index -128": {akira, -128, "ff", 0, stateupdate.ErrIndex, "StartIndex at offset 10: start index out of range"},
		"count 0": {
			akira, 8, "ff 00 ffffff", 0, stream.ErrBadBitGroup,
			"Subsystems.Engineering.HasPower at offset 12: bad bit group",
		},
		"count 6": {
			akira, 8, "ff c0 ffffff", 0, stream.ErrBadBitGroup,
			"Subsystems.Engineering.HasPower at offset 12: bad bit group",
		},
		"count 7": {
			akira, 8, "ff e0 ffffff", 0, stream.ErrBadBitGroup,
			"Subsystems.Engineering.HasPower at offset 12: bad bit group",
		},
		"a bool beyond the count": {
			akira, 8, "ff 44 ffffff", 0, stream.ErrBadBitGroup,
			"Subsystems.Engineering.HasPower at offset 12: bad bit group",
		},
		"more bools than counted": {
			akira, 8, "ff 20 ffffff ff", 1, stream.ErrBadBitGroup,
			"Subsystems.Tractors.HasPower at offset 12: bad bit group",
		},
		"more bools than counted, in another byte": {
			akira, 8, "ff 20 ffffff 20 ff", 1, stream.ErrBadBitGroup,
			"Subsystems.Tractors.HasPower at offset 12: bad bit group",
		},
		"fewer bools than counted": {
			akira, 8, "ff 60 ffffff ff", 3, stream.ErrBadBitGroup,
			"Subsystems at offset 12: bad bit group",
		},
		"count 0 of the second group": {
			akira, 4, "ffffff a0 ffffffffffffffffff ffffff ffffffffffffff ff ffffff 00", 5, stream.ErrBadBitGroup,
			"Subsystems.Tractors.HasPower at offset 38: bad bit group",
		},
		"power is missing": {
			akira, 8, "ff 21", 0, io.ErrUnexpectedEOF,
			"Subsystems.Engineering.Power at offset 13: unexpected EOF",
		},
		"children are missing": {
			shuttle, 1, "ff ff", 0, io.ErrUnexpectedEOF,
			"Subsystems.Impulse Engines.Children at offset 12: unexpected EOF",
		},
		"battery is missing": {
			shuttle, 2, "ff ff", 0, io.ErrUnexpectedEOF,
			"Subsystems.Warp Core.BackupBattery at offset 13: unexpected EOF",
		},
		"facings are missing": {
			shuttle, 4, "ff 20 ffffffffff", 0, io.ErrUnexpectedEOF,
			"Subsystems.Shield Generator.Facings at offset 13: unexpected EOF",
		},
		"class with fewer subsystems": {
			freighter, 8, "ff 60 ffffff ff", 0, stateupdate.ErrIndex,
			"StartIndex at offset 10: start index out of range",
		},
		"class with smaller subsystems": {
			birdOfPrey, 2, "ff 60 ff ffffff ff", 1, stream.ErrBadBitGroup,
			"Subsystems.Disruptor Cannons.HasPower at offset 17: bad bit group",
		},
		"more than a round": {freighter, 0, turn(t, freighter) + "ff", 8, stream.ErrTrailing, "at offset 39: bytes after the last field"},
	} {
		t.Run(name, func(t *testing.T) { v.check(t) })
	}
}

func (v badBlock) check(t *testing.T) {
	class, data := stateupdate.Stock().Named(v.class), testdata.Bytes(v.data)
	m := &opcode.StateUpdate{Flags: opcode.StateSubsystems, StartIndex: v.start, Data: data}
	all, err := collect(class.Block(m))
	require.ErrorIs(t, err, v.err)
	require.Len(t, all, v.good)
	if v.text != "" {
		space := "."
		if v.text[:3] == "at " {
			space = " "
		}
		require.EqualError(t, err, "stateupdate: decode StateUpdate"+space+v.text)
	}
	payload, marshalErr := opcode.Marshal(m)
	require.NoError(t, marshalErr)
	_, dissectErr := dissect(class, payload)
	require.EqualError(t, dissectErr, err.Error())
}

// If a part of a creation cannot be applied, the rest is.
func TestBadCreations(t *testing.T) {
	const raw = 1
	good := creation(t, opcode.SpeciesAkira).Object
	goodMotion := stateupdate.Motion{
		Position: good.Position, Forward: compress.Vector3{Y: 127}, Up: compress.Vector3{Z: 127}, Speed: compress.EncodeFloat16(-5),
	}
	nowhere, motionless := goodMotion, goodMotion
	nowhere.Position = [3]float32{}
	motionless.Speed = 0
	for name, v := range map[string]struct {
		change func(*opcode.Object)
		err    error
		text   string
		motion stateupdate.Motion
		hull   stateupdate.Level // raw if the blob does not fit the class
	}{
		"position NaN":      {func(o *opcode.Object) { o.Position[1] = nan }, stateupdate.ErrNotFinite, "position: not a finite number", nowhere, 127},
		"position infinite": {func(o *opcode.Object) { o.Position[2] = inf }, stateupdate.ErrNotFinite, "position: not a finite number", nowhere, 127},
		"orientation NaN": {
			func(o *opcode.Object) { o.Orientation[3] = nan }, stateupdate.ErrNotFinite,
			"orientation and velocity: not a finite number", motionless, 127,
		},
		"velocity infinite": {
			func(o *opcode.Object) { o.VelocityMagnitude = inf }, stateupdate.ErrNotFinite,
			"orientation and velocity: not a finite number", motionless, 127,
		},
		"no blob": {
			func(o *opcode.Object) { o.SubsystemsRaw = nil }, io.ErrUnexpectedEOF,
			"create blob: decode Blob.Hull.Condition at offset 0: unexpected EOF", goodMotion, raw,
		},
		"truncated blob": {
			func(o *opcode.Object) { o.SubsystemsRaw = o.SubsystemsRaw[:8] }, io.ErrUnexpectedEOF,
			"create blob: decode Blob.Shield Generator.Facings at offset 3: unexpected EOF", goodMotion, raw,
		},
		"blob too long": {
			func(o *opcode.Object) { o.SubsystemsRaw = append(o.SubsystemsRaw, 0) }, stream.ErrTrailing,
			"create blob: decode Blob at offset 51: bytes after the last field", goodMotion, raw,
		},
		"blob of another class": {
			func(o *opcode.Object) { o.Species = opcode.SpeciesGalaxy }, stream.ErrBadBitGroup,
			"create blob: decode Blob.Torpedoes.Flag at offset 22: bad bit group", goodMotion, raw,
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := creation(t, opcode.SpeciesAkira)
			v.change(&m.Object)
			var d stateupdate.Tracker
			change, err := d.Apply(m)
			require.ErrorIs(t, err, v.err)
			require.EqualError(t, err, "stateupdate: ship 0x3fffffff: "+v.text)
			require.True(t, change.Created)
			require.Equal(t, v.motion, change.Ship.Motion)
			if v.hull == raw {
				require.Nil(t, change.Ship.Class)
				require.Empty(t, change.Ship.Subsystems)
				require.Equal(t, m.SubsystemsRaw, *change.Ship.Blob())
				again, err := change.Ship.Object()
				require.NoError(t, err)
				require.Equal(t, m.SubsystemsRaw, again.SubsystemsRaw)
			} else {
				require.Equal(t, v.hull, change.Ship.Subsystems[0].Condition)
			}
			require.Equal(t, [2]string{"Cady2", "Multi1"}, [2]string{change.Ship.PlayerName, change.Ship.SetName})
		})
	}
}

// badMessage is a message of which a part cannot be applied to a created Akira.
type badMessage struct {
	message    opcode.Message
	err        error
	text       string // after the ID of the ship
	applied    []int  // changed subsystems
	motionless bool   // the motion is not applied
}

func TestBadMessages(t *testing.T) {
	at := func(m *opcode.StateUpdate, x, y, z float32) *opcode.StateUpdate {
		m.Flags |= opcode.StatePosition
		m.Position = [3]float32{x, y, z}
		return m
	}
	power := func(entries ...opcode.PowerEntry) *opcode.StateUpdate {
		m := motion(1, opcode.StatePower)
		m.Power = entries
		return m
	}
	half := opcode.PowerEntry{Index: 5, Value: 102}
	const (
		block   = "decode StateUpdate."
		noPower = " is a missing or unpowered subsystem"
	)
	for name, v := range map[string]badMessage{
		"start index 11": {
			withBlock(11, "ff"), stateupdate.ErrIndex,
			"subsystems: " + block + "StartIndex at offset 18: start index out of range", nil, false,
		},
		"negative start index": {
			withBlock(-2, "ff"), stateupdate.ErrIndex,
			"subsystems: " + block + "StartIndex at offset 18: start index out of range", nil, false,
		},
		"block ends inside a subsystem": {
			withBlock(10, "10 11 12"), io.ErrUnexpectedEOF,
			"subsystems: " + block + "Subsystems.Shield Generator.HasPower at offset 22: unexpected EOF",
			[]int{0, 10},
			false,
		},
		"bit count 0": {
			withBlock(8, "10 00"), stream.ErrBadBitGroup,
			"subsystems: " + block + "Subsystems.Engineering.HasPower at offset 20: bad bit group", nil, false,
		},
		"bit count 6": {
			withBlock(10, "10 11 12 c0"), stream.ErrBadBitGroup,
			"subsystems: " + block + "Subsystems.Shield Generator.HasPower at offset 22: bad bit group",
			[]int{0, 10},
			false,
		},
		"bit count 7": {
			withBlock(0, "10 11 e0"), stream.ErrBadBitGroup,
			"subsystems: " + block + "Subsystems.Shield Generator.HasPower at offset 21: bad bit group",
			[]int{0},
			false,
		},
		"power of a missing subsystem":      {power(opcode.PowerEntry{Index: 11}, half), stateupdate.ErrIndex, "power: index out of range: 11" + noPower, []int{5}, false},
		"power of index 255":                {power(half, opcode.PowerEntry{Index: 255}), stateupdate.ErrIndex, "power: index out of range: 255" + noPower, []int{5}, false},
		"power of the hull":                 {power(opcode.PowerEntry{Index: 0}, half), stateupdate.ErrIndex, "power: index out of range: 0" + noPower, []int{5}, false},
		"power of the reactor":              {power(opcode.PowerEntry{Index: 3}, half), stateupdate.ErrIndex, "power: index out of range: 3" + noPower, []int{5}, false},
		"position NaN":                      {at(withBlock(10, "10"), 1, nan, 3), stateupdate.ErrNotFinite, "position: not a finite number", []int{10}, false},
		"position infinite":                 {at(withBlock(10, "10"), 1, 2, -inf), stateupdate.ErrNotFinite, "position: not a finite number", []int{10}, false},
		"time NaN":                          {motion(nan, 0), stateupdate.ErrNotFinite, "game time: not a finite number", nil, true},
		"time infinite":                     {motion(inf, opcode.StatePosition), stateupdate.ErrNotFinite, "game time: not a finite number", nil, true},
		"time negative infinite":            {motion(-inf, opcode.StatePosition), stateupdate.ErrNotFinite, "game time: not a finite number", nil, true},
		"created twice":                     {creation(t, opcode.SpeciesGalaxy), stateupdate.ErrExists, "creation: object ID in use", nil, true},
		"created twice, with another class": {&opcode.ObjectCreate{Object: creation(t, 46).Object}, stateupdate.ErrExists, "creation: object ID in use", nil, true},
	} {
		t.Run(name, func(t *testing.T) { v.check(t) })
	}
}

func (v badMessage) check(t *testing.T) {
	var d stateupdate.Tracker
	_, err := d.Apply(creation(t, opcode.SpeciesAkira))
	require.NoError(t, err)
	before := d.Ship(slotID(0)).Clone()

	change, err := d.Apply(v.message)
	require.ErrorIs(t, err, v.err)
	require.EqualError(t, err, "stateupdate: ship 0x3fffffff: "+v.text)
	require.NoError(t, checkChange(before, change))
	var applied []int
	for i := range change.Ship.Subsystems {
		if change.Subsystems.Has(i) {
			applied = append(applied, i)
		}
	}
	require.Equal(t, v.applied, applied)

	want := before.Motion // the position was invalid or absent
	if !v.motionless {
		m := v.message.(*opcode.StateUpdate)
		want.Forward, want.Up, want.Speed, want.Cloaked = m.Forward, m.Up, m.Speed, m.Flags&opcode.StateCloak != 0
		require.Equal(t, m.GameTime, d.Time(slotID(0)))
	}
	require.Equal(t, want, change.Ship.Motion)
}
