package rows

import (
	"sync/atomic"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/match"
)

// Source turns the datagrams of an input into rows. Its matches have their own numbers, and its times and
// ships are its own. With workers, another goroutine writes the rows of decoded datagrams.
type Source struct {
	name    string
	options Options

	// Of the goroutine that decodes.
	decoder show.Decoder         // of messages
	match   match.Match          // without messages
	seen    map[string]witnesses // by server
	ships   ids
	batch   *batch  // the current one
	time    float64 // of the current datagram
	number  int     // of the current datagram in the batch

	// Between both. They are nil without workers.
	decoded chan *batch
	spare   chan *batch
	stopped chan struct{}
	failed  atomic.Bool

	// Of the goroutine that writes.
	sinks   sinks
	objects ids
	json    show.JSON
	fields  []byte
	err     error
}

// queuedBatches is the number of batches between both goroutines.
const queuedBatches = 4

// sinks finds the tables of a match.
type sinks interface {
	of(match int32) (*sink, error)
	end(input string) error
	discard()
}

// maxSeen is the number of servers with witnesses. A capture may show a scan.
const maxSeen = 64

func newSource(name string, o Options, out sinks) *Source {
	s := &Source{name: name, options: o, sinks: out, seen: map[string]witnesses{}, batch: newBatch()}
	s.match = match.Match{Events: true, Classes: o.Classes}
	s.decoder = show.Decoder{Match: &s.match, Step: s.step}
	s.json.Short = true
	if cap(o.Workers) > 0 {
		s.decoded, s.stopped = make(chan *batch, queuedBatches), make(chan struct{})
		s.spare = make(chan *batch, queuedBatches+1) // with the current one
		for range queuedBatches {
			s.spare <- newBatch()
		}
		go s.writeAll(s.decoded)
	}
	return s
}

// Datagram writes the rows of a copy of a datagram, which is as on the wire. An error may be that of an earlier
// datagram.
func (s *Source) Datagram(d *capture.Datagram) error {
	if s.batch.add(d); s.batch.full() {
		s.decode()
		s.pass()
	}
	if s.failed.Load() {
		return s.stop()
	}
	return nil
}

// decode decodes the datagrams of the current batch.
func (s *Source) decode() {
	b := s.batch
	if !s.options.Plain {
		b.decipher()
	}
	for i := range b.datagrams {
		d := &b.datagrams[i]
		s.time, s.number = d.Time, i
		if s.options.has(Messages) {
			s.decoder.Follow(&b.packets[i], d)
			continue
		}
		for step := range s.match.Receive(d.Match()) {
			s.step(step, nil)
		}
	}
}

// step adds the events and the state of a step.
func (s *Source) step(step *match.Step, _ *show.Message) {
	b, about := s.batch, subjectOf(step)
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
		s.batch.events = append(s.batch.events, e)
	}
}

// pass passes the current batch on, and begins another one.
func (s *Source) pass() {
	if s.decoded == nil {
		s.write(s.batch)
		return
	}
	s.decoded <- s.batch
	s.batch = <-s.spare
}

// stop waits until the passed batches are written.
func (s *Source) stop() error {
	if s.decoded != nil {
		close(s.decoded)
		<-s.stopped
		s.decoded = nil
	}
	return s.err
}

// writeAll writes batches until there are no more.
func (s *Source) writeAll(decoded <-chan *batch) {
	defer close(s.stopped)
	for b := range decoded {
		s.write(b)
		s.spare <- b
	}
}

// write writes the rows of a batch. After an error it writes nothing.
func (s *Source) write(b *batch) {
	for i := range b.events {
		if out := s.sink(b.events[i].Match); out != nil {
			*out.events.add() = b.events[i]
			s.err = out.events.write()
		}
	}
	for i := range b.states {
		if out := s.sink(b.states[i].Match); out != nil {
			*out.states.add() = b.states[i]
			s.err = out.states.write()
		}
	}
	if s.options.has(Messages) {
		for i := range b.datagrams {
			s.messages(&b.packets[i], b.subjects[i], b.links[i])
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

// messages writes the messages of a datagram, given their subjects and the player of the link. A datagram without
// messages has a row.
func (s *Source) messages(p *show.Packet, subjects []subject, link string) {
	about := subject{}
	for i, m := range p.Messages {
		if about = (subject{match: about.match}); i < len(subjects) {
			about = subjects[i]
		}
		out := s.sink(about.match)
		if out == nil {
			return
		}
		r := out.messages.add()
		r.Source, r.Link = s.name, valid(link)
		r.set(p, m, &s.objects)
		about.set(r, &s.objects)
		if !s.options.NoFields {
			s.fields = s.json.AppendFields(s.fields[:0], m)
			r.Fields = s.fields
			if r.Note == "" && r.Error == "" {
				r.Bytes = nil // the fields are all of it
			}
		}
		s.err = out.messages.write()
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
