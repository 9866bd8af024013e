package figures

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// facts are the messages of a recording, as the packages of the library see them.
type facts struct{ all []fact }

// fact is a message.
type fact struct {
	source    string
	client    int64
	seconds   float64
	direction recording.Direction
	player    string // of the link
	name      string
	size      int
	observed  transport.Observation // without bytes, which the next datagram overwrites
	ack       transport.Ack
	duplicate bool
	message   opcode.Message // or nil
}

// link is the connection of a client.
type link struct {
	observer transport.Observer
	peer     objectid.PeerID
	names    map[objectid.PeerID]string
}

// observe reads a recording with one Observer for each client.
func (f *facts) observe(source, text string) error {
	links := map[int64]*link{}
	for d, err := range recording.Read(strings.NewReader(text)) {
		if err != nil {
			return err
		}
		l := links[d.Client]
		if l == nil {
			l = &link{names: map[objectid.PeerID]string{}}
			links[d.Client] = l
		}
		if transport.IsGameSpy(d.Data) {
			f.all = append(f.all, fact{source: source, client: d.Client, seconds: d.Seconds, direction: d.Direction, name: "GameSpy", size: len(d.Data)})
			continue
		}
		cipher.Decrypt(d.Data)
		first := len(f.all)
		for m, err := range l.observer.Receive(time.Unix(0, 0).Add(d.Time()), d.Direction == recording.ToClient, d.Data) {
			if err != nil {
				return fmt.Errorf("datagram at %v s: %w", d.Seconds, err)
			}
			f.all = append(f.all, l.fact(source, d, m))
		}
		for i := first; i < len(f.all); i++ {
			f.all[i].player = l.names[l.peer]
		}
	}
	return nil
}

// fact returns the facts of a message, and follows the names of the link.
func (l *link) fact(source string, d recording.Datagram, m *transport.Observation) fact {
	x := fact{
		source: source, client: d.Client, seconds: d.Seconds, direction: d.Direction, name: m.Type.String(), size: len(m.Raw),
		observed: *m, duplicate: m.Verdict == transport.VerdictDuplicate,
	}
	x.ack, _ = m.Ack()
	if m.Type == transport.TypeConnect && !x.duplicate { // another connection from the same address
		delete(l.names, l.peer)
	}
	switch body := m.Decoded.(type) {
	case *transport.ConnectReply:
		x.name, l.peer = "ConnectReply", body.PeerID
	case *transport.NameChange:
		if !x.duplicate { // the host may have changed the name since
			l.names[body.PeerID] = body.Name.String()
		}
	}
	payload := m.Payload
	if x.duplicate && m.Type == transport.TypeData && !m.Fragment {
		payload = m.Body
	}
	if payload == nil {
		return x
	}
	x.message, _ = opcode.Decode(bytes.Clone(payload))
	x.name = x.message.Opcode().String()
	if m, ok := x.message.(*opcode.Settings); ok && !x.duplicate && d.Direction == recording.ToClient && m.Renamed && !m.Opaque {
		l.names[l.peer] = m.NewName.String() // the host has renamed the client
	}
	return x
}
