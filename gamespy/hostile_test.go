package gamespy_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/testdata"
)

type hostile = testdata.Hostile

const nowhere = testdata.NoOffset

func row(name string, in []byte, want error, offset int) hostile {
	return hostile{Name: name, In: in, Want: want, Offset: offset}
}

var (
	errAnswered = errors.New("answered") // what may come of a query
	errHarm     = errors.New("the answer is long, or has control characters")
	errLost     = errors.New("with the bad part others went")
)

func TestHostile(t *testing.T) {
	for _, group := range []struct {
		name   string
		rows   []hostile
		decode func(in []byte) error
	}{
		{"Parse", hostileTexts, func(in []byte) error { _, err := gamespy.Parse(in); return err }},
		{"ParseQuery", hostileQueries, func(in []byte) error { _, err := gamespy.ParseQuery(in); return err }},
		{"ParseHeartbeat", hostileHeartbeats, func(in []byte) error { _, err := gamespy.ParseHeartbeat(in); return err }},
		{"ParseCompactList", hostileCompactLists, func(in []byte) error { _, err := gamespy.ParseCompactList(in); return err }},
		{"ParseTextList", hostileTextLists, func(in []byte) error { _, err := gamespy.ParseTextList(in); return err }},
		{"Validate", hostileChallenges, func(in []byte) error { _, err := gamespy.Validate(gamespy.SecretKey, string(in)); return err }},
		{"Verify", hostileAnswers, verify},
		{"ServerInfo", hostileInfos, writeAgain},
		{"Assembler", hostileParts, assemble},
		{"Responder", hostileToServers, func(in []byte) error { return respond(in, false) }},
		{"Responder that answers all", hostileToServersOfAll, func(in []byte) error { return respond(in, true) }},
		{"ListClient", hostileMasters, askMaster},
		{"ListServer", hostileLogins, login},
	} {
		t.Run(group.name, func(t *testing.T) {
			testdata.TryHostile(t, group.rows, func(in []byte) (int, error) {
				err := group.decode(in)
				return offsetOf(err), err
			})
		})
	}
}

func offsetOf(err error) int {
	if located, ok := errors.AsType[*gamespy.Error](err); ok {
		return located.Offset
	}
	return nowhere
}

var hostileTexts = []hostile{
	row("nothing", nil, gamespy.ErrNotText, nowhere),
	row("datagram of the game", []byte("\x01\xD7\x32"), gamespy.ErrNotText, nowhere),
	row("space before the text", []byte(` \status\`), gamespy.ErrNotText, nowhere),
	row("64 KiB and a byte", []byte(`\k\`+strings.Repeat("v", 65534)), gamespy.ErrLimit, 65536),
	row("a key of 64 KiB", []byte(`\`+strings.Repeat("k", 65535)), nil, nowhere),
	row("513 pairs", []byte(strings.Repeat(`\k\v`, 513)), gamespy.ErrLimit, 2049),
	row("64 KiB of backslashes", []byte(strings.Repeat(`\`, 65536)), gamespy.ErrLimit, 1025),
	row("all bytes that are no text", []byte("\\\x00\xFF\\\n\x1B[2J\x90\x9D"), nil, nowhere),
}

var hostileQueries = []hostile{
	row("nothing", nil, gamespy.ErrNotText, nowhere),
	row("255 bytes", []byte(`\echo\`+strings.Repeat("x", 249)), gamespy.ErrTooLong, 254),
	row("64 KiB", []byte(`\status\`+strings.Repeat("x", 65000)), gamespy.ErrTooLong, 254),
	row("as many pairs as fit", []byte(strings.Repeat(`\\`, 127)), nil, nowhere),
}

var hostileHeartbeats = []hostile{
	row("nothing", nil, gamespy.ErrNotText, nowhere),
	row("a query", []byte(`\status\`), gamespy.ErrNumber, 8),
	row("no value", []byte(`\heartbeat`), gamespy.ErrNumber, 10),
	row("no port", []byte(`\heartbeat\\gamename\x`), gamespy.ErrNumber, 11),
	row("port 65536", []byte(`\heartbeat\65536`), gamespy.ErrNumber, 11),
	row("port -1", []byte(`\gamename\x\heartbeat\-1`), gamespy.ErrNumber, 22),
	row("port in hexadecimal", []byte(`\heartbeat\0x5655`), gamespy.ErrNumber, 11),
	row("change without a number", []byte(`\heartbeat\1\statechanged\`), gamespy.ErrNumber, 26),
	row("change that no integer holds", []byte(`\heartbeat\1\statechanged\99999999999999999999`), gamespy.ErrNumber, 26),
	row("change that is not one", []byte(`\heartbeat\1\statechanged\NaN`), gamespy.ErrNumber, 26),
	row("two ports that contradict", []byte(`\heartbeat\x\heartbeat\1`), gamespy.ErrNumber, 11),
	row("513 pairs", []byte(`\heartbeat\1`+strings.Repeat(`\k\v`, 512)), gamespy.ErrLimit, 2057),
}

var hostileCompactLists = []hostile{
	row("nothing", nil, io.ErrUnexpectedEOF, 0),
	row("five bytes", []byte("12345"), io.ErrUnexpectedEOF, 0),
	row("five bytes and the end", []byte(`12345\final\`), io.ErrUnexpectedEOF, 0),
	row("no end", []byte("123456123456"), io.ErrUnexpectedEOF, 12),
	row("half an end", []byte(`123456\fin`), io.ErrUnexpectedEOF, 6),
	row("half an entry", []byte(`123456123\final\`), io.ErrUnexpectedEOF, 6),
	row("end in capitals", []byte(`123456\FINAL\`), io.ErrUnexpectedEOF, 12),
	row("something after the end", []byte(`123456\final\12345`), io.ErrUnexpectedEOF, 18),
	row("addresses that look like the end", []byte(`\final\final\final\`), nil, nowhere),
	row("a server too many", []byte(strings.Repeat("123456", 10922)+`\final\`), gamespy.ErrLimit, 65536),
}

var hostileTextLists = []hostile{
	row("nothing", nil, gamespy.ErrNotText, nowhere),
	row("compact", []byte("\x01\x02\x03\x04\x05\x06"+`\final\`), gamespy.ErrNotText, nowhere),
	row("no end", []byte(`\ip\1.2.3.4:5`), io.ErrUnexpectedEOF, 13),
	row("half an end", []byte(`\ip\1.2.3.4:5\fin`), io.ErrUnexpectedEOF, 17),
	row("no port", []byte(`\ip\1.2.3.4:5\ip\1.2.3.4\final\`), gamespy.ErrAddress, 14),
	row("port 65536", []byte(`\ip\1.2.3.4:65536\final\`), gamespy.ErrAddress, 1),
	row("number of five parts", []byte(`\ip\1.2.3.4.5:6\final\`), gamespy.ErrAddress, 1),
	row("no value", []byte(`\ip\final\`), gamespy.ErrAddress, 1),
	row("a name to be looked up", []byte(`\ip\example.org:5\final\`), gamespy.ErrAddress, 1),
	row("an interface of this host", []byte(`\ip\[fe80::1%eth0]:5\final\`), gamespy.ErrAddress, 1),
	row("an address of 60 KiB", []byte(`\ip\`+strings.Repeat("1", 60000)+`\final\`), gamespy.ErrAddress, 1),
	row("64 KiB and a byte", []byte(strings.Repeat(`\`, 65537)), gamespy.ErrLimit, 65536),
	row("64 KiB of empty keys", []byte(strings.Repeat(`\`, 65536)), io.ErrUnexpectedEOF, 65536),
}

var hostileChallenges = []hostile{
	row("nothing", nil, gamespy.ErrChallenge, nowhere),
	row("128 bytes", bytes.Repeat([]byte{0xFF}, 128), nil, nowhere),
	row("129 bytes", bytes.Repeat([]byte{0xFF}, 129), gamespy.ErrChallenge, nowhere),
}

// Replies to the challenge LRPOPQ.
var hostileAnswers = []hostile{
	row("none", []byte(`\final\`), gamespy.ErrValidate, nowhere),
	row("empty", []byte(`\validate\\final\`), gamespy.ErrValidate, nowhere),
	row("a byte missing", []byte(`\validate\hMwdTNW\final\`), gamespy.ErrValidate, nowhere),
	row("padded", []byte(`\validate\hMwdTNWS=\final\`), gamespy.ErrValidate, nowhere),
	row("in small letters", []byte(`\validate\hmwdtnws\final\`), gamespy.ErrValidate, nowhere),
	row("two, the first wrong", []byte(`\validate\x\validate\hMwdTNWS\final\`), gamespy.ErrValidate, nowhere),
	row("another enctype", []byte(`\enctype\2\validate\hMwdTNWS\final\`), gamespy.ErrEnctype, nowhere),
}

func verify(in []byte) error {
	m, err := gamespy.Parse(in)
	if err != nil {
		return err
	}
	return m.Pairs.Verify(gamespy.SecretKey, "LRPOPQ")
}

// Of somebody who reports what others say.
var hostileInfos = []hostile{
	row("numbers that no integer holds", []byte(`\numplayers\99999999999999999999\maxplayers\NaN\timelimit\1e9\fraglimit\+Inf`), nil, nowhere),
	row("a player for every pair", []byte(strings.Repeat(`\player_9\x`, 512)), nil, nowhere),
	row("a player of a huge number", []byte(`\player_`+strings.Repeat("9", 1000)+`\x`), nil, nowhere),
	row("key that becomes an end", []byte("\\fin\x07al\\x"), gamespy.ErrReserved, nowhere),
	row("value that no datagram holds", []byte(`\hostname\`+strings.Repeat("x", gamespy.MaxPart)), gamespy.ErrTooLong, nowhere),
	row("password that is neither", []byte(`\password\2\password\-1\password\`+"\x00"), nil, nowhere),
}

func writeAgain(in []byte) error {
	m, err := gamespy.Parse(in)
	if err != nil {
		return err
	}
	info := m.Pairs.ServerInfo()
	_, err = info.Reply(gamespy.Status, 1)
	return err
}
