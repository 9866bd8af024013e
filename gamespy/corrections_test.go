package gamespy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/gamespy"
)

// Words of queries in older documents select nothing, alone or with others. See
// opcode/CORRECTIONS.md.
func TestWordsOfOlderDocuments(t *testing.T) {
	for _, word := range []string{"combined", "full", "specific_key"} {
		q, err := gamespy.ParseQuery([]byte(`\` + word + `\`))
		require.NoError(t, err)
		require.Zero(t, q, word)
		q, err = gamespy.ParseQuery([]byte(`\` + word + `\hostname\status\`))
		require.NoError(t, err)
		require.Equal(t, gamespy.Query{Types: gamespy.Status}, q, word)
	}
}
