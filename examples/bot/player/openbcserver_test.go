package player

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/examples/bot/internal/hosttest"
	"github.com/bcwire/bcwire/examples/lab/simulated"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// openBCServer is a server with the sender of OpenBC since May 2026. In each tick of 33 ms, it bundles
// its messages into datagrams of at most 512 bytes, with the Acks at the end. It sends a reliable
// message in three ticks, unless it is acknowledged before, and then once a second. It counts in one
// byte, and acknowledges no system messages. One other player is in the game.
type openBCServer struct {
	t          *testing.T
	ticks      int
	counter    uint8
	reliable   []*openBCMessage
	unreliable []transport.Message
	acks       []transport.Message
	fragments  transport.Reassembler
	exchange   *checksum.ServerExchange
	name       transport.Message // the client's NameChange, which it repeats
	ready      bool              // the client is in the game
	got        map[opcode.Code][]opcode.Message
	lines      int // of chat
	resent     int // reliable messages that it has sent more than once
}

type openBCMessage struct {
	transport.Message
	sent int // times
	last int // tick
}

const (
	openBCTick     = 33 * time.Millisecond
	openBCDatagram = 512
	clientID       = objectid.PeerID(2)
	otherID        = objectid.PeerID(3)
)

// send queues a reliable message.
func (s *openBCServer) send(messages ...opcode.Message) {
	for _, m := range messages {
		payload, err := opcode.Marshal(m)
		require.NoError(s.t, err)
		s.reliable = append(s.reliable, &openBCMessage{Message: transport.NewData(uint16(s.counter), payload)})
		s.counter++
	}
}

// tick returns the datagrams of a tick.
func (s *openBCServer) tick() (datagrams [][]byte) {
	s.ticks++
	if s.ready {
		s.play()
	}
	var messages []transport.Message
	for _, m := range s.reliable[:min(len(s.reliable), 32)] {
		if m.sent >= 3 && s.ticks-m.last < 30 {
			continue
		}
		if m.sent == 1 {
			s.resent++
		}
		m.sent, m.last = m.sent+1, s.ticks
		messages = append(messages, m.Message)
	}
	messages = slices.Concat(messages, s.unreliable, s.acks)
	s.unreliable, s.acks = nil, nil
	for len(messages) > 0 {
		size, n := 2, 0
		for n < len(messages) && size+messages[n].Len() <= openBCDatagram {
			size += messages[n].Len()
			n++
		}
		d, err := (&transport.Packet{PeerID: objectid.Host, Messages: messages[:n]}).MarshalBinary()
		require.NoError(s.t, err)
		datagrams, messages = append(datagrams, d), messages[n:]
	}
	return datagrams
}

// play says a line every tenth of a second, and reports the ships as often. Once a second, it repeats
// the name of the client.
func (s *openBCServer) play() {
	if s.ticks%3 != 0 {
		return
	}
	if s.lines%10 == 0 {
		s.unreliable = append(s.unreliable, s.name)
	}
	s.send(&opcode.ChatMessage{SenderID: 1, Text: stream.Text(fmt.Sprintf("line %d", s.lines))})
	s.lines++
	s.update(slotID(s.t, 0), "20", "03 ffffffffffff 40 ffffffffffffffffff")
	block := []string{
		"03 ffffffffffff 43 64 ffffffffffffffffff 64",
		"06 ffffff 43 64 80 ffffffffffff 64",
		"08 ff 43 64 ffffff 64 ffff",
	}[s.lines%3]
	s.update(slotID(s.t, 1), "3d 02d7583f 84565cbf dc765541 20 c4fc91 94e63c 1443", block)
}

// update sends a StateUpdate with a block of subsystems.
func (s *openBCServer) update(id objectid.ID, motion, block string) {
	payload := binary.LittleEndian.AppendUint32([]byte{byte(opcode.OpStateUpdate)}, uint32(id))
	payload = binary.LittleEndian.AppendUint32(payload, math.Float32bits(float32(s.ticks)/30))
	payload = append(append(payload, testdata.Bytes(motion)...), testdata.Bytes(block)...)
	s.unreliable = append(s.unreliable, transport.NewUnreliable(payload))
}

func slotID(t *testing.T, slot objectid.Slot) objectid.ID {
	id, ok := objectid.Base(slot)
	require.True(t, ok)
	return id
}

// receive handles a datagram of the client.
func (s *openBCServer) receive(now time.Time, datagram []byte) {
	for m, err := range transport.Messages(datagram) {
		require.NoError(s.t, err)
		a, isAck := m.Ack()
		switch {
		case isAck && a.Flags&transport.AckSystem == 0:
			s.reliable = slices.DeleteFunc(s.reliable, func(r *openBCMessage) bool { return r.Seq == a.Seq })
		case m.Type == transport.TypeConnect:
			s.connect()
		case m.Type == transport.TypeNameChange:
			s.name = transport.Message{Type: m.Type, Reliable: true, HighPriority: true, Body: slices.Clone(m.Body)}
		case m.Type == transport.TypeData:
			s.data(now, m)
		}
	}
}

// connect lets the client in. It repeats the reply to a repeated Connect.
func (s *openBCServer) connect() {
	s.unreliable = append(s.unreliable, transport.NewMessage(0, &transport.ConnectReply{PeerID: clientID}))
	if s.exchange == nil {
		var files checksum.Server
		var first *opcode.ChecksumRequest
		s.exchange, first = files.NewExchange()
		s.send(first)
	}
}

func (s *openBCServer) data(now time.Time, m *transport.Message) {
	if m.Reliable {
		ack := transport.Ack{Seq: m.Seq}
		if m.Fragment {
			ack.Flags, ack.FragIndex = transport.AckFragment, m.FragIndex
		}
		s.acks = append(s.acks, transport.NewMessage(0, &ack))
	}
	payload, verdict, err := s.fragments.Add(now, m)
	require.NoError(s.t, err)
	if verdict != transport.VerdictComplete {
		return
	}
	received, err := opcode.Decode(slices.Clone(payload))
	require.NoError(s.t, err)
	s.got[received.Opcode()] = append(s.got[received.Opcode()], received)
	switch received := received.(type) {
	case *opcode.ChecksumResponse:
		s.check(received)
	case *opcode.NewPlayerInGame:
		s.ready = true
		s.send(hosttest.Mission(), opcode.NewPlayerJoined(clientID), opcode.NewPlayerJoined(otherID))
	case *opcode.ChatMessage:
		s.send(&opcode.ChatMessage{SenderID: 0, Text: received.Text})
	}
}

// check sends the next request, or all that a client gets at the end of its join: scores and the ship
// of the other player among them.
func (s *openBCServer) check(m *opcode.ChecksumResponse) {
	reply, _ := s.exchange.Receive(m)
	if reply == nil {
		return
	}
	s.send(reply)
	if !s.exchange.Accepted() {
		return
	}
	ship := stateupdate.NewShip(slotID(s.t, 1), akira())
	ship.PlayerName, ship.SetName = "Ben", "Multi1"
	object, err := ship.Object()
	require.NoError(s.t, err)
	s.send(&opcode.Settings{GameTime: 20, Map: stream.Text(hosttest.Map)}, &opcode.GameInit{},
		&opcode.Score{PlayerID: clientID}, &opcode.ObjectCreateTeam{OwnerSlot: 1, NetPlayerID: otherID, Object: object})
}

// playOpenBC lets a player join an OpenBC server and play for a time. Datagrams take 5 ms, and a share of
// them is lost.
func playOpenBC(t *testing.T, seed uint64, loss float64, duration time.Duration) (*Player, *openBCServer, *transport.Session, []string) {
	rng := rand.New(rand.NewPCG(seed, 3))
	var lines []string
	session, err := transport.NewClient(epoch, transport.ConnectRequest{ConnID: 1}, transport.Options{})
	require.NoError(t, err)
	p := New(epoch, Options{
		Name: "Ann", Ship: akira(), Say: "hello", Seed: seed, Files: checksum.Vanilla(),
		Report: func(line string) { lines = append(lines, line) },
	})
	client := simulated.New(p, session)
	server := &openBCServer{t: t, got: map[opcode.Code][]opcode.Message{}}
	const step = 3 * time.Millisecond
	var toServer, toClient [][]byte // in flight
	for now := epoch; now.Before(epoch.Add(duration)) && p.Err() == nil; now = now.Add(step) {
		for _, d := range toServer {
			server.receive(now, d)
		}
		for _, d := range toClient {
			client.Receive(now, d)
		}
		toServer, toClient = nil, nil
		for d := client.AppendDatagram(nil, now); len(d) > 0; d = client.AppendDatagram(nil, now) {
			if rng.Float64() >= loss {
				toServer = append(toServer, d)
			}
		}
		if now.Sub(epoch)%openBCTick == 0 {
			for _, d := range server.tick() {
				require.LessOrEqual(t, len(d), openBCDatagram)
				if rng.Float64() >= loss {
					toClient = append(toClient, d)
				}
			}
		}
	}
	return p, server, session, lines
}

// A player plays for a minute on a server of OpenBC that sends each message up to three times, counts
// beyond 255, and sends the other ship's subsystems after its position. Each message arrives once, in order.
func TestPlayOnOpenBC(t *testing.T) {
	for _, loss := range []float64{0, 0.05, 0.2} {
		t.Run(fmt.Sprintf("loss %v", loss), func(t *testing.T) {
			p, server, session, lines := playOpenBC(t, 1, loss, time.Minute)
			require.NoError(t, p.Err())
			require.Equal(t, InGame, p.State())
			require.Equal(t, transport.ProgramOpenBC, session.Peer().Program())
			require.Zero(t, p.Counters().Malformed)
			require.Zero(t, p.Counters().Inapplicable)
			require.Greater(t, server.resent, 100)

			var heard []string
			for _, line := range lines {
				if _, n, ok := strings.Cut(line, ": line "); ok {
					heard = append(heard, n)
				}
			}
			require.Greater(t, len(heard), 300, "more than the numbers of one byte")
			for i, n := range heard {
				require.Equal(t, strconv.Itoa(i), n)
			}
			require.Len(t, server.got[opcode.OpChatMessage], 1)
			require.Len(t, server.got[opcode.OpObjectCreateTeam], 1)

			ships := 0
			for id, ship := range p.Ships() {
				ships++
				require.Equal(t, otherID, id)
				require.True(t, ship.OpenBC)
				require.Zero(t, ship.Stale)
				require.Equal(t, "Torpedoes 50% power 100% children 100/100/100/100/100/100%", ship.Subsystems[7].String())
				require.Equal(t, compress.Vector3{X: -60, Y: -4, Z: -111}, ship.Forward)
			}
			require.Equal(t, 1, ships)
		})
	}
}
