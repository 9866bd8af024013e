package rows

import (
	"github.com/bcwire/bcwire/examples/dump/internal/batch"
	"github.com/bcwire/bcwire/examples/internal/show"
)

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
