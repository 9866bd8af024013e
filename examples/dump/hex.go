package main

import "fmt"

// parseHex reads the hex digits of text from the byte start on. Spaces may stand between
// bytes and 0x before them. Errors name the column, counted from 1.
func parseHex(text string, start int) ([]byte, error) {
	data := make([]byte, 0, (len(text)-start+1)/2)
	for i := start; i < len(text); {
		switch {
		case text[i] == ' ' || text[i] == '\t':
			i++
			continue
		case isPrefix(text[i:]):
			i += 2
		}
		b, err := parseByte(text, i)
		if err != nil {
			return nil, err
		}
		data = append(data, b)
		i += 2
	}
	return data, nil
}

// isPrefix reports whether text begins with 0x.
func isPrefix(text string) bool {
	return len(text) >= 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')
}

// parseByte reads the two digits at i.
func parseByte(text string, i int) (byte, error) {
	var v byte
	for j := i; j < i+2; j++ {
		if j > i && (j == len(text) || text[j] == ' ' || text[j] == '\t') {
			return 0, fmt.Errorf("column %d: %w", i+1, errOdd)
		}
		if j == len(text) {
			return 0, fmt.Errorf("column %d: %w", j, errNoHex) // a 0x at the end
		}
		digit, ok := hexDigit(text[j])
		if !ok {
			return 0, fmt.Errorf("column %d: %q is not a hex digit", j+1, text[j:j+1])
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
