package web

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/bcwire/bcwire/examples/watch/internal/match"
)

// calls returns the handlers of the interface by their paths.
func (s *Server) calls() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"/api/info":     s.call(func(*params) (any, error) { return s.store.Info(), nil }),
		"/api/window":   s.call(s.window),
		"/api/events":   s.call(s.events),
		"/api/plot":     s.call(s.plot),
		"/api/messages": s.call(s.messages),
		"/api/message":  s.call(s.message),
		"/api/traffic":  s.call(func(*params) (any, error) { return s.store.Traffic(), nil }),
		"/api/stream":   s.stream,
		"/api/":         func(w http.ResponseWriter, _ *http.Request) { fail(w, http.StatusNotFound, "there is no such call") },
	}
}

// call returns a handler that reads parameters and writes a result as JSON.
func (s *Server) call(f func(p *params) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		values, err := url.ParseQuery(r.URL.RawQuery)
		if err != nil {
			fail(w, http.StatusBadRequest, "the parameters are malformed: "+err.Error())
			return
		}
		p := &params{values: values}
		result, err := f(p)
		if p.err != nil {
			err = p.err
		}
		if err != nil {
			fail(w, status(p, err), err.Error())
			return
		}
		write(w, r, result)
	}
}

// status returns the status for an error.
func status(p *params, err error) int {
	switch {
	case errors.Is(err, match.ErrNoLink), errors.Is(err, match.ErrNoMessage):
		return http.StatusNotFound
	case p.err != nil, errors.Is(err, match.ErrRange):
		return http.StatusBadRequest
	}
	return http.StatusServiceUnavailable
}

func (s *Server) window(p *params) (any, error) {
	link := p.link()
	from, to := p.seconds("from"), p.seconds("to")
	snapshot := p.integer("snapshot", 1, 0, 1)
	if p.err != nil {
		return nil, p.err
	}
	return s.store.Window(link, from, to, snapshot == 1)
}

// maxCount is the largest number of events in a response.
const maxCount = 1000

func (s *Server) events(p *params) (any, error) {
	link, from, count := p.link(), p.integer("from", 0, 0, maxNumber), p.integer("count", 500, 0, maxCount)
	if p.err != nil {
		return nil, p.err
	}
	events, total, err := s.store.Events(link, from, count)
	return struct {
		Total  int           `json:"total"`
		Events []match.Event `json:"events"`
	}{total, events}, err
}

func (s *Server) plot(p *params) (any, error) {
	link, key := p.link(), p.text("key")
	if p.err != nil {
		return nil, p.err
	}
	points, err := s.store.Plot(link, key)
	return struct {
		Points []match.Point `json:"points"`
	}{points}, err
}

func (s *Server) messages(p *params) (any, error) {
	q := match.Query{
		Filter: match.Filter{
			Link: p.integer("link", 0, 0, maxNumber), Dir: p.text("dir"), Names: p.text("name"), Marks: p.text("mark"),
			Player: p.integer("player", 0, 0, 127), Text: p.text("text"),
		},
		From: p.integer("from", 0, 0, maxNumber), Count: p.integer("count", 100, 0, match.MaxRows),
	}
	if p.has("at") {
		at := p.seconds("at")
		q.At = &at
	}
	if p.has("n") {
		n := p.integer("n", 0, 0, maxNumber)
		q.Number = &n
	}
	if p.err != nil {
		return nil, p.err
	}
	return s.store.Messages(q)
}

func (s *Server) message(p *params) (any, error) {
	n := p.integer("n", -1, 0, maxNumber)
	if !p.has("n") {
		p.fail("n", "give the number of a message")
	}
	if p.err != nil {
		return nil, p.err
	}
	return s.store.Message(n)
}

// fail writes an error.
func fail(w http.ResponseWriter, status int, text string) {
	b, _ := json.Marshal(struct { // a text always has a JSON form
		Error string `json:"error"`
	}{text})
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(b) // the browser may have gone
}

// minCompressed is the size in bytes from which responses are compressed.
const minCompressed = 16 << 10

// write writes a result as JSON.
func write(w http.ResponseWriter, r *http.Request, result any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(result); err != nil {
		fail(w, http.StatusInternalServerError, err.Error())
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Vary", "Accept-Encoding")
	body := b.Bytes()
	if len(body) >= minCompressed && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		body = compressed(body)
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // the browser may have gone
}

// compressed compresses quickly: the browser is on the same computer.
func compressed(body []byte) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed) // the level is valid
	_, _ = z.Write(body)                            // a buffer takes everything
	_ = z.Close()
	return b.Bytes()
}
