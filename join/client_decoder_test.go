package join_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// The clock of the game continues the host's, unless the host's is nonsense.
func TestBegan(t *testing.T) {
	for given, want := range map[float32]time.Duration{
		0: 0, 90.5: 90500 * time.Millisecond, -1: 0, 1 << 20: 0, float32(math.NaN()): 0, float32(math.Inf(1)): 0,
	} {
		s := newScript(t, join.Options{})
		require.Zero(t, s.state().Began)
		from := s.now
		m := settings(3)
		m.GameTime = given
		s.send(m)
		require.InDelta(t, want.Seconds(), from.Sub(s.state().Began).Seconds(), 0.1, "%v", given)
		began := s.state().Began
		s.run(time.Minute)
		require.Equal(t, began, s.state().Began)
	}
}

// note is a message of a mod.
type note struct{ Text stream.Text }

func (*note) Opcode() opcode.Code { return 0xA0 }
func (m *note) Walk(c *stream.Codec) {
	c.Field("Text").String8(&m.Text)
}

// A Client with a Decoder knows the messages of a mod. The messages are reused: those of a match that is
// under way take no memory, and nothing of the join changes when their memory is used again.
func TestDecoderOfTheClient(t *testing.T) {
	var decoder opcode.Decoder
	require.NoError(t, decoder.Register(0xA0, func() opcode.Message { return &note{} }))
	s := newScript(t, join.Options{Name: "Ann", Decoder: &decoder})
	other, err := stream.NewUTF16("Ann (2)")
	require.NoError(t, err)
	renamed := settings(3)
	renamed.Renamed, renamed.NewName = true, other
	s.send(renamed, &opcode.GameInit{}, mission(), opcode.NewPlayerJoined(2))
	require.Equal(t, join.StageInGame, s.state().Stage)
	s.send(&note{Text: stream.Text("welcome")})
	require.Equal(t, &note{Text: stream.Text("welcome")}, s.heard[len(s.heard)-1])
	s.send(settings(5), &opcode.MissionInit{PlayerLimit: 1, System: 7})
	require.Equal(t, "Mission1", s.state().Settings.Map.String())
	require.Equal(t, "Ann (2)", s.state().Settings.NewName.String())
	require.EqualValues(t, 3, s.state().Settings.PlayerSlot)
	require.EqualValues(t, 1, s.state().Mission.PlayerLimit)

	update, err := opcode.Marshal(&opcode.StateUpdate{ObjectID: 7, GameTime: 1, Flags: opcode.StateSpeed})
	require.NoError(t, err)
	event := transport.Event{Kind: transport.EventPayload, Payload: update}
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = s.client.Handle(s.now, event) }))
}
