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

// Width returns the number of characters of a line. The codes of brushes do not count.
func Width(line []byte) int {
	n, inCode := 0, false
	for _, b := range line {
		inCode = inCode || b == '\x1b'
		if !inCode && utf8.RuneStart(b) {
			n++
		}
		inCode = inCode && b != 'm'
	}
	return n
}

// Shorten returns a text with at most n characters, at least one. If it has more, the last one is an ellipsis. The codes
// of brushes do not count.
func Shorten(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	characters, end, inCode, reset := 0, 0, false, ""
	for i, r := range s {
		if r == '\x1b' {
			inCode, reset = true, "\x1b[0m"
		}
		if inCode {
			inCode = r != 'm'
			continue
		}
		switch characters++; characters {
		case n:
			end = i
		case n + 1:
			return s[:end] + "…" + reset
		}
	}
	return s
}
