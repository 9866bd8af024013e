package figures

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// facts are what the messages of recordings say, as the packages of the library see them.
type facts struct {
	all      []fact               // of the current recording
	traffic  map[[3]string][]int  // messages and bytes by player, direction and name
	created  map[[2]string][]int  // ships that clients have created in slot 2, by player and species
	trips    map[string][]float64 // round-trip times of the Acks of each player, in milliseconds
	repeated map[[2]string][]int  // messages, duplicates and messages without an Ack, by player and direction
}

// fact is a message.
type fact struct {
	source    string
	client    connected
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

// connected is a client of a server.
type connected struct{ client, server string }

// link is the connection of a client.
type link struct {
	observer transport.Observer
	peer     objectid.PeerID
	names    map[objectid.PeerID]string
}

// observe reads a recording with one Observer for each client.
func (f *facts) observe(source, text string) error {
	f.all = f.all[:0]
	links := map[connected]*link{}
	for d, err := range capture.NewReader(strings.NewReader(text)).Datagrams() {
		if err != nil {
			return fmt.Errorf("%s: %w", source, err)
		}
		at := d.Match()
		c := connected{at.Client, at.Server}
		l := links[c]
		if l == nil {
			l = &link{names: map[objectid.PeerID]string{}}
			links[c] = l
		}
		if transport.IsGameSpy(d.Data) {
			f.all = append(f.all, fact{source: source, client: c, seconds: d.Time, direction: d.Dir, name: "GameSpy", size: len(d.Data)})
			continue
		}
		cipher.Decrypt(d.Data)
		first := len(f.all)
		for m := range l.observer.Receive(time.Unix(0, 0).Add(at.Time), at.FromHost, d.Data) { // malformed ones, too
			x := l.fact(d, m)
			x.source, x.client = source, c
			f.all = append(f.all, x)
		}
		for i := first; i < len(f.all); i++ {
			f.all[i].player = l.names[l.peer]
		}
	}
	f.count()
	return nil
}

// count adds the messages of the current recording.
func (f *facts) count() {
	if f.traffic == nil {
		f.traffic, f.created, f.trips, f.repeated = map[[3]string][]int{}, map[[2]string][]int{}, map[string][]float64{}, map[[2]string][]int{}
	}
	for _, x := range f.all {
		if x.player != "" {
			counted(f.traffic, [3]string{x.player, string(x.direction), x.name}, 1, x.size)
		}
		m, ok := x.message.(*opcode.ObjectCreateTeam)
		if ok && !x.duplicate && x.direction == recording.ToServer && m.OwnerSlot == 2 {
			counted(f.created, [2]string{x.player, m.Species.String()}, 1)
		}
		if x.observed.Type == transport.TypeAck && x.direction == recording.ToServer && x.player != "" {
			now := time.Unix(0, 0).Add(recording.Datagram{Seconds: x.seconds}.Time())
			if d, ok := x.observed.Acked.RoundTrip(now); ok {
				f.trips[x.player] = append(f.trips[x.player], d.Seconds()*1000)
			}
		}
	}
	f.countRepetition()
}

// fact returns the facts of a message, and follows the names of the link.
func (l *link) fact(d *capture.Datagram, m *transport.Observation) fact {
	x := fact{
		seconds: d.Time, direction: d.Dir, name: m.Type.String(), size: len(m.Raw),
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
		peer := body.PeerID
		switch {
		case d.Dir == recording.ToServer: // it is about itself
			peer = l.peer
		case m.Reliable && !m.HighPriority: // OpenBC has the slot
			peer += 2
		}
		if !x.duplicate { // the host may have changed the name since
			l.names[peer] = body.Name.String()
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
	if x.name = x.message.Opcode().String(); strings.HasPrefix(x.name, "0x") {
		x.name = "Unknown"
	}
	if m, ok := x.message.(*opcode.Settings); ok && !x.duplicate && d.Dir == recording.ToClient && m.Renamed && !m.Opaque {
		l.names[l.peer] = m.NewName.String() // the host has renamed the client
	}
	return x
}
