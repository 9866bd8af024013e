package match_test

import (
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/match"
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
