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
		info := gamespy.NewServerInfo("Name")
		datagrams, err := answerTo(`\`+word+`\`, &info)
		require.NoError(t, err)
		require.Empty(t, datagrams, word)
		datagrams, err = answerTo(`\`+word+`\hostname\status\`, &info)
		require.Equal(t, reply(t, &info), only(t, datagrams, err), word)
	}
}
