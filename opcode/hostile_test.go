package opcode_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

// Beginnings of payloads.
const (
	place    = "0000803f0000004000004040"                                                   // 1, 2, 3
	update   = "1c ffffff3f 0000c842"                                                       // up to the flags
	shipHead = "03 00 02 08800000 ffffff3f 01" + place + "0000803f000000000000000000000000" // up to the velocity
	torpedo  = "0200 09800000 ffffff3f 02" + place + "0000803f000000000000000000000000" + "7f0000 0000803f 00 05 4d756c7469 ffffff3f ffff0340 02 00 01020304"
	response = "21 02 2fcbaf4d"                                                                   // up to the tree
	event    = "5000800000000000ffffff3f"                                                         // code, source, dest
	nan      = "0000c07f"                                                                         //
	inf      = "0000807f"                                                                         //
	cut      = "00000000000000000000000000000000000000000000000000000000000000000000000000000000" // 40 zeros
)

func TestHostile(t *testing.T) {
	for group, try := range map[string]struct {
		decode func([]byte) (opcode.Message, error)
		rows   []row
	}{
		"Join":     {opcode.Decode, hostileJoin},
		"Objects":  {opcode.Decode, hostileObjects},
		"Events":   {opcode.Decode, hostileEvents},
		"Shots":    {opcode.Decode, hostileShots},
		"Updates":  {opcode.Decode, hostileUpdates},
		"Files":    {opcode.Decode, hostileFiles},
		"Scripts":  {opcode.Decode, hostileScripts},
		"Register": {modded().Decode, hostileModded},
		"Wrap":     {raiders(t, newRaid).Decode, hostileWrapped},
		"Tolerant": {(&opcode.Decoder{Tolerant: true}).Decode, hostileTolerant},
		"Validate": {valid, hostileSense},
		"Forged":   {authorized, hostileForged},
	} {
		t.Run(group, func(t *testing.T) {
			testdata.TryHostile(t, try.rows, func(in []byte) (int, error) {
				m, err := try.decode(in)
				if (m == nil) != (len(in) == 0) {
					t.Errorf("% X: message %v", in, m)
				}
				return offset(err), err
			})
		})
	}
}

// Dissecting reports the same error as decoding, at the same offset.
func TestHostileDissect(t *testing.T) {
	for _, rows := range [][]row{
		hostileJoin, hostileObjects, hostileEvents, hostileShots, hostileUpdates, hostileFiles, hostileScripts,
	} {
		small := slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return len(r.In) > 1024 })
		testdata.TryHostile(t, small, func(in []byte) (int, error) {
			_, _, err := opcode.Dissect(in)
			return offset(err), err
		})
	}
}

type row testdata.Hostile

// none is the offset of an error without one.
const none = testdata.NoOffset

var (
	eof      = io.ErrUnexpectedEOF
	trailing = stream.ErrTrailing
	badGroup = stream.ErrBadBitGroup
	invalid  = stream.ErrInvalid

	forged    = opcode.ErrForged
	direction = opcode.ErrDirection
)

func offset(err error) int {
	var located *stream.Error
	if errors.As(err, &located) {
		return located.Offset
	}
	return none
}

// valid decodes and validates a message.
func valid(in []byte) (opcode.Message, error) {
	m, err := opcode.Decode(in)
	if err != nil {
		return m, err
	}
	return m, opcode.Validate(m)
}

// authorized decodes a message and authorizes it for peer 2 in slot 0.
func authorized(in []byte) (opcode.Message, error) {
	m, err := opcode.Decode(in)
	if err != nil {
		return m, err
	}
	return m, opcode.Authorize(m, opcode.Sender{PeerID: 2, Slot: 0, Ship: 0x3FFFFFFF})
}

// modded returns a decoder with a mod's message at 0x35.
func modded() *opcode.Decoder {
	d := new(opcode.Decoder)
	if err := d.Register(0x35, func() opcode.Message { return new(swap) }); err != nil {
		panic(err)
	}
	return d
}

var hostileJoin = []row{
	{"an empty payload", nil, eof, 0},
	{"an opcode without fields, and a field", testdata.Bytes("01 00"), trailing, 1},
	{"settings cut in GameTime", testdata.Bytes("00 000080"), eof, 1},
	{"settings with a map longer than the payload", testdata.Bytes("00 00000000 61 00 2500 4d"), eof, 7},
	{"settings with two of the three bools", testdata.Bytes("00 00000000 41 00 0000"), badGroup, 5},
	{"settings with four bools", testdata.Bytes("00 00000000 81 00 0000"), badGroup, 5},
	{"settings with a bool beyond the count", testdata.Bytes("00 00000000 69 00 0000"), badGroup, 5},
	{"settings with the third bool in a byte after the map", testdata.Bytes("00 00000000 41 00 0000 20"), badGroup, 5},
	{"a new name without the flag", testdata.Bytes("00 00000000 61 00 0000 01000000 6100"), trailing, 9},
	{"a new name without a count", testdata.Bytes("00 00000000 64 00 0000"), nil, none},
	{"a new name with a count of -1", testdata.Bytes("00 00000000 64 00 0000 ffffffff 6100"), nil, none},
	{"a new name with a count of 2^31-1", testdata.Bytes("00 00000000 64 00 0000 ffffff7f 6100"), nil, none},
	{"a new name with a count of 2^31+1", testdata.Bytes("00 00000000 64 00 0000 01000080 6100"), nil, none},
	{"a new name that is one unit short", testdata.Bytes("00 00000000 64 00 0000 02000000 6100"), nil, none},
	{"a new name that is one byte short", testdata.Bytes("00 00000000 64 00 0000 02000000 6100 62"), nil, none},
	{"a new name that is one byte long", testdata.Bytes("00 00000000 64 00 0000 01000000 6100 00"), nil, none},
	{"a new name of surrogates in the wrong order", testdata.Bytes("00 00000000 64 00 0000 02000000 00dc 00d8"), nil, none},
	{"a rest of 64 KiB in place of a new name", append(testdata.Bytes("00 00000000 67 00 0000"), make([]byte, 1<<16)...), nil, none},
	{"NewPlayerInGame with a plain bool", testdata.Bytes("2a 01"), badGroup, 1},
	{"NewPlayerInGame with five bools", testdata.Bytes("2a a0"), badGroup, 1},
	{"NewPlayerInGame with six bools", testdata.Bytes("2a c0"), badGroup, 1},
	{"a BootPlayer without a reason", testdata.Bytes("04"), nil, none},
	{"a BootPlayer with two reasons", testdata.Bytes("04 0102"), nil, none},
	{"a dead opcode with 64 KiB", append([]byte{0x05}, bytes.Repeat([]byte{0xFF}, 1<<16)...), nil, none},
	{"a collision setting without the setting", testdata.Bytes("16"), eof, 1},
	{"a DeletePlayerAnim with half a length", testdata.Bytes("18 05"), nil, none},
	{"a DeletePlayerAnim with a name longer than the payload", testdata.Bytes("18 ffff 41"), nil, none},
	{"a DeletePlayerAnim with a name one byte short", testdata.Bytes("18 02000000 41"), nil, none},
	{"a DeletePlayerAnim with a name one byte long", testdata.Bytes("18 01000000 41 41"), nil, none},
	{"a DeletePlayerAnim with a name of 4 GB", testdata.Bytes("18 ffffffff 41"), nil, none},
}

var hostileObjects = []row{
	{"an object without a class", testdata.Bytes("02 00 088000"), eof, 2},
	{"an object without a species", testdata.Bytes("02 00 08800000 ffffff3f"), eof, 10},
	{"a ship without a body", testdata.Bytes("03 00 02 08800000 ffffff3f 01"), eof, 12},
	{"a torpedo without a body", testdata.Bytes("02 00 09800000 ffffff3f 02"), nil, none},
	{"a torpedo that is one byte short", testdata.Bytes(torpedo[:len(torpedo)-2]), nil, none},
	{"a torpedo that is one byte long", testdata.Bytes(torpedo + "00"), nil, none},
	{"a torpedo whose name takes the rest", testdata.Bytes(strings.Replace(torpedo, "00 05", "ff 05", 1)), nil, none},
	{"an object of no known class without a body", testdata.Bytes("02 00 ffffffff ffffffff ff"), nil, none},
	{"a ship whose name takes the rest", testdata.Bytes(shipHead + "000000 00000000 ff 4d756c746931"), eof, 47},
	{"a ship whose name takes the star system", testdata.Bytes(shipHead + "000000 00000000 07 41 06 4d756c7469"), eof, 55},
	{"a ship in slot -128 with a position of NaN", testdata.Bytes("03 80 ff 08800000 ffffffff ff" + nan + inf + nan + cut), nil, none},
	{"an object to destroy with a byte too few", testdata.Bytes("14 ffffff"), eof, 1},
	{"an object to destroy with a byte too many", testdata.Bytes("14 ffffff3f 00"), trailing, 5},
	{"a set of 4 GB", testdata.Bytes("1f ffffff3f ffffffff 41"), eof, 5},
	{"a set of 2 GB, which is negative as an int", testdata.Bytes("1f ffffff3f 00000080 41"), eof, 5},
	{"a set with two bytes after it", testdata.Bytes("1f ffffff3f 01000000 41 00 00"), trailing, 10},
	{"a set with a byte after it that is not NUL", testdata.Bytes("1f ffffff3f 01000000 41 41"), trailing, 10},
	{"an explosion without half of the damage", testdata.Bytes("29 ffffff3f 1d7a0c9561 1b57 e2"), eof, 12},
	{"an explosion with a plain float at the end", testdata.Bytes("29 ffffff3f 1d7a0c9561 1b57 00007a44"), trailing, 14},
}

var hostileEvents = []row{
	{"an event without a destination", testdata.Bytes("06 01010000 df008000 00000000 0000"), eof, 13},
	{"an unknown event without fields", testdata.Bytes("0c ffffffff ffffffff ffffffff ffffffff"), nil, none},
	{"a plain event with a value", testdata.Bytes("08 01010000" + event + "01"), trailing, 17},
	{"a bool without its byte", testdata.Bytes("0a 04010000" + event), eof, 17},
	{"a short in one byte", testdata.Bytes("0c 06010000" + event + "01"), eof, 17},
	{"a float of NaN", testdata.Bytes("0c 08010000" + event + nan), nil, none},
	{"a count of 255 contacts and none present", testdata.Bytes("15 24810000" + event + "ff"), eof, 17},
	{"a count of 255 contacts and 254 present", append(testdata.Bytes("15 24810000"+event+"ff"), make([]byte, 4*254)...), eof, 17},
	{"255 contacts and no force", append(testdata.Bytes("15 24810000"+event+"ff"), make([]byte, 4*255)...), eof, 17 + 1 + 4*255},
	{"more contacts than the count", testdata.Bytes("15 24810000" + event + "01 01020304 00000000 01020304"), trailing, 26},
	{"a warp to a set of 255 bytes, cut", testdata.Bytes("10 2a810000" + event + "ff 41"), eof, 17},
	{"a warp without the last parameter", testdata.Bytes("10 2a810000" + event + "00" + place), eof, 18},
	{"a firing without an offset", testdata.Bytes("07 28810000" + event + "ffffff3f"), eof, 21},
	{"a dying ship with half a lifetime", testdata.Bytes("06 29810000" + event + "02000000 0000"), eof, 21},
	{"a player event with the ID in four bytes", testdata.Bytes("17 66080000" + event + "02000000"), trailing, 18},
}

var hostileShots = []row{
	{"a torpedo of 11 bytes", testdata.Bytes("19 0d000040 02 01 df8711 ff"), eof, 10},
	{"a torpedo of 14 bytes, without an offset", testdata.Bytes("19 0d000040 02 01 df8711 ffff0340"), eof, 14},
	{"a torpedo of 17 bytes", testdata.Bytes("19 0d000040 02 01 df8711 ffff0340 0088d8"), eof, 14},
	{"a torpedo of 20 bytes", testdata.Bytes("19 0d000040 02 01 df8711 ffff0340 0088d85c 0000"), trailing, 18},
	{"a torpedo without a target, and a target", testdata.Bytes("19 0d000040 02 05 df8711 ffff0340 0088d85c"), trailing, 10},
	{"a torpedo without a target, as long as OpenBC's", testdata.Bytes("19 0d000040 02 04 df8711 ffff0340 6e37e55e46"), trailing, 10},
	{"a torpedo with all flags", testdata.Bytes("19 0d000040 ff ff df8711"), nil, none},
	{"a shot with half of a target", testdata.Bytes("1a 77000040 02 df8711 03 6800"), eof, 10},
	{"a shot without a target, and a target", testdata.Bytes("1a 77000040 02 df8711 01 68000840"), trailing, 10},
}

var hostileUpdates = []row{
	{"an update without flags", testdata.Bytes(update), eof, 9},
	{"an update without fields, and a byte", testdata.Bytes(update + "00 ff"), trailing, 10},
	{"all flags and no fields", testdata.Bytes(update + "ff"), eof, 10},
	{"a position of 11 bytes", testdata.Bytes(update + "01 0000803f00000040000040"), eof, 10},
	{"a position without the bool of the hash", testdata.Bytes(update + "01" + place), eof, 22},
	{"a hash in one byte", testdata.Bytes(update + "01" + place + "21 37"), eof, 23},
	{"a hash without its bool", testdata.Bytes(update + "01" + place + "20 37fb"), trailing, 23},
	{"a position with two bools and no cloak", testdata.Bytes(update + "01" + place + "40"), badGroup, 22},
	{"a cloak in a byte of its own", testdata.Bytes(update + "41" + place + "20 20"), badGroup, 22},
	{"a cloak as a plain byte", testdata.Bytes(update + "40 01"), badGroup, 10},
	{"a delta in four bytes", testdata.Bytes(update + "02 1d7a0c95"), eof, 10},
	{"an up vector of two bytes", testdata.Bytes(update + "08 0000"), eof, 10},
	{"a speed in one byte", testdata.Bytes(update + "10 ff"), eof, 10},
	{"subsystems without a start index", testdata.Bytes(update + "20"), eof, 10},
	{"subsystems of 64 KiB", append(testdata.Bytes(update+"20 80"), make([]byte, 1<<16)...), nil, none},
	{"half a power setting", testdata.Bytes(update + "80 01cc 02"), trailing, 12},
	{"50,000 power settings", append(testdata.Bytes(update+"80"), make([]byte, 100_000)...), nil, none},
	{"a clock of NaN", testdata.Bytes("1c ffffff3f" + nan + "00"), nil, none},
}

var hostileFiles = []row{
	{"a request with a directory of 65,535 bytes, cut", testdata.Bytes("20 00 ffff 41"), eof, 2},
	{"a request whose filter is one byte short", testdata.Bytes("20 00 0100 41 0300 2a2e"), eof, 5},
	{"a request with a plain bool", testdata.Bytes("20 00 0000 0000 01"), badGroup, 6},
	{"a request with a bit beyond the bool", testdata.Bytes("20 00 0000 0000 23"), badGroup, 6},
	{"a response of round 0 that ends after the version", testdata.Bytes("21 00 2fcbaf4d"), nil, none},
	{"a response of round 0 that ends within the directory", testdata.Bytes("21 00 43e20c7e 2fcbaf"), eof, 6},
	{"OpenBC's answer to the last round", testdata.Bytes("21 ff 00000000000000"), nil, none},
	{"a count of 65,535 files and one present", testdata.Bytes(response + "ffff 0102030405060708"), eof, 6},
	{"as many bytes as files, not eight times as many", append(testdata.Bytes(response+"ffff"), make([]byte, 65535)...), eof, 6},
	{"255 directories and no trees", append(testdata.Bytes(response+"0000 ff"), make([]byte, 4*255)...), eof, 8},
	{"a tree of 17 directories in each other", nested(17), stream.ErrLimit, 6 + 7*16},
	{"a tree of 10,000 directories in each other", nested(10_000), stream.ErrLimit, 6 + 7*16},
	{"a tree that ends in its second directory", testdata.Bytes(response + "0000 02 0102030405060708 0100 0102030405060708 00 0000"), eof, 30},
	{"a second tree after the first", testdata.Bytes(response + "0000 00 0000 00"), trailing, 9},
	{"a file without the end of its name", testdata.Bytes("25 0500 2e2e2f61"), eof, 1},
	{"an acknowledgement that names the file", testdata.Bytes("27 0100 61"), trailing, 1},
}

var hostileScripts = []row{
	{"chat with a length of one byte", testdata.Bytes("2c 03000000 08 4954"), eof, 5},
	{"chat of 65,535 bytes, and none present", testdata.Bytes("2c 03000000 ffff"), eof, 5},
	{"chat with a NUL after the text", testdata.Bytes("2d 03000000 0100 41 00"), trailing, 8},
	{"a mission without EndTime", testdata.Bytes("35 08 01 05 ff"), eof, 4},
	{"a mission without a time limit, and an EndTime", testdata.Bytes("35 08 01 ff 00000000 ff"), trailing, 5},
	{"a count of 255 damagers and one present", testdata.Bytes("36 00000000 02000000 01000000 ff 03000000"), eof, 13},
	{"a damager without a score", testdata.Bytes("36 00000000 02000000 01000000 01 03000000"), eof, 18},
	{"a killer without kills", testdata.Bytes("36 03000000 02000000 01000000"), eof, 13},
	{"a score in the form with a team", testdata.Bytes("37" + place + "00000000 01"), trailing, 17},
	{"a score without the team", testdata.Bytes("3f" + place + "00000000"), eof, 17},
	{"an EndGame with half a reason", testdata.Bytes("38 0100"), eof, 1},
	{"an unknown opcode", append([]byte{0xFF}, make([]byte, 1<<16)...), nil, none},
}

var hostileModded = []row{
	{"the stock message instead of the mod's", testdata.Bytes("35 0801ffff"), nil, none},
	{"a mod's message with a byte too few", testdata.Bytes("35 0801ff"), eof, 1},
	{"a mod's message with a byte too many", testdata.Bytes("35 0801ffff 00"), trailing, 5},
}

var hostileWrapped = []row{
	{"a mod's opcode alone", testdata.Bytes("60"), eof, 1},
	{"a mod's message without its packed bool", testdata.Bytes("60 ffffff3f"), eof, 5},
	{"a mod's message with a plain bool", testdata.Bytes("60 ffffff3f 01 0000803f ffff0340 00 00"), badGroup, 5},
	{"a mod's message with a field without its flag", testdata.Bytes("60 ffffff3f 20 0000803f ffff0340 00 00"), eof, 10},
	{"a mod's message with a count of 255 and one element", testdata.Bytes("60 ffffff3f 20 0000803f 00 ff 01000000"), eof, 11},
	{"a mod's message with a count of 255 and 254 elements", append(testdata.Bytes("60 ffffff3f 20 0000803f 00 ff"), make([]byte, 4*254)...), eof, 11},
	{"a mod's message with a byte too many", testdata.Bytes(quietRaid + "00"), trailing, 12},
	{"a mod's message with 64 KiB too many", append(testdata.Bytes(quietRaid), make([]byte, 1<<16)...), trailing, 12},
}

var hostileTolerant = []row{
	{"a plain bool", testdata.Bytes("2a 01"), nil, none},
	{"a count of seven", testdata.Bytes("16 ff"), nil, none},
	{"more bools than are read", testdata.Bytes("20 00 0000 0000 41"), nil, none},
	{"fewer bools than are read, and no other byte", testdata.Bytes("00 00000000 41 00 0000"), eof, 9},
	{"a plain bool, and a byte too many", testdata.Bytes("2a 01 00"), trailing, 2},
	{"a plain bool, and the text cut before it", testdata.Bytes("20 00 ffff 0000 01"), eof, 2},
	{"subsystems after a group of seven", testdata.Bytes(update + "21" + place + "e0 00 ff e0"), nil, none},
}

// hostileSense are payloads that decode but are not valid.
var hostileSense = []row{
	{"a clock of NaN", testdata.Bytes("00" + nan + "61 00 0000"), invalid, none},
	{"slot 16", testdata.Bytes("00 00000000 61 10 0000"), invalid, none},
	{"a ship at infinity", testdata.Bytes(update + "01" + inf + "00000000 00000000 20"), invalid, none},
	{"subsystems and power", testdata.Bytes(update + "a0 00"), invalid, none},
	{"a position and a delta", testdata.Bytes(update + "03" + place + "20 1d7a0c9561"), invalid, none},
	{"a ship of another slot", testdata.Bytes("03 01 03 08800000 ffffff3f 01" + cut), invalid, none},
	{"a ship of slot -1", testdata.Bytes("03 ff 03 08800000 00000000 01" + cut), invalid, none},
	{"phaser level 3", testdata.Bytes("12 05010000" + event + "03"), invalid, none},
	{"a collision under the opcode of SubsystemStatus", testdata.Bytes("0a 24810000" + event + "00 00000000"), invalid, none},
	{"a bool of 2", testdata.Bytes("0c 04010000" + event + "02"), invalid, none},
	{"a negative lifetime", testdata.Bytes("06 29810000" + event + "02000000 000080bf"), invalid, none},
	{"chat of 250 bytes", append(testdata.Bytes("2c 03000000 fa00"), make([]byte, 250)...), invalid, none},
	{"a mission for 0 players", testdata.Bytes("35 00 01 ffff"), invalid, none},
	{"team 2", testdata.Bytes("41 02000000 02"), invalid, none},
	{"an end of reason -1", testdata.Bytes("38 ffffffff"), invalid, none},
}

// hostileForged are a client's messages, most of which speak for another client or for the host.
var hostileForged = []row{
	{"another player's leave under SetPhaserLevel", testdata.Bytes("12 66080000 05000600 00000000 ffffff3f 03"), forged, none},
	{"the code of a leave under SetPhaserLevel", testdata.Bytes("12 05010000 05000600 00000000 ffffff3f 00"), forged, none},
	{"another ship's death under SetPhaserLevel", testdata.Bytes("12 29810000 4e008000 ffff0340 ffffff3f 03000000 00001841"), forged, none},
	{"a phaser level from another ship", testdata.Bytes("12 05010000 e0008000 ffff0340 05000040 00"), forged, none},
	{"a phaser level from all", testdata.Bytes("12 05010000 e0008000 ffffffff 05000040 00"), forged, none},
	{"a phaser level for another ship", testdata.Bytes("12 05010000 e0008000 00000000 05000440 00"), forged, none},
	{"a phaser level for all", testdata.Bytes("12 05010000 e0008000 00000000 ffffffff 00"), forged, none},
	{"a phaser level", testdata.Bytes("12 05010000 e0008000 00000000 05000040 00"), nil, none},
	{"another player's leave under ClientEvent", testdata.Bytes("0c 66080000 05000600 00000000 ffffff3f 03"), forged, none},
	{"its own leave under ClientEvent", testdata.Bytes("0c 66080000 05000600 00000000 ffffff3f 02"), forged, none},
	{"the code of a leave in a plain ClientEvent", testdata.Bytes("0c 01010000 05000600 00000000 ffffff3f"), forged, none},
	{"the code of a leave in a ClientEvent of bytes", testdata.Bytes("0c 0b010000 05000600 00000000 ffffff3f 03"), forged, none},
	{"its own death under ClientEvent, by another player", testdata.Bytes("0c 29810000 4e008000 00000000 ffffff3f 03000000 00001841"), forged, none},
	{"the end of the program under ClientEvent", testdata.Bytes("0c 01010000 d1008000 00000000 ffffff3f"), forged, none},
	{"a ClientEvent about its own ship", testdata.Bytes("0c 01010000 77008000 00000000 ffffff3f"), nil, none},
	{"a ClientEvent about another ship", testdata.Bytes("0c 01010000 77008000 00000000 ffff0340"), forged, none},
	{"a cloak of another ship", testdata.Bytes("0e 01010000 e2008000 00000000 05000440"), forged, none},
	{"a repair of another ship's subsystem", testdata.Bytes("0b 01010000 df008000 05000440 18000040"), forged, none},
	{"a repair list with another ship's subsystem", testdata.Bytes("11 0c010000 76008000 00000000 18000040 05000440"), forged, none},
	{"a target of another ship", testdata.Bytes("0d 0c010000 58008000 00000000 ffff0340 00000000"), forged, none},
	{"a target of a subsystem", testdata.Bytes("0d 0c010000 58008000 00000000 05000040 00000000"), forged, none},
	{"a target that was another ship", testdata.Bytes("0d 0c010000 58008000 00000000 ffffff3f ffff0340"), nil, none},
	{"a collision of another ship with its own", testdata.Bytes("15 24810000 50008000 ffffff3f ffff0340 00 00000000"), forged, none},
	{"a collision of its own ship with another", testdata.Bytes("15 24810000 50008000 ffff0340 ffffff3f 00 00000000"), nil, none},
	{"an event that only the host sends", testdata.Bytes("06 01010000 df008000 02000040 18000040"), direction, none},
	{"the sender's own death under PythonEvent", testdata.Bytes("06 29810000 4e008000 00000000 ffffff3f 00000000 00001841"), direction, none},
	{"a player's leave under DeletePlayerUI", testdata.Bytes("17 66080000 05000600 00000000 00000000 03"), direction, none},
	{"the removal of the sender's ship", testdata.Bytes("14 ffffff3f"), direction, none},
	{"a score", testdata.Bytes("37 02000000 09000000 00000000 00000000"), direction, none},
	{"OpenBC's refusal", testdata.Bytes("04 02"), direction, none},
	{"a dead opcode", testdata.Bytes("05 00"), direction, none},
	{"a torpedo from another ship's tube", testdata.Bytes("19 0d000440 02 05 df8711"), forged, none},
	{"a torpedo from its own tube in another's name", testdata.Bytes("19 0d000040 03 05 df8711"), nil, none},
	{"a shot from another ship's cannon", testdata.Bytes("1a 77000440 02 df8711 01"), forged, none},
	{"chat in another's name", testdata.Bytes("2c 03000000 0100 41"), forged, none},
	{"chat of the host", testdata.Bytes("2c 01000000 0100 41"), forged, none},
	{"chat whose low byte is the sender", testdata.Bytes("2c 02010000 0100 41"), forged, none},
	{"team chat in another's name", testdata.Bytes("2d 03000000 0100 41"), forged, none},
	{"another player's team", testdata.Bytes("41 03000000 01"), forged, none},
	{"a ship in another's slot", testdata.Bytes("03 01 02 08800000 ffffff3f 01" + cut), forged, none},
	{"a ship of another player", testdata.Bytes("03 00 03 08800000 ffffff3f 01" + cut), forged, none},
	{"a ship with another's ID", testdata.Bytes("03 00 02 08800000 ffff0340 01" + cut), forged, none},
	{"a torpedo under ObjectCreateTeam", testdata.Bytes("03" + torpedo[2:4] + "02" + torpedo[4:]), forged, none},
	{"an object of no class", testdata.Bytes("03 00 02 05000000 ffffff3f 01"), forged, none},
	{"the sender's second ship", testdata.Bytes("03 00 02 08800000 21000040 01" + cut), nil, none},
	{"a position of another ship", testdata.Bytes("1c ffff0340 0000c842 00"), forged, none},
	{"a position of the sender's earlier ship", testdata.Bytes("1c 21000040 0000c842 00"), forged, none},
	{"damage of the sender's ship", testdata.Bytes(update + "20 00"), forged, none},
	{"damage beside power settings", testdata.Bytes(update + "a0 00"), forged, none},
	{"a request for another's ship", testdata.Bytes("1e ffff0340"), nil, none},
	{"an unknown opcode", testdata.Bytes("ff 00"), opcode.ErrUnknownMessage, none},
}
