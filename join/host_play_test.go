package join_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// The program learns why a payload has no effect.
func TestDroppedErrors(t *testing.T) {
	dropped := map[string]error{}
	w := newWorld(t, join.HostOptions{Dropped: func(m *join.Member, reason string, err error) {
		require.Equal(t, "Ann", m.Name)
		dropped[reason] = err
	}})
	ann := w.join("Ann")
	require.NoError(t, ann.session.Send([]byte{byte(opcode.OpChatMessage), 1}, transport.Reliable))
	ann.say(opcode.NewStartFiring(5<<18, objectid.None))
	ann.say(&opcode.RestartGame{})
	ann.say(&opcode.TeamMessage{PlayerID: ann.id(), Team: 7})
	ann.say(&opcode.Unknown{Op: 0xF0})
	require.NoError(t, ann.session.Send([]byte{byte(opcode.OpChatMessage), 0, 0, 0, 0, 0, 0, 0}, transport.Reliable))
	for range 60 {
		ann.say(&opcode.ChatMessage{})
	}
	w.run(time.Second)
	var located *stream.Error
	require.ErrorAs(t, dropped["malformed"], &located)
	require.ErrorIs(t, dropped["forged"], opcode.ErrForged)
	require.ErrorIs(t, dropped["direction"], opcode.ErrDirection)
	require.ErrorIs(t, dropped["unknown"], opcode.ErrUnknownMessage)
	require.ErrorIs(t, dropped["invalid"], stream.ErrInvalid)
	require.ErrorIs(t, dropped["trailing"], stream.ErrTrailing)
	require.Contains(t, dropped, "rate")
	require.NoError(t, dropped["rate"])
}
