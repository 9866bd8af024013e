package input

import (
	"errors"
	"fmt"
	"iter"

	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/transport/recording"
)

// text iterates over the datagrams of JSON lines or hex text. The next iteration overwrites
// their bytes.
func (in *Input) text() iter.Seq2[*show.Datagram, error] {
	return func(yield func(*show.Datagram, error) bool) {
		packets := 0
		for d, err := range recording.Read(in.r) {
			if !errors.Is(err, recording.ErrTooLong) {
				packets++
			}
			dg := show.Recorded(packets, d)
			if line, ok := errors.AsType[*recording.Error](err); ok {
				dg, err = nil, fmt.Errorf(":%d: %w", line.Line, line.Err)
			}
			if !yield(dg, err) {
				return
			}
		}
	}
}
