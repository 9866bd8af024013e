// Package pdml reads the packet details of TShark, in the form of -T pdml, as they come.
package pdml

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"strconv"
	"strings"
)

// Item is an item of the tree of a packet.
type Item struct {
	Name     string // the filter
	Label    string
	Show     string
	Value    string // hex digits
	Pos      int
	Size     int
	Children []*Item
}

// Reader reads packets. TShark writes an element a line.
type Reader struct{ lines *bufio.Scanner }

// NewReader returns a Reader.
func NewReader(r io.Reader) *Reader {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 64<<20)
	return &Reader{lines}
}

// Next returns the protocols of the next packet, or io.EOF.
func (r *Reader) Next() ([]*Item, error) {
	packet := &Item{}
	var stack []*Item
	for r.lines.Scan() {
		line := strings.TrimSpace(r.lines.Text())
		for strings.HasPrefix(line, "<field") && !strings.HasSuffix(line, ">") && r.lines.Scan() {
			line += "\n" + r.lines.Text() // a text with a line break
		}
		switch {
		case line == "<packet>":
			stack = []*Item{packet}
		case line == "</packet>":
			return packet.Children, nil
		case len(stack) == 0:
		case strings.HasPrefix(line, "</"):
			stack = stack[:len(stack)-1]
		case strings.HasPrefix(line, "<proto"), strings.HasPrefix(line, "<field"):
			item, err := parse(line)
			if err != nil {
				return nil, err
			}
			above := stack[len(stack)-1]
			above.Children = append(above.Children, item)
			if !strings.HasSuffix(line, "/>") {
				stack = append(stack, item)
			}
		}
	}
	if err := r.lines.Err(); err != nil {
		return nil, err
	}
	if len(stack) > 0 {
		return nil, io.ErrUnexpectedEOF
	}
	return nil, io.EOF
}

// parse reads the attributes of an element.
func parse(line string) (*Item, error) {
	item := &Item{}
	_, rest, _ := strings.Cut(line, " ")
	for {
		name, more, ok := strings.Cut(rest, `="`)
		if !ok {
			return item, nil
		}
		value, after, ok := strings.Cut(more, `"`)
		if !ok {
			return nil, fmt.Errorf("pdml: %q", line)
		}
		rest = strings.TrimSpace(after)
		switch name {
		case "name":
			item.Name = value
		case "showname":
			item.Label = unescape(value)
		case "show":
			item.Show = unescape(value)
		case "value":
			item.Value = value
		case "pos":
			item.Pos, _ = strconv.Atoi(value)
		case "size":
			item.Size, _ = strconv.Atoi(value)
		}
	}
}

func unescape(s string) string {
	if strings.IndexByte(s, '&') < 0 {
		return s
	}
	return html.UnescapeString(s)
}
