package join_test

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// script is a host that sends what a test tells it, and a client. There is no network between them.
type script struct {
	t       testing.TB
	now     time.Time
	hub     *transport.Hub
	host    *transport.Session // nil before the Connect
	session *transport.Session
	client  *join.Client
	got     []opcode.Message // by the host
	names   []string         // NameChange messages to the host
	heard   []opcode.Message // by the program of the client
	openBC  bool             // the host acknowledges no system message
}

var clientAddr = netip.MustParseAddrPort("10.0.0.1:22102")

// newScript returns a client that the host has accepted.
func newScript(t testing.TB, o join.Options) *script {
	s := &script{t: t, now: epoch, hub: transport.NewHub(epoch, transport.HubOptions{Rand: testdata.LowestIDs})}
	s.connect(o)
	return s
}

// newScriptOfOpenBC returns a client that a host like OpenBC's has accepted.
func newScriptOfOpenBC(t testing.TB, o join.Options) *script {
	s := &script{t: t, now: epoch, openBC: true, hub: transport.NewHub(epoch, transport.HubOptions{Rand: testdata.LowestIDs})}
	s.connect(o)
	return s
}

func (s *script) connect(o join.Options) {
	t := s.t
	var err error
	s.session, err = transport.NewClient(epoch, transport.ConnectRequest{ConnID: 1}, transport.Options{})
	require.NoError(t, err)
	s.client, err = join.NewClient(epoch, s.session, o)
	require.NoError(t, err)
	s.run(time.Second)
	require.Equal(t, join.StageChecking, s.client.State().Stage)
}

// unacknowledged returns a datagram without Acks of system messages.
func unacknowledged(t testing.TB, datagram []byte) []byte {
	p := transport.Packet{PeerID: objectid.Host}
	for m, err := range transport.Messages(datagram) {
		require.NoError(t, err)
		if ack, ok := m.Ack(); !ok || ack.Flags&transport.AckSystem == 0 {
			p.Messages = append(p.Messages, *m)
		}
	}
	d, err := p.MarshalBinary()
	require.NoError(t, err)
	return d
}

// run lets time pass.
func (s *script) run(d time.Duration) {
	for end := s.now.Add(d); s.now.Before(end); s.now = s.now.Add(50 * time.Millisecond) {
		for b := range s.session.Datagrams(s.now) {
			s.hub.Receive(s.now, clientAddr, b)
			s.hostEvents()
		}
		for _, b := range s.hub.Datagrams(s.now) {
			b = slices.Clone(b)
			if s.openBC {
				b = unacknowledged(s.t, b)
			}
			s.session.Receive(s.now, b)
			s.clientEvents()
		}
		s.hostEvents()
		s.clientEvents()
		if due := s.client.NextDeadline(); !due.IsZero() && !s.now.Before(due) {
			s.client.Tick(s.now)
		}
	}
}

func (s *script) hostEvents() {
	for e := range s.hub.Events() {
		switch e.Kind {
		case transport.EventConnect:
			var err error
			s.host, err = s.hub.Accept(e)
			require.NoError(s.t, err)
		case transport.EventSystem:
			if change, ok := e.Body.(*transport.NameChange); ok {
				s.names = append(s.names, change.Name.String())
			}
		case transport.EventPayload:
			m, err := opcode.Decode(slices.Clone(e.Payload))
			require.NoError(s.t, err)
			s.got = append(s.got, m)
		}
	}
}

func (s *script) clientEvents() {
	for e := range s.session.Events() {
		if m, _ := s.client.Handle(s.now, e); m != nil {
			s.heard = append(s.heard, m)
		}
	}
}

func (s *script) handle(e transport.Event) {
	_, err := s.client.Handle(s.now, e)
	require.NoError(s.t, err)
}

// send sends messages of the host, and lets the client reply.
func (s *script) send(all ...opcode.Message) {
	s.t.Helper()
	for _, m := range all {
		payload, err := opcode.Marshal(m)
		require.NoError(s.t, err)
		s.sendPayload(payload)
	}
	s.run(200 * time.Millisecond)
}

func (s *script) sendPayload(payload []byte) { _ = s.host.Send(payload, transport.Reliable) } // which may have ended

func (s *script) sendSystem(all ...transport.Body) {
	for _, b := range all {
		require.NoError(s.t, s.host.SendSystem(b))
	}
	s.run(200 * time.Millisecond)
}

func (s *script) state() join.State { return s.client.State() }

// count returns how many messages of an opcode the host has received.
func (s *script) count(code opcode.Code) (n int) {
	for _, m := range s.got {
		if m.Opcode() == code {
			n++
		}
	}
	return n
}

func settings(slot objectid.Slot) *opcode.Settings {
	return &opcode.Settings{PlayerSlot: slot, Map: stream.Text("Mission1")}
}

func mission() *opcode.MissionInit {
	return &opcode.MissionInit{PlayerLimit: 8, System: 1, TimeLimit: opcode.NoLimit, FragLimit: opcode.NoLimit}
}

// enter brings the client into the game.
func (s *script) enter() {
	s.t.Helper()
	s.send(settings(3), &opcode.GameInit{}, mission(), opcode.NewPlayerJoined(2))
	require.Equal(s.t, join.StageInGame, s.state().Stage)
}

// request returns a request for the hashes of a round of the game.
func request(round int) *opcode.ChecksumRequest {
	r := checksum.Rounds()[round]
	return &opcode.ChecksumRequest{Index: r.Index, Dir: stream.Text(r.Dir), Filter: stream.Text(r.Filter), Recursive: r.Recursive}
}

// The stages of a client, one after the other.
func TestStages(t *testing.T) {
	s := newScript(t, join.Options{Name: "Ann"})
	require.Equal(t, []string{"Ann"}, s.names)
	s.send(request(0))
	require.Equal(t, 1, s.count(opcode.OpChecksumResponse))
	s.send(&opcode.ChecksumComplete{}, settings(3))
	require.Equal(t, join.StageStarting, s.state().Stage)
	s.send(&opcode.GameInit{})
	require.EqualValues(t, 3, s.state().Self.Slot)
	s.run(100 * time.Millisecond)
	require.Equal(t, join.StageEntering, s.state().Stage)
	require.Equal(t, 1, s.count(opcode.OpNewPlayerInGame))
	s.send(mission())
	require.Equal(t, join.StageEntering, s.state().Stage)
	s.send(opcode.NewPlayerJoined(2))
	require.Equal(t, join.StageInGame, s.state().Stage)
	require.ErrorIs(t, s.client.Send(&opcode.ChatMessage{Text: make(stream.Text, 1<<17)}), stream.ErrTooLong)
	require.Equal(t, transport.Unreliable, join.DeliveryOf(&opcode.StateUpdate{}))
	require.True(t, s.client.NextDeadline().IsZero())
	require.Equal(t, mission(), s.state().Mission)
	s.session.Close()
	s.run(time.Second)
	require.EqualError(t, s.state().Err, "join: in the game: closed")
	require.ErrorIs(t, s.client.Send(&opcode.HostMessage{}), transport.ErrNotOpen)
	require.Equal(t, "ended", s.state().Stage.String())
}

// Malformed input of a host: none of it brings the client into a wrong state, and each host that does
// not let the client join has an error with the stage and the reason.
func TestHostile(t *testing.T) {
	long := stream.Text(strings.Repeat("x", 256))
	longName, err := stream.NewUTF16(strings.Repeat("x", 201))
	require.NoError(t, err)
	other, err := stream.NewUTF16("Ann (2)")
	require.NoError(t, err)
	for name, c := range map[string]struct {
		play func(*script)
		want error // nil: in the game
		text string
	}{
		"GameInit without Settings": {func(s *script) {
			s.send(&opcode.GameInit{}, mission(), opcode.NewPlayerJoined(2))
			require.Equal(s.t, join.StageChecking, s.state().Stage)
			require.Zero(s.t, s.count(opcode.OpNewPlayerInGame))
			s.enter()
		}, nil, ""},
		"GameInit without Settings, then silence": {func(s *script) {
			s.send(&opcode.GameInit{})
			s.run(2 * time.Minute)
		}, join.ErrTimeout, "join: comparing files: the server does not answer: GameInit before Settings"},
		"NewPlayerInGame of the host": {func(s *script) {
			s.send(&opcode.NewPlayerInGame{}, settings(3), &opcode.NewPlayerInGame{}, &opcode.GameInit{}, &opcode.NewPlayerInGame{})
			require.Equal(s.t, join.StageEntering, s.state().Stage)
			require.Equal(s.t, 1, s.count(opcode.OpNewPlayerInGame))
			s.send(mission(), opcode.NewPlayerJoined(2))
		}, nil, ""},
		"endless files": {func(s *script) {
			s.send(request(0), request(1), request(2), request(3), request(4))
			for n := 0; n < 10_000 && s.state().Stage != join.StageEnded; n++ {
				s.send(&opcode.FileTransfer{Name: stream.Text("Scripts/Multiplayer/A.pyc"), Data: make([]byte, 300)})
			}
		}, join.ErrProtocol, `join: comparing files: the server has broken the protocol: checksum: FileTransfer: "Scripts/Multiplayer/A.pyc": limit reached: 257 files, at most 256`},
		"Settings twice": {func(s *script) {
			s.send(settings(3), settings(4), &opcode.GameInit{}, &opcode.GameInit{}, settings(5))
			require.EqualValues(s.t, 3, s.state().Self.Slot)
			require.Equal(s.t, 1, s.count(opcode.OpNewPlayerInGame))
			s.send(mission(), opcode.NewPlayerJoined(2), settings(5))
			require.EqualValues(s.t, 3, s.state().Self.Slot)
		}, nil, ""},
		"slot 200": {func(s *script) {
			payload, err := opcode.Marshal(settings(3))
			require.NoError(s.t, err)
			payload[6] = 200
			s.sendPayload(payload)
			s.run(time.Second)
		}, join.ErrProtocol, "join: comparing files: the server has broken the protocol: slot 200, not 0 to 15"},
		"a long name of the mission": {func(s *script) {
			s.send(&opcode.Settings{Map: long})
		}, join.ErrProtocol, "join: comparing files: the server has broken the protocol: mission of 256 bytes, at most 255"},
		"the longest names": {func(s *script) {
			s.send(&opcode.Settings{Map: long[:255], Renamed: true, NewName: longName[:400]}, &opcode.GameInit{}, mission(), opcode.NewPlayerJoined(2))
			require.Equal(s.t, strings.Repeat("x", 200), s.state().Self.Name)
		}, nil, ""},
		"a long new name": {func(s *script) {
			s.send(&opcode.Settings{Renamed: true, NewName: longName}, &opcode.GameInit{}, mission(), opcode.NewPlayerJoined(2))
			require.Equal(s.t, "Ann", s.state().Self.Name)
			require.Equal(s.t, []string{"Ann"}, s.names)
			require.Empty(s.t, s.state().Settings.NewName)
		}, nil, ""},
		"an opaque new name": {func(s *script) {
			s.send(&opcode.Settings{Renamed: true, Opaque: true, Rest: []byte{1, 2, 3}}, &opcode.GameInit{}, mission(), opcode.NewPlayerJoined(2))
			require.Equal(s.t, "Ann", s.state().Self.Name)
		}, nil, ""},
		"a new name": {func(s *script) {
			s.send(&opcode.Settings{Renamed: true, NewName: other}, &opcode.GameInit{}, mission(), opcode.NewPlayerJoined(2))
			require.Equal(s.t, "Ann (2)", s.state().Self.Name)
			require.Equal(s.t, []string{"Ann", "Ann (2)"}, s.names)
		}, nil, ""},
		"no MissionInit": {func(s *script) {
			s.send(settings(3), &opcode.GameInit{}, opcode.NewPlayerJoined(2))
			s.run(4 * time.Second)
			require.Equal(s.t, join.StageEntering, s.state().Stage)
			s.run(2 * time.Second)
			require.Nil(s.t, s.state().Mission)
		}, nil, ""},
		"MissionInit after NewPlayerJoined": {func(s *script) {
			s.send(settings(3), &opcode.GameInit{}, opcode.NewPlayerJoined(2))
			require.Equal(s.t, join.StageEntering, s.state().Stage)
			s.send(mission())
		}, nil, ""},
		"a MissionInit of a mod": {func(s *script) {
			s.send(settings(3), &opcode.GameInit{}, &opcode.Unknown{Op: opcode.OpMissionInit, Data: make([]byte, 40)}, opcode.NewPlayerJoined(2))
			require.Nil(s.t, s.state().Mission)
		}, nil, ""},
		"no NewPlayerJoined": {func(s *script) {
			s.send(settings(3), &opcode.GameInit{}, mission(), opcode.NewPlayerJoined(3))
			require.Equal(s.t, join.StageEntering, s.state().Stage)
			s.run(6 * time.Second)
		}, nil, ""},
		"silence after NewPlayerInGame": {func(s *script) {
			s.send(settings(3), &opcode.GameInit{})
			s.run(2 * time.Minute)
		}, join.ErrTimeout, "join: entering: the server does not answer: no reply to NewPlayerInGame"},
		"no MissionInit, and the time of a join ends": {func(s *script) {
			s.run(116 * time.Second)
			s.send(settings(3), &opcode.GameInit{}, opcode.NewPlayerJoined(2))
			s.run(3 * time.Second)
		}, nil, ""},
		"silence after MissionInit, without GameInit": {func(s *script) {
			s.send(settings(3), mission(), opcode.NewPlayerJoined(2))
			s.run(2 * time.Minute)
		}, join.ErrTimeout, "join: starting: the server does not answer: Settings, but no GameInit"},
		"silence after Settings": {func(s *script) {
			s.send(settings(3))
			s.run(2 * time.Minute)
		}, join.ErrTimeout, "join: starting: the server does not answer: Settings, but no GameInit"},
		"a session that times out after Settings": {func(s *script) {
			s.send(settings(3))
			s.handle(transport.Event{Kind: transport.EventEnded, End: transport.EndTimeout})
		}, join.ErrTimeout, "join: starting: the server does not answer: Settings, but no GameInit"},
		"a session that times out in the game, after garbage": {func(s *script) {
			s.sendPayload([]byte{byte(opcode.OpChecksumRequest)})
			s.enter()
			s.handle(transport.Event{Kind: transport.EventEnded, End: transport.EndTimeout})
		}, join.ErrTimeout, "join: in the game: the server does not answer"},
		"silence after the acceptance": {func(s *script) {
			s.run(2 * time.Minute)
		}, join.ErrTimeout, "join: comparing files: the server does not answer"},
		"10,000 rounds": {func(s *script) {
			for range 10_000 {
				s.send(request(0))
				if s.state().Stage == join.StageEnded {
					break
				}
			}
			require.LessOrEqual(s.t, s.count(opcode.OpChecksumResponse), 32)
		}, join.ErrProtocol, "join: comparing files: the server has broken the protocol: checksum: ChecksumRequest of round 0: limit reached: 33 requests, at most 32"},
		"10,000 rounds of other files": {func(s *script) {
			for i := 0; i < 10_000 && s.state().Stage != join.StageEnded; i++ {
				s.send(&opcode.ChecksumRequest{Index: uint8(i), Dir: stream.Text("C:/"), Filter: stream.Text("*")})
			}
			require.Zero(s.t, s.count(opcode.OpChecksumResponse))
		}, join.ErrProtocol, "join: comparing files: the server has broken the protocol: checksum: ChecksumRequest of round 63: not a round of the game"},
		"garbage, then silence": {func(s *script) {
			s.sendPayload([]byte{byte(opcode.OpChecksumRequest)})
			s.sendPayload([]byte{byte(opcode.OpSettings)})
			s.run(2 * time.Minute)
		}, join.ErrTimeout, "join: comparing files: the server does not answer: opcode: decode ChecksumRequest.Index at offset 1: unexpected EOF"},
		"garbage": {func(s *script) {
			for range 10_000 {
				if s.sendPayload([]byte{byte(opcode.OpSettings)}); s.state().Stage == join.StageEnded {
					break
				}
				s.run(50 * time.Millisecond)
			}
			s.run(time.Second)
		}, join.ErrProtocol, "join: comparing files: the server has broken the protocol: opcode: decode Settings.GameTime at offset 1: unexpected EOF"},
		"other files": {func(s *script) {
			s.send(&opcode.SystemChecksumFailed{Name: stream.Text("scripts/App.pyc")}, settings(3))
		}, join.ErrFiles, `join: comparing files: the server has other files: "scripts/App.pyc"`},
		"another version": {func(s *script) {
			s.send(&opcode.VersionMismatch{Name: append(stream.Text("\x1b[31m60"), long...)})
		}, join.ErrVersion, `join: comparing files: the server has another version of the game: "\x1b[31m60` + strings.Repeat("x", 73) + `"`},
		"kicked while joining": {func(s *script) {
			s.host.Boot(transport.BootRemoved)
			s.run(time.Second)
		}, join.ErrRefused, "join: comparing files: refused by the server: removed by host"},
		"full after all": {func(s *script) {
			s.host.Boot(transport.BootTooManyPlayers)
			s.run(time.Second)
		}, join.ErrFull, "join: comparing files: the server is full"},
		"OpenBC refuses the files": {func(s *script) {
			s.send(&opcode.BootPlayer{Reason: opcode.RefusalChecksum})
		}, join.ErrFiles, "join: comparing files: the server has other files"},
		"OpenBC is full":            {func(s *script) { s.send(&opcode.BootPlayer{Reason: opcode.RefusalFull}) }, join.ErrFull, "join: comparing files: the server is full"},
		"OpenBC has banned":         {func(s *script) { s.send(&opcode.BootPlayer{Reason: opcode.RefusalBanned}) }, join.ErrBanned, "join: comparing files: banned by the server"},
		"OpenBC of another version": {func(s *script) { s.send(&opcode.BootPlayer{Reason: opcode.RefusalVersion}) }, join.ErrVersion, "join: comparing files: the server has another version of the game"},
		"OpenBC without a reason":   {func(s *script) { s.send(&opcode.BootPlayer{}) }, join.ErrRefused, "join: comparing files: refused by the server: no reason given"},
		"the host leaves": {func(s *script) {
			s.send(settings(3))
			s.hub.Close()
			s.run(time.Second)
		}, join.ErrLeft, "join: starting: the server has disconnected"},
		"contradicting fragments": {func(s *script) {
			b, err := (&transport.Packet{PeerID: objectid.Host, Messages: []transport.Message{
				{Type: transport.TypeData, Reliable: true, Fragment: true, FragTotal: 3, Body: []byte{1}},
				{Type: transport.TypeData, Reliable: true, Fragment: true, FragTotal: 2, Body: []byte{1}},
			}}).MarshalBinary()
			require.NoError(s.t, err)
			s.session.Receive(s.now, b)
			s.run(time.Second)
		}, join.ErrProtocol, "join: comparing files: the server has broken the protocol: bad fragment"},
		"time that goes back": {func(s *script) {
			s.now = s.now.Add(-time.Hour)
			s.run(time.Minute)
			require.Equal(s.t, join.StageChecking, s.state().Stage)
			s.now = s.now.Add(-time.Hour)
			s.enter()
		}, nil, ""},
		"time that jumps ahead": {func(s *script) {
			s.now = s.now.AddDate(300, 0, 0)
			s.run(time.Minute)
		}, join.ErrTimeout, "join: comparing files: the server does not answer"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(t, join.Options{Name: "Ann"})
			c.play(s)
			state := s.state()
			if c.want == nil {
				require.NoError(t, state.Err)
				require.Equal(t, join.StageInGame, state.Stage)
				return
			}
			require.ErrorIs(t, state.Err, c.want)
			require.EqualError(t, state.Err, c.text)
			require.Equal(t, join.StageEnded, state.Stage)
			require.True(t, s.session.Ended(), "the client closes its session")
			for _, m := range []opcode.Message{&opcode.MissionInit{System: 9}, opcode.NewPlayerJoined(9)} { // have no effect
				payload, err := opcode.Marshal(m)
				require.NoError(t, err)
				s.handle(transport.Event{Kind: transport.EventPayload, Payload: payload})
			}
			require.Equal(t, state, s.state())
		})
	}
}

// A host that has not accepted the client can only refuse it. Other messages, which anybody may forge who
// does not know the state of the session, have no effect.
func TestMessagesBeforeTheAcceptance(t *testing.T) {
	session, err := transport.NewClient(epoch, transport.ConnectRequest{ConnID: 1}, transport.Options{})
	require.NoError(t, err)
	client, err := join.NewClient(epoch, session, join.Options{Name: "Ann"})
	require.NoError(t, err)
	require.Equal(t, join.Player{PeerID: objectid.NoPeer, Slot: objectid.NoSlot, Name: "Ann", Team: opcode.TeamNone}, client.State().Self)
	receive := func(m opcode.Message, trailing ...byte) {
		payload, err := opcode.Marshal(m)
		require.NoError(t, err)
		payload = append(payload, trailing...)
		b, err := (&transport.Packet{PeerID: objectid.Host, Messages: []transport.Message{transport.NewUnreliable(payload)}}).MarshalBinary()
		require.NoError(t, err)
		session.Receive(epoch, b)
		for e := range session.Events() {
			_, _ = client.Handle(epoch, e)
		}
	}
	for range 100 {
		for _, m := range []opcode.Message{request(0), &opcode.Unknown{Op: opcode.OpSettings}, settings(3), &opcode.GameInit{}, mission(), &opcode.VersionMismatch{}} {
			receive(m)
		}
	}
	receive(&opcode.BootPlayer{Reason: opcode.RefusalFull}, 0)
	require.NoError(t, client.State().Err)
	require.Equal(t, join.StageConnecting, client.State().Stage)
	receive(&opcode.BootPlayer{Reason: opcode.RefusalFull})
	require.EqualError(t, client.State().Err, "join: connecting: the server is full")
}

// A host that continues without acknowledging anything fills the queue of the client.
func TestHostWithoutAcks(t *testing.T) {
	session, err := transport.NewClient(epoch, transport.ConnectRequest{ConnID: 1}, transport.Options{MaxQueue: 2})
	require.NoError(t, err)
	client, err := join.NewClient(epoch, session, join.Options{})
	require.NoError(t, err)
	reply, err := (&transport.Packet{PeerID: objectid.Host, Messages: []transport.Message{
		transport.NewMessage(0, &transport.ConnectReply{PeerID: 2}),
	}}).MarshalBinary()
	require.NoError(t, err)
	session.Receive(epoch, reply)
	for e := range session.Events() {
		_, _ = client.Handle(epoch, e)
	}
	for range 3 {
		payload, err := opcode.Marshal(request(0))
		require.NoError(t, err)
		_, err = client.Handle(epoch, transport.Event{Payload: payload})
		require.NoError(t, err)
	}
	require.ErrorIs(t, client.State().Err, join.ErrProtocol)
	require.ErrorContains(t, client.State().Err, "queue full")
}

// A client is refused before it is accepted.
func TestRefusals(t *testing.T) {
	for reason, want := range map[transport.BootReason]error{
		transport.BootPassword: join.ErrPassword, transport.BootTooManyPlayers: join.ErrFull,
		transport.BootBanned: join.ErrBanned, transport.BootUnspecified: join.ErrRefused, 77: join.ErrRefused,
	} {
		session, err := transport.NewClient(epoch, transport.ConnectRequest{ConnID: 1}, transport.Options{})
		require.NoError(t, err)
		client, err := join.NewClient(epoch, session, join.Options{})
		require.NoError(t, err)
		for range session.Datagrams(epoch) {
		}
		b, err := (&transport.Packet{PeerID: objectid.Host, Messages: []transport.Message{
			transport.NewMessage(0, &transport.Boot{Reason: reason, PeerID: objectid.NoPeer}),
		}}).MarshalBinary()
		require.NoError(t, err)
		session.Receive(epoch, b)
		for e := range session.Events() {
			_, _ = client.Handle(epoch, e)
		}
		require.ErrorIs(t, client.State().Err, want)
	}
	require.Equal(t, join.ErrBanned, join.EndError(transport.Event{Payload: []byte{byte(opcode.OpBootPlayer), byte(opcode.RefusalBanned)}}))
	require.NoError(t, join.EndError(transport.Event{Payload: []byte{byte(opcode.OpBootPlayer)}}))
	// A host that does not answer.
	session, err := transport.NewClient(epoch, transport.ConnectRequest{ConnID: 1}, transport.Options{})
	require.NoError(t, err)
	client, err := join.NewClient(epoch, session, join.Options{})
	require.NoError(t, err)
	require.Equal(t, epoch.Add(2*time.Minute), client.NextDeadline())
	client.Tick(epoch.Add(2 * time.Minute))
	require.EqualError(t, client.State().Err, "join: connecting: the server does not answer")
}

// The hashes of the responses are of the manifest.
func TestFilesOfTheClient(t *testing.T) {
	s := newScript(t, join.Options{Manifest: checksum.Vanilla()})
	for i := range 5 {
		s.send(request(i))
	}
	require.Equal(t, 5, s.count(opcode.OpChecksumResponse))
	for _, m := range s.got {
		require.Empty(t, checksum.Vanilla().VerifyResponse(m.(*opcode.ChecksumResponse)))
	}

	s = newScript(t, join.Options{})
	for i := range 5 {
		s.send(request(i))
	}
	s.send(&opcode.FileTransfer{Name: stream.Text("Scripts/Multiplayer/Modifier.pyc"), Data: make([]byte, 2000)})
	s.send(&opcode.FileTransfer{Name: stream.Text(`C:\autoexec.bat`), Data: []byte{1}})
	require.Equal(t, 2, s.count(opcode.OpFileTransferAck))
	s.send(&opcode.ChecksumComplete{})
	s.enter()
	s.send(request(0))
	require.Equal(t, 5, s.count(opcode.OpChecksumResponse))

	s = newScript(t, join.Options{})
	s.enter()
	s.send(request(0), &opcode.SystemChecksumFailed{})
	require.Zero(t, s.count(opcode.OpChecksumResponse), "in the game, nothing is answered")
	require.Equal(t, join.StageInGame, s.state().Stage)
}

// The client follows the names, slots, teams and scores of the players.
func TestPlayersOfTheClient(t *testing.T) {
	s := newScript(t, join.Options{Name: "Ann"})
	s.enter()
	s.sendSystem(
		&transport.NameChange{PeerID: 3, Name: name16("Bob")}, &transport.NameChange{PeerID: 4, Name: name16("Bob")},
		&transport.NameChange{PeerID: objectid.Host, Name: name16("host")}, &transport.NameChange{PeerID: 3, Name: name16("")},
	)
	s.send(
		opcode.NewPlayerJoined(3), opcode.NewPlayerJoined(4), opcode.NewPlayerJoined(objectid.NoPeer), opcode.NewPlayerJoined(objectid.Host),
		&opcode.Score{PlayerID: 3, Kills: 1, Deaths: 2, Score: 3},
		&opcode.ScoreInit{PlayerID: 4, Kills: 4, Deaths: 5, Score: 6, Team: opcode.TeamTwo},
		&opcode.Score{PlayerID: 5, Kills: 9}, // has left
		&opcode.Score{PlayerID: 1 << 20, Kills: 9}, &opcode.Score{PlayerID: -7}, &opcode.TeamMessage{PlayerID: 300, Team: 1},
		&opcode.ScoreInit{PlayerID: 300}, opcode.NewScoreChange(objectid.Host, 1, 300, 4, 5),
	)
	ship := func(slot objectid.Slot, peer objectid.PeerID, name string) *opcode.ObjectCreateTeam {
		return &opcode.ObjectCreateTeam{OwnerSlot: slot, NetPlayerID: peer, Object: opcode.Object{ClassID: opcode.ObjectShip, PlayerName: stream.Text(name)}}
	}
	s.send(ship(5, 3, "Bobby"), ship(16, 4, "Bob"), ship(6, 6, "Cat"))
	want := []join.Player{
		{PeerID: 3, Slot: 5, Name: "Bob", Team: opcode.TeamNone, Kills: 1, Deaths: 2, Points: 3},
		{PeerID: 4, Slot: objectid.NoSlot, Name: "Bob", Team: opcode.TeamTwo, Kills: 4, Deaths: 5, Points: 6},
		{PeerID: 6, Slot: 6, Name: "Cat", Team: opcode.TeamNone},
	}
	require.Equal(t, want, s.state().Other)
	require.Equal(t, join.Player{PeerID: 2, Slot: 3, Name: "Ann", Team: opcode.TeamNone}, s.state().Self)

	for id := range objectid.PeerID(1000) {
		payload, err := opcode.Marshal(&opcode.Score{PlayerID: 1000 + id})
		require.NoError(t, err)
		s.handle(transport.Event{Kind: transport.EventPayload, Payload: payload})
	}
	require.Less(t, s.client.Known(), 10)

	// A slot has one player. A player whose name comes late is renamed.
	s.send(ship(5, 4, "Eve"), ship(9, 2, "me"), &opcode.TeamMessage{PlayerID: 3, Team: opcode.TeamOne})
	s.sendSystem(&transport.NameChange{PeerID: 4, Name: name16("Dan")})
	change := opcode.NewScoreChange(3, 7, 4, 8, 9)
	change.Damagers = []opcode.DamagerScore{{ID: 6, Score: 10}, {}}
	s.send(change)
	want[0].Slot, want[0].Team, want[0].Deaths = objectid.NoSlot, opcode.TeamOne, 7
	want[1].Slot, want[1].Name, want[1].Kills, want[1].Points = 5, "Dan", 8, 9
	want[2].Points = 10
	require.Equal(t, want, s.state().Other)
	require.EqualValues(t, 3, s.state().Self.Slot)

	// Who leaves is forgotten. Nobody but the session says that the client itself has left.
	s.send(opcode.NewPlayerLeft(3), opcode.NewPlayerLeft(2))
	s.send(opcode.NewPlayerJoined(7))
	s.sendSystem(&transport.Disconnect{PeerID: 4}, &transport.Boot{PeerID: 7}, &transport.Disconnect{PeerID: 8}, &transport.NameChange{PeerID: 2, Name: name16("Anna")})
	s.send(&opcode.RestartGame{})
	require.Equal(t, []join.Player{{PeerID: 6, Slot: 6, Name: "Cat", Team: opcode.TeamNone}}, s.state().Other)
	require.Equal(t, join.Player{PeerID: 2, Slot: 3, Name: "Anna", Team: opcode.TeamNone}, s.state().Self)
}

// A player leaves, and the next one gets the same peer ID. The host announces the leave on the system channel and
// on the game channel. One of them is late.
func TestLateLeaves(t *testing.T) {
	bob, next := &transport.NameChange{PeerID: 3, Name: name16("Bob")}, &transport.NameChange{PeerID: 3, Name: name16("Cat")}
	gone := &transport.Disconnect{PeerID: 3}
	ship := &opcode.ObjectCreateTeam{OwnerSlot: 5, NetPlayerID: 3, Object: opcode.Object{ClassID: opcode.ObjectShip, PlayerName: stream.Text("Cat")}}
	begin := func(t *testing.T) *script {
		s := newScript(t, join.Options{Name: "Ann"})
		s.enter()
		return s
	}
	cat := join.Player{PeerID: 3, Slot: 5, Name: "Cat", Team: opcode.TeamNone, Deaths: 2}
	t.Run("system channel", func(t *testing.T) {
		s := begin(t)
		s.sendSystem(bob)
		s.send(opcode.NewPlayerJoined(3), opcode.NewPlayerLeft(3), opcode.NewPlayerJoined(3), &opcode.Score{PlayerID: 3, Deaths: 2}, ship)
		require.Equal(t, []join.Player{cat}, s.state().Other)
		s.sendSystem(gone)
		require.Equal(t, []join.Player{cat}, s.state().Other)
		s.sendSystem(next)
		require.Equal(t, []join.Player{cat}, s.state().Other)
		s.send(opcode.NewPlayerLeft(3))
		require.Empty(t, s.state().Other)
	})
	t.Run("system channel with a name", func(t *testing.T) {
		s := begin(t)
		s.send(opcode.NewPlayerJoined(3), opcode.NewPlayerLeft(3), opcode.NewPlayerJoined(3), &opcode.Score{PlayerID: 3, Deaths: 2})
		s.sendSystem(bob, gone)
		require.Equal(t, []join.Player{{PeerID: 3, Slot: objectid.NoSlot, Team: opcode.TeamNone, Deaths: 2}}, s.state().Other)
		s.sendSystem(next)
		s.send(ship)
		require.Equal(t, []join.Player{cat}, s.state().Other)
	})
	t.Run("system channel, and nobody comes", func(t *testing.T) {
		s := begin(t)
		s.send(opcode.NewPlayerJoined(3), opcode.NewPlayerLeft(3), &opcode.Score{PlayerID: 3, Deaths: 2})
		s.sendSystem(bob, gone)
		require.Empty(t, s.state().Other)
		s.send(opcode.NewPlayerJoined(3))
		require.Equal(t, []join.Player{{PeerID: 3, Slot: objectid.NoSlot, Team: opcode.TeamNone}}, s.state().Other)
	})
	t.Run("system channel without a name", func(t *testing.T) {
		s := begin(t)
		s.send(opcode.NewPlayerJoined(3), opcode.NewPlayerLeft(3))
		s.sendSystem(gone)
		require.Empty(t, s.state().Other)
	})
	t.Run("game channel", func(t *testing.T) {
		s := begin(t)
		s.sendSystem(bob, gone, next)
		s.send(opcode.NewPlayerJoined(3), &opcode.Score{PlayerID: 3, Deaths: 7}, opcode.NewPlayerLeft(3))
		require.Equal(t, []join.Player{{PeerID: 3, Slot: objectid.NoSlot, Name: "Cat", Team: opcode.TeamNone}}, s.state().Other)
		s.send(opcode.NewPlayerJoined(3), &opcode.Score{PlayerID: 3, Deaths: 2}, ship)
		require.Equal(t, []join.Player{cat}, s.state().Other)
	})
	t.Run("game channel, and nobody comes", func(t *testing.T) {
		s := begin(t)
		s.sendSystem(bob, gone)
		s.send(opcode.NewPlayerJoined(3), opcode.NewPlayerLeft(3))
		require.Empty(t, s.state().Other)
	})
	t.Run("the client itself", func(t *testing.T) {
		s := begin(t)
		s.sendSystem(&transport.NameChange{PeerID: 2, Name: name16("Anna")})
		s.send(opcode.NewPlayerLeft(2))
		require.Equal(t, "Anna", s.state().Self.Name)
	})
	t.Run("one channel only", func(t *testing.T) {
		s := begin(t)
		for range 2 {
			s.sendSystem(bob)
			s.send(opcode.NewPlayerJoined(3))
			require.Len(t, s.state().Other, 1)
			s.send(opcode.NewPlayerLeft(3))
			require.Empty(t, s.state().Other)
		}
		for range 2 {
			s.sendSystem(next, gone)
			require.Empty(t, s.state().Other)
		}
	})
}

// sendOpenBC sends messages in the form of OpenBC, which does not number them.
func (s *script) sendOpenBC(all ...transport.Body) {
	for _, b := range all {
		m := transport.NewMessage(0, b)
		m.HighPriority = false
		datagram, err := (&transport.Packet{PeerID: objectid.Host, Messages: []transport.Message{m}}).MarshalBinary()
		require.NoError(s.t, err)
		s.session.Receive(s.now, datagram)
		s.clientEvents()
	}
}

// OpenBC's server writes slots into names, and its clients any NetPlayerID. A player of the stock host who
// sends such a message renames nobody.
func TestSlotsInNames(t *testing.T) {
	s := newScript(t, join.Options{Name: "Ann"})
	s.enter()
	s.sendSystem(&transport.NameChange{PeerID: 0, Name: name16("Eve")}, &transport.NameChange{PeerID: 3, Name: name16("Ben")})
	require.Equal(t, "Ann", s.state().Self.Name)
	require.Equal(t, []join.Player{{PeerID: 3, Slot: objectid.NoSlot, Name: "Ben", Team: opcode.TeamNone}}, s.state().Other)

	s = newScript(t, join.Options{Name: "Ann"})
	s.enter()
	s.sendOpenBC(&transport.NameChange{PeerID: 0, Name: name16("Ann")}, &transport.NameChange{PeerID: 1, Name: name16("Ben")})
	ship := &opcode.ObjectCreateTeam{OwnerSlot: 2, NetPlayerID: 3, Object: opcode.Object{ClassID: opcode.ObjectShip, PlayerName: stream.Text("Cid")}}
	none := *ship
	none.OwnerSlot, none.NetPlayerID = objectid.NoSlot, 7
	s.send(ship, &none)
	require.Equal(t, "Ann", s.state().Self.Name)
	require.Equal(t, []join.Player{
		{PeerID: 3, Slot: objectid.NoSlot, Name: "Ben", Team: opcode.TeamNone},
		{PeerID: 4, Slot: 2, Name: "Cid", Team: opcode.TeamNone},
		{PeerID: 7, Slot: objectid.NoSlot, Name: "Cid", Team: opcode.TeamNone},
	}, s.state().Other)
	require.Equal(t, objectid.PeerID(3), s.client.Speaker(&opcode.ChatMessage{SenderID: 1}), "before any line of chat")
}

// OpenBC's server writes slots into chat. It shows itself by the client's own score.
func TestOpenBCHost(t *testing.T) {
	s := newScriptOfOpenBC(t, join.Options{Name: "Ann"})
	require.Equal(t, objectid.PeerID(3), s.client.Speaker(&opcode.ChatMessage{SenderID: 3}), "not known to be OpenBC")
	s.sendSystem(&transport.NameChange{PeerID: 2, Name: name16("Ann")}, &transport.NameChange{PeerID: 3, Name: name16("Ben")})
	s.send(settings(0), &opcode.GameInit{}, &opcode.Score{PlayerID: 2}, &opcode.Score{PlayerID: 3, Kills: 2})
	s.send(mission(), opcode.NewPlayerJoined(3), opcode.NewPlayerJoined(2), opcode.NewPlayerJoined(2))
	require.Equal(t, join.StageInGame, s.state().Stage)
	require.Equal(t, []join.Player{{PeerID: 3, Slot: objectid.NoSlot, Name: "Ben", Team: opcode.TeamNone, Kills: 2}}, s.state().Other)

	require.Equal(t, objectid.PeerID(2), s.client.Speaker(&opcode.ChatMessage{SenderID: 0}))
	require.Equal(t, objectid.PeerID(3), s.client.Speaker(&opcode.ChatMessage{SenderID: 1}))
	require.Equal(t, objectid.NoPeer, s.client.Speaker(&opcode.HostMessage{}))

	// The layout of MissionInit does not matter, and a malformed score shows nothing.
	for name, want := range map[string]objectid.PeerID{"score": 2, "malformed score": objectid.NoPeer} {
		s := newScriptOfOpenBC(t, join.Options{Name: "Ann"})
		s.send(settings(0), &opcode.GameInit{})
		score, err := opcode.Marshal(&opcode.Score{PlayerID: 2})
		require.NoError(t, err)
		if want != 2 {
			score = append(score, 0)
		}
		s.sendPayload(score)
		s.send(&opcode.Unknown{Op: opcode.OpMissionInit, Data: make([]byte, 40)})
		require.Equal(t, want, s.client.Speaker(&opcode.ChatMessage{SenderID: 0}), name)
	}
}

// What a line says of its speaker decides nothing about the host: a player can forge it.
func TestChatOfUnknownHosts(t *testing.T) {
	for name, begin := range map[string]func(testing.TB, join.Options) *script{"unknown": newScriptOfOpenBC, "stock": newScript} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, join.Options{Name: "Ann"})
			s.enter()
			s.send(opcode.NewPlayerJoined(3), opcode.NewPlayerJoined(4))
			for range 2 {
				for _, id := range []objectid.PeerID{0, 1, 2, 3} {
					s.send(&opcode.ChatMessage{SenderID: id, Text: stream.Text("gg")})
					want := id
					if id == 0 {
						want = objectid.NoPeer
					}
					require.Equal(t, want, s.client.Speaker(&opcode.ChatMessage{SenderID: id}))
				}
			}
		})
	}
}

// Eight players say the same at the same time. Each of them knows who said each line, on a stock host and on
// one that writes slots.
func TestEverybodySaysGG(t *testing.T) {
	for name, slots := range map[string]bool{"stock": false, "slots": true} {
		t.Run(name, func(t *testing.T) {
			var host *join.Host
			w := newWorld(t, join.HostOptions{
				Hub: transport.HubOptions{MaxPerIP: 16}, Mission: opcode.MissionInit{PlayerLimit: 8},
				Enter: func(m *join.Member) { // as OpenBC's server
					if slots {
						host.Send(&opcode.NewPlayerInGame{}, host.Members()...)
					}
				},
				Message: func(from *join.Member, m opcode.Message) {
					if line, ok := m.(*opcode.ChatMessage); ok && slots {
						line.SenderID = objectid.PeerID(from.Slot)
					}
					host.Relay(from, m)
				},
			})
			host = w.host
			var all []*guest
			for i := range 8 {
				all = append(all, w.join(string(rune('A'+i))))
			}
			for _, text := range []string{"gg", "wp"} {
				for _, g := range all {
					g.say(&opcode.ChatMessage{SenderID: g.id(), Text: stream.Text(text)})
				}
				w.run(time.Second)
			}
			for _, g := range all {
				said := map[objectid.PeerID]int{}
				for _, m := range g.heard {
					if line, ok := m.(*opcode.ChatMessage); ok {
						said[g.Speaker(line)]++
					}
				}
				require.Equal(t, map[objectid.PeerID]int{2: 2, 3: 2, 4: 2, 5: 2, 6: 2, 7: 2, 8: 2, 9: 2}, said, "as %v hears it", g.id())
			}
		})
	}
}

// Names that do not fit are errors of NewClient.
func TestNamesOfTheClient(t *testing.T) {
	session, err := transport.NewClient(epoch, transport.ConnectRequest{}, transport.Options{})
	require.NoError(t, err)
	_, err = join.NewClient(epoch, session, join.Options{Name: strings.Repeat("x", 201)})
	require.ErrorIs(t, err, stream.ErrTooLong)
	require.EqualError(t, err, "join: name: too long: 201 UTF-16 units, at most 200")
	_, err = join.NewClient(epoch, session, join.Options{Name: "a\x00b"})
	require.ErrorIs(t, err, stream.ErrText)
	_, err = join.NewClient(epoch, session, join.Options{Name: "\xff"})
	require.ErrorIs(t, err, stream.ErrText)
	s := newScript(t, join.Options{Name: strings.Repeat("x", 200)})
	require.Equal(t, []string{strings.Repeat("x", 200)}, s.names)
	require.Empty(t, newScript(t, join.Options{}).names)
}

// Names of other players are as long as those of a client.
func TestLongNamesOfOthers(t *testing.T) {
	s := newScript(t, join.Options{})
	s.enter()
	name := strings.Repeat("x", 200)
	s.sendSystem(&transport.NameChange{PeerID: 3, Name: name16(name)})
	s.handle(transport.Event{Kind: transport.EventSystem, Body: &transport.NameChange{PeerID: 3, Name: name16(name + "x")}})
	ship := opcode.ObjectCreateTeam{OwnerSlot: 2, NetPlayerID: 4, Object: opcode.Object{ClassID: opcode.ObjectShip}}
	longer := ship
	ship.PlayerName, longer.PlayerName = stream.Text(name), stream.Text(name+"x")
	s.send(&longer)
	require.Equal(t, []string{name, ""}, []string{s.state().Other[0].Name, s.state().Other[1].Name})
	s.send(&ship)
	require.Equal(t, name, s.state().Other[1].Name)
}

// Malformed messages in the game are returned with an error, and change nothing.
func TestMalformedInTheGame(t *testing.T) {
	s := newScript(t, join.Options{})
	s.enter()
	for i := range 1000 {
		s.sendPayload([]byte{byte(opcode.OpScore), byte(i)})
		if i%100 == 0 {
			s.run(time.Second)
		}
	}
	s.run(5 * time.Second)
	require.Equal(t, join.StageInGame, s.state().Stage)
	m, err := s.client.Handle(s.now, transport.Event{})
	require.Equal(t, &opcode.Unknown{}, m)
	require.Error(t, err)
	m, err = s.client.Handle(s.now, transport.Event{Payload: []byte{byte(opcode.OpScore), 1}})
	require.Equal(t, opcode.OpScore, m.Opcode())
	require.Error(t, err)
}

// A Client may be made for a session that the host has accepted.
func TestClientOfAnAcceptedSession(t *testing.T) {
	s := newScript(t, join.Options{})
	client, err := join.NewClient(s.now, s.session, join.Options{Name: "Ann"})
	require.NoError(t, err)
	require.Equal(t, join.StageChecking, client.State().Stage)
	s.client = client
	s.handle(transport.Event{Kind: transport.EventConnected}) // that NewClient was not told of
	s.run(time.Second)
	require.Equal(t, []string{"Ann"}, s.names)
	s.enter()
}
