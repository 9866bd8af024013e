package recording_test

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport/recording"
)

// full is a line with all keys, and fullDatagram its datagram.
const full = `{"t":0.5,"dir":"c2s","client":7,"hex":"ff0103","note":"dropped"}`

var fullDatagram = recording.Datagram{
	Seconds: 0.5, Direction: recording.ToServer, Client: 7, Data: []byte{0xFF, 1, 3}, Note: "dropped",
}

func TestReadLine(t *testing.T) {
	only := func(change func(d *recording.Datagram)) recording.Datagram {
		d := recording.Datagram{Client: recording.NoClient, Data: []byte{2}}
		if change != nil {
			change(&d)
		}
		return d
	}
	for name, c := range map[string]struct {
		line string
		want recording.Datagram
	}{
		"all keys":          {full, fullDatagram},
		"hex alone":         {`{"hex":"02"}`, only(nil)},
		"time and hex":      {`{"t":0,"hex":"02"}`, only(nil)},
		"unknown direction": {`{"dir":"","hex":"02"}`, only(nil)},
		"to the client":     {`{"dir":"s2c","hex":"02"}`, only(func(d *recording.Datagram) { d.Direction = recording.ToClient })},
		"client 0":          {`{"client":0,"hex":"02"}`, only(func(d *recording.Datagram) { d.Client = 0 })},
		"client -1":         {`{"t":0,"client":-1,"hex":"02"}`, only(nil)},
		"client -2":         {`{"t":0,"client":-2,"hex":"02"}`, only(func(d *recording.Datagram) { d.Client = -2 })},
		"null everywhere":   {`{"t":null,"dir":null,"client":null,"hex":"02","note":null}`, only(nil)},
		"empty datagram":    {`{"hex":""}`, only(func(d *recording.Datagram) { d.Data = nil })},
		"another order":     {`{"hex":"ff0103","note":"dropped","client":7,"dir":"c2s","t":0.5}`, fullDatagram},
		"white space":       {"\t { \"t\" : 0.5 ,\"dir\":\"c2s\", \"client\":7,\"hex\":\" FF\\t01 03 \",\"note\":\"dropped\"}  ", fullDatagram},
		"0x before bytes":   {`{"t":0.5,"dir":"c2s","client":7,"hex":"0xff0X01 0x03","note":"dropped"}`, fullDatagram},
		"escapes":           {`{"t":0.5,"\u0064ir":"c\u0032s","client":7,"hex":"\u0066f0103","note":"drop\u0070ed"}`, fullDatagram},
		"unknown keys":      {`{"t":0.5,"dir":"c2s","client":7,"hex":"ff0103","note":"dropped","len":3,"x":{"hex":[1]}}`, fullDatagram},
		"keys in capitals":  {`{"T":0.5,"Dir":"c2s","CLIENT":7,"Hex":"ff0103","NOTE":"dropped"}`, fullDatagram},
		"duplicate keys":    {`{"t":9,"t":0.5,"dir":"s2c","dir":"c2s","client":1,"client":7,"hex":"00","hex":"ff0103","note":"","note":"dropped"}`, fullDatagram},
		"note not in ASCII": {`{"hex":"02","note":"größer"}`, only(func(d *recording.Datagram) { d.Note = "größer" })},
		"note of a number":  {`{"hex":"02","note":7}`, only(nil)},
		"note of an object": {`{"hex":"02","note":{"a":"b"}}`, only(nil)},
		"exponent":          {`{"t":5E-1,"dir":"c2s","client":7,"hex":"ff0103","note":"dropped"}`, fullDatagram},
		"negative time":     {`{"t":-1.5,"hex":"02"}`, only(func(d *recording.Datagram) { d.Seconds = -1.5 })},
		"milliseconds":      {`{"t":1012564800123.5,"hex":"02"}`, only(func(d *recording.Datagram) { d.Seconds = 1012564800123.5 })},
		"largest time":      {`{"t":1.7976931348623157e308,"hex":"02"}`, only(func(d *recording.Datagram) { d.Seconds = 1.7976931348623157e308 })},
		"hex text":          {"02", only(nil)},
		"hex with all":      {" \ts2c 0x02  # note", only(func(d *recording.Datagram) { d.Direction = recording.ToClient })},
		"hex to the server": {"c2s\tFf 01 0X03", recording.Datagram{Direction: recording.ToServer, Client: recording.NoClient, Data: []byte{0xFF, 1, 3}}},
	} {
		t.Run(name, func(t *testing.T) {
			got := readOne(t, c.line)
			require.True(t, bytes.Equal(c.want.Data, got.Data), "%x", got.Data)
			got.Data = c.want.Data
			require.Equal(t, c.want, got)
		})
	}
}

func TestReadSkipsBlankLinesAndComments(t *testing.T) {
	all, errs := read("\xEF\xBB\xBF\r\n# " + full + "\r\n \t# 02\n\n" + full + "\r\n  \r\n#\n" + full)
	require.Empty(t, errs)
	require.Equal(t, []recording.Datagram{fullDatagram, fullDatagram}, all)
}

func TestHexTextBeforeJSON(t *testing.T) {
	all, errs := read("02\nc2s 0203\n" + full + "\n04\n" + full)
	require.Len(t, all, 4)
	require.Len(t, errs, 1, "after JSON, a number is not a datagram")
	require.ErrorIs(t, errs[0], recording.ErrSyntax)
	require.Equal(t, 4, lineOf(errs[0]))
}

// Read keeps the order and the times of the lines.
func TestTwoMatchesInOneFile(t *testing.T) {
	match := write(t, recording.Datagram{Seconds: 1}, recording.Datagram{Seconds: 2}, recording.Datagram{Seconds: -1})
	all, errs := read(match + match)
	require.Empty(t, errs)
	var times []float64
	for _, d := range all {
		times = append(times, d.Seconds)
	}
	require.Equal(t, []float64{1, 2, -1, 1, 2, -1}, times)
}

func TestErrorTexts(t *testing.T) {
	long := strings.Repeat("9", 1000)
	for line, want := range map[string]string{
		`{"hex":`:                              "column 7: unexpected end of JSON input",
		`{"hex":"02"`:                          "column 11: unexpected end of JSON input",
		`{"hex":NaN}`:                          "column 8: invalid character 'N' looking for beginning of value",
		`{"hex":"02"}}`:                        "column 13: invalid character '}' after top-level value",
		`{"t":"1","hex":"02"}`:                 "t: string, want a 64-bit number",
		`{"t":1e400,"hex":"02"}`:               "t: number 1e400, want a 64-bit number",
		`{"client":1.5,"hex":"02"}`:            "client: number 1.5, want a 64-bit integer",
		`{"client":` + long + `,"hex":"02"}`:   "client: number " + long[:33] + ", want a 64-bit integer",
		`{"dir":2,"hex":"02"}`:                 "dir: number, want a string",
		`{"dir":"up","hex":"02"}`:              `direction "up" is neither c2s nor s2c`,
		"{\"dir\":\"\u009b\",\"hex\":\"02\"}":  `direction "\u009b" is neither c2s nor s2c`,
		`{"dir":"` + long + `","hex":"02"}`:    `direction "` + long[:20] + `" is neither c2s nor s2c`,
		`{"t":1}`:                              "no hex",
		`{"hex":["02"]}`:                       "hex: array, want a string",
		`{"hex":"02d"}`:                        "hex: column 3: odd number of hex digits",
		`{"hex":"02dg"}`:                       `hex: column 4: "g" is not a hex digit`,
		`c2s 02d`:                              "column 7: odd number of hex digits",
		`02 d 03`:                              "column 4: odd number of hex digits",
		"02\x1b[2J":                            `column 3: "\x1b" is not a hex digit`,
		"\xFF\xFE":                             `column 1: "\xff" is not a hex digit`,
		`s2c # 02`:                             "no hex",
		`0x`:                                   "column 2: no hex",
		strings.Repeat(" ", recording.MaxLine): "",
		strings.Repeat("00 ", recording.MaxLine/3+1): "line too long: more than 512 KiB",
	} {
		_, errs := read("\n" + line + "\n")
		if want == "" {
			require.Empty(t, errs)
			continue
		}
		require.Len(t, errs, 1, "%.100q", line)
		require.EqualError(t, errs[0], "recording: line 2: "+want)
	}
}

// Errors quote at most 40 characters of a line.
func TestErrorsQuoteLittle(t *testing.T) {
	digits, faces := strings.Repeat("9", 1000), strings.Repeat("😀", 1000)
	for line, want := range map[string]string{
		`{"t":` + digits + `,"hex":"02"}`:      "t: number " + digits[:33] + ", want a 64-bit number",
		`{"client":` + digits + `,"hex":"02"}`: "client: number " + digits[:33] + ", want a 64-bit integer",
		`{"dir":` + digits + `,"hex":"02"}`:    "dir: number, want a string",
		`{"hex":` + digits + `}`:               "hex: number, want a string",
		`{"dir":"` + faces + `","hex":"02"}`:   `direction "` + faces[:4*20] + `" is neither c2s nor s2c`,
		`{"hex":"` + faces + `"}`:              `hex: column 1: "\xf0" is not a hex digit`,
		`{"hex":` + faces + `}`:                "column 8: invalid character 'ð' looking for beginning of value",
		faces:                                  `column 1: "\xf0" is not a hex digit`,
	} {
		_, errs := read(line)
		require.Len(t, errs, 1)
		require.EqualError(t, errs[0], "recording: line 1: "+want)
	}
}

func TestTime(t *testing.T) {
	for seconds, want := range map[float64]time.Duration{
		0:                    0,
		0.5:                  500 * time.Millisecond,
		-1.5:                 -1500 * time.Millisecond,
		1.5078231770000001:   1507823177,
		1e-10:                0,
		5e-10:                1,
		9223372036:           9223372036 * time.Second,
		9223372037:           1<<63 - 1,
		1e300:                1<<63 - 1,
		-1e300:               -1 << 63,
		1.7e308:              1<<63 - 1,
		-9223372036.85477581: -1 << 63,
	} {
		require.Equal(t, want, recording.Datagram{Seconds: seconds}.Time(), "%v", seconds)
	}
	require.Zero(t, recording.Datagram{Seconds: math.NaN()}.Time())
}
