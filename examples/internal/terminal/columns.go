package terminal

import "unicode/utf8"

// spaces are for columns.
const spaces = "                    "

// AppendLeft appends a text and spaces up to a width in characters.
func AppendLeft(dst []byte, width int, text string) []byte {
	dst = append(dst, text...)
	for n := width - utf8.RuneCountInString(text); n > 0; n -= len(spaces) {
		dst = append(dst, spaces[:min(n, len(spaces))]...)
	}
	return dst
}

// AppendRight appends spaces up to a width of at most 20, and a text in ASCII.
func AppendRight(dst []byte, width int, text []byte) []byte {
	dst = append(dst, spaces[:max(0, width-len(text))]...)
	return append(dst, text...)
}

// Shorten returns a text with at most n characters, at least one. If it has more, the last one is an ellipsis.
func Shorten(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
