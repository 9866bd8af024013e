package openbc_test

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/internal/openbc"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

func chat(sender objectid.PeerID) opcode.Message { return &opcode.ChatMessage{SenderID: sender} }

// Each case is a host with the client 4.
func TestSigns(t *testing.T) {
	const unknown, is = transport.ProgramUnknown, transport.ProgramOpenBC
	own, other := &opcode.Score{PlayerID: 4}, &opcode.Score{PlayerID: 2}
	for name, v := range map[string]struct {
		messages []opcode.Message
		want     transport.Program
	}{
		"relayed NewPlayerInGame":          {[]opcode.Message{&opcode.NewPlayerInGame{}}, is},
		"own score":                        {[]opcode.Message{&opcode.GameInit{}, other, own, &opcode.MissionInit{}}, is},
		"own score of a team":              {[]opcode.Message{&opcode.GameInit{}, &opcode.ScoreInit{PlayerID: 4}, &opcode.MissionInit{}}, is},
		"own score, MissionInit is lost":   {[]opcode.Message{&opcode.GameInit{}, own, chat(1), &opcode.MissionInit{}}, unknown},
		"own score after MissionInit":      {[]opcode.Message{&opcode.GameInit{}, &opcode.MissionInit{}, own}, unknown},
		"own score after one of a mod":     {[]opcode.Message{&opcode.GameInit{}, &opcode.Unknown{Op: opcode.OpMissionInit}, own}, unknown},
		"own score in the match":           {[]opcode.Message{own}, unknown},
		"a line with the number of a slot": {[]opcode.Message{chat(0)}, unknown},
		"other scores":                     {[]opcode.Message{&opcode.GameInit{}, other, &opcode.MissionInit{}}, unknown},
	} {
		var signs openbc.Signs
		var host transport.Peer
		for _, m := range v.messages {
			signs.Follow(&host, m, 4)
		}
		require.Equal(t, v.want, host.Program(), name)
	}
}

// The programs of the hosts in recordings, one of which is OpenBC's server, and another one like it.
func TestRecordings(t *testing.T) {
	for name, want := range map[string]transport.Program{
		"openbc/blocks.jsonl": transport.ProgramOpenBC,
		"rejoins.jsonl":       transport.ProgramOpenBC,
		"match.jsonl":         transport.ProgramStock,
		"battle.jsonl":        transport.ProgramStock,
		"fight.jsonl":         transport.ProgramStock,
	} {
		t.Run(name, func(t *testing.T) {
			f, err := os.Open("../../testdata/" + name)
			require.NoError(t, err)
			defer f.Close()
			links := map[int64]*link{}
			for d, err := range recording.Read(f) {
				require.NoError(t, err)
				if transport.IsGameSpy(d.Data) {
					continue
				}
				if links[d.Client] == nil {
					links[d.Client] = &link{}
				}
				links[d.Client].receive(d)
			}
			require.NotEmpty(t, links)
			for client, l := range links {
				require.Equal(t, want, l.observer.Host().Program(), "client %d", client)
			}
		})
	}
}

// link follows a link as a program does that only looks on.
type link struct {
	observer transport.Observer
	signs    openbc.Signs
	self     objectid.PeerID
}

func (l *link) receive(d recording.Datagram) {
	data := slices.Clone(d.Data)
	cipher.Decrypt(data)
	for m := range l.observer.Receive(time.Time{}.Add(d.Time()), d.Direction == recording.ToClient, data) {
		if reply, ok := m.Decoded.(*transport.ConnectReply); ok {
			l.self = reply.PeerID
		}
		if game, err := opcode.Decode(m.Payload); err == nil && d.Direction == recording.ToClient {
			l.signs.Follow(l.observer.Host(), game, l.self)
		}
	}
}
