package main

import (
	"strings"
	"unicode"
)

// printable returns a line for a terminal, on which the control characters of strangers
// would act.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
