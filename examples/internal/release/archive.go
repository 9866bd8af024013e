package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"
)

// file is a file of a release or in an archive.
type file struct {
	mode fs.FileMode
	data []byte
}

func read(name string) (file, error) {
	data, err := os.ReadFile(name)
	return file{0o644, data}, err
}

// modified is the time of all files in an archive: ZIP has no earlier one.
var modified = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// tarball packs files in a directory of an archive for tar.
func tarball(dir string, files map[string]file) (file, error) {
	var b bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return file{}, err
	}
	w := tar.NewWriter(compressed)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f := files[name]
		header := &tar.Header{Name: dir + "/" + name, Mode: int64(f.mode), Size: int64(len(f.data)), ModTime: modified, Format: tar.FormatPAX}
		if err := w.WriteHeader(header); err != nil {
			return file{}, err
		}
		if _, err := w.Write(f.data); err != nil {
			return file{}, err
		}
	}
	if err := w.Close(); err != nil {
		return file{}, err
	}
	err = compressed.Close()
	return file{0o644, b.Bytes()}, err
}

// zipped packs files in a directory of an archive for Windows.
func zipped(dir string, files map[string]file) (file, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f := files[name]
		header := &zip.FileHeader{Name: dir + "/" + name, Method: zip.Deflate, Modified: modified}
		header.SetMode(f.mode)
		entry, err := w.CreateHeader(header)
		if err != nil {
			return file{}, err
		}
		if _, err := entry.Write(f.data); err != nil {
			return file{}, err
		}
	}
	err := w.Close()
	return file{0o644, b.Bytes()}, err
}

// sumsName is the name of the file of checksums.
const sumsName = "SHA256SUMS"

// sums returns the checksums of files, as sha256sum prints them.
func sums(files map[string]file) file {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(files[name].data), name)
	}
	return file{0o644, b.Bytes()}
}
