package gamespy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/gamespy"
)

func TestHeartbeats(t *testing.T) {
	for _, c := range []struct {
		text string
		h    gamespy.Heartbeat
	}{
		{text(t, "heartbeat"), gamespy.NewHeartbeat(22101, gamespy.NoChange)},
		{text(t, "heartbeat-state-changed"), gamespy.NewHeartbeat(0, gamespy.Changed)},
		{`\heartbeat\65535\gamename\bcommander\statechanged\2`, gamespy.NewHeartbeat(65535, gamespy.Exiting)},
		{`\heartbeat\22101\gamename\bcommander\final\`, gamespy.Heartbeat{Port: 22101, GameName: "bcommander", Final: true}},
		{`\heartbeat\1\gamename\\statechanged\-7`, gamespy.Heartbeat{Port: 1, Change: -7}},
	} {
		h, err := gamespy.ParseHeartbeat([]byte(c.text))
		require.NoError(t, err)
		require.Equal(t, c.h, h)
		wire, err := h.MarshalBinary()
		require.NoError(t, err)
		require.Equal(t, c.text, string(wire))
	}
	h, err := gamespy.ParseHeartbeat([]byte(`\heartbeat\22101\gamename\bcommander\`))
	require.NoError(t, err)
	require.Equal(t, gamespy.NewHeartbeat(22101, gamespy.NoChange), h)
	h, err = gamespy.ParseHeartbeat([]byte(`\heartbeat\5`))
	require.NoError(t, err)
	require.Equal(t, gamespy.Heartbeat{Port: 5}, h)
}

func TestHeartbeatRefuses(t *testing.T) {
	_, err := gamespy.ParseHeartbeat([]byte(`\heartbeat\65536`))
	require.EqualError(t, err, `gamespy: heartbeat at offset 11: missing or invalid number: "65536"`)
	wire, err := gamespy.Heartbeat{GameName: `a\b`}.AppendBinary([]byte("before"))
	require.ErrorIs(t, err, gamespy.ErrBackslash)
	require.Equal(t, "before", string(wire))
}
