// Package input reads recorded datagrams from files and standard input. It recognises the format
// by the content: pcap, pcapng, JSON lines or hex text. Open an [Input] with an [Opener], and
// iterate over its Datagrams.
package input

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

// Input is an open file or another source of bytes.
type Input struct {
	name    string
	r       *bufio.Reader
	clock   *clock
	port    uint16 // packets of captures without this port are skipped; 0 is any port
	skipped int    // packets skipped for their port
	close   func() error
}

// Close closes the file. It is called after the iteration.
func (in *Input) Close() error { return in.close() }

// Errors of a whole input.
var (
	ErrEmpty  = errors.New("no datagrams")
	ErrFormat = errors.New("unknown format: neither pcap, pcapng, JSON lines nor hex text; unpack a compressed file first")
)

// Datagrams iterates over the datagrams of the input. Its errors name the input and the place.
// After a malformed line it continues with the next line. The next iteration may overwrite the
// bytes of a datagram.
func (in *Input) Datagrams() iter.Seq2[*show.Datagram, error] {
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
			yield(nil, in.empty())
		}
	}
}

// empty returns the error of an input without datagrams.
func (in *Input) empty() error {
	if in.skipped > 0 {
		return fmt.Errorf("%s: %w with port %d; without -port there are %d", in.name, ErrEmpty, in.port, in.skipped)
	}
	return fmt.Errorf("%s: %w", in.name, ErrEmpty)
}

// recognise returns the iterator for the format of the input. Its errors begin with a colon,
// because they follow the name of the input.
func (in *Input) recognise() iter.Seq2[*show.Datagram, error] {
	head, err := in.r.Peek(4)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return failWith(fmt.Errorf(": %w", err))
	case isPcapng(head):
		return in.pcapng()
	case isPcap(head):
		return in.pcap()
	}
	// Only buffered bytes: waiting for more would delay the first datagrams of a pipe.
	head, _ = in.r.Peek(in.r.Buffered())
	if isBinary(head) {
		return failWith(fmt.Errorf(": %w", ErrFormat))
	}
	return in.text()
}

func failWith(err error) iter.Seq2[*show.Datagram, error] {
	return func(yield func(*show.Datagram, error) bool) { yield(nil, err) }
}

// isPcap reports whether head begins with a magic number of pcap. There are four: for two byte
// orders, and for microseconds and nanoseconds.
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

// isPcapng reports whether head begins with the type of a section header. Both byte orders
// have the same.
func isPcapng(head []byte) bool {
	return bytes.Equal(head, []byte{0x0A, 0x0D, 0x0D, 0x0A})
}

// isBinary reports whether head has control characters that do not occur in text.
func isBinary(head []byte) bool {
	return bytes.ContainsFunc(head, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\n' && r != '\r'
	})
}
