package main

import (
	"strings"
	"unicode"

	"github.com/bcwire/bcwire/gamespy"
)

// nameWidth is the number of characters that the table has for a name.
const nameWidth = 40

// shown returns text of a stranger for a cell of the table: nothing in it acts on a
// terminal.
func shown(t gamespy.Text) string {
	runes := []rune(strings.TrimSpace(strings.Map(printable, t.String())))
	if len(runes) > nameWidth {
		runes = append(runes[:nameWidth-1], '…')
	}
	return string(runes)
}

// printable replaces what is not to be seen: control characters, which terminals act on,
// and the odd spaces and hyphens of Windows-1252.
func printable(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return '·'
}
