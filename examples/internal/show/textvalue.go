package show

import (
	"bytes"
	"encoding/hex"

	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

func jsonText(text string, raw []byte, plain bool) any {
	if plain {
		return text
	}
	return textJSON{text, hex.EncodeToString(raw)}
}

// jsonStreamText leaves out a NUL at the end, which some messages send and no string has.
func jsonStreamText(t stream.Text) any {
	shown := bytes.TrimRight(t, "\x00")
	return jsonText(stream.Text(shown).String(), t, isASCII(t) && len(shown) == len(t))
}

func isASCII(text []byte) bool {
	for _, b := range text {
		if b >= 0x80 {
			return false
		}
	}
	return true
}

// isPlain says whether a text of a system message is ASCII, in the form that the stock
// game sends, so that the string tells all of it.
func isPlain(t transport.UTF16Z) bool {
	s := t.String()
	stock, err := transport.NewUTF16Z(s)
	return err == nil && isASCII([]byte(s)) && string(stock) == string(t)
}
