package capture

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

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
