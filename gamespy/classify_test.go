package gamespy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/testdata"
)

func TestClassify(t *testing.T) {
	for kind, texts := range map[gamespy.Kind][]string{
		gamespy.KindNone: {"", "\x01\xD7\x32", ` \status\`},
		gamespy.KindUnknown: {
			`\`, `\\`, `\unknown\`, `\hostname\status`, `\hostname\heartbeat\x\secure`, `\validate\zfmiAycI`, `\x\y\heartbeat\22101\gamename\bcommander`,
			"\\\xC5\xBFtatus\\", // a letter that folds to s, but not in Windows-1252
			strings.Repeat(`\`, 64<<10),
		},
		gamespy.KindQuery: {
			`\status\`, `\STATUS`, `\basic\\info\\rules\`, `\echo\final`, `\x\y\players\`,
			`\status\\queryid\1.1`, // the game ignores the queryid of a query
			`\secure\ABCDEF`, `\basic\\secure\LRPOPQ`, `\secure\`, `\echo\x\Secure\ABCDEF\queryid\9.9`,
		},
		gamespy.KindReply: {
			part1, part2, part3, `\final\\queryid\7.1`, `\x\y\queryid\2.1\final\`, `\x\y\FINAL`, `\echo\x\final\\queryid\1.1`,
			`\hostname\status\rules\none\queryid\4.1`, // a mod's key
			`\error\Unknown game\final\`,
			`\validate\zfmiAycI\final\\queryid\1.1`,
			`\gamename\bcommander\gamever\60\location\0\validate\zfmiAycI\final\\queryid\1.1`, // OpenBC
			captured,
		},
		gamespy.KindHeartbeat: {
			`\heartbeat\0\gamename\bcommander\statechanged\1`, `\Heartbeat\22101\gamename\bcommander\`,
			`\heartbeat\22101\gamename\bcommander\final\`, `\heartbeat`,
		},
	} {
		for _, text := range texts {
			require.Equal(t, kind, gamespy.Classify([]byte(text)), "%.60q", text)
		}
	}
	require.Equal(t, "none unknown query reply heartbeat Kind(5)", strings.Trim(fmt.Sprint([]gamespy.Kind{0, 1, 2, 3, 4, 5}), "[]"))
}

// The captured and constructed datagrams are what their names say.
func TestClassifyVectors(t *testing.T) {
	kinds := map[string]gamespy.Kind{
		"status-query": gamespy.KindQuery, "status-response": gamespy.KindReply, "unknown-query-response": gamespy.KindReply,
		"secure-query": gamespy.KindQuery, "secure-response": gamespy.KindReply,
		"heartbeat": gamespy.KindHeartbeat, "heartbeat-state-changed": gamespy.KindHeartbeat,
		"master-list-1-challenge": gamespy.KindQuery, "master-list-2-login": gamespy.KindReply, // by TCP
		"master-list-3-request": gamespy.KindReply, "master-list-4-compact": gamespy.KindNone,
	}
	for _, v := range testdata.Load[vector](t, "gamespy.json") {
		want, ok := kinds[v.Name]
		require.True(t, ok, v.Name)
		require.Equal(t, want, gamespy.Classify(v.Hex), v.Name)
	}
}

func TestClassifyAllocatesNothing(t *testing.T) {
	reply := []byte(text(t, "status-response"))
	require.Zero(t, testing.AllocsPerRun(100, func() { gamespy.Classify(reply) }))
}
