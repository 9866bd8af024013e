package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON returns a writer that escapes the invisible characters of JSON and passes it on to w.
// JSON allows most of them in strings, but terminals execute some. Each Write must have whole
// characters.
func JSON(w io.Writer) io.Writer { return escaper{w, true} }

// AppendJSON appends a string of JSON, with the escapes of [JSON].
func AppendJSON(dst []byte, s string) []byte {
	if simple(s) || Plain(s) && !strings.ContainsAny(s, `"\`) {
		dst = append(dst, '"')
		dst = append(dst, s...)
		return append(dst, '"')
	}
	var b bytes.Buffer
	enc := json.NewEncoder(escaper{&b, true})
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string in memory has no error
	return append(dst, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}

// simple reports whether a text is ASCII that needs no escape, as most keys and names are.
func simple(s string) bool {
	for i := range len(s) {
		if !plainASCII[s[i]] {
			return false
		}
	}
	return true
}

// plainASCII are the characters that need no escape.
var plainASCII = func() (all [256]bool) {
	for c := ' '; c < 0x7F; c++ {
		all[c] = c != '"' && c != '\\'
	}
	return all
}()

// escaper escapes invisible characters, except those of ASCII, as in JSON or as in Go strings.
type escaper struct {
	w    io.Writer
	json bool
}

func (e escaper) Write(text []byte) (int, error) {
	if _, err := e.w.Write(e.escape(text)); err != nil {
		return 0, err
	}
	return len(text), nil
}

// escape does not escape white space, which may stand between values.
func (e escaper) escape(text []byte) []byte {
	if bytes.IndexFunc(text, invisible) < 0 {
		return text
	}
	var b bytes.Buffer
	for _, r := range string(text) {
		switch {
		case !invisible(r):
			b.WriteRune(r)
		case r > 0xFFFF && !e.json:
			fmt.Fprintf(&b, `\U%08x`, r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.Bytes()
}

func invisible(r rune) bool { return r >= 0x7F && r != utf8.RuneError && !Visible(r) }
