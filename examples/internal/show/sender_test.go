package show

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/netip"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// battle decodes the recorded battle, or the first half in the short form of the tests, and calls each for every message.
func battle(t *testing.T, each func(p *Packet, r *Message)) {
	t.Helper()
	text, err := os.ReadFile("../../../testdata/battle.jsonl")
	require.NoError(t, err)
	var d Decoder
	n := 0
	for dg, err := range recording.Read(bytes.NewReader(text)) {
		require.NoError(t, err)
		if n++; n > testdata.Either(math.MaxInt, 2500) {
			return
		}
		p := d.Decode(capture.Recorded(n, dg))
		for _, r := range p.Messages {
			each(p, r)
		}
	}
}

// OpenBC's server writes the slot of the sender into chat. A sign on one link shows it for the
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
	decode("1", objectid.Host, transport.NewUnreliable([]byte{byte(opcode.OpNewPlayerInGame), 0x20}))
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

// An object of -json has the client as in the input, and the player whose message it is: of the host's
// messages to a client, the one whose ship or line it is.
func TestSenders(t *testing.T) {
	senders := map[string]bool{}
	battle(t, func(p *Packet, r *Message) {
		if r.Name != "StateUpdate" && r.Name != "ChatMessage" && r.Name != "Boot" {
			return
		}
		object := new(JSON).AppendMessage(nil, p, r)
		var x struct {
			Client            int
			Dir, Player, Ship string
			Slot              *int
		}
		require.NoError(t, json.Unmarshal(object, &x))
		if x.Slot != nil {
			senders[fmt.Sprint(x.Client, " ", x.Dir, " ", r.Name, " ", x.Player, " ", *x.Slot)] = true
		}
		if r.Name == "StateUpdate" && x.Dir == "c2s" && x.Ship != "" { // the ship lives
			s, err := opcode.Decode(r.Payload)
			require.NoError(t, err)
			require.Equal(t, s.(*opcode.StateUpdate).ObjectID.String(), x.Ship)
		}
	})
	for _, want := range []string{"1 c2s StateUpdate Ann 0", "1 s2c StateUpdate Dee 3", "3 c2s ChatMessage Cid 2", "2 s2c ChatMessage Cid 2"} {
		require.Contains(t, senders, want)
	}
	require.NotContains(t, senders, "1 c2s StateUpdate Ben 1")

	var d Decoder
	p := d.Decode(&Datagram{Src: netip.MustParseAddrPort("10.0.0.2:50000"), Data: encrypted(pack(t, 2, transport.NewUnreliable(chat("x"))))})
	object := new(JSON).AppendMessage(nil, p, p.Messages[0])
	require.Contains(t, string(object), `"peer":2,"client":"10.0.0.2:50000","index":0`)
}
