package capture

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gopacket/gopacket/layers"

	"github.com/bcwire/bcwire/examples/internal/terminal"
)

// kind is a kind of notes.
type kind int

const (
	linkUnread kind = iota // each link type is a note of its own
	interfaceUnread
	versionUnread
	blockUnread
	blockLengths
	malformedUnread
	cutUnread
	encryptedUnread
	fragmentsUnread
	dataMissing
	lengthWrong
	directionWrong
	peerWrong
	fileUnread
	copyLeftOut
)

// sentences has what a kind counts, and what the note says about it.
var sentences = [...][2]string{
	linkUnread:      {"packet", "of %s not read"},
	interfaceUnread: {"packet", "of an interface without a description not read"},
	versionUnread:   {"packet", "of a section in an unknown version of pcapng not read"},
	blockUnread:     {"malformed block", "of pcapng not read"},
	blockLengths:    {"block", "of pcapng with two different lengths: others may be missing"},
	malformedUnread: {"malformed packet", "not read"},
	cutUnread:       {"packet", "not read: the capture has truncated the headers"},
	encryptedUnread: {"encrypted frame", "of 802.11 not read: Wireshark can decrypt with the key of the network"},
	fragmentsUnread: {"packet", "of IP not read: fragments are missing or contradict each other"},
	dataMissing:     {"datagram", "truncated by the capture"},
	lengthWrong:     {"packet", "read with more bytes than the capture says were on the wire"},
	directionWrong:  {"direction", "(c2s, s2c) of the input corrected: the peer ID of the sender shows the opposite"},
	fileUnread:      {"file", "of the archive not read: neither captures nor recordings"},
	copyLeftOut:     {"datagram", "left out: a router has changed their addresses, and the capture shows them before and after"},
	peerWrong:       {"datagram", "to the server with the peer ID of the host: the direction of the input is kept"},
}

// note counts what is worth to know about an input, mostly what of it was not read.
type note struct {
	kind  kind
	link  layers.LinkType // of linkUnread
	count int
	first int // number of the packet or datagram
}

func (n *note) String() string {
	text := sentences[n.kind]
	what := text[1]
	if n.kind == linkUnread {
		what = fmt.Sprintf(what, nameOf(n.link))
	}
	return fmt.Sprintf("%s %s; the first is number %d", terminal.Plural(n.count, text[0]), what, n.first)
}

// maxNotes is the largest number of notes. A hostile capture may have all link types.
const maxNotes = 32

// notes are the notes about an input.
type notes []note

// add counts a packet or a datagram.
func (n *notes) add(k kind, link layers.LinkType, number int) {
	for i := range *n {
		x := &(*n)[i]
		if x.kind == k && (x.link == link || x.link == otherLinks) {
			x.count++
			return
		}
	}
	if len(*n) >= maxNotes && k == linkUnread {
		link = otherLinks
	}
	*n = append(*n, note{k, link, 1, number})
}

// texts returns the notes for people.
func (n notes) texts() (all []string) {
	for i := range n {
		all = append(all, n[i].String())
	}
	return all
}

// maxPorts is the number of ports that a note names.
const maxPorts = 8

// String returns the note about datagrams that are not of the game, such as "1,204 datagrams on 3 ports are not the
// game's: 53, 123, 443".
func (f *strangers) String() string {
	ports := f.sorted()
	b := []byte(strconv.Itoa(f.count))
	for i := len(b) - 3; i > 0; i -= 3 {
		b = slices.Insert(b, i, ',')
	}
	_, noun, _ := strings.Cut(terminal.Plural(f.count, "datagram"), " ")
	b = append(b, " "+noun+" on "+terminal.Plural(len(ports), "port")...)
	verb := " are"
	if f.count == 1 {
		verb = " is"
	}
	b = append(append(b, verb...), " not the game's: "...)
	for i, port := range ports {
		switch {
		case i == maxPorts:
			return string(append(b, ", and others"...))
		case i > 0:
			b = append(b, ", "...)
		}
		b = strconv.AppendUint(b, uint64(port), 10)
	}
	return string(b)
}
