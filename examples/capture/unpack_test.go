package capture

import (
	"archive/zip"
	"bytes"
	"encoding/hex"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gopacket/gopacket/layers"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/testdata"
)

// packers has a writer for each format that has one.
var packers = map[string]func(t *testing.T, w io.Writer) io.WriteCloser{
	"zstd": func(t *testing.T, w io.Writer) io.WriteCloser {
		z, err := zstd.NewWriter(w)
		require.NoError(t, err)
		return z
	},
	"lz4": func(t *testing.T, w io.Writer) io.WriteCloser {
		z := lz4.NewWriter(w)
		require.NoError(t, z.Apply(lz4.BlockSizeOption(lz4.Block64Kb)))
		return z
	},
}

// packedWith returns packed bytes.
func packedWith(t *testing.T, format string, b []byte) []byte {
	t.Helper()
	if format == "gzip" {
		return zipped(t, b)
	}
	var out bytes.Buffer
	w := packers[format](t, &out)
	_, err := w.Write(b)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}

// archive returns a zip archive of files.
func archive(t *testing.T, files ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		w, err := z.Create(files[i])
		require.NoError(t, err)
		_, err = io.WriteString(w, files[i+1])
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return out.Bytes()
}

// Packed inputs have the datagrams of the input, also in several parts and inside each other.
func TestPacked(t *testing.T) {
	for _, b := range [][]byte{readFile(t, recorded), pcapngOf(t)} {
		want := readAll(b)
		inputs := map[string][]byte{"zip": archive(t, "match/", "", "match/x.jsonl", string(b))}
		for _, format := range []string{"gzip", "zstd", "lz4"} {
			inputs[format] = packedWith(t, format, b)
			inputs[format+", two parts"] = slices.Concat(packedWith(t, format, b[:len(b)/2]), packedWith(t, format, b[len(b)/2:]))
			inputs[format+" in zip"] = archive(t, "x", string(inputs[format]))
			inputs[format+" in gzip in zip"] = archive(t, "x", string(zipped(t, inputs[format])))
		}
		for name, input := range inputs {
			in := readAll(input)
			require.NoError(t, in.err, name)
			requireData(t, want.datagrams, in.datagrams)
		}
	}
	bzip2, err := hex.DecodeString("425a6839314159265359d752b495000002d980001040007000090008002000220627a8430210422e3c5dc914e142435d4ad254")
	require.NoError(t, err)
	require.Equal(t, readAll([]byte("c2s ff01\n")), readAll(bzip2))
	require.ErrorIs(t, readAll(bzip2[:40]).err, io.ErrUnexpectedEOF)
	require.EqualError(t, readAll([]byte("\xFD7zXZ\x00\x00\x04")).err, "capture: xz: unpack the file first, for example with xz -d")
}

// Wherever a packed file is cut, it is an error that says so, and what is before the cut is read.
func TestTruncatedPacked(t *testing.T) {
	b := readFile(t, "../../testdata/battle.jsonl")
	for format := range packers {
		whole := packedWith(t, format, b)
		most := 0
		for n := 4; n < len(whole); n += 1 + n/10 {
			in := readAll(whole[:n])
			require.ErrorContains(t, in.err, "the "+format+" file is truncated", "%s at %d of %d", format, n, len(whole))
			most = max(most, len(in.datagrams))
		}
		require.Positive(t, most, format)
		whole[len(whole)/2] ^= 0xFF
		require.ErrorContains(t, readAll(whole).err, format)
	}
}

// An archive may have files that are not recordings. The others are read.
func TestArchive(t *testing.T) {
	first, second := "c2s ff01\n", string(zipped(t, []byte("s2c 0101\n")))
	in := readAll(archive(t, "README.txt", "Dear Sir or Madam,\n", "a.hex", first, "photo.png", "\x89PNG\r\n\x1a\n\x00", "b.hex.gz", second))
	require.NoError(t, in.err)
	require.Len(t, in.datagrams, 2)
	require.Equal(t, 2, in.datagrams[1].Number)
	require.Equal(t, []string{"2 files of the archive not read: neither captures nor recordings; the first is number 1"}, in.notes)

	in = readAll(archive(t, "a.hex", first, "bad.hex", first+"zz\n", "cut.pcap", string(pcapOf(t, layers.LinkTypeRaw, false, ipv4)[:200]), "c.hex", first))
	require.ErrorContains(t, in.err, "bad.hex:2: ")
	require.ErrorContains(t, in.err, "cut.pcap: packet 6: the capture is truncated")
	require.Len(t, in.datagrams, 5)

	in = readAll(archive(t, "README.txt", "Dear Sir or Madam,\n"))
	require.ErrorIs(t, in.err, ErrEmpty)
	require.Len(t, in.notes, 1)

	whole := archive(t, "a.hex", first)
	encrypted := slices.Clone(whole)
	encrypted[bytes.LastIndex(encrypted, []byte("PK\x01\x02"))+8] |= 1
	require.ErrorContains(t, readAll(encrypted).err, "a.hex: the file is encrypted: unpack the zip archive first")
	require.ErrorContains(t, readAll(whole[:len(whole)-5]).err, "zip: not a valid zip file")
	require.ErrorContains(t, readAll(append([]byte(zipMagic), make([]byte, maxZip)...)).err, "a zip archive of more than 64 MiB: unpack it first")
}

// A small file cannot take much memory.
func TestPackedBombs(t *testing.T) {
	size := 16 << 20
	if testdata.UnderRace { // which is slow
		size >>= 4
	}
	zeros := strings.Repeat("\x00", size)
	for name, c := range map[string]struct {
		input []byte
		want  string
	}{
		"zip":    {archive(t, "zeros", zeros, "more", zeros), "no datagrams"},
		"gzip":   {zipped(t, []byte(zeros)), "unknown format"},
		"lines":  {zipped(t, bytes.Repeat([]byte{32}, size)), "line too long"},
		"window": {[]byte("\x28\xB5\x2F\xFD\x00\xA0\x00\x00\x00\x00\x00"), "zstd: window size exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			in := readAll(c.input)
			runtime.ReadMemStats(&after)
			require.ErrorContains(t, in.err, c.want)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8<<20))
		})
	}
}
