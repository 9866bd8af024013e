package rows

import (
	"sync/atomic"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/dump/internal/batch"
	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/match"
)

// Source turns the datagrams of an input into rows. Its matches have their own numbers, and its times and
// ships are its own. With workers, other goroutines render and write the rows of decoded datagrams.
type Source struct {
	name    string
	options Options

	// Of the goroutine that decodes.
	decoder show.Decoder         // of messages
	match   match.Match          // without messages
	seen    map[string]witnesses // by server
	ships   ids
	part    *part   // the current one
	time    float64 // of the current datagram
	number  int     // of the current datagram in the part

	// Between the goroutines. They are nil without workers.
	decoded  chan *part // in the order of the input
	rendered chan *part // whose fields are not rendered yet
	spare    chan *part
	stopped  chan struct{}
	failed   atomic.Bool

	// Of the goroutine that writes.
	sinks   sinks
	objects ids
	json    show.JSON // without workers
	err     error
}

// queuedParts is the number of parts between the goroutine that decodes and the one that writes, besides those that
// are rendered.
const queuedParts = 4

// sinks finds the tables of a match.
type sinks interface {
	of(match int32) (*sink, error)
	end(input string) error
	discard()
}

// maxSeen is the number of servers with witnesses. A capture may show a scan.
const maxSeen = 64

func newSource(name string, o Options, out sinks) *Source {
	s := &Source{name: name, options: o, sinks: out, seen: map[string]witnesses{}, part: newPart()}
	s.match = match.Match{Events: true, Classes: o.Classes}
	s.decoder = show.Decoder{Mask: !o.Passwords, Match: &s.match, Step: s.step}
	s.json.Short = true
	if workers := o.Workers; workers > 0 {
		parts := queuedParts + workers
		s.decoded, s.rendered = make(chan *part, parts), make(chan *part, parts)
		s.spare = make(chan *part, parts+1) // with the current one
		for range parts {
			s.spare <- newPart()
		}
		for range workers {
			go renderAll(s.rendered)
		}
		s.stopped = make(chan struct{})
		go s.writeAll(s.decoded)
	}
	return s
}

// renderAll renders the fields of parts until there are no more.
func renderAll(parts <-chan *part) {
	var json show.JSON
	json.Short = true
	for b := range parts {
		b.render(&json)
		b.Rendered <- struct{}{}
	}
}

// Datagram writes the rows of a copy of a datagram, which is as on the wire. An error may be that of an earlier
// datagram.
func (s *Source) Datagram(d *capture.Datagram) error {
	if s.part.Add(d); s.part.Full() {
		s.decode()
		s.pass()
	}
	if s.failed.Load() {
		return s.stop()
	}
	return nil
}

// decode decodes the datagrams of the current part.
func (s *Source) decode() {
	b := s.part
	if !s.options.Plain {
		b.Decipher()
	}
	for i := range b.Datagrams {
		d := &b.Datagrams[i]
		s.time, s.number = d.Time, i
		if s.options.has(Messages) {
			s.decoder.Follow(&b.Packets[i], d)
			continue
		}
		for step := range s.match.Receive(d.Match()) {
			s.step(step, nil)
		}
	}
}

// step adds the events and the state of a step.
func (s *Source) step(step *match.Step, _ *show.Message) {
	b, about := s.part, subjectOf(step)
	b.subjects[s.number] = append(b.subjects[s.number], about)
	b.links[s.number] = playerOf(step)
	s.events(step.Events)
	if s.options.has(States) && isUpdate(step) && s.witnesses(step.Link.Server).counts(step) {
		b.states = append(b.states, State{Source: s.name, Match: about.match, Time: s.time})
		b.states[len(b.states)-1].set(step.Ship, step.Sender, &s.ships)
	}
}

func (s *Source) events(all []match.Event) {
	if !s.options.has(Events) {
		return
	}
	for i := range all {
		e := EventOf(&all[i])
		e.Source = s.name
		s.part.events = append(s.part.events, e)
	}
}

// pass passes the current part on, and begins another one.
func (s *Source) pass() {
	renders := s.options.has(Messages) && !s.options.NoFields
	switch {
	case s.decoded == nil:
		if renders {
			s.part.render(&s.json)
		}
		s.write(s.part)
		return
	case renders:
		s.rendered <- s.part
	default:
		s.part.Rendered <- struct{}{}
	}
	s.decoded <- s.part
	s.part = <-s.spare
}

// stop waits until the passed parts are written.
func (s *Source) stop() error {
	if s.decoded != nil {
		close(s.rendered)
		close(s.decoded)
		<-s.stopped
		s.decoded = nil
	}
	return s.err
}

// writeAll writes parts until there are no more.
func (s *Source) writeAll(decoded <-chan *part) {
	defer close(s.stopped)
	for b := range decoded {
		<-b.Rendered
		s.write(b)
		s.spare <- b
	}
}

// write writes the rows of a part. After an error it writes nothing.
func (s *Source) write(b *part) {
	for i := range b.events {
		if out := s.sink(b.events[i].Match); out != nil {
			s.err = out.events.add(b.events[i])
		}
	}
	for i := range b.states {
		if out := s.sink(b.states[i].Match); out != nil {
			s.err = out.states.add(b.states[i])
		}
	}
	if s.options.has(Messages) {
		message := 0 // in the part
		for i := range b.Datagrams {
			s.messages(b, i, message)
			message += len(b.Packets[i].Messages)
		}
	}
	s.failed.Store(s.err != nil)
	b.reset()
}

// sink returns the tables of a match, or nil after an error.
func (s *Source) sink(match int32) (out *sink) {
	if s.err == nil {
		out, s.err = s.sinks.of(match)
	}
	return out
}

func (s *Source) witnesses(server string) witnesses {
	w := s.seen[server]
	if w == nil {
		if len(s.seen) >= maxSeen {
			clear(s.seen)
		}
		w = witnesses{}
		s.seen[server] = w
	}
	return w
}

// messages writes the messages of a datagram of a part, given the number of the messages before it. A datagram
// without messages has a row.
func (s *Source) messages(b *part, datagram, message int) {
	p, subjects := &b.Packets[datagram], b.subjects[datagram]
	about := subject{}
	for i, m := range p.Messages {
		if about = (subject{match: about.match}); i < len(subjects) {
			about = subjects[i]
		}
		out := s.sink(about.match)
		if out == nil {
			return
		}
		r := Message{Source: s.name, Link: valid(b.links[datagram])}
		r.set(p, m, &s.objects)
		about.set(&r, &s.objects)
		if !s.options.NoFields {
			r.Fields = out.messages.keep(b.fields(message + i))
			if r.Note == "" && r.Error == "" {
				r.Bytes = nil // the fields are all of it
			}
		}
		r.Bytes = out.messages.keep(r.Bytes)
		s.err = out.messages.add(r)
	}
}

// End completes the rows of the input. The text describes the input and how it is read, so that a later run
// can skip it; it is empty if a later run must not, because a part of the input is malformed.
func (s *Source) End(input string) error {
	s.decode()
	s.events(s.match.Flush())
	s.pass()
	if err := s.stop(); err != nil {
		s.sinks.discard()
		return err
	}
	return s.sinks.end(input)
}

// Discard removes the rows of an input that is not complete.
func (s *Source) Discard() {
	_ = s.stop() // the caller has the error
	s.sinks.discard()
}

// part is a part of an input on its way to the tables. It has packets if there is a table of messages. Their text is
// the fields of their messages.
type part struct {
	batch.Batch
	subjects [][]subject // by datagram: of its messages
	links    []string    // by datagram: the player of its link
	ends     []int       // of the fields in the text, by message
	events   []Event
	states   []State
}

func newPart() *part {
	b := batch.New()
	return &part{Batch: b, subjects: make([][]subject, len(b.Packets)), links: make([]string, len(b.Packets))}
}

// render appends the fields of all messages.
func (b *part) render(json *show.JSON) {
	for i := range b.Datagrams {
		for _, m := range b.Packets[i].Messages {
			b.Text = json.AppendFields(b.Text, m)
			b.ends = append(b.ends, len(b.Text))
		}
	}
}

// fields returns the fields of a message, given the number of the messages before it.
func (b *part) fields(message int) []byte {
	begin := 0
	if message > 0 {
		begin = b.ends[message-1]
	}
	return b.Text[begin:b.ends[message]]
}

// reset prepares a part for the next part of the input.
func (b *part) reset() {
	b.Reset()
	for i := range b.subjects {
		if b.Packets[i].Messages == nil { // the packet had many
			b.subjects[i] = nil
		}
		b.subjects[i], b.links[i] = b.subjects[i][:0], ""
	}
	b.ends, b.events, b.states = b.ends[:0], b.events[:0], b.states[:0]
}
