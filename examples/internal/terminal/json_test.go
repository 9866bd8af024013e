package terminal

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// Invisible characters are escaped, and a reader gets the original text.
func TestJSON(t *testing.T) {
	const text = "a\x7f\u0080\u009b\u009f\u00a0\u00ad\u202e\ufeff\U000e0041é…\ufffd"
	var b bytes.Buffer
	require.NoError(t, json.NewEncoder(JSON(&b)).Encode(text))
	require.Equal(t, `"a\u007f\u0080\u009b\u009f\u00a0\u00ad\u202e\ufeff\udb40\udc41é…`+"\ufffd\"\n", b.String())
	var back string
	require.NoError(t, json.Unmarshal(b.Bytes(), &back))
	require.Equal(t, text, back)

	b.Reset()
	slog.New(slog.NewJSONHandler(JSON(&b), nil)).Info("x", "text", "\u009b2J")
	require.Contains(t, b.String(), `"text":"\u009b2J"`)
}

type broken struct{ error }

func (b broken) Unwrap() error { return b.error }

func (b broken) Write([]byte) (int, error) { return 0, b }

func TestJSONFails(t *testing.T) {
	want := errors.New("disk full")
	_, err := JSON(broken{want}).Write([]byte("\u009b"))
	require.ErrorIs(t, err, broken{want})
}

// AppendJSON gives what encoding/json gives through JSON.
func TestAppendJSON(t *testing.T) {
	for _, s := range []string{"", "plain text", `a "quote" and a \`, "line\nfeed\x00\x7f", "Grüße \u202e\ufeff\U000e0041", "\xff", "\b\f\t\u2028"} {
		var b bytes.Buffer
		enc := json.NewEncoder(JSON(&b))
		enc.SetEscapeHTML(false)
		require.NoError(t, enc.Encode(s))
		require.Equal(t, b.String(), string(AppendJSON(nil, s))+"\n")
	}
}

// Values and the commas between them are JSON, and numbers have the digits of encoding/json.
func TestJSONText(t *testing.T) {
	var j JSONText
	j.Raw("{").Quote("list").Raw(":").Ints([]int{1, -2}).Comma().Quote("hex").Raw(":").Hex([]byte{0xAB}).Comma().Quote("yes").Raw(":").Bool(true).Raw("}")
	require.JSONEq(t, `{"list":[1,-2],"hex":"ab","yes":true}`, string(j.Bytes))

	numbers := []float64{0, 1, -1.5, 0.1, 1e-7, 1e20, 1e21, -2.5e-10, 1e300}
	for _, v := range numbers {
		want, err := json.Marshal(v)
		require.NoError(t, err)
		require.Equal(t, string(want), string(new(JSONText).Float64(v).Bytes))
		if v = float64(float32(v)); math.IsInf(v, 0) {
			continue
		}
		want, err = json.Marshal(v)
		require.NoError(t, err)
		for range 2 { // the second text is kept
			j.Bytes = j.Bytes[:0]
			require.Equal(t, string(want), string(j.Float32(float32(v), 4).Bytes))
		}
	}
	require.Equal(t, `["NaN","Infinity","-Infinity"]`,
		string(new(JSONText).Floats([]float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}, 4).Bytes))
	require.Equal(t, `[0.3333,3e+10]`, string((&JSONText{Short: true}).Floats([]float32{1. / 3, 3e10}, 4).Bytes))
	require.Equal(t, `0.1`, string((&JSONText{Short: true}).Float32(0.1, -1).Bytes))
}

// A key follows a comma unless it is the first one.
func TestJSONTextKey(t *testing.T) {
	var j JSONText
	j.Raw("{").Key("a").Int(1).Key("b \"\u202e").Int(2).Raw("}")
	require.Equal(t, `{"a":1,"b \"`+"\\u202e"+`":2}`, string(j.Bytes))
}
