package capture

import (
	"io"
	"iter"
	"strings"

	"github.com/bcwire/bcwire/match"
)

// Read goes through a capture or a recording, step by step. It recognises the format by the content,
// deciphers the datagrams, and passes them to m, which may be nil. The name of a client is its number in
// a recording, or its address. The step is nil exactly if there is an error. After a malformed line, Read
// continues. The Notes of a [Reader] tell what else was not read.
//
// Like the last step of [match.Read], the last step may have only Events: joins and leaves that were
// waiting.
func Read(r io.Reader, m *match.Match) iter.Seq2[*match.Step, error] {
	if m == nil {
		m = new(match.Match)
	}
	return func(yield func(*match.Step, error) bool) {
		for d, err := range NewReader(r).Datagrams() {
			if err != nil {
				if !yield(nil, err) {
					return
				}
				continue
			}
			d.Decipher()
			for step := range m.Receive(d.Match()) {
				if !yield(step, nil) {
					return
				}
			}
		}
		for step := range match.Read(strings.NewReader(""), m) { // the end of an input
			yield(step, nil)
		}
	}
}
