package recording

import "bytes"

var (
	// errNoHex means that a line has no hex digits.
	errNoHex = &cause{errHex, "no hex"}
	// errOdd means that a hex digit is not paired.
	errOdd = &cause{errHex, "odd number of hex digits"}
)

// parseHexText returns the datagram of a line of hex text.
func (r *reader) parseHexText(line []byte) (d Datagram, err error) {
	line, _, _ = bytes.Cut(line, []byte("#"))
	direction, start := cutDirection(line)
	if r.data, err = appendHex(r.data[:0], line, start); err != nil {
		return d, err
	}
	if len(r.data) == 0 {
		return d, errNoHex
	}
	return Datagram{Direction: direction, Client: NoClient, Data: r.data}, nil
}

// cutDirection returns the direction at the beginning of a line, if there is one, and the index
// of the byte after it.
func cutDirection(line []byte) (Direction, int) {
	rest := bytes.TrimLeft(line, " \t")
	start := len(line) - len(rest)
	for _, d := range []Direction{ToServer, ToClient} {
		rest, ok := bytes.CutPrefix(rest, []byte(d))
		if ok && (len(rest) == 0 || isSpace(rest[0])) {
			return d, start + len(d)
		}
	}
	return "", start
}

// appendHex appends the bytes of the hex digits of text from index start on. Spaces and tabs may
// separate bytes, and 0x may precede a byte. Errors name the column, counted from 1.
func appendHex(dst, text []byte, start int) ([]byte, error) {
	for i := start; i < len(text); {
		if isSpace(text[i]) {
			i++
			continue
		}
		if isPrefix(text[i:]) {
			i += 2
		}
		b, err := parseByte(text, i)
		if err != nil {
			return dst, err
		}
		dst = append(dst, b)
		i += 2
	}
	return dst, nil
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' }

// isPrefix reports whether text begins with 0x.
func isPrefix(text []byte) bool {
	return len(text) >= 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')
}

// parseByte returns the byte of the two digits at index i.
func parseByte(text []byte, i int) (v byte, err error) {
	for j := i; j < i+2; j++ {
		switch {
		case j > i && (j == len(text) || isSpace(text[j])):
			return 0, causef(errOdd, "column %d: %v", i+1, errOdd)
		case j == len(text): // after a 0x at the end
			return 0, causef(errNoHex, "column %d: %v", j, errNoHex)
		}
		digit, ok := hexDigit(text[j])
		if !ok {
			return 0, causef(errHex, "column %d: %q is not a hex digit", j+1, text[j:j+1])
		}
		v = v<<4 | digit
	}
	return v, nil
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}
