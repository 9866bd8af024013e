package capture

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/bcwire/bcwire/transport/recording"
)

// Limits of packed inputs.
const (
	maxDepth  = 3         // of formats around each other, such as a gzip file in a zip archive
	maxZip    = 64 << 20  // bytes of an archive: it is read into memory, because its directory is at the end
	maxWindow = 128 << 20 // bytes of the memory for zstd
)

// packed are the formats of compressed files.
var packed = []struct {
	name, extension, magic string
	unpack                 func(io.Reader) (io.Reader, error)
}{
	{"gzip", ".gz", "\x1F\x8B", func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
	{"zstd", ".zst", "\x28\xB5\x2F\xFD", func(r io.Reader) (io.Reader, error) {
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	}},
	{"lz4", ".lz4", "\x04\x22\x4D\x18", func(r io.Reader) (io.Reader, error) { return lz4.NewReader(r), nil }},
	{"bzip2", ".bz2", "BZh", func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil }},
	// The library for xz does not limit its memory, and takes a file that is truncated between two blocks for a whole
	// one.
	{"xz", ".xz", "\xFD7zX", func(io.Reader) (io.Reader, error) {
		return nil, errors.New("unpack the file first, for example with xz -d")
	}},
}

// Unpacked returns the name of a file without the extension of a packed one, as in match.jsonl.gz.
func Unpacked(name string) string {
	for _, f := range packed {
		if extension := filepath.Ext(name); strings.EqualFold(extension, f.extension) {
			return strings.TrimSuffix(name, extension)
		}
	}
	return name
}

const zipMagic = "PK\x03\x04"

// unpack returns the iterator for a packed input, or nil if the input is not packed.
func (in *Reader) unpack(r *bufio.Reader, head string, depth int) iter.Seq2[*Datagram, error] {
	if depth == maxDepth {
		return nil
	}
	if strings.HasPrefix(head, zipMagic) {
		return in.archive(r, depth+1)
	}
	for _, f := range packed {
		if !strings.HasPrefix(head, f.magic) {
			continue
		}
		z, err := f.unpack(r)
		if err != nil {
			return failWith(packedError(f.name, err))
		}
		return in.recognise(bufio.NewReaderSize(&unpacked{z, f.name}, bufferSize), depth+1)
	}
	return nil
}

// archive iterates over the datagrams in the files of a zip archive. It notes files that are no recordings.
func (in *Reader) archive(r io.Reader, depth int) iter.Seq2[*Datagram, error] {
	return func(yield func(*Datagram, error) bool) {
		content, err := io.ReadAll(io.LimitReader(r, maxZip+1))
		if err == nil && len(content) > maxZip {
			err = fmt.Errorf("a zip archive of more than %d MiB: unpack it first", maxZip>>20)
		}
		if err != nil {
			yield(nil, err)
			return
		}
		z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			yield(nil, packedError("zip", err))
			return
		}
		archive := in.name
		defer func() { in.name = archive }()
		for _, f := range z.File {
			if f.FileInfo().IsDir() {
				continue
			}
			in.name = strings.TrimPrefix(archive+"/"+f.Name, "/")
			for d, err := range in.member(f, depth) {
				if !yield(d, err) {
					return
				}
			}
		}
	}
}

// member iterates over the datagrams of a file in an archive.
func (in *Reader) member(f *zip.File, depth int) iter.Seq2[*Datagram, error] {
	const encrypted = 1
	if f.Flags&encrypted != 0 {
		return failWith(errors.New("the file is encrypted: unpack the zip archive first"))
	}
	file, err := f.Open()
	if err != nil {
		return failWith(packedError("zip", err))
	}
	return func(yield func(*Datagram, error) bool) {
		defer file.Close()
		found, foreign, before := false, false, in.numbers
		for d, err := range in.recognise(bufio.NewReaderSize(&unpacked{file, "zip"}, bufferSize), depth) {
			var line *recording.Error
			if !found && (errors.Is(err, ErrFormat) || errors.As(err, &line)) {
				foreign = true // unless a datagram follows
				continue
			}
			found = found || d != nil
			if !yield(d, err) {
				return
			}
		}
		if foreign && !found {
			in.numbers = before
			in.notes.add(fileUnread, 0, before+1)
		}
	}
}

// unpacked reads a packed file. Its errors name the format.
type unpacked struct {
	r    io.Reader
	name string
}

// Read implements [io.Reader].
func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	if err != nil && err != io.EOF {
		err = packedError(u.name, err)
	}
	return n, err
}

func packedError(name string, err error) error {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the %s file is truncated: %w", name, io.ErrUnexpectedEOF)
	case strings.HasPrefix(err.Error(), name):
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}
