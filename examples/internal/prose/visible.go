package main

import (
	"bytes"
	"go/parser"
	"go/token"
	"strings"
)

// start stands before the text of a comment.
const start = '\x01'

// blank returns spaces in place of a text, with the ends of its lines.
func blank(text []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return ' '
	}, bytes.ToValidUTF8(text, []byte(" ")))
}

// comments returns the source of a Go file with spaces in place of everything but the prose in its
// comments. It has the lines of the source.
func comments(source []byte) []byte {
	positions := token.NewFileSet()
	f, _ := parser.ParseFile(positions, "", source, parser.ParseComments|parser.SkipObjectResolution)
	if f == nil {
		return nil
	}
	var all []byte
	end := 0
	for _, group := range f.Comments {
		for i, c := range group.List {
			from, to := positions.Position(c.Pos()).Offset, positions.Position(c.End()).Offset
			all = append(all, blank(source[end:from])...)
			end = to
			switch text := c.Text[2:]; {
			case strings.HasPrefix(text, "\t"), strings.HasPrefix(c.Text, "//go:"):
			case i == 0:
				all = append(append(all, start, ' '), text...)
			default:
				all = append(append(all, ' ', ' '), text...)
			}
		}
	}
	return all
}

// paragraphs returns a Markdown text with spaces in place of code. It has the lines of the text.
func paragraphs(markdown []byte) []byte {
	var all []byte
	code := false
	for line := range bytes.Lines(markdown) {
		fence := bytes.HasPrefix(bytes.TrimSpace(line), []byte("```"))
		if code || fence {
			all = append(all, blank(line)...)
		} else {
			all = append(all, line...)
		}
		code = code != fence
	}
	return all
}
