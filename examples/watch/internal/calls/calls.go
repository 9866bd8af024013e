// Package calls answers the requests of the page from a match. A server passes requests of HTTP on, and
// a worker of the browser passes those of its page on.
//
// All answers are JSON:
//
//	info      the match and its links
//	window    the world of a link during a time; without the time to, until the end of the match
//	events    kills, chat, players who join and leave
//	plot      the condition of a ship over time
//	ships     the shields and hulls of all ships over time
//	messages  the list of messages, filtered
//	message   a message with all its fields and bytes
//	traffic   datagrams and bytes over time
//	reports   the matches that have a report
//	report    the report of a match as HTML, its time, and the names of its players
//	table     a table of a report as comma-separated values
package calls

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/bcwire/bcwire/examples/watch/internal/timeline"
)

// Statuses of answers, as in HTTP.
const (
	OK          = 200
	badRequest  = 400
	notFound    = 404
	unavailable = 503
)

// call is a request of a match.
type call struct {
	params
	store *timeline.Store
}

// calls are the calls by their names. If a parameter is wrong, their results are not used.
var calls = map[string]func(*call) (any, error){
	"info":     func(c *call) (any, error) { return c.store.Info(), nil },
	"window":   (*call).window,
	"events":   (*call).events,
	"plot":     (*call).plot,
	"ships":    func(c *call) (any, error) { return c.store.Conditions(c.link()) },
	"messages": (*call).messages,
	"message":  (*call).message,
	"traffic":  func(c *call) (any, error) { return c.store.Traffic(), nil },
	"reports":  (*call).reports,
	"report":   (*call).report,
	"table":    (*call).table,
}

// Answer returns the answer of a call: its status and its JSON.
func Answer(store *timeline.Store, name, query string) (status int, body []byte) {
	do := calls[name]
	if do == nil {
		return notFound, fail(fmt.Errorf("%w such call", timeline.ErrNotFound))
	}
	c := &call{parse(query), store}
	result, err := do(c)
	if err = cmp.Or(c.err, err); err != nil {
		return c.status(err), fail(err)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(result); err != nil {
		return unavailable, fail(err)
	}
	return OK, b.Bytes()
}

// status returns the status for an error.
func (c *call) status(err error) int {
	switch {
	case c.err != nil, errors.Is(err, timeline.ErrRange):
		return badRequest
	case errors.Is(err, timeline.ErrNotFound):
		return notFound
	}
	return unavailable
}

func (c *call) window() (any, error) {
	end := math.Inf(1) // of the match
	return c.store.Window(c.link(), c.seconds("from", end), c.seconds("to", end), c.integer("snapshot", 1, 0, 1) == 1)
}

// maxCount is the largest number of events in a response.
const maxCount = 1000

func (c *call) events() (any, error) {
	from, count := c.integer("from", 0, 0, maxNumber), c.integer("count", 500, 0, maxCount)
	events, total, err := c.store.Events(c.link(), from, count)
	return map[string]any{"total": total, "events": events}, err
}

func (c *call) plot() (any, error) {
	points, err := c.store.Plot(c.link(), c.text("key"))
	return map[string]any{"points": points}, err
}

func (c *call) messages() (any, error) {
	q := timeline.Query{
		Filter: timeline.Filter{
			Link: c.integer("link", 0, 0, maxNumber), Dir: c.text("dir"), Names: c.text("name"), Marks: c.text("mark"), Text: c.text("text"),
		},
		From:  c.integer("from", 0, 0, maxNumber),
		Count: c.integer("count", 100, 0, timeline.MaxRows),
	}
	if c.has("at") {
		q.At = new(c.seconds("at", 0))
	}
	if c.has("n") {
		q.Number = new(c.integer("n", 0, 0, maxNumber))
	}
	if c.err != nil {
		return nil, c.err // a search takes long
	}
	return c.store.Messages(q)
}

func (c *call) message() (any, error) {
	return c.store.Message(c.required("n", "message", 0))
}

func (c *call) reports() (any, error) {
	all, dropped := c.store.Reports()
	return map[string]any{"matches": all, "dropped": dropped}, nil
}

// match returns the number of a match that has a report.
func (c *call) match() int { return c.integer("match", 0, 0, maxNumber) }

func (c *call) report() (any, error) {
	r, err := c.store.Report(c.match())
	if err != nil {
		return nil, err
	}
	return map[string]any{"match": r.Match, "start": r.Start, "end": r.End, "players": r.Names(), "html": r.HTML(true)}, nil
}

func (c *call) table() (any, error) {
	r, err := c.store.Report(c.match())
	if err != nil {
		return nil, err
	}
	text := r.CSV(c.text("name"))
	if text == "" {
		return nil, fmt.Errorf("%w such table", timeline.ErrNotFound)
	}
	return map[string]any{"text": text}, nil
}

// fail returns the JSON of an error.
func fail(err error) []byte {
	b, _ := json.Marshal(map[string]string{"error": err.Error()}) // a text always has a JSON form
	return b
}
