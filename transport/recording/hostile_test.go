package recording_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport/recording"
)

// row returns malformed input. The line is the number that the error names, or fine.
func row(name string, in []byte, want error, line int) testdata.Hostile {
	return testdata.Hostile{Name: name, In: in, Want: want, Offset: line}
}

const fine = testdata.NoOffset

var (
	errLost = errors.New("a datagram after the malformed line is lost")
	errLast = errors.New("more than one error")
)

func TestHostile(t *testing.T) {
	for _, group := range []struct {
		name   string
		rows   []testdata.Hostile
		decode func(in []byte) error
	}{
		{"Line", append(hostileLines(), cutLines()...), readBetween},
		{"File", hostileFiles(), readAll},
	} {
		t.Run(group.name, func(t *testing.T) {
			testdata.TryHostile(t, group.rows, func(in []byte) (int, error) {
				err := group.decode(in)
				if line := lineOf(err); line > 0 {
					return line, err
				}
				return fine, err
			})
		})
	}
}

// readBetween reads a line between two valid ones. It returns the error of the line.
func readBetween(in []byte) (failed error) {
	var clients []int64
	text := `{"client":1,"hex":"00"}` + "\n" + string(in) + "\n" + `{"client":2,"hex":"00"}`
	for d, err := range recording.Read(strings.NewReader(text)) {
		switch {
		case err == nil:
			clients = append(clients, d.Client)
		case failed != nil:
			return errLast
		default:
			failed = err
		}
	}
	if len(clients) < 2 || clients[0] != 1 || clients[len(clients)-1] != 2 {
		return errLost
	}
	return failed
}

// readAll reads a file. It returns the first error.
func readAll(in []byte) (failed error) {
	for _, err := range recording.Read(bytes.NewReader(in)) {
		if failed == nil {
			failed = err
		}
	}
	return failed
}

// cutLines returns all beginnings of a line.
func cutLines() (rows []testdata.Hostile) {
	for n := range full[1:] {
		rows = append(rows, row(fmt.Sprintf("cut after %d bytes", n+1), []byte(full[:n+1]), io.ErrUnexpectedEOF, 2))
	}
	return rows
}

func hostileLines() []testdata.Hostile {
	const mib = 1 << 20
	line := func(name, in string, want error) testdata.Hostile {
		if want == nil {
			return row(name, []byte(in), nil, fine)
		}
		return row(name, []byte(in), want, 2)
	}
	return []testdata.Hostile{
		line("NaN", `{"t":NaN,"hex":"00"}`, recording.ErrSyntax),
		line("infinity", `{"t":-Infinity,"hex":"00"}`, recording.ErrSyntax),
		line("time beyond a float", `{"t":1e400,"hex":"00"}`, recording.ErrValue),
		line("time of 400 digits", `{"t":`+strings.Repeat("9", 400)+`,"hex":"00"}`, recording.ErrValue),
		line("time of 500,000 digits", `{"t":0.`+strings.Repeat("9", 500_000)+`,"hex":"00"}`, nil),
		line("time too small for a float", `{"t":1e-400,"hex":"00"}`, nil),
		line("huge time", `{"t":1e308,"hex":"00"}`, nil),
		line("negative time", `{"t":-0.5,"hex":"00"}`, nil),
		line("time with a plus", `{"t":+1,"hex":"00"}`, recording.ErrSyntax),
		line("time with a leading zero", `{"t":01,"hex":"00"}`, recording.ErrSyntax),
		line("time with a point alone", `{"t":1.,"hex":"00"}`, recording.ErrSyntax),
		line("time in hexadecimal", `{"t":0x1p4,"hex":"00"}`, recording.ErrSyntax),
		line("time with underscores", `{"t":1_000,"hex":"00"}`, recording.ErrSyntax),
		line("time is a text", `{"t":"0.5","hex":"00"}`, recording.ErrValue),
		line("time is an object", `{"t":{},"hex":"00"}`, recording.ErrValue),
		line("time is a list", `{"t":[0.5],"hex":"00"}`, recording.ErrValue),
		line("time is null", `{"t":null,"hex":"00"}`, nil),
		line("direction up", `{"dir":"up","hex":"00"}`, recording.ErrValue),
		line("direction in capitals", `{"dir":"C2S","hex":"00"}`, recording.ErrValue),
		line("direction with a space", `{"t":0,"dir":"c2s ","hex":"00"}`, recording.ErrValue),
		line("direction without its end", `{"t":0,"dir":"c2s,"hex":"00"}`, recording.ErrSyntax),
		line("direction is a number", `{"dir":2,"hex":"00"}`, recording.ErrValue),
		line("direction of 500,000 bytes", `{"dir":"`+strings.Repeat("c", 500_000)+`","hex":"00"}`, recording.ErrValue),
		line("client is a text", `{"client":"1","hex":"00"}`, recording.ErrValue),
		line("client is a fraction", `{"client":1.5,"hex":"00"}`, recording.ErrValue),
		line("client with an exponent", `{"client":1e3,"hex":"00"}`, recording.ErrValue),
		line("client of 64 bits and one more", `{"t":0,"client":9223372036854775808,"hex":"00"}`, recording.ErrValue),
		line("client is true", `{"client":true,"hex":"00"}`, recording.ErrValue),
		line("no hex", `{"t":0.5,"dir":"c2s","client":1}`, recording.ErrHex),
		line("empty object", `{}`, recording.ErrHex),
		line("hex is null", `{"hex":null}`, recording.ErrHex),
		line("hex is a number", `{"hex":1234}`, recording.ErrHex),
		line("hex is null in the end", `{"hex":"00","hex":null}`, recording.ErrHex),
		line("odd hex", `{"t":0,"hex":"020"}`, recording.ErrHex),
		line("odd hex before a space", `{"t":0,"hex":"0 20"}`, recording.ErrHex),
		line("hex with a letter", `{"t":0,"hex":"0g"}`, recording.ErrHex),
		line("hex of a prefix alone", `{"t":0,"hex":"0x"}`, recording.ErrHex),
		line("hex with two prefixes", `{"t":0,"hex":"0x0x00"}`, recording.ErrHex),
		line("hex that is not UTF-8", "{\"t\":0,\"hex\":\"0\xff\"}", recording.ErrHex),
		line("hex with a line feed", `{"t":0,"hex":"00\n00"}`, recording.ErrHex),
		line("hex with wide digits", `{"t":0,"hex":"００"}`, recording.ErrHex),
		line("empty hex", `{"t":0,"hex":""}`, nil),
		line("note that is not UTF-8", "{\"t\":0,\"hex\":\"00\",\"note\":\"\xff\xfe\x80\"}", nil),
		line("note with half of a surrogate pair", `{"t":0,"hex":"00","note":"\ud800"}`, nil),
		line("note with a line separator", "{\"t\":0,\"hex\":\"00\",\"note\":\"\u2028\"}", nil),
		line("note with an escape character", "{\"t\":0,\"hex\":\"00\",\"note\":\"\x1b[2J\"}", recording.ErrSyntax),
		line("note with a bad escape", `{"t":0,"hex":"00","note":"\x"}`, recording.ErrSyntax),
		line("note that is cut", `{"t":0,"hex":"00","note":"dro`, io.ErrUnexpectedEOF),
		line("key that is not UTF-8", "{\"\xff\":1,\"hex\":\"00\"}", nil),
		line("key without a value", `{"hex"}`, recording.ErrSyntax),
		line("key without quotes", `{hex:"00"}`, recording.ErrSyntax),
		line("comma at the end", `{"hex":"00",}`, recording.ErrSyntax),
		line("single quotes", `{'hex':'00'}`, recording.ErrSyntax),
		line("comment in JSON", `{"hex":"00"} // x`, recording.ErrSyntax),
		line("two objects", full+full, recording.ErrSyntax),
		line("two lines joined at a cut", full[:40]+full, recording.ErrSyntax),
		line("end of a line", full[20:], recording.ErrSyntax),
		line("list", `[`+full+`]`, recording.ErrSyntax),
		line("text", `"00"`, recording.ErrSyntax),
		line("number", `00`, recording.ErrSyntax),
		line("small number", `7`, recording.ErrSyntax),
		line("null", `null`, recording.ErrHex),
		line("nothing but a NUL", "\x00", recording.ErrSyntax),
		line("byte order mark inside", "\xEF\xBB\xBF"+full, recording.ErrSyntax),
		line("carriage returns", "\r\r\r", nil),
		line("form feed", "\f", recording.ErrSyntax),
		line("no-break space", "\u00a0", recording.ErrSyntax),
		line("nested deep", `{"x":`+strings.Repeat("[", 5000)+strings.Repeat("]", 5000)+`,"hex":"00"}`, nil),
		line("nested too deep", `{"x":`+strings.Repeat("[", 20_000)+strings.Repeat("]", 20_000)+`,"hex":"00"}`, recording.ErrSyntax),
		line("80,000 duplicate keys", `{`+strings.Repeat(`"t":1,`, 80_000)+`"hex":"00"}`, nil),
		line("unknown key of 500,000 bytes", `{"`+strings.Repeat("k", 500_000)+`":1,"hex":"00"}`, nil),
		line("one byte too long", `{"hex":"`+strings.Repeat("0", recording.MaxLine-9)+`"}`, recording.ErrTooLong),
		line("5 MiB of digits", `{"hex":"`+strings.Repeat("0", 5*mib)+`"}`, recording.ErrTooLong),
		line("5 MiB of spaces", strings.Repeat(" ", 5*mib), recording.ErrTooLong),
		line("5 MiB of carriage returns", strings.Repeat("\r", 5*mib), recording.ErrTooLong),
		line("comment of 5 MiB", "#"+strings.Repeat("x", 5*mib), recording.ErrTooLong),
		line("20,000 blank lines", strings.Repeat("\n \r\n", 10_000), nil),
	}
}

func hostileFiles() []testdata.Hostile {
	good := full + "\n"
	at := func(name, in string, want error, line int) testdata.Hostile {
		return row(name, []byte(in), want, line)
	}
	return []testdata.Hostile{
		at("nothing", "", nil, fine),
		at("byte order mark alone", "\xEF\xBB\xBF", nil, fine),
		at("half of a byte order mark", "\xEF\xBB", recording.ErrHex, 1),
		at("two byte order marks", "\xEF\xBB\xBF\xEF\xBB\xBF"+good, recording.ErrHex, 1),
		at("line feeds", strings.Repeat("\n", 1000), nil, fine),
		at("comments", "# a\n#\n  # b", nil, fine),
		at("carriage return and line feed", strings.ReplaceAll(good+good+"\n", "\n", "\r\n"), nil, fine),
		at("carriage returns alone", strings.ReplaceAll(good+good, "\n", "\r"), recording.ErrSyntax, 1),
		at("no line feed at the end", good+full, nil, fine),
		at("cut in the last line", good+good+full[:30], io.ErrUnexpectedEOF, 3),
		at("cut in the first line", full[30:]+"\n"+good, recording.ErrHex, 1),
		at("cut in a line of hex text", "0102\n010", recording.ErrHex, 2),
		at("two matches", good+good+good+good, nil, fine),
		at("times that go backwards", `{"t":2,"hex":"00"}`+"\n"+`{"t":1,"hex":"00"}`, nil, fine),
		at("direction alone", "c2s", recording.ErrHex, 1),
		at("direction without a space", "c2s02", recording.ErrHex, 1),
		at("direction twice", "c2s s2c 02", recording.ErrHex, 1),
		at("prefix alone", "0x", recording.ErrHex, 1),
		at("hex text after JSON", good+"0203", recording.ErrSyntax, 2),
		at("dump of bytes with offsets", "00000000  ff 01 03 0f  |....|", recording.ErrHex, 1),
		at("UTF-16", "\xFF\xFE{\x00\"\x00h\x00e\x00x\x00\"\x00:\x00", recording.ErrHex, 1),
		at("gzip", "\x1F\x8B\x08\x00\x00", recording.ErrHex, 1),
		at("capture", "\xD4\xC3\xB2\xA1\x02\x00\x04\x00", recording.ErrHex, 1),
		at("NULs of a disk that lost its tail", good+strings.Repeat("\x00", 4096), recording.ErrSyntax, 2),
		at("2 MiB without a line feed", strings.Repeat("0", 2<<20), recording.ErrTooLong, 1),
		at("HTML", "<!DOCTYPE html>\n", recording.ErrHex, 1),
		at("whole JSON file", "[\n"+full+",\n"+full+"\n]", recording.ErrHex, 1),
	}
}

// Write refuses a datagram that cannot be read back. The other datagrams are written.
func TestHostileDatagrams(t *testing.T) {
	for name, c := range map[string]struct {
		datagram recording.Datagram
		want     error
		text     string
	}{
		"NaN":               {recording.Datagram{Seconds: math.NaN()}, recording.ErrValue, "recording: t: NaN, want a finite number"},
		"infinity":          {recording.Datagram{Seconds: math.Inf(1)}, recording.ErrValue, "recording: t: +Inf, want a finite number"},
		"direction up":      {recording.Datagram{Direction: "up"}, recording.ErrValue, `recording: direction "up" is neither c2s nor s2c`},
		"direction of JSON": {recording.Datagram{Direction: `","hex":"`}, recording.ErrValue, `recording: direction "\",\"hex\":\"" is neither c2s nor s2c`},
		"1 MiB":             {recording.Datagram{Data: make([]byte, 1<<20)}, recording.ErrTooLong, "recording: line too long: the datagram and its note do not fit 512 KiB"},
		"256 KiB":           {recording.Datagram{Data: make([]byte, 256<<10)}, recording.ErrTooLong, "recording: line too long: the datagram and its note do not fit 512 KiB"},
		"long note":         {recording.Datagram{Note: strings.Repeat("x", 1<<20)}, recording.ErrTooLong, "recording: line too long: the datagram and its note do not fit 512 KiB"},
		"note of escapes":   {recording.Datagram{Note: strings.Repeat("\x01", 100_000)}, recording.ErrTooLong, "recording: line too long: the datagram and its note do not fit 512 KiB"},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := recording.Append([]byte("before"), c.datagram)
			require.ErrorIs(t, err, c.want)
			require.EqualError(t, err, c.text)
			require.Equal(t, "before", string(b))
		})
	}
}
