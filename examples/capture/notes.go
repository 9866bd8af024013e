package capture

import (
	"fmt"

	"github.com/bcwire/bcwire/examples/internal/terminal"
)

// kind is a kind of notes.
type kind int

const (
	interfaceUnread kind = iota
	versionUnread
	blockUnread
	blockLengths
	dataMissing
	lengthWrong
)

// sentences has what a kind counts, and what the note says about it.
var sentences = [...][2]string{
	interfaceUnread: {"packet", "of an interface without a description not read"},
	versionUnread:   {"packet", "of a section in an unknown version of pcapng not read"},
	blockUnread:     {"malformed block", "of pcapng not read"},
	blockLengths:    {"block", "of pcapng with two different lengths: others may be missing"},
	dataMissing:     {"datagram", "truncated by the capture"},
	lengthWrong:     {"packet", "read with more bytes than the capture says were on the wire"},
}

// note counts what is worth to know about an input, mostly what of it was not read.
type note struct {
	kind  kind
	count int
	first int // number of the packet or datagram
}

func (n *note) String() string {
	text := sentences[n.kind]
	return fmt.Sprintf("%s %s; the first is number %d", terminal.Plural(n.count, text[0]), text[1], n.first)
}

// notes are the notes about an input.
type notes []note

// add counts a packet or a datagram.
func (n *notes) add(k kind, number int) {
	for i := range *n {
		if x := &(*n)[i]; x.kind == k {
			x.count++
			return
		}
	}
	*n = append(*n, note{k, 1, number})
}

// texts returns the notes for people.
func (n notes) texts() (all []string) {
	for i := range n {
		all = append(all, n[i].String())
	}
	return all
}
