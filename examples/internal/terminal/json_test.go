package terminal

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
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
