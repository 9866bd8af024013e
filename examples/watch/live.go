package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/internal/relay"
	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/examples/watch/internal/timeline"
)

// Limits of a live match.
const (
	maxMessages = 1_000_000
	maxBytes    = 512 << 20 // of the temporary files
	maxClients  = 64
	idleTime    = time.Minute
	maxQueue    = 4096 // datagrams that wait to be decoded
)

// live relays a match and adds its datagrams to a store.
type live struct {
	relay   *relay.Relay
	store   *timeline.Store
	queue   chan *show.Datagram
	skipped int
}

// openLive opens the sockets and the recording.
func (o *options) openLive(store *timeline.Store, stderr io.Writer) (*live, error) {
	r, err := relay.Open(relay.Options{Name: "watch", Listen: o.listen, Server: o.server, Clients: maxClients, Idle: idleTime, Plain: o.plain, Log: stderr})
	if err != nil {
		return nil, err
	}
	if o.record != "" {
		if r.Record, err = capture.NewRecorder(o.record, o.recordLimit, r.Began(), r.Server()); err != nil {
			return nil, errors.Join(fmt.Errorf("-record: %w", err), r.Close())
		}
	}
	l := &live{relay: r, store: store, queue: make(chan *show.Datagram, maxQueue)}
	r.Show, r.Hold = l.show, true
	fmt.Fprintf(stderr, "watch: %v -> %v\n", r.Addr(), r.Server())
	return l, nil
}

// show queues a datagram, so that decoding does not delay the players.
func (l *live) show(d *show.Datagram) {
	select {
	case l.queue <- d:
	default:
		if l.skipped++; l.skipped == 1 {
			// The store may be busy, and the relay must not wait.
			go l.store.Problem(errors.New("this computer is too slow: some datagrams of the match are missing"))
		}
	}
}

// tick advances the time of the store, by which the page tells how old its picture is.
func (l *live) tick(ended <-chan struct{}) {
	ticker := time.NewTicker(time.Second / 4)
	defer ticker.Stop()
	for {
		select {
		case now := <-ticker.C:
			l.store.Tick(now.Sub(l.relay.Began()).Seconds())
		case <-ended:
			return
		}
	}
}

// run relays until the context ends.
func (l *live) run(ctx context.Context) error {
	var decoder sync.WaitGroup
	decoder.Go(func() {
		for d := range l.queue {
			_ = l.store.Add(d) // the page shows the error
		}
	})
	ended := make(chan struct{})
	decoder.Go(func() { l.tick(ended) })
	err := l.relay.Run(ctx)
	close(ended)
	close(l.queue)
	decoder.Wait()
	l.store.Finish()
	more := ""
	if l.skipped > 0 {
		more = fmt.Sprintf(", %d not shown", l.skipped)
	}
	l.relay.Summary(more)
	if l.relay.Record != nil {
		err = errors.Join(err, l.relay.Record.Close())
	}
	return err
}
