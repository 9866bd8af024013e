package show

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// battle decodes the recorded battle and calls each for every message.
func battle(t *testing.T, each func(p *Packet, r *Message)) {
	t.Helper()
	text, err := os.ReadFile("../../../testdata/battle.jsonl")
	require.NoError(t, err)
	var d Decoder
	n := 0
	for dg, err := range recording.Read(bytes.NewReader(text)) {
		require.NoError(t, err)
		n++
		p := d.Decode(capture.Recorded(n, dg))
		for _, r := range p.Messages {
			each(p, r)
		}
	}
}

// The subject of a message has the ship, its class and its player, also if the message creates or
// removes the ship.
func TestSubjects(t *testing.T) {
	parts := map[string]int{}
	battle(t, func(_ *Packet, r *Message) {
		s := r.Subject
		switch r.Decoded().(type) {
		case *opcode.ObjectCreateTeam, *opcode.DestroyObject:
			require.NotEmpty(t, s.Class)
			require.Empty(t, s.Part())
			require.NotEmpty(t, s.Owner)
		case opcode.Shot:
			require.NotEqual(t, objectid.None, s.Target)
			parts[s.Owner+" "+s.Part()]++
		case *opcode.ChatMessage:
			require.Equal(t, Subject{}, s)
			require.Contains(t, []string{"Ann", "Ben", "Cid", "Dee"}, r.Sender.Name)
			require.Empty(t, r.Note())
		}
	})
	require.Positive(t, parts["Ann Sovereign Phasers"])
	require.Positive(t, parts["Dee Galor Torpedoes / Forward Torpedo"])
}

// OpenBC's server writes the slot of the sender into chat. The line of one client shows it for the
// links of all clients of that server, and a clone of the decoder knows it, too.
func TestSpeakers(t *testing.T) {
	d := &Decoder{Plain: true}
	decode := func(client string, peer objectid.PeerID, m transport.Message) *Message {
		dir := recording.ToServer
		if peer == objectid.Host {
			dir = recording.ToClient
		}
		return d.Decode(&Datagram{Dir: dir, Client: client, Data: pack(t, peer, m)}).Messages[0]
	}
	said := func(client string, peer objectid.PeerID, sender objectid.PeerID) (speaker, note string) {
		payload, err := opcode.Marshal(&opcode.TeamChatMessage{SenderID: sender, Text: []byte("hello")})
		require.NoError(t, err)
		m := decode(client, peer, transport.NewUnreliable(payload))
		return m.Sender.Name, m.Note()
	}
	expect := func(client string, peer objectid.PeerID, sender objectid.PeerID, speaker, note string) {
		t.Helper()
		gotSpeaker, gotNote := said(client, peer, sender)
		require.Equal(t, [2]string{speaker, note}, [2]string{gotSpeaker, gotNote})
	}
	for _, client := range []string{"1", "2"} {
		for peer, name := range map[objectid.PeerID]string{2: "Ann", 4: "Cid"} {
			decode(client, objectid.Host, transport.NewMessage(uint16(peer), &transport.NameChange{PeerID: peer, Name: systemText(t, name)}))
		}
	}
	expect("1", objectid.Host, 2, "Ann", "")
	expect("1", 4, 4, "Cid", "")
	expect("1", objectid.Host, 2, "Cid", "dialect: said by Cid")
	expect("2", objectid.Host, 2, "Cid", "dialect: said by Cid")
	expect("2", objectid.Host, 3, "", "dialect: said by peer 5")
	expect("2", 2, 0, "Ann", "dialect: said by Ann")
	d = d.Clone()
	expect("2", objectid.Host, 0, "Ann", "dialect: said by Ann")
	expect("3", objectid.Host, 0, "Ann", "dialect: said by Ann")
	expect("3", objectid.Host, 5, "", "dialect: said by peer 7")
	expect("2", objectid.Host, 99, "", "")
}

// The player of a link has a name and a slot from the join until the connection ends.
func TestPlayers(t *testing.T) {
	players := map[string]map[Player]bool{}
	battle(t, func(p *Packet, r *Message) {
		if r.NewConnection {
			require.Equal(t, noPlayer, p.Player)
		}
		if players[p.Client] == nil {
			players[p.Client] = map[Player]bool{}
		}
		known := p.Player
		known.Ship = objectid.None
		players[p.Client][known] = true
	})
	for client, want := range map[string]Player{"1": {Name: "Ann"}, "2": {Name: "Ben", Slot: 1}, "3": {Name: "Cid", Slot: 2}, "4": {Name: "Dee", Slot: 3}, "5": {Name: "Cid", Slot: 2}} {
		require.Equal(t, map[Player]bool{noPlayer: true, {Name: want.Name, Slot: objectid.NoSlot}: true, want: true}, players[client], client)
	}
}

// An object of -json has the client as in the input, and the player whose message it is: of the host's
// messages to a client, the one whose ship or line it is.
func TestSenders(t *testing.T) {
	senders := map[string]bool{}
	battle(t, func(p *Packet, r *Message) {
		if r.Name != "StateUpdate" && r.Name != "ChatMessage" && r.Name != "Boot" {
			return
		}
		object := p.JSON(r)
		var x struct {
			Client            int
			Dir, Player, Ship string
			Slot              *int
		}
		require.NoError(t, json.Unmarshal(object, &x))
		if x.Slot != nil {
			senders[fmt.Sprint(x.Client, " ", x.Dir, " ", r.Name, " ", x.Player, " ", *x.Slot)] = true
		}
		if s := r.Decoded(); r.Name == "StateUpdate" && x.Dir == "c2s" && x.Ship != "" { // the ship lives
			require.Equal(t, s.(*opcode.StateUpdate).ObjectID.String(), x.Ship)
		}
	})
	for _, want := range []string{"1 c2s StateUpdate Ann 0", "1 s2c StateUpdate Dee 3", "3 c2s ChatMessage Cid 2", "2 s2c ChatMessage Cid 2"} {
		require.Contains(t, senders, want)
	}
	require.NotContains(t, senders, "1 c2s StateUpdate Ben 1")

	var d Decoder
	p := d.Decode(&Datagram{Src: netip.MustParseAddrPort("10.0.0.2:50000"), Data: encrypted(pack(t, 2, transport.NewUnreliable(chat("x"))))})
	object := p.JSON(p.Messages[0])
	require.Contains(t, string(object), `"peer":2,"client":"10.0.0.2:50000","index":0`)
}

// Clients without numbers and addresses share a session. Their peer IDs distinguish them.
func TestPlayersWithoutClients(t *testing.T) {
	d := Decoder{Plain: true}
	player := func(dir recording.Direction, data []byte) string {
		return d.Decode(&Datagram{Dir: dir, Data: data}).Player.Name
	}
	rename := func(peer objectid.PeerID, name string) []byte {
		return pack(t, peer, transport.NewMessage(0, &transport.NameChange{PeerID: 2, Name: systemText(t, name)}))
	}
	require.Equal(t, "Ann", player(recording.ToServer, rename(2, "Ann")))
	require.Equal(t, "Ben", player(recording.ToServer, rename(3, "Ben")), "a client names itself")
	empty := func(peer objectid.PeerID) []byte { return pack(t, peer, transport.NewUnreliable(chat("x"))) }
	require.Equal(t, "Ann", player(recording.ToServer, empty(2)))
	require.Equal(t, "Ben", player(recording.ToServer, empty(3)))
	require.Empty(t, player(recording.ToClient, empty(1)))
	require.Empty(t, player(recording.ToServer, empty(-1)))
}

// A recording that begins after the join has the names of ships' players, and peer IDs for others.
func TestPlayersAfterTheJoin(t *testing.T) {
	d := Decoder{Plain: true}
	decode := func(dir recording.Direction, peer objectid.PeerID, m opcode.Message) *Packet {
		payload, err := opcode.Append(nil, m)
		require.NoError(t, err)
		return d.Decode(&Datagram{Dir: dir, Client: "1", Data: pack(t, peer, transport.NewUnreliable(payload))})
	}
	created := &opcode.ObjectCreateTeam{OwnerSlot: 3, NetPlayerID: 4, Object: opcode.Object{ClassID: opcode.ObjectShip, ObjectID: 0x400BFFFF, PlayerName: []byte("Dee")}}
	require.Equal(t, Player{"Dee", 3, 0x400BFFFF}, decode(recording.ToServer, 4, created).Player)
	forged := &opcode.ObjectCreateTeam{OwnerSlot: 5, NetPlayerID: 9, Object: opcode.Object{ClassID: opcode.ObjectShip, ObjectID: 0x4013FFFF, PlayerName: []byte("Eve")}}
	require.Equal(t, Player{"Dee", 3, 0x400BFFFF}, decode(recording.ToServer, 4, forged).Player)
	death, err := opcode.NewObjectExploding(0x400BFFFF, objectid.None, 9, 9.5)
	require.NoError(t, err)
	p := decode(recording.ToClient, 1, death)
	require.Equal(t, "Dee", p.Messages[0].Subject.Owner)
	require.Equal(t, "Dee", p.Player.Name)
}
