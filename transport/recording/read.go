package recording

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
	"slices"
)

// maxLine is the length of the longest line in bytes, without the line feed. The largest datagram of
// UDP fits.
const maxLine = 512 << 10

// bufferSize is the size of the buffer for reading. Lines are rarely longer.
const bufferSize = 32 << 10

// byteOrderMark may stand at the beginning of the first line.
const byteOrderMark = "\xEF\xBB\xBF"

// Read iterates over the datagrams of a recording. It yields an [*Error] for each malformed line
// and continues with the next line. An error of r ends the iteration. If a loop ends early, a
// second loop over the same result continues. Read buffers input. The Data of a datagram is valid
// until the next iteration, and the caller may modify it.
func Read(r io.Reader) iter.Seq2[Datagram, error] {
	return (&reader{r: bufio.NewReaderSize(r, bufferSize)}).datagrams
}

// reader is the state of an iteration.
type reader struct {
	r      *bufio.Reader
	number int    // of the line
	long   []byte // reused for lines that do not fit into the buffer of r
	json   bool   // a line was JSON, so all lines after it must be
	data   []byte // of the datagram
}

func (r *reader) datagrams(yield func(Datagram, error) bool) {
	for {
		line, end := r.line()
		if end != nil && !errors.Is(end, io.EOF) {
			yield(Datagram{}, &Error{r.number, end})
			return
		}
		if len(line) > maxLine || !isBlank(line) {
			d, err := r.parse(line)
			if err != nil {
				d, err = Datagram{}, &Error{r.number, err}
			}
			if !yield(d, err) {
				return
			}
		}
		if end != nil {
			return
		}
	}
}

// line returns the next line without white space at its end. The last line comes with [io.EOF]. For
// a line that is too long, it returns more than maxLine bytes, but not all.
func (r *reader) line() ([]byte, error) {
	r.number++
	line, err := r.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line, err = r.longLine(line)
	}
	if r.number == 1 {
		line = bytes.TrimPrefix(line, []byte(byteOrderMark))
	}
	line = bytes.TrimSuffix(line, []byte("\n"))
	if len(line) > maxLine {
		return line, err
	}
	return bytes.TrimRight(line, " \t\r"), err
}

// longLine returns the rest of a line after its beginning, or enough bytes to show that the line is
// too long.
func (r *reader) longLine(line []byte) ([]byte, error) {
	const enough = maxLine + len("\n")
	r.long = slices.Grow(r.long[:0], enough)
	for err := bufio.ErrBufferFull; ; line, err = r.r.ReadSlice('\n') {
		r.long = append(r.long, line[:min(len(line), enough-len(r.long))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return r.long, err
		}
	}
}

// isBlank reports whether a line is blank or a comment.
func isBlank(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	return len(line) == 0 || line[0] == '#'
}

// parse returns the datagram of a line.
func (r *reader) parse(line []byte) (Datagram, error) {
	if len(line) > maxLine {
		return Datagram{}, errLong
	}
	r.json = r.json || bytes.TrimLeft(line, " \t")[0] == '{'
	if r.json {
		return r.parseJSON(line)
	}
	return r.parseHexText(line)
}
