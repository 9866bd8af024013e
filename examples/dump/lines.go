package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
)

// maxLine is the length of the longest line, enough for the largest datagram in a
// generous notation.
const maxLine = 512 << 10

// What can be wrong with a line.
var (
	errLongLine = errors.New("line too long")
	errOdd      = errors.New("odd number of hex digits")
	errNoHex    = errors.New("no hex")
)

// lineParser reads the datagram of a line that holds one.
type lineParser func(line string) (*datagram, error)

// text iterates over JSON lines or hex text. The first line that is neither blank nor a
// comment tells which.
func (in *input) text() iter.Seq2[*datagram, error] {
	return func(yield func(*datagram, error) bool) {
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
				d.packet = packets
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

// lines iterates over the lines and their numbers. What cannot be read it reports to
// fail, and it goes on after a line that is too long.
func (in *input) lines(fail func(*datagram, error) bool) iter.Seq2[int, string] {
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

// parseJSON reads {"t":seconds,"dir":"c2s","client":n,"hex":"..."}. Other keys are
// comments.
func parseJSON(line string) (*datagram, error) {
	var v struct {
		T      float64
		Dir    direction
		Client *int64
		Hex    *string
	}
	if err := json.Unmarshal([]byte(line), &v); err != nil {
		return nil, jsonError(err)
	}
	if v.Hex == nil {
		return nil, errNoHex
	}
	data, err := parseHex(*v.Hex, 0)
	if err != nil {
		return nil, fmt.Errorf("hex: %w", err)
	}
	d := &datagram{time: v.T, dir: v.Dir, data: data}
	if v.Client != nil {
		d.client = strconv.FormatInt(*v.Client, 10)
	}
	return d, nil
}

// jsonError adds the column, if the error knows it.
func jsonError(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("column %d: %w", syntax.Offset, err)
	}
	return err
}

// parseHexLine reads a line of hex text.
func parseHexLine(line string) (*datagram, error) {
	line, _, _ = strings.Cut(line, "#")
	dir, start := cutDirection(line)
	data, err := parseHex(line, start)
	if err != nil {
		return nil, err
	}
	if len(data) == 0 {
		return nil, errNoHex
	}
	return &datagram{dir: dir, data: data}, nil
}

// cutDirection returns the direction that a line begins with, if it does, and where the
// rest begins.
func cutDirection(line string) (direction, int) {
	start := len(line) - len(strings.TrimLeft(line, " \t"))
	for _, dir := range []direction{c2s, s2c} {
		rest, ok := strings.CutPrefix(line[start:], string(dir))
		if ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
			return dir, len(line) - len(rest)
		}
	}
	return "", start
}
