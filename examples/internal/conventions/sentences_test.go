package conventions

import (
	"go/doc/comment"
	"regexp"
	"strings"
	"unicode"
)

// sentences returns the sentences of a doc comment, without headings and code.
func sentences(p *comment.Parser, text string) (all []string) {
	var blocks func([]comment.Block)
	blocks = func(list []comment.Block) {
		for _, b := range list {
			switch b := b.(type) {
			case *comment.Paragraph:
				all = append(all, split(plain(b.Text))...)
			case *comment.List:
				for _, item := range b.Items {
					blocks(item.Content)
				}
			}
		}
	}
	blocks(p.Parse(text).Content)
	return all
}

// plain returns a text without its links.
func plain(list []comment.Text) string {
	var b strings.Builder
	for _, t := range list {
		switch t := t.(type) {
		case comment.Plain:
			b.WriteString(string(t))
		case comment.Italic:
			b.WriteString(string(t))
		case *comment.Link:
			b.WriteString(plain(t.Text))
		case *comment.DocLink:
			b.WriteString(plain(t.Text))
		}
	}
	return b.String()
}

// end matches the end of a sentence and the beginning of the next. A colon does not end a
// sentence.
var end = regexp.MustCompile(`[.!?]["')\]]*\s+(["'(\[]*[A-Z0-9])`)

// abbreviation matches a full stop that does not end a sentence.
var abbreviation = regexp.MustCompile(`(?:^|\W)(?:e\.g|i\.e|etc|vs|No|approx|[A-Z])\.$`)

// split splits a paragraph into sentences.
func split(paragraph string) (all []string) {
	text := strings.Join(strings.Fields(paragraph), " ")
	start := 0
	for _, m := range end.FindAllStringSubmatchIndex(text, -1) {
		if sentence := text[start:m[2]]; !abbreviation.MatchString(strings.TrimSpace(sentence)) {
			all = append(all, strings.TrimSpace(sentence))
			start = m[2]
		}
	}
	if rest := strings.TrimSpace(text[start:]); rest != "" {
		all = append(all, rest)
	}
	return all
}

// words returns the number of words of a sentence.
func words(sentence string) (n int) {
	for _, w := range strings.Fields(sentence) {
		if strings.ContainsFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
			n++
		}
	}
	return n
}

// prose returns the paragraphs and list items of a Markdown text, without headings, code,
// tables and the addresses of links.
func prose(markdown string) (paragraphs []string) {
	var current []string
	flush := func() {
		if len(current) > 0 {
			paragraphs = append(paragraphs, strings.Join(current, " "))
			current = nil
		}
	}
	code := false
	for line := range strings.Lines(markdown) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "```"):
			flush()
			code = !code
		case code:
		case line == "", strings.HasPrefix(line, "#"), strings.HasPrefix(line, "|"), strings.HasPrefix(line, "<"):
			flush()
		default:
			if item := listItem.FindString(line); item != "" {
				flush()
				line = line[len(item):]
			}
			line = markdownLink.ReplaceAllString(line, "$1")
			current = append(current, strings.ReplaceAll(line, "`", ""))
		}
	}
	flush()
	return paragraphs
}

var (
	listItem     = regexp.MustCompile(`^(?:[-*]|\d+\.)\s+`)
	markdownLink = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
)
