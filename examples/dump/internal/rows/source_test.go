package rows

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// steps calls a function for each step of a recording.
func steps(t *testing.T, file string, each func(*match.Step)) {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	for step, err := range match.Read(f, &match.Match{Events: true}) {
		require.NoError(t, err)
		each(step)
	}
}

// Objects, parts and targets are as in the fields, and a ship has its class and player.
func TestObjectsOfMessages(t *testing.T) {
	type object struct{ ID, Part string }
	classes, parts := map[string]bool{}, map[string]int{}
	shots := 0
	messages, _, _ := battle(t)
	for _, r := range messages {
		if r.Class != "" {
			classes[r.Owner+" "+r.Class] = true
			require.True(t, r.Part == "" || strings.HasPrefix(r.Part, r.Class+" "), r.Part)
		}
		switch r.Name {
		case "ObjectCreateTeam", "DestroyObject":
			require.NotEmpty(t, r.Class)
			require.Empty(t, r.Part)
			require.NotEmpty(t, r.Owner)
		case "BeamFire", "StartFiring", "TorpedoFire":
			require.NotEmpty(t, r.Target)
			parts[r.Owner+" "+r.Part]++
		case "ChatMessage":
			require.Empty(t, r.Object+r.Target+r.Part+r.Class+r.Owner+r.Note)
			require.Contains(t, []string{"Ann", "Ben", "Cid", "Dee"}, r.Player)
		}
		if r.Name != "TorpedoFire" {
			continue
		}
		require.Equal(t, r.Owner, r.Player)
		var fields struct{ TubeID, TargetID object }
		require.NoError(t, json.Unmarshal(r.Fields, &fields))
		require.Equal(t, fields.TubeID, object{r.Object, r.Part})
		require.Equal(t, fields.TargetID.ID, r.Target)
		shots++
	}
	require.Equal(t, 138, shots)
	require.Positive(t, parts["Ann Sovereign Phasers"])
	require.Positive(t, parts["Dee Galor Torpedoes / Forward Torpedo"])
	require.Equal(t, map[string]bool{"Ann Sovereign": true, "Ben Warbird": true, "Cid Bird of Prey": true, "Cid Vor'cha": true, "Dee Galor": true}, classes)
}

// A row has the columns of its header. An Ack has the channel, the number and the time of the
// message that it acknowledges.
func TestHeadersOfMessages(t *testing.T) {
	type key struct {
		client, direction, channel string
		seq, fragment              int32
	}
	opposite := map[string]string{"c2s": "s2c", "s2c": "c2s"}
	sent := map[key]float64{}
	messages, _, _ := battle(t)
	keyOf := func(r *Message) key {
		k := key{r.Client, r.Direction, r.Channel, 0, -1}
		if r.Fragment != nil {
			k.fragment = *r.Fragment
		}
		return k
	}
	for i := range messages {
		r := &messages[i]
		require.Equal(t, r.Reliable, r.Seq != nil)
		require.Equal(t, r.Type == "Ack", r.AckSeq != nil)
		if r.Type != "Ack" {
			require.Equal(t, r.Type == "Data", r.Channel == "game")
			require.Equal(t, r.Type != "Data", r.Channel == "system")
		}
		if r.Reliable {
			k := keyOf(r)
			k.seq = *r.Seq
			sent[k] = r.Time
		}
	}
	times := 0
	for i := range messages {
		if r := &messages[i]; r.RoundTrip != nil {
			k := keyOf(r)
			k.direction, k.seq = opposite[r.Direction], *r.AckSeq
			require.InDelta(t, (r.Time-sent[k])*1000, *r.RoundTrip, 0.001)
			require.EqualValues(t, 1, *r.Sends)
			require.EqualValues(t, 1, *r.Acks)
			times++
		}
	}
	require.Greater(t, times, 700)
}

// Without fields, all messages have their bytes. With fields, a message has bytes if the fields are not all of it.
func TestBytesOfMessages(t *testing.T) {
	short, _, _ := tablesOf(t, battleFile, Options{NoFields: true}, nil)
	long, _, _ := battle(t)
	require.Len(t, short, len(long))
	kept := 0
	for i := range long {
		require.Nil(t, short[i].Fields)
		require.NotEmpty(t, short[i].Bytes)
		require.NotEmpty(t, long[i].Fields)
		require.Equal(t, long[i].Note+long[i].Error == "", long[i].Bytes == nil)
		if long[i].Bytes != nil {
			require.Equal(t, short[i].Bytes, long[i].Bytes)
			kept++
		}
		short[i].Bytes, long[i].Bytes, long[i].Fields = nil, nil, nil
		require.Equal(t, short[i], long[i])
	}
	require.Equal(t, 15, kept)
}

// The table has the events of package match, with and without the messages.
func TestEvents(t *testing.T) {
	for _, file := range []string{battleFile, rejoinsFile} {
		var want []Event
		steps(t, file, func(step *match.Step) {
			for i := range step.Events {
				e := EventOf(&step.Events[i])
				e.Source = "source"
				want = append(want, e)
			}
		})
		_, got, _ := tablesOf(t, file, Options{}, nil)
		require.Equal(t, want, got)
	}
}

// A state has the values of the ship after the update, on the link of its player.
func TestStates(t *testing.T) {
	type update struct {
		ship string
		at   float64 // microseconds
	}
	_, _, states := battle(t)
	at := map[update][]State{}
	for _, r := range states {
		k := update{r.Ship, math.Round(r.Time * 1e6)}
		at[k] = append(at[k], r)
	}
	updates, positions, damaged := 0, 0, 0
	steps(t, battleFile, func(step *match.Step) {
		u, ok := step.Game.(*opcode.StateUpdate)
		if !ok || step.Sender == nil || step.Sender.Link != step.Link {
			return
		}
		updates++
		k := update{step.Ship.ID.String(), math.Round(step.Time.Seconds() * 1e6)}
		require.NotEmpty(t, at[k])
		r := at[k][0]
		at[k] = at[k][1:]
		require.Equal(t, step.Sender.Name, r.Player)
		require.Equal(t, step.Ship.Class.Name, r.Class)
		if u.Flags&opcode.StatePosition != 0 {
			require.Equal(t, u.Position, [3]float32{r.X, r.Y, r.Z})
			positions++
		}
		x, y, _ := step.Ship.Forward.Float32()
		if math.Hypot(float64(x), float64(y)) > 0.1 {
			heading := float64(r.Heading) * math.Pi / 180
			require.InDelta(t, 0, math.Sin(heading)*float64(y)-math.Cos(heading)*float64(x), 0.002)
			require.Positive(t, math.Sin(heading)*float64(x)+math.Cos(heading)*float64(y))
		}
		hull := step.Ship.FirstOf(stateupdate.KindHull).Condition.Fraction() * 100
		require.InDelta(t, hull, *r.Hull, 0.051)
		front := stateupdate.Level(step.Ship.FirstOf(stateupdate.KindShield).Parts[stateupdate.FaceFront])
		require.InDelta(t, front.Fraction()*100, *r.Front, 0.051)
		if hull < 100 {
			damaged++
		}
		require.True(t, r.Heading >= 0 && r.Heading < 360)
	})
	require.Equal(t, updates, len(states))
	require.Greater(t, positions, 200)
	require.Greater(t, damaged, 500)
}

// In the capture of one client, the ships of the others are as this client has seen them.
func TestStatesOfOneClient(t *testing.T) {
	_, _, all := battle(t)
	_, _, one := tablesOf(t, battleFile, Options{}, func(d *capture.Datagram) bool { return d.Client == "1" })
	count := func(states []State) map[string]int {
		n := map[string]int{}
		for _, r := range states {
			n[r.Player]++
		}
		return n
	}
	require.Equal(t, count(all)["Ann"], count(one)["Ann"])
	require.Len(t, count(one), 4)
	for player, n := range count(one) {
		require.Greater(t, n, 400, player)
	}

	_, _, two := tablesOf(t, battleFile, Options{}, func(d *capture.Datagram) bool { return d.Client == "1" || d.Client == "2" })
	require.Equal(t, count(all)["Ben"], count(two)["Ben"])
	require.Equal(t, count(one)["Dee"], count(two)["Dee"], "one of the links counts")
}

// A link has the name of its player from the NameChange until the connection ends.
func TestLinks(t *testing.T) {
	messages, _, _ := battle(t)
	links := map[string]map[string]bool{}
	for _, r := range messages {
		if r.Type == "Connect" {
			require.Empty(t, r.Link)
		}
		if links[r.Client] == nil {
			links[r.Client] = map[string]bool{}
		}
		links[r.Client][r.Link] = true
	}
	for client, name := range map[string]string{"1": "Ann", "2": "Ben", "3": "Cid", "4": "Dee", "5": "Cid"} {
		require.Equal(t, map[string]bool{"": true, name: true}, links[client], client)
	}
}

// linkOf returns the name of the player of a link after a datagram, and the subject of its message.
func linkOf(t *testing.T, s *Source, client string, peer objectid.PeerID, m transport.Message) (string, subject) {
	t.Helper()
	d := capture.Datagram{Number: 1, Dir: recording.ToServer, Client: client}
	if peer == objectid.Host {
		d.Dir = recording.ToClient
	}
	var err error
	d.Data, err = (&transport.Packet{PeerID: peer, Messages: []transport.Message{m}}).MarshalBinary()
	require.NoError(t, err)
	cipher.Encrypt(d.Data)
	require.NoError(t, s.Datagram(&d))
	s.decode()
	link, about := s.part.links[0], s.part.subjects[0][0]
	s.pass()
	return link, about
}

// Clients without numbers and addresses share a link. Their peer IDs distinguish them.
func TestLinksWithoutClients(t *testing.T) {
	target := open(t, t.TempDir(), Tables...)
	s := begin(t, target, "a")
	expect := func(want string, peer objectid.PeerID, m transport.Message) {
		t.Helper()
		got, _ := linkOf(t, s, "", peer, m)
		require.Equal(t, want, got)
	}
	rename := func(name string) transport.Message {
		text, err := transport.NewUTF16Z(name)
		require.NoError(t, err)
		return transport.NewMessage(0, &transport.NameChange{PeerID: 2, Name: text})
	}
	chat := transport.NewUnreliable([]byte{0x2C, 2, 0, 0, 0, 1, 0, 'x'})
	expect("Ann", 2, rename("Ann"))
	expect("Ben", 3, rename("Ben")) // a client names itself
	expect("Ann", 2, chat)
	expect("Ben", 3, chat)
	expect("", objectid.Host, chat)
	expect("", objectid.NoPeer, chat)
	require.NoError(t, s.End("x"))
}

// A recording that begins after the join has the names of ships' players. A client cannot take another name
// with the ship of another player.
func TestLinksAfterTheJoin(t *testing.T) {
	target := open(t, t.TempDir(), Tables...)
	s := begin(t, target, "a")
	expect := func(peer objectid.PeerID, m opcode.Message) subject {
		t.Helper()
		payload, err := opcode.Marshal(m)
		require.NoError(t, err)
		link, about := linkOf(t, s, "1", peer, transport.NewUnreliable(payload))
		require.Equal(t, "Dee", link)
		return about
	}
	ship := func(id objectid.ID, name string) opcode.Object {
		return opcode.Object{ClassID: opcode.ObjectShip, ObjectID: id, PlayerName: []byte(name)}
	}
	expect(4, &opcode.ObjectCreateTeam{OwnerSlot: 3, NetPlayerID: 4, Object: ship(0x400BFFFF, "Dee")})
	expect(4, &opcode.ObjectCreateTeam{OwnerSlot: 5, NetPlayerID: 9, Object: ship(0x4013FFFF, "Eve")})
	death, err := opcode.NewObjectExploding(0x400BFFFF, objectid.None, 9, 9.5)
	require.NoError(t, err)
	for link := range s.match.Links() {
		require.Equal(t, []any{objectid.Slot(3), objectid.ID(0x400BFFFF)}, []any{link.Player.Slot, link.Player.Ship})
	}
	require.Equal(t, "Dee", expect(objectid.Host, death).owner)
	require.NoError(t, s.End("x"))
}

// Malformed datagrams give rows, and no error.
func TestMalformedDatagrams(t *testing.T) {
	target := open(t, t.TempDir(), Tables...)
	s := begin(t, target, "a")
	for i, data := range [][]byte{nil, {1}, {2, 9, 0x32}, []byte(`\status\`), bytes.Repeat([]byte{0xFF}, 2000)} {
		require.NoError(t, s.Datagram(&capture.Datagram{Number: i + 1, Time: math.Inf(1), Client: "\xff", Data: data}))
	}
	require.NoError(t, s.End("x"))
}
