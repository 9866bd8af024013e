package match_test

import (
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// Steps tell how the messages of recordings with OpenBC differ from what the game sends.
func TestDialects(t *testing.T) {
	for name, want := range map[string][]string{
		"rejoins.jsonl": {
			"names another peer than the owner", "not high priority; has the slot of the player",
			"not high priority; names another peer than the sender", "said by Cady2", "said by Cid", "said by Obi", "sent by the host",
		},
		"openbc/blocks.jsonl": {"sent by the host", "subsystems as OpenBC writes them"},
	} {
		f, err := os.Open("../testdata/" + name)
		require.NoError(t, err)
		defer f.Close()
		var m match.Match
		got := map[string]bool{}
		for step, err := range match.Read(f, &m) {
			require.NoError(t, err)
			if step.Dialect != "" {
				got[step.Dialect] = true
			}
		}
		require.Equal(t, want, slices.Sorted(maps.Keys(got)), name)
	}
}

// A retransmission has the dialect of the first transmission. Only the speaker of a line of the host is not looked
// up again.
func TestDialectsOfRetransmissions(t *testing.T) {
	for _, name := range []string{"rejoins.jsonl", "openbc/blocks.jsonl"} {
		f, err := os.Open("../testdata/" + name)
		require.NoError(t, err)
		defer f.Close()
		var m match.Match
		found := 0
		for r, err := range recording.Read(f) {
			require.NoError(t, err)
			d := deciphered(r)
			var first []string
			for step := range m.Receive(d) {
				first = append(first, step.Dialect)
			}
			i := 0
			for step := range m.Receive(d) {
				duplicate := step.Message.Verdict == transport.VerdictDuplicate
				if _, chat := step.Game.(*opcode.ChatMessage); duplicate && !(chat && step.FromHost) {
					require.Equal(t, first[i], step.Dialect, "%s at %v: %v", name, d.Time, step.Game)
					if step.Dialect != "" {
						found++
					}
				}
				i++
			}
		}
		require.Greater(t, found, 0, name)
	}
}

// A capture that has lost MissionInit does not take a host that sends the client its own score later for OpenBC, which
// writes slots: Ben's peer ID is the number of Ann's slot.
func TestLostMissionInitIsNoOpenBC(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ben")
	g.Connect("2", 4)
	g.Name("2", "Ann")
	g.Host("2", settings(2), &opcode.GameInit{})
	g.mute["2 s2c"] = true
	g.Enter("2")
	g.mute["2 s2c"] = false
	g.Host("2", &opcode.Score{PlayerID: 4})
	g.mute["1"] = true
	g.Say("1", "Hello")
	require.Equal(t, []string{"Ben joins", "Ann joins", "Ben: Hello"}, g.Lines())
}
