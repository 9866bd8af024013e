package web

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/bcwire/bcwire/examples/watch/internal/match"
)

// Times of streams.
const (
	deliverInterval = 150 * time.Millisecond
	keepAlive       = 10 * time.Second
	frameTimeout    = 5 * time.Second // for a frame that the reader does not read
	retryTime       = 1000            // milliseconds after which the browser connects again
)

// deliver sends changes to the streams until the context ends.
func (s *Server) deliver(ctx context.Context) {
	ticker := time.NewTicker(deliverInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			s.store.Deliver()
		}
	}
}

// stream writes the changes of a link until the reader goes away or is too slow.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		fail(w, http.StatusBadRequest, "the parameters are malformed: "+err.Error())
		return
	}
	p := &params{values: values}
	link := p.link()
	var from *float64
	if p.has("from") {
		t := p.seconds("from")
		from = &t
	}
	err = p.err
	var x *match.Stream
	if err == nil {
		client, _, _ := net.SplitHostPort(r.RemoteAddr) // which the server has set
		x, err = s.store.Subscribe(client, link, from)
	}
	if err != nil {
		fail(w, status(p, err), err.Error())
		return
	}
	defer s.store.Unsubscribe(x)
	w.Header().Set("Content-Type", "text/event-stream")
	out := &eventWriter{w: w, control: http.NewResponseController(w)}
	out.write("retry: %d\n\n", retryTime)
	for r.Method == http.MethodGet && out.err == nil {
		select {
		case <-r.Context().Done():
			return
		case f, ok := <-x.Frames:
			if !ok {
				return
			}
			out.write("event: %s\ndata: %s\n\n", f.Name, f.Data)
		case <-time.After(keepAlive):
			out.write(": nothing has changed\n\n")
		}
	}
}

// eventWriter writes server-sent events. After an error it writes nothing.
type eventWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	err     error
}

func (e *eventWriter) write(format string, args ...any) {
	if e.err == nil {
		e.err = e.control.SetWriteDeadline(time.Now().Add(frameTimeout))
	}
	if e.err == nil {
		_, e.err = fmt.Fprintf(e.w, format, args...)
	}
	if e.err == nil {
		e.err = e.control.Flush()
	}
}
