package timeline

import (
	"fmt"
	"io"
	"os"
)

// Limits of a segment.
const (
	segmentMessages = 1 << 16
	segmentBytes    = 32 << 20
	segmentTail     = 128 << 10 // bytes that wait to be written
	memoryBytes     = 2 << 20   // of a segment without a file
)

// segment holds consecutive datagrams and their rows. The bytes are in a file, and their places in
// memory. Without a file, all bytes stay in the tail.
type segment struct {
	file      file
	written   int64  // bytes in the file
	tail      []byte // bytes that follow
	datagrams []datagramIndex
	rows      []rowIndex
	first     int // number of the first message
	firstData int // number of the first datagram
}

// file is an open temporary file.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Name() string
}

// datagramIndex describes a datagram of a segment.
type datagramIndex struct {
	at     float64 // time of the match, which never goes backwards
	offset uint32  // of the record in the file
	size   uint32  // of the record, with the bytes of the datagram
	head   uint32  // bytes of the record before those of the datagram
	packet uint32
	first  uint32 // index of its first row in the segment
	link   uint32
	dir    uint8 // index in directions
	peer   int8

	bytes    uint16 // on the wire
	lost     int16  // reliable messages that are missing before those of the datagram
	repeated uint8
	acks     uint8   // number of round trips
	rtt      float32 // their sum in milliseconds
}

// rowIndex describes a message of a segment.
type rowIndex struct {
	offset   uint32 // of the text in the file; without a text, the species of the ship: see [writer]
	datagram uint32 // index in the segment
	length   uint16 // of the text, or 0
	size     uint16 // bytes of the message
	name     uint16 // index in the names of the store
	player   uint16 // index in the people of the store
	marks    uint8
}

// newSegment creates the file of a segment. Where the system allows it, a temporary file has no name
// and ends with the program.
func newSegment(o *Options, first, firstData int) (*segment, error) {
	if o.Memory > 0 {
		return &segment{tail: make([]byte, 0, o.segmentBytes+segmentTail), first: first, firstData: firstData}, nil
	}
	f, err := os.CreateTemp(o.Dir, "bcwire-watch-*")
	if err != nil {
		return nil, fmt.Errorf("temporary file: %w", err)
	}
	_ = os.Remove(f.Name()) // Windows does not remove an open file; close does
	return &segment{file: f, first: first, firstData: firstData}, nil
}

// append adds bytes and returns their offset.
func (s *segment) append(b []byte) (offset uint32) {
	offset = uint32(s.size())
	s.tail = append(s.tail, b...)
	return offset
}

func (s *segment) size() int64 { return s.written + int64(len(s.tail)) }

// flush writes the bytes that wait, if there are enough.
func (s *segment) flush() error {
	if s.file == nil || len(s.tail) < segmentTail {
		return nil
	}
	n, err := s.file.WriteAt(s.tail, s.written)
	if err != nil {
		return fmt.Errorf("temporary file: %w", err)
	}
	s.written += int64(n)
	s.tail = s.tail[:0]
	return nil
}

// read returns size bytes at an offset.
func (s *segment) read(offset, size uint32) ([]byte, error) {
	b := make([]byte, size)
	n := min(max(0, s.written-int64(offset)), int64(size)) // in the file
	if n > 0 {
		if _, err := s.file.ReadAt(b[:n], int64(offset)); err != nil {
			return nil, fmt.Errorf("temporary file: %w", err)
		}
	}
	if n < int64(size) {
		copy(b[n:], s.tail[int64(offset)+n-s.written:])
	}
	return b, nil
}

// close removes the file.
func (s *segment) close() {
	if s.file != nil {
		s.file.Close()
		_ = os.Remove(s.file.Name()) // on most systems, it has no name any more
	}
}
