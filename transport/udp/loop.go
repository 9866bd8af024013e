package udp

import (
	"context"
	"net"
	"slices"
	"sync"
)

// endedError means that Serve has returned, so a [Loop] runs nothing.
type endedError struct{}

func (endedError) Error() string { return "udp: the server has ended" }
func (endedError) Unwrap() error { return net.ErrClosed }

// Loop runs functions on the goroutine of [Serve], where they may use the Hub and its sessions.
// [Handler].Loop connects it with one server at a time. The zero value is ready to use. It is safe
// for concurrent use.
type Loop struct {
	mu    sync.Mutex
	queue []*call
	wake  func() // nil before Serve
	ended bool
}

// call is a function that waits to run.
type call struct {
	f    func()
	done chan struct{}
	err  error
}

// Do runs f on the goroutine of [Serve], waits until f has returned, and returns nil. Before Serve
// begins, Do waits. If the context ends before f runs, Do returns the error of the context. If
// Serve ends before f runs, or if f panics, Do returns an error wrapping [net.ErrClosed].
//
// Do must not be called by f or by a function of the Handler: it would wait for itself. Calls in
// quick succession can take a millisecond each, because Serve reads datagrams between them.
func (l *Loop) Do(ctx context.Context, f func()) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c := &call{f: f, done: make(chan struct{})}
	l.mu.Lock()
	if l.ended {
		l.mu.Unlock()
		return endedError{}
	}
	l.queue = append(l.queue, c)
	wake := l.wake
	l.mu.Unlock()
	if wake != nil {
		wake()
	}
	select {
	case <-c.done:
		return c.err
	case <-ctx.Done():
	}
	if l.remove(c) {
		return ctx.Err()
	}
	<-c.done // it is running
	return c.err
}

// remove removes a call that has not begun. It reports whether it has removed the call.
func (l *Loop) remove(c *call) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.queue, c)
	if i >= 0 {
		l.queue = slices.Delete(l.queue, i, i+1)
	}
	return i >= 0
}

// begin connects the Loop with a server.
func (l *Loop) begin(wake func()) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wake, l.ended = wake, false
	if len(l.queue) > 0 {
		wake()
	}
}

// run runs the waiting calls. It leaves calls that are added meanwhile to the next run, so that the
// server also serves its clients.
func (l *Loop) run() {
	for n := l.len(); n > 0; n-- {
		if c := l.next(); c != nil { // nil: the context has ended
			c.run()
		}
	}
}

// len returns the number of calls that wait. A nil Loop has none.
func (l *Loop) len() int {
	if l == nil {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.queue)
}

func (l *Loop) next() (c *call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) > 0 {
		c = l.queue[0]
		l.queue = slices.Delete(l.queue, 0, 1)
	}
	return c
}

func (c *call) run() {
	c.err = endedError{} // if f panics
	defer close(c.done)
	c.f()
	c.err = nil
}

// end ends all waiting calls.
func (l *Loop) end() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.queue {
		c.err = endedError{}
		close(c.done)
	}
	l.queue, l.wake, l.ended = nil, nil, true
}
