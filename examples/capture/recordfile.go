package capture

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// ErrLimit means that a [Recorder] has reached its limit.
var ErrLimit = errors.New("the recording has reached its limit")

// recordFile is the file of a recording. It consists of whole records, also at its limit and after a
// failed write.
type recordFile struct {
	w       io.Writer
	limit   Size // 0: none
	written int64
	pending bytes.Buffer // records to be written, and at its end what belongs to an incomplete one
	ends    []int        // of the records in pending
	err     error        // the first one
}

// maxPending is the number of bytes from which records are written.
const maxPending = 64 << 10

// complete ends a record. At the limit, it drops the record.
func (f *recordFile) complete() {
	n := f.pending.Len()
	switch {
	case f.err != nil:
		f.pending.Reset()
	case f.limit > 0 && f.written+int64(n) > int64(f.limit):
		f.pending.Truncate(f.last())
		f.fail(f.flush())
		f.fail(fmt.Errorf("%w of %v and ends", ErrLimit, f.limit))
	default:
		f.ends = append(f.ends, n)
		if n >= maxPending {
			f.fail(f.flush())
		}
	}
}

// last returns the end of the last record in pending.
func (f *recordFile) last() int {
	if len(f.ends) == 0 {
		return 0
	}
	return f.ends[len(f.ends)-1]
}

func (f *recordFile) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

// flush writes the records and returns the first error. After a failed write, it cuts off an
// incomplete record.
func (f *recordFile) flush() error {
	if f.err != nil || f.pending.Len() == 0 {
		return f.err
	}
	n, err := f.w.Write(f.pending.Bytes())
	if err != nil {
		whole := 0
		for _, end := range f.ends {
			if end <= n {
				whole = end
			}
		}
		if t, ok := f.w.(interface{ Truncate(size int64) error }); ok && whole < n {
			_ = t.Truncate(f.written + int64(whole)) // a pipe cannot, and the first error tells more
		}
		n = whole
	}
	f.written += int64(n)
	f.pending.Reset()
	f.ends = f.ends[:0]
	f.fail(err)
	return f.err
}

// Size is the value of a flag: a number of bytes, such as 500M or 2G.
type Size int64

// DefaultLimit is the limit of a recording: some hours of a full server.
const DefaultLimit Size = 1 << 30

const units = "KMGT"

// Set implements [flag.Value].
func (s *Size) Set(text string) error {
	number := strings.TrimSuffix(strings.TrimSuffix(strings.ToUpper(text), "B"), "I")
	factor := int64(1)
	for i, unit := range units {
		if digits, ok := strings.CutSuffix(number, string(unit)); ok {
			number, factor = digits, 1<<(10*(i+1))
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/factor {
		return errors.New("give a number of bytes, such as 500M or 2G; 0 is no limit")
	}
	*s = Size(n * factor)
	return nil
}

// String implements [flag.Value].
func (s Size) String() string {
	n, unit := int64(s), ""
	for i := 0; i < len(units) && n > 0 && n%1024 == 0; i++ {
		n, unit = n/1024, units[i:i+1]
	}
	return strconv.FormatInt(n, 10) + unit
}
