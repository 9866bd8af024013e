// Package calls answers the requests of the page from a match. A server passes requests of HTTP on, and
// a worker of the browser passes those of its page on.
//
// All answers are JSON:
//
//	info      the match and its links
//	window    the world of a link during a time
//	events    kills, chat, players who join and leave
//	plot      the condition of a ship over time
//	messages  the list of messages, filtered
//	message   a message with all its fields and bytes
//	traffic   datagrams and bytes over time
//	reports   the matches that have a report
//	report    the report of a match
//	table     a table of a report as comma-separated values
package calls

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/url"

	"github.com/bcwire/bcwire/examples/watch/internal/report"
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

// calls are the calls by their names.
var calls = map[string]func(*call) (any, error){
	"info":     func(c *call) (any, error) { return c.store.Info(), nil },
	"window":   (*call).window,
	"events":   (*call).events,
	"plot":     (*call).plot,
	"messages": (*call).messages,
	"message":  (*call).message,
	"traffic":  func(c *call) (any, error) { return c.store.Traffic(), nil },
	"reports":  (*call).reports,
	"report":   (*call).report,
	"table":    (*call).table,
}

var (
	errNoCall  = errors.New("there is no such call")
	errNoTable = errors.New("there is no such table")
)

// Answer returns the answer of a call: its status and its JSON.
func Answer(store *timeline.Store, name, query string) (status int, body []byte) {
	do := calls[name]
	if do == nil {
		return notFound, fail(errNoCall)
	}
	c, err := parse(store, query)
	if err != nil {
		return badRequest, fail(err)
	}
	result, err := do(c)
	if err == nil {
		err = c.err
	}
	if err != nil {
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

// Subscribe begins a stream of a live match. Without one, it returns the status and the JSON of the
// error.
func Subscribe(store *timeline.Store, query string) (x *timeline.Stream, status int, body []byte) {
	c, err := parse(store, query)
	if err != nil {
		return nil, badRequest, fail(err)
	}
	link := c.link()
	var from *float64
	if c.has("from") {
		t := c.seconds("from")
		from = &t
	}
	if err = c.err; err == nil {
		x, err = store.Subscribe(link, from)
	}
	if err != nil {
		return nil, c.status(err), fail(err)
	}
	return x, OK, nil
}

func parse(store *timeline.Store, query string) (*call, error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, errors.New("the parameters are malformed: " + err.Error())
	}
	return &call{params{values: values}, store}, nil
}

// status returns the status for an error.
func (c *call) status(err error) int {
	switch {
	case errors.Is(err, timeline.ErrNoLink), errors.Is(err, timeline.ErrNoMessage), errors.Is(err, timeline.ErrNoMatch), errors.Is(err, errNoTable):
		return notFound
	case c.err != nil, errors.Is(err, timeline.ErrRange):
		return badRequest
	}
	return unavailable
}

func (c *call) window() (any, error) {
	link := c.link()
	from, to := c.seconds("from"), c.seconds("to")
	snapshot := c.integer("snapshot", 1, 0, 1)
	if c.err != nil {
		return nil, c.err
	}
	return c.store.Window(link, from, to, snapshot == 1)
}

// maxCount is the largest number of events in a response.
const maxCount = 1000

func (c *call) events() (any, error) {
	link, from, count := c.link(), c.integer("from", 0, 0, maxNumber), c.integer("count", 500, 0, maxCount)
	if c.err != nil {
		return nil, c.err
	}
	events, total, err := c.store.Events(link, from, count)
	return struct {
		Total  int              `json:"total"`
		Events []timeline.Event `json:"events"`
	}{total, events}, err
}

func (c *call) plot() (any, error) {
	link, key := c.link(), c.text("key")
	if c.err != nil {
		return nil, c.err
	}
	points, err := c.store.Plot(link, key)
	return struct {
		Points []timeline.Point `json:"points"`
	}{points}, err
}

func (c *call) messages() (any, error) {
	q := timeline.Query{
		Filter: timeline.Filter{
			Link: c.integer("link", 0, 0, maxNumber), Dir: c.text("dir"), Names: c.text("name"), Marks: c.text("mark"),
			Player: c.integer("player", 0, 0, 127), Text: c.text("text"),
		},
		From: c.integer("from", 0, 0, maxNumber), Count: c.integer("count", 100, 0, timeline.MaxRows),
	}
	if c.has("at") {
		at := c.seconds("at")
		q.At = &at
	}
	if c.has("n") {
		n := c.integer("n", 0, 0, maxNumber)
		q.Number = &n
	}
	if c.err != nil {
		return nil, c.err
	}
	return c.store.Messages(q)
}

func (c *call) message() (any, error) {
	n := c.integer("n", -1, 0, maxNumber)
	if !c.has("n") {
		c.fail("n", "give the number of a message")
	}
	if c.err != nil {
		return nil, c.err
	}
	return c.store.Message(n)
}

func (c *call) reports() (any, error) {
	all, dropped := c.store.Reports()
	return struct {
		Matches []report.Summary `json:"matches"`
		Dropped int              `json:"dropped"`
	}{all, dropped}, nil
}

func (c *call) report() (any, error) {
	number := c.integer("match", 0, 0, maxNumber)
	if c.err != nil {
		return nil, c.err
	}
	return c.store.Report(number)
}

func (c *call) table() (any, error) {
	number, name := c.integer("match", 0, 0, maxNumber), c.text("name")
	if c.err != nil {
		return nil, c.err
	}
	r, err := c.store.Report(number)
	if err != nil {
		return nil, err
	}
	text := r.CSV(name)
	if text == "" {
		return nil, errNoTable
	}
	return struct {
		Text string `json:"text"`
	}{text}, nil
}

// fail returns the JSON of an error.
func fail(err error) []byte {
	b, _ := json.Marshal(struct { // a text always has a JSON form
		Error string `json:"error"`
	}{err.Error()})
	return b
}
