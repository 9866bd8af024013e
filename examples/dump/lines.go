package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/bcwire/bcwire/examples/internal/show"
)

// maxLine is the length of the longest line, enough for the largest datagram in a
// generous notation.
const maxLine = 512 << 10

// Errors of a line.
var (
	errLongLine = errors.New("line too long")
	errOdd      = errors.New("odd number of hex digits")
	errNoHex    = errors.New("no hex")
)

// lineParser reads the datagram of a line that holds one.
type lineParser func(line string) (*show.Datagram, error)

// text iterates over JSON lines or hex text. The first line that is neither blank nor a comment
// gives the format.
func (in *input) text() iter.Seq2[*show.Datagram, error] {
	return func(yield func(*show.Datagram, error) bool) {
		var parse lineParser
		packets := 0
		for line, text := range in.lines(yield) {
			text = strings.TrimRight(text, " \t\r\n")
			content := strings.TrimLeft(text, " \t")
			if content == "" || content[0] == '#' {
				continue
			}
			if parse == nil {
				parse = parserOf(content)
			}
			packets++
			d, err := parse(text)
			if err != nil {
				err = fmt.Errorf(":%d: %w", line, err)
			} else {
				d.Number = packets
			}
			if !yield(d, err) {
				return
			}
		}
	}
}

func parserOf(line string) lineParser {
	if line[0] == '{' {
		return parseJSON
	}
	return parseHexLine
}

// lines iterates over the lines and their numbers. It passes errors to fail and continues after
// a line that is too long.
func (in *input) lines(fail func(*show.Datagram, error) bool) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for n := 1; ; n++ {
			text, err := readLine(in.r)
			if n == 1 {
				text = bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF"))
			}
			switch {
			case errors.Is(err, errLongLine):
				if !fail(nil, fmt.Errorf(":%d: %w", n, err)) {
					return
				}
				continue
			case err != nil && !errors.Is(err, io.EOF):
				fail(nil, fmt.Errorf(":%d: %w", n, err))
				return
			}
			if !yield(n, string(text)) || err != nil {
				return
			}
		}
	}
}

// readLine returns the next line. The last one comes with [io.EOF]. A line that does not
// fit in the buffer is skipped.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = r.ReadSlice('\n')
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return nil, errLongLine
}
