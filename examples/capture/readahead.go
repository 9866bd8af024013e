package capture

import (
	"context"
	"io"
)

// readAhead reads ahead in a goroutine, so that an interrupt can end a wait for a pipe or a
// terminal. It calls idle before it waits, to flush the output.
type readAhead struct {
	ctx    context.Context
	chunks chan chunk
	idle   func()
	chunk
}

// chunk is the result of one read.
type chunk struct {
	data []byte
	err  error
}

func newReadAhead(ctx context.Context, r io.Reader, idle func()) *readAhead {
	p := &readAhead{ctx: ctx, chunks: make(chan chunk, 2), idle: idle}
	go p.fill(r)
	return p
}

// fill ends with the reader or with the context. A read that does not return blocks it until
// the program exits.
func (p *readAhead) fill(r io.Reader) {
	for {
		buf := make([]byte, 64<<10)
		n, err := r.Read(buf)
		select {
		case p.chunks <- chunk{buf[:n], err}:
		case <-p.ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// Read implements [io.Reader].
func (p *readAhead) Read(b []byte) (int, error) {
	for len(p.data) == 0 && p.err == nil {
		if err := p.next(); err != nil {
			return 0, err
		}
	}
	n := copy(b, p.data)
	p.data = p.data[n:]
	if n > 0 {
		return n, nil
	}
	return 0, p.err
}

// next receives the next chunk, and waits if none is ready.
func (p *readAhead) next() error {
	select {
	case p.chunk = <-p.chunks:
		return nil
	default:
	}
	p.idle()
	select {
	case p.chunk = <-p.chunks:
		return nil
	case <-p.ctx.Done():
		return context.Cause(p.ctx)
	}
}
