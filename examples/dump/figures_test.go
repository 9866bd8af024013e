//go:build duckdb

package main

import (
	"bytes"
	"cmp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// facts are the messages of a recording, as the packages of the library see them.
type facts struct{ all []fact }

// fact is a message.
type fact struct {
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
	weapon    string         // of a shot
	dead      objectid.ID    // of a death
	owner     string
	class     string
	killer    string
}

// link is the connection of a client.
type link struct {
	observer transport.Observer
	tracker  stateupdate.Tracker
	peer     objectid.PeerID
	names    map[objectid.PeerID]string
}

// observe reads a recording with one Observer and one Tracker for each client.
func observe(t *testing.T, text string) *facts {
	t.Helper()
	f := &facts{}
	links := map[int64]*link{}
	for d, err := range recording.Read(strings.NewReader(text)) {
		require.NoError(t, err)
		l := links[d.Client]
		if l == nil {
			l = &link{names: map[objectid.PeerID]string{}}
			links[d.Client] = l
		}
		if transport.IsGameSpy(d.Data) {
			f.all = append(f.all, fact{client: d.Client, seconds: d.Seconds, direction: d.Direction, name: "GameSpy", size: len(d.Data)})
			continue
		}
		cipher.Decrypt(d.Data)
		first := len(f.all)
		for m, err := range l.observer.Receive(time.Unix(0, 0).Add(d.Time()), d.Direction == recording.ToClient, d.Data) {
			require.NoError(t, err)
			f.all = append(f.all, l.fact(d, m))
		}
		for i := first; i < len(f.all); i++ {
			f.all[i].player = l.names[l.peer]
		}
	}
	return f
}

// fact returns the facts of a message, and follows the ships and names of the link.
func (l *link) fact(d recording.Datagram, m *transport.Observation) fact {
	if m.NewConnection {
		l.tracker.Reset()
	}
	x := fact{
		client: d.Client, seconds: d.Seconds, direction: d.Direction, name: m.Type.String(), size: len(m.Raw),
		observed: *m, duplicate: m.Verdict == transport.VerdictDuplicate,
	}
	x.ack, _ = m.Ack()
	switch body := m.Decoded.(type) {
	case *transport.ConnectReply:
		x.name, l.peer = "ConnectReply", body.PeerID
	case *transport.NameChange:
		l.names[body.PeerID] = body.Name.String()
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
	change, _ := l.tracker.Apply(x.message)
	switch m := x.message.(type) {
	case opcode.Shot:
		weapon, _, _ := m.Fired()
		if ship, part, ok := l.tracker.Part(weapon); ok {
			x.weapon = ship.Class.Name + " " + part.String()
		}
	case *opcode.PythonEvent:
		if ship, _, killer, ok := m.Killed(); ok {
			x.dead, x.owner, x.class, x.killer = ship, "NULL", "NULL", cmp.Or(l.names[killer], "NULL")
			if s := change.Ship; s != nil && s.Class != nil {
				x.owner, x.class = s.PlayerName, s.Class.Name
			}
		}
	}
	return x
}
