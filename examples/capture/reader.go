package capture

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/bcwire/bcwire/transport/recording"
)

// Reader reads the datagrams of a capture or a recording.
type Reader struct {
	name string // for errors; "" for none
	r    *bufio.Reader
	*state
	port    uint16 // packets of captures without this port are skipped; 0 is any port
	skipped int    // packets skipped for their port
	plain   bool   // the datagrams are not enciphered
	every   bool   // datagrams of captures are passed on as they are
	foreign strangers
	told    bool // of the foreign datagrams
	numbers int  // of packets so far
	notes   notes
	close   func() error
}

// state is common to the readers of an Opener.
type state struct {
	clock   clock
	locator Locator
	flows   flows
}

// NewReader returns a Reader of r. It buffers input.
func NewReader(r io.Reader) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, bufferSize), state: new(state), close: func() error { return nil }}
}

// Close closes the file that an [Opener] has opened. It must be called after the iteration.
func (in *Reader) Close() error { return in.close() }

// Errors of a whole input.
var (
	ErrEmpty  = errors.New("no datagrams")
	ErrFormat = errors.New("unknown format: neither pcap, pcapng, JSON lines nor hex text, packed or not; " +
		"unpack other archives first, and save other captures as pcapng with Wireshark")
)

// Datagrams iterates over the datagrams. The next iteration may overwrite a datagram. The errors have the place, and
// the name of the file. After a malformed line, Datagrams continues with the next line, and after an error in a file of
// an archive with the next file. Other errors end the iteration.
func (in *Reader) Datagrams() iter.Seq2[*Datagram, error] {
	return func(yield func(*Datagram, error) bool) {
		found := false
		pass := func(d *Datagram) bool {
			found = true
			return yield(d, nil)
		}
		for d, err := range in.recognise(in.r, 0) {
			var more bool
			switch {
			case err != nil:
				found = true
				more = yield(nil, in.located(err))
			case in.every || d.Src.Port()|d.Dst.Port() == 0: // recordings have no ports
				in.locator.Locate(d)
				more = pass(d)
			default:
				in.locator.Locate(d)
				more = in.pass(d, pass)
			}
			if !more {
				return
			}
		}
		for _, x := range in.flows.all {
			in.drop(x)
		}
		if !found {
			yield(nil, in.located(in.empty()))
		}
	}
}

// Notes returns what people should know about the input after the iteration, a line each: packets that were not read,
// and what was corrected. An example is "545 packets of link type 220 (USB) not read; the first is number 1".
func (in *Reader) Notes() []string {
	all := in.notes.texts()
	if in.foreign.count > 0 && !in.told {
		all = append(all, in.foreign.String())
	}
	for i := range all {
		if in.name != "" {
			all[i] = in.name + ": " + all[i]
		}
	}
	return all
}

// located returns an error with the name of the file, or of the package.
func (in *Reader) located(err error) error {
	line, ok := err.(*recording.Error)
	switch {
	case ok && in.name == "":
		return err // it has the name of package recording
	case ok:
		return fmt.Errorf("%s:%d: %w", in.name, line.Line, line.Err)
	case in.name == "":
		return fmt.Errorf("capture: %w", err)
	}
	return fmt.Errorf("%s: %w", in.name, err)
}

// empty returns the error of an input without datagrams of the game.
func (in *Reader) empty() error {
	err := ErrEmpty
	switch f := &in.foreign; {
	case f.count == 0:
	case 2*f.other > f.count:
		err, in.told = fmt.Errorf("%w: %s", ErrCipher, f), true
	default:
		err, in.told = fmt.Errorf("%w: %s", ErrNotGame, f), true
	}
	if in.skipped > 0 {
		return fmt.Errorf("%w with port %d; without -port there are %d", err, in.port, in.skipped)
	}
	return err
}

// recognise returns the iterator for the format of an input that is inside a number of others.
func (in *Reader) recognise(r *bufio.Reader, depth int) iter.Seq2[*Datagram, error] {
	head, err := r.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return failWith(err)
	}
	if all := in.unpack(r, string(head), depth); all != nil {
		return all
	}
	if isPcapng(head) || isPcap(head) {
		return in.captures(r)
	}
	// Only buffered bytes: waiting for more would delay the first datagrams of a pipe.
	head, _ = r.Peek(r.Buffered())
	if isBinary(head) {
		return failWith(ErrFormat)
	}
	return in.text(r)
}

func failWith(err error) iter.Seq2[*Datagram, error] {
	return func(yield func(*Datagram, error) bool) { yield(nil, err) }
}

// isBinary reports whether head has control characters that do not occur in text.
func isBinary(head []byte) bool {
	return bytes.ContainsFunc(head, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\n' && r != '\r'
	})
}
