package web

import (
	"fmt"
	"net/http"
	"time"

	"github.com/bcwire/bcwire/examples/watch/internal/calls"
)

// Times of streams.
const (
	frameInterval = 150 * time.Millisecond
	keepAlive     = 10 * time.Second
	frameTimeout  = 5 * time.Second // for a frame that the reader does not read
	retryTime     = 1000            // milliseconds after which the browser connects again
)

// stream writes the changes of a link until the reader goes away or is too slow.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) {
	x, status, body := calls.Subscribe(s.store, r.URL.RawQuery)
	if x == nil {
		write(w, r, status, body)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(w)
	write := func(format string, args ...any) (ok bool) {
		if control.SetWriteDeadline(time.Now().Add(frameTimeout)) != nil {
			return false
		}
		_, err := fmt.Fprintf(w, format, args...)
		return err == nil && control.Flush() == nil
	}
	ok := write("retry: %d\n\n", retryTime)
	ticker := time.NewTicker(frameInterval)
	defer ticker.Stop()
	for last := time.Now(); ok && r.Method == http.MethodGet; {
		select {
		case <-r.Context().Done():
			return
		case <-ticker.C:
		}
		frames, err := s.store.Next(x)
		if err != nil {
			return // the page begins another one
		}
		for _, f := range frames {
			ok = ok && write("event: %s\ndata: %s\n\n", f.Name, f.Data)
			last = time.Now()
		}
		if time.Since(last) >= keepAlive {
			ok = write(": nothing has changed\n\n")
			last = time.Now()
		}
	}
}
