// Package capture reads captured datagrams of Bridge Commander. It recognises the format by the
// content: pcap and pcapng as Wireshark saves them, and JSON lines and hex text of package
// recording. Each may be gzipped. [Read] follows a match:
//
//	m := match.Match{Events: true}
//	for step, err := range capture.Read(file, &m) {
//		if err != nil {
//			log.Fatal(err)
//		}
//		for _, e := range step.Events {
//			fmt.Println(e.Time, &e)
//		}
//	}
//
// Programs with several files, progress or an interrupt use an [Opener].
//
// # Captures
//
// The package reads the UDP datagrams of IPv4 and IPv6, also in VLANs and tunnels. It skips other
// packets and fragments of IP, because the game sends none. Of a datagram that the capture has
// truncated, Missing is the number of bytes that are missing.
//
// Times of captures count from the first packet. If a packet cannot be read, the capture ends with
// an error, because the beginning of the next packet is unknown. A section of a pcapng capture may
// have at most 4096 interfaces and 1 MiB of interface blocks.
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

// Input is an open file or another source of bytes.
type Input struct {
	name string
	r    *bufio.Reader
	*state
	port    uint16 // packets of captures without this port are skipped; 0 is any port
	skipped int    // packets skipped for their port
	close   func() error
}

// state is common to the inputs of an Opener.
type state struct {
	clock   clock
	locator Locator
}

// Close closes the file. It is called after the iteration.
func (in *Input) Close() error { return in.close() }

// Errors of a whole input.
var (
	ErrEmpty  = errors.New("no datagrams")
	ErrFormat = errors.New("unknown format: neither pcap, pcapng, JSON lines nor hex text, nor one of them gzipped")
)

// Datagrams iterates over the datagrams of the input. Its errors name the input and the place.
// After a malformed line it continues with the next line. The next iteration may overwrite a
// datagram.
func (in *Input) Datagrams() iter.Seq2[*Datagram, error] {
	return func(yield func(*Datagram, error) bool) {
		for d, err := range in.datagrams() {
			if line, ok := err.(*recording.Error); ok {
				err = fmt.Errorf("%s:%d: %w", in.name, line.Line, line.Err)
			} else if err != nil {
				err = fmt.Errorf("%s: %w", in.name, err)
			}
			if !yield(d, err) {
				return
			}
		}
	}
}

// datagrams iterates over the datagrams of the input. Its errors do not name the input.
func (in *Input) datagrams() iter.Seq2[*Datagram, error] {
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
func (in *Input) empty() error {
	if in.skipped > 0 {
		return fmt.Errorf("%w with port %d; without -port there are %d", ErrEmpty, in.port, in.skipped)
	}
	return ErrEmpty
}

// recognise returns the iterator for the format of the input.
func (in *Input) recognise() iter.Seq2[*Datagram, error] {
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
func (in *Input) text() iter.Seq2[*Datagram, error] {
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
