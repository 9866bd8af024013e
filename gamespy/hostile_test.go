package gamespy_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

type hostile = testdata.Hostile

const nowhere = testdata.NoOffset

func row(name string, in []byte, want error, offset int) hostile {
	return hostile{Name: name, In: in, Want: want, Offset: offset}
}

var (
	errAnswered = errors.New("answered") // result of a query
	errHarm     = errors.New("the answer is long, or has control characters")
	errLost     = errors.New("an invalid part removed other parts")
)

func TestHostile(t *testing.T) {
	for _, group := range []struct {
		name   string
		rows   []hostile
		decode func(in []byte) error
	}{
		{"Parse", hostileTexts, func(in []byte) error { _, err := gamespy.Parse(in); return err }},
		{"list", hostileLists, func(in []byte) error { _, err := receiveList(in); return err }},
		{"Validate", hostileChallenges, func(in []byte) error { _, err := gamespy.Validate(gamespy.SecretKey, string(in)); return err }},
		{"answer to a challenge", hostileAnswers, login},
		{"ServerInfo", hostileInfos, writeAgain},
		{"Assembler", hostileParts, assemble},
		{"Responder", hostileToServers, func(in []byte) error { return respond(in, false) }},
		{"Responder with AnswerAll", hostileToServersOfAll, func(in []byte) error { return respond(in, true) }},
		{"ListClient", hostileMasters, askMaster},
		{"ListServer", hostileLogins, login},
		{"Master", hostileToMasters, master},
	} {
		t.Run(group.name, func(t *testing.T) {
			testdata.TryHostile(t, group.rows, func(in []byte) (int, error) {
				err := group.decode(in)
				return gamespy.Offset(err, nowhere), err
			})
		})
	}
}

var hostileTexts = []hostile{
	row("empty input", nil, stream.ErrInvalid, nowhere),
	row("datagram of the game", []byte("\x01\xD7\x32"), stream.ErrInvalid, nowhere),
	row("space before the text", []byte(` \status\`), stream.ErrInvalid, nowhere),
	row("64 KiB and a byte", []byte(`\k\`+strings.Repeat("v", 65534)), stream.ErrLimit, 65536),
	row("a key of 64 KiB", []byte(`\`+strings.Repeat("k", 65535)), nil, nowhere),
	row("513 pairs", []byte(strings.Repeat(`\k\v`, 513)), stream.ErrLimit, 2049),
	row("64 KiB of backslashes", []byte(strings.Repeat(`\`, 65536)), stream.ErrLimit, 1025),
	row("bytes that are not text", []byte("\\\x00\xFF\\\n\x1B[2J\x90\x9D"), nil, nowhere),
}

var hostileLists = []hostile{
	row("empty input", nil, io.ErrUnexpectedEOF, 0),
	row("five bytes", []byte("12345"), io.ErrUnexpectedEOF, 0),
	row("five bytes and the end", []byte(`12345\final\`), io.ErrUnexpectedEOF, 0),
	row("no end", []byte("123456123456"), io.ErrUnexpectedEOF, 12),
	row("half an end", []byte(`123456\fin`), io.ErrUnexpectedEOF, 6),
	row("half an entry", []byte(`123456123\final\`), io.ErrUnexpectedEOF, 6),
	row("end in capitals", []byte(`123456\FINAL\`), io.ErrUnexpectedEOF, 12),
	row("something after the end", []byte(`123456\final\12345`), io.ErrUnexpectedEOF, 18),
	row("addresses that look like the end", []byte(`\final\final\final\`), nil, nowhere),
	row("one server too many", []byte(strings.Repeat("123456", 10922)+`\final\`), stream.ErrLimit, 65536),
}

var hostileChallenges = []hostile{
	row("empty input", nil, gamespy.ErrChallenge, nowhere),
	row("128 bytes", bytes.Repeat([]byte{0xFF}, 128), nil, nowhere),
	row("129 bytes", bytes.Repeat([]byte{0xFF}, 129), gamespy.ErrChallenge, nowhere),
}

// Answers to the challenge LRPOPQ.
var hostileAnswers = []hostile{
	row("none", []byte(`\final\`), gamespy.ErrChallenge, nowhere),
	row("empty", []byte(`\validate\\final\`), gamespy.ErrChallenge, nowhere),
	row("a byte missing", []byte(`\validate\hMwdTNW\final\`), gamespy.ErrChallenge, nowhere),
	row("padded", []byte(`\validate\hMwdTNWS=\final\`), gamespy.ErrChallenge, nowhere),
	row("in small letters", []byte(`\validate\hmwdtnws\final\`), gamespy.ErrChallenge, nowhere),
	row("two, the first wrong", []byte(`\validate\x\validate\hMwdTNWS\final\`), gamespy.ErrChallenge, nowhere),
	row("another enctype", []byte(`\enctype\2\validate\hMwdTNWS\final\`), gamespy.ErrChallenge, nowhere),
	row("of another character set", []byte("\\validate\\hMwdTNW\xA7\\final\\"), gamespy.ErrChallenge, nowhere),
}

// Replies with untrusted content.
var hostileInfos = []hostile{
	row("numbers that overflow an integer", []byte(`\numplayers\99999999999999999999\maxplayers\NaN\timelimit\1e9\fraglimit\+Inf`), nil, nowhere),
	row("a player for every pair", []byte(strings.Repeat(`\player_9\x`, 512)), nil, nowhere),
	row("a player of a huge number", []byte(`\player_`+strings.Repeat("9", 1000)+`\x`), nil, nowhere),
	row("key that becomes final when cleaned", []byte("\\fin\x07al\\x"), stream.ErrInvalid, nowhere),
	row("value longer than a datagram", []byte(`\hostname\`+strings.Repeat("x", gamespy.MaxPart)), stream.ErrLimit, nowhere),
	row("password that is neither 0 nor 1", []byte(`\password\2\password\-1\password\`+"\x00"), nil, nowhere),
}

func writeAgain(in []byte) error {
	m, err := gamespy.Parse(in)
	if err != nil {
		return err
	}
	info := m.Pairs.ServerInfo()
	_, err = answerTo(`\status\`, &info)
	return err
}

// lines returns datagrams or segments as lines of the input.
func lines(texts ...string) []byte { return []byte(strings.Join(texts, "\n")) }

// Datagrams of one source. The error is that for the last datagram.
var hostileParts = []hostile{
	row("no text", lines(part1, "\x01\xD7"), stream.ErrInvalid, nowhere),
	row("two texts of one part", lines(part1, `\hostname\Else\queryid\4.1`), stream.ErrInvalid, nowhere),
	row("two final parts", lines(part3, `\final\\queryid\4.2`), stream.ErrInvalid, nowhere),
	row("a part after the final part", lines(part3, `\x\y\queryid\4.4`), stream.ErrInvalid, nowhere),
	row("an end before a part", lines(`\x\y\queryid\4.5`, part3), stream.ErrInvalid, nowhere),
	row("the end, and not the end", lines(part3, `\player_1\final\queryid\4.3`), stream.ErrInvalid, nowhere),
	row("whole beside another part", lines(part2, `\x\y\final\\queryid\4.1`), stream.ErrInvalid, nowhere),
	row("part 0", lines(`\x\y\queryid\4.0`), nil, nowhere),
	row("part 49", lines(`\x\y\queryid\4.49`), nil, nowhere),
	row("part 2^32+1", lines(`\x\y\queryid\4.4294967297`), nil, nowhere),
	row("answer 2^32", lines(`\x\y\queryid\4294967296.1`), nil, nowhere),
	row("one part a hundred times", lines(strings.Repeat(part1+"\n", 99)+part1), nil, nowhere),
	row("a ninth incomplete reply", ninth(), nil, nowhere),
	row("parts of more than 64 KiB", lines(long(1), long(2), long(3)), stream.ErrLimit, nowhere),
	row("600 pairs", lines(strings.Repeat(`\k\v`, 600)+`\final\\queryid\4.1`), nil, nowhere),
	row("48 parts without a pair", empties(), nil, nowhere),
}

func long(index int) string {
	return fmt.Sprintf(`\k\%s\queryid\4.%d`, strings.Repeat("v", 30_000), index)
}

func ninth() []byte {
	var b bytes.Buffer
	for i := range 9 {
		fmt.Fprintf(&b, "\\x\\y\\queryid\\%d.1\n", i)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func empties() []byte {
	var b bytes.Buffer
	for i := range 48 {
		fmt.Fprintf(&b, "\\queryid\\4.%d\n", 48-i)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func assemble(in []byte) (err error) {
	var a gamespy.Assembler
	for d := range bytes.SplitSeq(in, []byte("\n")) {
		before, _ := a.Pending()
		_, _, err = a.Add(start, source, d)
		if after, _ := a.Pending(); err != nil && after != before {
			return errLost
		}
	}
	return err
}

// Datagrams of one source at one time. The result is that for the last datagram.
var hostileToServers = []hostile{
	row("empty input", nil, stream.ErrInvalid, nowhere),
	row("datagram of the game", lines("\x01\xD7\x32"), stream.ErrInvalid, nowhere),
	row("255 bytes", lines(`\status\`+strings.Repeat("x", 247)), stream.ErrLimit, 254),
	row("answer of another server", lines(`\echo\x\final\\queryid\1.1`), nil, nowhere),
	row("heartbeat", lines(`\heartbeat\0\gamename\bcommander`), nil, nowhere),
	row("key as a value", lines(`\hostname\status`), nil, nowhere),
	row("challenge of no bytes", lines(`\secure\`), nil, nowhere),
	row("challenge of 129 bytes", lines(`\secure\`+strings.Repeat("x", 129)), nil, nowhere),
	row("challenge of 129 bytes beside another query", lines(`\status\\secure\`+strings.Repeat("x", 129)), nil, nowhere),
	row("challenge that is binary", lines("\\secure\\\x00\xFF\x1B"), errAnswered, nowhere),
	row("echo of control characters", lines("\\echo\\\x1B[2J\r\x07\x00"), errAnswered, nowhere),
	row("as many empty pairs as fit", lines(strings.Repeat(`\\`, 127)), nil, nowhere),
	row("64 KiB", lines(`\status\`+strings.Repeat("x", 65000)), stream.ErrLimit, 254),
	row("all at once and twice", lines(strings.Repeat(`\status\\packets\\basic\\info\\rules\\players\`, 2)), errAnswered, nowhere),
	row("the eleventh of a source", lines(strings.Repeat("\\status\\\n", 10)+`\status\`), stream.ErrLimit, nowhere),
	row("after a hundred that ask for nothing", lines(strings.Repeat("\\x\\\n", 100)+`\status\`), errAnswered, nowhere),
}

// The same for a server with AnswerAll.
var hostileToServersOfAll = []hostile{
	row("empty input", nil, stream.ErrInvalid, nowhere),
	row("a backslash", lines(`\`), errAnswered, nowhere),
	row("heartbeat", lines(`\heartbeat\0\gamename\bcommander`), errAnswered, nowhere),
	row("its own answer", lines(`\final\\queryid\1.1`), nil, nowhere),
	row("an end without a number", lines(`\x\y\FINAL`), nil, nowhere),
	row("255 bytes", lines(`\`+strings.Repeat("x", 254)), stream.ErrLimit, 254),
	row("as many empty pairs as fit", lines(strings.Repeat(`\\`, 127)), errAnswered, nowhere),
	row("challenge of no bytes", lines(`\secure\`), errAnswered, nowhere),
	row("challenge of 129 bytes", lines(`\secure\`+strings.Repeat("x", 129)), nil, nowhere),
	row("the eleventh of a source", lines(strings.Repeat("\\x\\\n", 10)+`\x\`), stream.ErrLimit, nowhere),
}

func respond(in []byte, toAll bool) (err error) {
	r := gamespy.Responder{AnswerAll: toAll}
	info := gamespy.NewServerInfo("My Game23")
	var datagrams [][]byte
	for d := range bytes.SplitSeq(in, []byte("\n")) {
		datagrams, err = r.Answer(start, source, d, &info)
	}
	if err != nil || len(datagrams) == 0 {
		return err
	}
	all := bytes.Join(datagrams, nil)
	if len(all) > 600 || bytes.ContainsFunc(all, func(r rune) bool { return r < ' ' }) {
		return errHarm
	}
	return errAnswered
}

const greeting = `\basic\\secure\LRPOPQ`

// Segments of a master, which then closes the connection.
var hostileMasters = []hostile{
	row("closes at once", nil, io.ErrUnexpectedEOF, 0),
	row("another protocol", lines("HTTP/1.1 400 Bad Request"), stream.ErrInvalid, nowhere),
	row("challenge without an end", lines(`\secure\ABC`), io.ErrUnexpectedEOF, 11),
	row("challenge of no bytes", lines(`\secure\\final\`), gamespy.ErrChallenge, nowhere),
	row("challenge of 129 bytes", lines(`\secure\`+strings.Repeat("x", 129)), gamespy.ErrChallenge, nowhere),
	row("another enctype", lines(greeting+`\enctype\1`), gamespy.ErrChallenge, nowhere),
	row("greeting of more than a KiB", lines(`\x\`+strings.Repeat("x", 1000), strings.Repeat("x", 22)), stream.ErrLimit, 1024),
	row("a KiB of backslashes and no challenge", lines(strings.Repeat(`\`, 1024)), io.ErrUnexpectedEOF, 1024),
	row("closes after the login", lines(greeting), io.ErrUnexpectedEOF, 0),
	row("half an entry", lines(greeting, "123", `456123\final\`), io.ErrUnexpectedEOF, 6),
	row("text after the final part", lines(greeting, `123456\final\`, "12345"), io.ErrUnexpectedEOF, 18),
	row("text in place of the compact form", lines(greeting, `\ip\1.2.3.4:5\final\`), io.ErrUnexpectedEOF, 12),
	row("list of more than 64 KiB", lines(greeting, strings.Repeat("123456", 10921), `12345\final\`), stream.ErrLimit, 65536),
}

func askMaster(in []byte) error {
	var client gamespy.ListClient
	for segment := range bytes.SplitSeq(in, []byte("\n")) {
		if _, err := client.Receive(segment); err != nil {
			return err
		}
	}
	_, err := client.Servers()
	return err
}

// Segments of a client.
var hostileLogins = []hostile{
	row("another protocol", lines("GET / HTTP/1.1\r"), stream.ErrInvalid, nowhere),
	row("nothing but the end", lines(`\final\`), gamespy.ErrChallenge, nowhere),
	row("wrong answer", lines(`\validate\hMwdTNWT\final\`), gamespy.ErrChallenge, nowhere),
	row("two answers, the first wrong", lines(`\validate\x\validate\hMwdTNWS\final\`), gamespy.ErrChallenge, nowhere),
	row("answer after the end", lines(`\gamename\bcommander\final\\validate\hMwdTNWS\`), gamespy.ErrChallenge, nowhere),
	row("request without a login", lines(`\list\cmp\gamename\bcommander\final\`), gamespy.ErrChallenge, nowhere),
	row("another enctype", lines(`\validate\hMwdTNWS\`, `enctype\1\final\`), gamespy.ErrChallenge, nowhere),
	row("more than a KiB without an end", lines(strings.Repeat(`\x`, 512), `\`), stream.ErrLimit, 1024),
	row("a KiB of backslashes", lines(strings.Repeat(`\`, 1024)), nil, nowhere),
	row("login without a request", lines(`\validate\hMwdTNWS\final\`), nil, nowhere),
}

func login(in []byte) error {
	server := gamespy.ListServer{Challenge: "LRPOPQ"}
	for segment := range bytes.SplitSeq(in, []byte("\n")) {
		if _, err := server.Receive(segment, nil); err != nil {
			return err
		}
	}
	return nil
}
