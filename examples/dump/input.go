package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/bcwire/bcwire/examples/internal/show"
)

// input is an open file.
type input struct {
	name  string
	r     *bufio.Reader
	clock *clock
	port  uint16 // of captures: packets without this port are skipped; 0 for any
	close func() error
}

// Errors of a whole input.
var (
	errEmpty  = errors.New("empty, no datagrams")
	errFormat = errors.New("neither a capture nor JSON lines nor hex text")
)

// datagrams iterates over the datagrams of the input. After an error it continues with the next
// datagram, if its place is known.
func (in *input) datagrams() iter.Seq2[*show.Datagram, error] {
	return func(yield func(*show.Datagram, error) bool) {
		found := false
		for d, err := range in.recognise() {
			found = true
			if err != nil {
				err = fmt.Errorf("%s%w", in.name, err)
			}
			if !yield(d, err) {
				return
			}
		}
		if !found {
			yield(nil, fmt.Errorf("%s: %w", in.name, errEmpty))
		}
	}
}

// recognise looks at the beginning of the input, and returns the iterator for its
// format. The text of an error continues the name of the input.
func (in *input) recognise() iter.Seq2[*show.Datagram, error] {
	head, err := in.r.Peek(4)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return failing(fmt.Errorf(": %w", err))
	case isPcapng(head):
		return in.pcapng()
	case isPcap(head):
		return in.pcap()
	}
	// Only buffered bytes: waiting for more would delay the datagrams of a pipe.
	head, _ = in.r.Peek(in.r.Buffered())
	if isBinary(head) {
		return failing(fmt.Errorf(": %w", errFormat))
	}
	return in.text()
}

func failing(err error) iter.Seq2[*show.Datagram, error] {
	return func(yield func(*show.Datagram, error) bool) { yield(nil, err) }
}

// isPcap reports whether head begins with one of the four magic numbers: two byte orders, micro-
// and nanoseconds.
func isPcap(head []byte) bool {
	if len(head) < 4 {
		return false
	}
	switch binary.BigEndian.Uint32(head) {
	case 0xA1B2C3D4, 0xD4C3B2A1, 0xA1B23C4D, 0x4D3CB2A1:
		return true
	}
	return false
}

// isPcapng reports whether head begins with the type of a section header, which is the same in
// both byte orders.
func isPcapng(head []byte) bool {
	return bytes.Equal(head, []byte{0x0A, 0x0D, 0x0D, 0x0A})
}

// isBinary reports whether head has control characters that no text has.
func isBinary(head []byte) bool {
	return bytes.ContainsFunc(head, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\n' && r != '\r'
	})
}
