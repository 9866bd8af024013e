package join_test

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// parts splits an input into parts. A part begins with a byte for the test and two bytes with its
// length.
func parts(input []byte) (all []part) {
	for len(input) >= 3 && len(all) < 200 {
		n := min(int(binary.LittleEndian.Uint16(input[1:])), len(input)-3)
		all = append(all, part{input[0], input[3 : 3+n]})
		input = input[3+n:]
	}
	return all
}

type part struct {
	kind byte
	data []byte
}

// appendPart is the inverse of parts.
func appendPart(dst []byte, kind byte, data []byte) []byte {
	return append(binary.LittleEndian.AppendUint16(append(dst, kind), uint16(len(data))), data...)
}

// recorded returns the deciphered datagrams of a recorded client in one direction, as an input.
func recorded(t testing.TB, from []recording.Datagram, client int64, d recording.Direction, kind byte) (input []byte) {
	for _, r := range from {
		if r.Client == client && r.Direction == d && len(input) < 1500 {
			cipher.Decrypt(r.Data)
			input = appendPart(input, kind, r.Data)
		}
	}
	require.NotEmpty(t, input)
	return input
}

// The datagrams and payloads of a hostile host never bring a client into a wrong state.
func FuzzClient(f *testing.F) {
	for _, client := range []int64{1, 2, 3} {
		f.Add(recorded(f, testdata.Match(f), client, recording.ToClient, 0))
	}
	f.Add(recorded(f, testdata.OpenBC(f), testdata.OpenBC(f)[0].Client, recording.ToClient, 0))
	seed := []byte(nil)
	for _, m := range []opcode.Message{
		request(0), &opcode.ChecksumComplete{}, settings(3), &opcode.GameInit{}, mission(), opcode.NewPlayerJoined(2), opcode.NewPlayerJoined(3),
		&opcode.Score{PlayerID: 3}, &opcode.ScoreInit{PlayerID: 4}, opcode.NewScoreChange(2, 1, 3, 4, 5), &opcode.TeamMessage{PlayerID: 3},
		&opcode.ChatMessage{SenderID: 3}, &opcode.ObjectCreateTeam{NetPlayerID: 4}, opcode.NewPlayerLeft(3), &opcode.RestartGame{},
		&opcode.BootPlayer{}, &opcode.VersionMismatch{}, &opcode.SystemChecksumFailed{}, &opcode.FileTransfer{},
	} {
		b, err := opcode.Marshal(m)
		require.NoError(f, err)
		seed = appendPart(seed, 1, b)
		f.Add(slices.Clone(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		now := epoch
		session, err := transport.NewClient(now, transport.ConnectRequest{ConnID: 1}, transport.Options{})
		require.NoError(t, err)
		client, err := join.NewClient(now, session, join.Options{Name: "Ann"})
		require.NoError(t, err)
		if len(input)%3 > 0 { // otherwise the input has the reply to the Connect
			reply, err := (&transport.Packet{PeerID: objectid.Host, Messages: []transport.Message{
				transport.NewMessage(0, &transport.ConnectReply{PeerID: 2}),
			}}).MarshalBinary()
			require.NoError(t, err)
			session.Receive(now, reply)
		}
		slot, stage := objectid.NoSlot, join.StageConnecting
		for _, p := range parts(input) {
			now = now.Add(time.Duration(p.kind) * 10 * time.Millisecond)
			if p.kind%2 == 0 {
				session.Receive(now, slices.Clone(p.data))
			} else {
				_, _ = client.Handle(now, transport.Event{Payload: p.data})
			}
			for e := range session.Events() {
				_, _ = client.Handle(now, e)
			}
			if due := client.NextDeadline(); !due.IsZero() && !now.Before(due) {
				client.Tick(now)
			}
			for range session.Datagrams(now) {
			}
			s := client.State()
			require.GreaterOrEqual(t, s.Stage, stage)
			require.Equal(t, s.Stage == join.StageEnded, s.Err != nil)
			if s.Stage >= join.StageStarting && s.Stage <= join.StageInGame {
				require.True(t, s.Self.Slot.Valid())
				require.NotNil(t, s.Settings)
				require.LessOrEqual(t, len(s.Settings.Map), 255)
			}
			if slot.Valid() {
				require.Equal(t, slot, s.Self.Slot)
			}
			slot, stage = s.Self.Slot, s.Stage
			require.LessOrEqual(t, len(s.Other), 125)
			for _, other := range append(s.Other, s.Self) {
				require.LessOrEqual(t, len(other.Name), 3*200)
				require.True(t, utf8.ValidString(other.Name))
			}
			_ = s.NameOf(3)
		}
	})
}

// The datagrams of hostile clients, and the payloads of a hostile player, never bring a Host into a
// wrong state, and never end the session of another player.
func FuzzHost(f *testing.F) {
	for _, client := range []int64{1, 2, 3} {
		f.Add(recorded(f, testdata.Match(f), client, recording.ToServer, 1))
	}
	f.Add(recorded(f, testdata.OpenBC(f), testdata.OpenBC(f)[0].Client, recording.ToServer, 2))
	seed := []byte(nil)
	for _, m := range []opcode.Message{
		&opcode.NewPlayerInGame{}, &opcode.ChatMessage{SenderID: 3}, &opcode.TeamChatMessage{}, &opcode.TeamMessage{PlayerID: 3},
		opcode.NewStartFiring(1, 2), &opcode.TorpedoFire{}, &opcode.BeamFire{}, &opcode.StateUpdate{}, &opcode.ObjectCreateTeam{},
		&opcode.ChecksumResponse{NoFiles: true}, &opcode.FileTransferAck{}, &opcode.HostMessage{}, &opcode.DestroyObject{},
	} {
		b, err := opcode.Marshal(m)
		require.NoError(f, err)
		seed = appendPart(seed, 0, b)
		f.Add(slices.Clone(seed))
	}
	for _, name := range []string{"", "Ann", "\x1b\u202e", "Dedicated Server"} {
		f.Add(appendPart(appendPart(appendPart(seed, 6, []byte(name)), 0, []byte{byte(opcode.OpHostMessage)}), 14, nil))
		b, err := (&transport.Packet{PeerID: 4, Messages: []transport.Message{
			transport.NewMessage(1, &transport.NameChange{PeerID: 4, Name: name16(name)}),
		}}).MarshalBinary()
		require.NoError(f, err)
		f.Add(appendPart(nil, 3, b))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		w := newWorld(t, join.HostOptions{Mission: opcode.MissionInit{PlayerLimit: 4}, Ships: stateupdate.Stock()})
		w.step, w.delay = 50*time.Millisecond, 0
		ann, eve := w.join("Ann"), w.join("Eve")
		for _, p := range parts(input) {
			switch {
			case p.kind%8 == 0:
				_ = eve.session.Send(p.data, transport.Reliable)
			case p.kind%8 == 7 && p.kind < 128:
				w.host.End(opcode.EndOver)
			case p.kind%8 == 7:
				w.host.Restart()
			case p.kind == 6:
				_, _ = w.host.AddPlayer(string(p.data))
			case p.kind == 14:
				all := w.host.Members()
				if m := all[len(all)-1]; !m.Session.Addr().IsValid() {
					m.Session.Close()
				}
			default:
				w.receive(netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 9, 0, p.kind % 8}), 5), slices.Clone(p.data))
			}
			w.run(time.Duration(p.kind/16) * w.step)
		}
		w.run(time.Second)
		require.Equal(t, join.StageInGame, ann.stage())
		require.NotNil(t, w.member(ann.id()))
		names, slots := map[string]bool{}, map[objectid.Slot]bool{}
		for _, m := range w.host.Members() {
			require.True(t, m.Slot.Valid())
			require.False(t, slots[m.Slot])
			require.False(t, names[m.Name])
			require.NotEmpty(t, m.Name)
			require.LessOrEqual(t, utf8.RuneCountInString(m.Name), 32+len(" (9)"))
			slots[m.Slot], names[m.Name] = true, true
		}
		require.LessOrEqual(t, len(slots), 4)
	})
}
