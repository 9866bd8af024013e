package rows

import (
	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/match"
)

// Source turns the datagrams of an input into rows. Its matches have their own numbers, and its times and
// ships are its own.
type Source struct {
	name    string
	options Options
	sinks   sinks
	decoder show.Decoder // of messages
	packet  show.Packet  // the current one
	json    show.JSON
	fields  []byte
	match   match.Match          // without messages
	seen    map[string]witnesses // by server
	numbers []int32              // of the matches of the messages in the current datagram
	time    float64              // of the current datagram
	ids     ids
	err     error
}

// sinks finds the tables of a match.
type sinks interface {
	of(match int32) (*sink, error)
	end(input string) error
	discard()
}

// maxSeen is the number of servers with witnesses. A capture may show a scan.
const maxSeen = 64

func newSource(name string, o Options, out sinks) *Source {
	s := &Source{name: name, options: o, sinks: out, seen: map[string]witnesses{}}
	s.decoder = show.Decoder{Classes: o.Classes, Step: s.step}
	s.json.Short = true
	s.match = match.Match{Events: true, Classes: o.Classes}
	return s
}

// Datagram writes the rows of a datagram, which is as on the wire. It deciphers the datagram in place.
func (s *Source) Datagram(d *capture.Datagram) error {
	s.numbers, s.time = s.numbers[:0], d.Time
	if !s.options.Plain {
		d.Decipher()
	}
	if s.options.has(Messages) {
		s.decoder.Locate(d)
		s.decoder.Follow(&s.packet, d)
		s.messages(&s.packet)
		return s.err
	}
	for step := range s.match.Receive(d.Match()) {
		s.step(step)
	}
	return s.err
}

// step writes the events and the state of a step.
func (s *Source) step(step *match.Step) {
	number := int32(max(0, step.Link.Match))
	s.numbers = append(s.numbers, number)
	s.events(step.Events)
	if !s.options.has(States) || !isUpdate(step) || !s.witnesses(step.Link.Server).counts(step) {
		return
	}
	if out := s.sink(number); out != nil {
		r := out.states.add()
		r.Source, r.Match, r.Time = s.name, number, s.time
		r.set(step.Ship, step.Sender, &s.ids)
		s.err = out.states.write()
	}
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

func (s *Source) events(all []match.Event) {
	if !s.options.has(Events) {
		return
	}
	for i := range all {
		e := EventOf(&all[i])
		e.Source = s.name
		if out := s.sink(e.Match); out != nil {
			*out.events.add() = e
			s.err = out.events.write()
		}
	}
}

func (s *Source) messages(p *show.Packet) {
	number := int32(0)
	for i, m := range p.Messages {
		if i < len(s.numbers) {
			number = s.numbers[i]
		}
		out := s.sink(number)
		if out == nil {
			return
		}
		r := out.messages.add()
		r.Source, r.Match = s.name, number
		r.set(p, m, &s.ids)
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
	s.events(s.decoder.Flush())
	s.events(s.match.Flush())
	if s.err != nil {
		s.sinks.discard()
		return s.err
	}
	return s.sinks.end(input)
}

// Discard removes the rows of an input that is not complete.
func (s *Source) Discard() { s.sinks.discard() }
