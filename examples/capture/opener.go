package capture

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
)

// bufferSize is the size of the buffer of an input.
const bufferSize = 64 << 10

// Opener opens inputs. Times of several captures are relative to the first packet of the first
// one. The zero value is ready to use.
type Opener struct {
	Port     uint16    // packets of captures without this port are skipped; 0 is any port
	Stdin    io.Reader // for the name "-"
	Progress io.Writer // receives the bytes that are read, unless nil
	Idle     func()    // is called before a wait for input, unless nil

	state state
}

// Open opens a file, or standard input if the name is "-". The end of the context ends a wait for
// input.
func (o *Opener) Open(ctx context.Context, name string) (*Input, error) {
	if name == "-" {
		return o.Read(ctx, "stdin", o.Stdin), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s: is a directory, not a file", name)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	in := o.Read(ctx, name, f)
	stop := in.close
	in.close = func() error {
		_ = stop()
		return f.Close()
	}
	return in, nil
}

// Read returns the input that r has. The name is for errors.
func (o *Opener) Read(ctx context.Context, name string, r io.Reader) *Input {
	if o.Progress != nil {
		r = io.TeeReader(r, o.Progress)
	}
	ctx, cancel := context.WithCancel(ctx)
	return &Input{
		name:  name,
		r:     bufio.NewReaderSize(newReadAhead(ctx, r, o.idle), bufferSize),
		state: &o.state,
		port:  o.Port,
		close: func() error {
			cancel()
			return nil
		},
	}
}

func (o *Opener) idle() {
	if o.Idle != nil {
		o.Idle()
	}
}
