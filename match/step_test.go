package match_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// A step has the ship, the part and the player that its message concerns.
func TestSteps(t *testing.T) {
	g := duel(t)
	ann, ben := base(0, 0), base(1, 0)
	phasers := g.part("Akira", ann, "Phasers")
	event := opcode.Event{Class: opcode.ClassEvent, Code: opcode.ETStopFiringNotify, Dest: phasers}
	repaired := opcode.NewRepaired(ann, phasers, g.part("Akira", ann, "Tractors"))
	failed := opcode.NewRepairFailed(ann, phasers, objectid.None)
	for name, c := range map[string]struct {
		client       bool // the client of Ann sends it
		m            opcode.Message
		ship         objectid.ID
		part, sender string
	}{
		"update":             {true, &opcode.StateUpdate{ObjectID: ann, Flags: opcode.StateSpeed}, ann, "", "Ann"},
		"relayed update":     {false, &opcode.StateUpdate{ObjectID: ben, Flags: opcode.StateSpeed}, ben, "", "Ben"},
		"unknown update":     {false, &opcode.StateUpdate{ObjectID: 0x10}, 0x10, "", ""},
		"update of a player": {false, &opcode.StateUpdate{ObjectID: base(1, 99)}, base(1, 99), "", "Ben"},
		"event":              {true, &opcode.StopFiring{Event: event}, ann, "Phasers", "Ann"},
		"relayed event":      {false, &opcode.StopFiring{Event: event}, ann, "Phasers", "Ann"},
		"damaged":            {false, opcode.NewDamaged(phasers, objectid.None), ann, "Phasers", ""},
		"repaired":           {false, repaired, ann, "Phasers", ""},
		"beyond repair":      {false, failed, ann, "Phasers", ""},
		"explosion":          {false, &opcode.Explosion{ObjectID: ben}, ben, "", ""},
		"not found":          {false, &opcode.ObjectNotFound{ObjectID: ben}, ben, "", ""},
		"request":            {true, &opcode.RequestObject{ObjectID: ben}, ben, "", "Ann"},
		"another system":     {false, &opcode.EnterSet{ObjectID: ben, Set: stream.Text("x")}, ben, "", ""},
		"score":              {false, &opcode.Score{PlayerID: 3}, objectid.None, "", ""},
		"team":               {false, &opcode.TeamMessage{PlayerID: 3}, objectid.None, "", "Ben"},
		"bare shot":          {true, &opcode.StartFiring{}, objectid.None, "", "Ann"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.client {
				g.Client("1", c.m)
			} else {
				g.Host("1", c.m)
			}
			id, part, sender := objectid.None, "", ""
			if g.last.Ship != nil {
				id = g.last.Ship.ID
			}
			if g.last.Part.Subsystem != nil {
				part = g.last.Part.String()
			}
			if g.last.Sender != nil {
				sender = g.last.Sender.Name
			}
			require.Equal(t, []any{c.ship, c.part, c.sender}, []any{id, part, sender})
			require.Equal(t, c.m.Opcode(), g.last.Game.Opcode())
			require.NoError(t, g.last.Err)
		})
	}
	g.Host("1", &opcode.DestroyObject{ObjectID: ben})
	require.Equal(t, stateupdate.Destroyed, g.last.Change.Ship.Life)
	require.Same(t, g.last.Change.Ship, g.last.Ship)
	require.Equal(t, []any{"1", true}, []any{g.last.Link.Client, g.last.FromHost})
}

// A retransmission is decoded, and changes nothing.
func TestRetransmissions(t *testing.T) {
	g := duel(t)
	g.Host("2", &opcode.DestroyObject{ObjectID: base(0, 0)})
	data := g.last.Data
	g.Datagram(match.Datagram{Time: g.now, Client: "2", FromHost: true, Data: data})
	require.Equal(t, transport.VerdictDuplicate, g.last.Message.Verdict)
	require.Equal(t, &opcode.DestroyObject{ObjectID: base(0, 0)}, g.last.Game)
	require.Equal(t, stateupdate.Change{}, g.last.Change)
}

// A link shows round trips, retransmissions, gaps and the last sign of life of both sides.
func TestTraffic(t *testing.T) {
	var m match.Match
	receive := func(at time.Duration, fromHost bool, message transport.Message) *match.Link {
		peer := objectid.PeerID(2)
		if fromHost {
			peer = objectid.Host
		}
		data, err := (&transport.Packet{PeerID: peer, Messages: []transport.Message{message}}).MarshalBinary()
		require.NoError(t, err)
		var link *match.Link
		for step := range m.Receive(match.Datagram{Time: at, Client: "1", FromHost: fromHost, Data: data}) {
			link = step.Link
		}
		return link
	}
	data := func(seq uint16) transport.Message { return transport.NewData(seq, []byte{byte(opcode.OpGameInit)}) }
	const ms = time.Millisecond
	receive(0, true, data(10))
	receive(100*ms, true, data(10))
	receive(200*ms, true, data(13))
	l := receive(300*ms, true, data(11)) // late
	require.EqualValues(t, []uint64{4, 3, 1, 1}, []uint64{l.FromHost.Datagrams, l.FromHost.Reliable, l.FromHost.Duplicates, l.FromHost.Gaps})
	receive(280*ms, false, transport.NewMessage(0, &transport.Ack{Seq: 13}))
	require.Equal(t, 300*ms, l.FromHost.Heard)
	require.Equal(t, 280*ms, l.ToHost.Heard)
	receive(350*ms, false, transport.NewMessage(0, &transport.Ack{Seq: 11}))
	require.Equal(t, 50*ms, l.ToHost.RoundTrip.Round(ms))
	receive(time.Second, true, data(40000)) // another connection
	require.EqualValues(t, 1, l.FromHost.Gaps)
	require.Zero(t, l.FromHost.RoundTrip)
}

// Fragments are reassembled. A link forgets partial payloads beyond the limit, and goes on.
func TestFragments(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Lines()
	line := &opcode.ChatMessage{SenderID: 2, Text: stream.Text(strings.Repeat("x", 600))}
	fragments, err := transport.AppendFragments(nil, 99, g.payload(line))
	require.NoError(t, err)
	require.Greater(t, len(fragments), 1)
	for i := range fragments {
		g.Client("1", fragments[i])
	}
	require.Equal(t, len(fragments), g.last.Message.Fragments)
	require.Equal(t, []string{"Ann: " + strings.Repeat("x", 600)}, g.Lines())
	flood := testdata.Flood{Name: "1", Peer: 2, Messages: 1, Templates: []testdata.Template{{Kind: testdata.FragmentData, Seq: 1, Step: 1, Index: 1, Body: 400}}}
	for peer := byte(2); peer < 40; peer++ {
		flood.Peer = peer
		for _, d := range flood.Datagrams(1 << 17) {
			g.Datagram(match.Datagram{Time: g.now, Client: "1", Data: d.Data})
		}
	}
	g.Say("1", "still here")
	require.Equal(t, []string{"Ann: still here"}, g.Lines())
}
