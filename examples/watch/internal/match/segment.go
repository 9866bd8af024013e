package match

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
)

// segment holds consecutive datagrams and their rows. The bytes are in a temporary file, and their
// places in memory.
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
	size   uint32  // of the record
	packet uint32
	first  uint32 // index of its first row in the segment
	link   uint32
	dir    uint8 // index in directions
	peer   int8
}

// rowIndex describes a message of a segment.
type rowIndex struct {
	offset   uint32 // of the text in the file
	datagram uint32 // index in the segment
	length   uint16 // of the text
	size     uint16 // bytes of the message
	name     uint16 // index in the names of the store
	marks    uint8
	subject  int8 // peer ID of the player
}

// newSegment creates the temporary file of a segment. Where the system allows it, the file has no
// name and ends with the program.
func newSegment(dir string, first, firstData int) (*segment, error) {
	f, err := os.CreateTemp(dir, "bcwire-watch-*")
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
func (s *segment) flush(least int) error {
	if len(s.tail) < least {
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
	if int64(offset) >= s.written {
		copy(b, s.tail[int64(offset)-s.written:])
		return b, nil
	}
	if _, err := s.file.ReadAt(b, int64(offset)); err != nil {
		return nil, fmt.Errorf("temporary file: %w", err)
	}
	return b, nil
}

// full reports whether the next datagram belongs to another segment.
func (s *segment) full(o *Options) bool {
	return len(s.rows) >= o.segmentMessages || s.size() >= o.segmentBytes
}

// close removes the file.
func (s *segment) close() {
	s.file.Close()
	_ = os.Remove(s.file.Name()) // on most systems, it has no name any more
}
