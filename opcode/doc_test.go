package opcode_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The package documentation lists each message once, with the first clause of its doc comment,
// and has a row with the facts of each message.
func TestPackageDocListsMessages(t *testing.T) {
	text, err := os.ReadFile("doc_gen.go")
	require.NoError(t, err)
	lists, table, found := strings.Cut(string(text), "# Senders and receivers")
	require.True(t, found)
	lists = strings.Join(strings.Fields(strings.ReplaceAll(lists, "//", "")), " ")
	rows, err := os.ReadFile("messages.txt")
	require.NoError(t, err)
	docs := typeDocs(t)
	for _, op := range types {
		name := op.String()
		require.Equal(t, 1, strings.Count(lists, "- ["+name+"]"), "opcode/doc_gen.go lists %s once: the group in opcode/messages.txt is one of those in opcode/gen.go, and the generators have run", name)
		clause := regexp.MustCompile(`^\w+([^.;]*)`).FindStringSubmatch(strings.Join(strings.Fields(docs[name]), " "))[1]
		require.Contains(t, lists, "- ["+name+"]"+clause+".", "the clause of %s; run go run -C examples ./internal/generate", name)

		row := strings.Fields(strings.TrimPrefix(regexp.MustCompile(`(?m)^//\t0x`+op.Hex()+` .*$`).FindString(table), "//"))
		require.Len(t, row, 7, name)
		info := op.Info()
		delivery := map[bool]string{false: "reliable", true: "once"}[info.Unreliable]
		engine := row[2]
		require.Equal(t, []string{"0x" + op.Hex(), name, engine, info.Direction.String(), delivery, info.Relay.String(), info.Evidence}, row)
		require.Regexp(t, strings.Join(row, " +")+" ", string(rows), "the row of messages.txt")
		if engine != "script" {
			require.Contains(t, docs[name], engine, "%s: the doc of %s has its engine name, as opcode/messages.txt", typeFile(t, name), name)
		} else {
			require.Contains(t, docs[name], "A script message.", "%s: the doc of %s, whose engine name is script in opcode/messages.txt", typeFile(t, name), name)
		}
	}
	require.Equal(t, len(types), strings.Count(table, "\n//\t0x"), "rows")
	require.Equal(t, len(types), strings.Count(lists, "- ["), "items")
}
