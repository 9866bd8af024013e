package capture

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"

	"github.com/bcwire/bcwire/transport/recording"
)

// Reader reads the datagrams of a capture or a recording.
type Reader struct {
	name string // for errors; "" for none
	r    *bufio.Reader
	*state
	port    uint16 // packets of captures without this port are skipped; 0 is any port
	skipped int    // packets skipped for their port
	close   func() error
}

// state is common to the readers of an Opener.
type state struct {
	clock   clock
	locator Locator
}

// NewReader returns a Reader of r. It buffers input.
func NewReader(r io.Reader) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, bufferSize), state: new(state), close: func() error { return nil }}
}

// Close closes the file that an [Opener] has opened. It must be called after the iteration.
func (in *Reader) Close() error { return in.close() }

// Errors of a whole input.
var (
	ErrEmpty  = errors.New("no datagrams")
	ErrFormat = errors.New("unknown format: neither pcap, pcapng, JSON lines nor hex text, nor one of them gzipped")
)

// Datagrams iterates over the datagrams. The next iteration may overwrite a datagram. The errors have the place, and
// the name of the file. After a malformed line, Datagrams continues with the next line. Other errors end the
// iteration.
func (in *Reader) Datagrams() iter.Seq2[*Datagram, error] {
	return func(yield func(*Datagram, error) bool) {
		for d, err := range in.datagrams() {
			if err != nil {
				err = in.located(err)
			}
			if !yield(d, err) {
				return
			}
		}
	}
}

// located returns an error with the name of the file, or of the package.
func (in *Reader) located(err error) error {
	line, ok := err.(*recording.Error)
	switch {
	case ok && in.name == "":
		return err // it has the name of package recording
	case ok:
		return fmt.Errorf("%s:%d: %w", in.name, line.Line, line.Err)
	case in.name == "":
		return fmt.Errorf("capture: %w", err)
	}
	return fmt.Errorf("%s: %w", in.name, err)
}

// datagrams iterates over the datagrams. Its errors do not name the input.
func (in *Reader) datagrams() iter.Seq2[*Datagram, error] {
	return func(yield func(*Datagram, error) bool) {
		found := false
		for d, err := range in.recognise() {
			found = true
			if d != nil {
				in.locator.Locate(d)
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
func (in *Reader) empty() error {
	if in.skipped > 0 {
		return fmt.Errorf("%w with port %d; without -port there are %d", ErrEmpty, in.port, in.skipped)
	}
	return ErrEmpty
}

// recognise returns the iterator for the format of the input.
func (in *Reader) recognise() iter.Seq2[*Datagram, error] {
	head, err := in.r.Peek(4)
	if isGzip(head) {
		var z *gzip.Reader
		if z, err = gzip.NewReader(in.r); err == nil {
			in.r = bufio.NewReaderSize(gzipReader{z}, bufferSize)
			head, err = in.r.Peek(4)
		} else {
			err = gzipError(err)
		}
	}
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return failWith(err)
	case isPcapng(head):
		return in.pcapng()
	case isPcap(head):
		return in.pcap()
	}
	// Only buffered bytes: waiting for more would delay the first datagrams of a pipe.
	head, _ = in.r.Peek(in.r.Buffered())
	if isBinary(head) {
		return failWith(ErrFormat)
	}
	return in.text()
}

// text iterates over the datagrams of JSON lines or hex text. The next iteration overwrites them.
func (in *Reader) text() iter.Seq2[*Datagram, error] {
	return func(yield func(*Datagram, error) bool) {
		var dg Datagram
		names := clientNames{}
		packets := 0
		for d, err := range recording.Read(in.r) {
			if !errors.Is(err, recording.ErrTooLong) {
				packets++
			}
			if err != nil {
				if !yield(nil, err) {
					return
				}
				continue
			}
			dg = Datagram{Number: packets, Time: d.Seconds, Dir: d.Direction, Client: names.of(d.Client), Data: d.Data}
			if !yield(&dg, nil) {
				return
			}
		}
	}
}

// clientNames holds the names of clients, so that a name needs no memory for each datagram.
type clientNames map[int64]string

// maxNames is the number of clients whose names are kept.
const maxNames = 256

func (c clientNames) of(client int64) string {
	if client == recording.NoClient {
		return ""
	}
	name, ok := c[client]
	if !ok {
		if len(c) >= maxNames {
			clear(c)
		}
		name = strconv.FormatInt(client, 10)
		c[client] = name
	}
	return name
}

func failWith(err error) iter.Seq2[*Datagram, error] {
	return func(yield func(*Datagram, error) bool) { yield(nil, err) }
}

// isGzip reports whether head begins as a gzip file.
func isGzip(head []byte) bool { return bytes.HasPrefix(head, []byte{0x1F, 0x8B}) }

// gzipReader reads a gzip file. Its errors say that they are about the compressed bytes.
type gzipReader struct{ *gzip.Reader }

// Read implements [io.Reader].
func (z gzipReader) Read(p []byte) (int, error) {
	n, err := z.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = gzipError(err)
	}
	return n, err
}

func gzipError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the gzip file is truncated: %w", io.ErrUnexpectedEOF)
	}
	return err
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
