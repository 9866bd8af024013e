package gamespy

import (
	"math/bits"
	"strconv"
	"strings"
)

// ServerInfo returns the information in the pairs of a reply. It does not fail: Missing lists
// absent fields, and Extra keeps unknown pairs. It ignores final, queryid and validate.
func (p Pairs) ServerInfo() ServerInfo {
	s := ServerInfo{Missing: AllFields}
	next := 0 // the next field in a reply of the game
	for _, pair := range p {
		i := fieldOf(pair.Key, next)
		switch {
		case i >= 0 && s.Missing>>i&1 != 0 && s.set(i, pair.Value):
			s.Missing &^= 1 << i
			next = i + 1
		case isPlayer(pair.Key):
			s.Players = append(s.Players, pair.Value)
		case !isFrame(pair.Key):
			s.Extra = append(s.Extra, pair)
		}
	}
	if s.Password {
		s.HostName = Text(strings.TrimPrefix(string(s.HostName), "*"))
	}
	return s
}

// fieldOf returns the index of the field with a key, or -1. It tries the likely field
// first.
func fieldOf(key Text, likely int) int {
	for n := range fieldKeys {
		if i := (likely + n) % len(fieldKeys); key.is(fieldKeys[i]) {
			return i
		}
	}
	return -1
}

// isPlayer reports whether a key is player_ and a number.
func isPlayer(key Text) bool {
	const prefix = "player_"
	if len(key) <= len(prefix) || !key[:len(prefix)].is(prefix) {
		return false
	}
	for _, digit := range []byte(key[len(prefix):]) {
		if digit < '0' || digit > '9' {
			return false
		}
	}
	return true
}

func isFrame(key Text) bool {
	return key.is("final") || key.is("queryid") || key.is("validate")
}

// set sets a field and reports whether the value re-encodes to the same text.
func (s *ServerInfo) set(i int, value Text) bool {
	text, number := s.at(i)
	switch {
	case text != nil:
		*text = value
		return true
	case number != nil:
		n, ok := parseNumber(value)
		*number = n
		return ok
	}
	s.Password = value == "1"
	return s.Password || value == "0"
}

// parseNumber parses a decimal number in the form that strconv.Itoa returns.
func parseNumber(t Text) (int, bool) {
	n, err := strconv.Atoi(string(t))
	if err != nil || strconv.Itoa(n) != string(t) {
		return 0, false
	}
	return n, true
}

// value returns the text of a field.
func (s *ServerInfo) value(i int) Text {
	text, number := s.at(i)
	switch {
	case number != nil:
		return Text(strconv.Itoa(*number))
	case text == nil && s.Password:
		return "1"
	case text == nil:
		return "0"
	case text == &s.HostName && s.Password:
		return "*" + *text
	}
	return *text
}

// write writes the fields that are not missing.
func (s *ServerInfo) write(w *replyWriter, fields Fields) {
	for fields &^= s.Missing; fields != 0; fields &= fields - 1 {
		i := bits.TrailingZeros16(uint16(fields))
		w.pair(Text(fieldKeys[i]), s.value(i))
	}
}

func (s *ServerInfo) writeExtra(w *replyWriter) {
	for _, p := range s.Extra {
		w.pair(p.Key, p.Value)
	}
}

func (s *ServerInfo) writePlayers(w *replyWriter) {
	for i, name := range s.Players {
		w.pair(Text("player_"+strconv.Itoa(i)), name)
	}
}
