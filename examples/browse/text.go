package main

import (
	"strings"

	"github.com/bcwire/bcwire/examples/internal/terminal"
)

// nameWidth is the largest number of characters in a cell.
const nameWidth = 40

// cellText returns a text of a server for a cell of the table, without control characters.
func cellText(t string) string {
	runes := []rune(strings.TrimSpace(strings.Map(printable, t)))
	if len(runes) > nameWidth {
		runes = append(runes[:nameWidth-1], '…')
	}
	return string(runes)
}

// printable replaces control characters and invisible characters by a dot.
func printable(r rune) rune {
	if terminal.Visible(r) {
		return r
	}
	return '·'
}
