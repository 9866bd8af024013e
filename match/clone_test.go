package match_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// A clone follows the rest of a recording like its original, wherever it is made. What a clone follows does
// not change the original.
func TestClone(t *testing.T) {
	for name, r := range recordings {
		t.Run(name, func(t *testing.T) {
			datagrams := r.datagrams(t)
			plain := match.Match{Events: true}
			want := follow(&plain, datagrams)
			parts := testdata.Either(20, 5)
			for i := range parts {
				at := len(datagrams) * i / parts
				original := match.Match{Events: true}
				var before []match.Event
				for _, d := range datagrams[:at] {
					for step := range original.Receive(deciphered(d)) {
						before = append(before, step.Events...)
					}
				}
				clone, other := original.Clone(), original.Clone()
				other.Flush()
				for _, d := range datagrams[:len(datagrams)-at] {
					for range other.Receive(deciphered(d)) {
					}
				}
				require.Equal(t, want, append(slices.Clone(before), follow(clone, datagrams[at:])...))
				require.Equal(t, want, append(before, follow(&original, datagrams[at:])...))
				require.Equal(t, states(&original), states(clone))
			}
		})
	}
}

// The events of datagrams that nobody has ranged over are those of the clone, too.
func TestCloneAfterReceiveWithoutRange(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Lines()
	line := transport.NewData(g.next("1s2cgame"), g.payload(&opcode.ChatMessage{SenderID: 1, Text: stream.Text("hello")}))
	packet := transport.Packet{PeerID: 1, Messages: []transport.Message{line}}
	data, err := packet.MarshalBinary()
	require.NoError(t, err)
	g.m.Receive(match.Datagram{Time: g.now, Client: "1", FromHost: true, Data: data})
	clone := g.m.Clone()
	want := g.m.Flush()
	require.Len(t, want, 1)
	require.Equal(t, want, clone.Flush())
}

// state is what a program sees of a player and a link.
type state struct {
	player   match.Player
	traffic  [2]match.Traffic
	ships    int
	payloads int
}

// states returns the players with their links.
func states(m *match.Match) (all []state) {
	for p := range m.Players() {
		x := state{player: match.Player{PeerID: p.PeerID, Slot: p.Slot, Name: p.Name, Names: p.Names, InGame: p.InGame, Ship: p.Ship, Team: p.Team, Kills: p.Kills, Deaths: p.Deaths, Score: p.Score}}
		if p.Link != nil {
			x.traffic = [2]match.Traffic{p.Link.ToHost, p.Link.FromHost}
			x.payloads, _ = p.Link.Pending()
			for range p.Link.Ships.Ships() {
				x.ships++
			}
		}
		all = append(all, x)
	}
	return all
}
