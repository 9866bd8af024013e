package rows

import (
	"errors"
	"io"
	"os"
)

// sink is the chosen tables of a match, or of all matches. Tables that are not chosen are nil.
type sink struct {
	messages *table[Message, *Message]
	events   *table[Event, *Event]
	states   *table[State, *State]
	temps    map[string]*os.File // by table
}

// newSink creates the temporary files of the chosen tables.
func newSink(o *Options, create func(table string) (*os.File, error)) (*sink, error) {
	s := &sink{temps: map[string]*os.File{}}
	for _, name := range o.Tables {
		f, err := create(name)
		if err != nil {
			s.discard()
			return nil, err
		}
		s.temps[name] = f
		s.open(name, f, o.Workers)
	}
	return s, nil
}

func (s *sink) open(table string, w io.Writer, workers Workers) {
	switch table {
	case Messages:
		s.messages = newTable[Message](w, workers)
	case Events:
		s.events = newTable[Event](w, workers)
	case States:
		s.states = newTable[State](w, workers)
	}
}

// anyTable is a table of any rows.
type anyTable interface {
	close() error
	describe(input string)
	wait()
}

func (s *sink) tables() (all []anyTable) {
	if s.messages != nil {
		all = append(all, s.messages)
	}
	if s.events != nil {
		all = append(all, s.events)
	}
	if s.states != nil {
		all = append(all, s.states)
	}
	return all
}

// describe adds a description of the input to the metadata.
func (s *sink) describe(input string) {
	for _, t := range s.tables() {
		t.describe(input)
	}
}

// close completes the temporary files. The caller renames them. After an error they are removed.
func (s *sink) close() (err error) {
	for _, t := range s.tables() {
		if err = errors.Join(err, t.close()); err != nil {
			break
		}
	}
	for _, f := range s.temps {
		if err == nil {
			err = f.Chmod(0o644)
		}
		if closing := f.Close(); err == nil {
			err = closing
		}
	}
	if err != nil {
		s.discard()
	}
	return err
}

// discard removes the temporary files.
func (s *sink) discard() {
	for _, t := range s.tables() {
		t.wait()
	}
	for _, f := range s.temps {
		f.Close()
		os.Remove(f.Name())
	}
}
