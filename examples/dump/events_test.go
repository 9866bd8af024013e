package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/internal/terminal/terminaltest"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

const recordings = "../../testdata/"

// eventLines returns the lines of some kinds of events, without the time.
func eventLines(stdout string, kinds ...string) (lines []string) {
	for line := range strings.Lines(stdout) {
		fields := strings.Fields(line)
		if slices.Contains(kinds, fields[1]) {
			lines = append(lines, strings.Join(fields[1:], " "))
		}
	}
	return lines
}

// Each event of the recorded battle stands once, although all clients receive it.
func TestEvents(t *testing.T) {
	res := runDump(t, "", "-events", recordings+"battle.jsonl")
	require.Zero(t, res.status, res.stderr)
	require.Equal(t, []string{
		"chat Ann: hello", "chat Ben: hi Ann", "chat Cid: today is a good day to die", "kill Dee destroys Cid (collision)",
		"kill Cid destroys Dee (collision)", "chat Dee: shields at 50%", "chat Cid: back in a minute", "leave Cid leaves (left)",
		"chat Ann: that was close", "explode Dee explodes: destroys itself", "chat Cid: re", "chat Ben: Qapla'!", "chat Dee: bye", "leave Dee leaves (left)",
		"chat Ann: good fight", "leave Cid leaves (left)", "leave Ann leaves (left)", "leave Ben leaves (left)",
	}, eventLines(res.stdout, "kill", "explode", "chat", "leave"))
	require.Contains(t, res.stdout, "   17.626  kill      Dee destroys Cid (collision)\n")
}

// A capture gives the same events as the recording that it was made from.
func TestEventsOfCapture(t *testing.T) {
	for _, name := range []string{"battle.jsonl", "rejoins.jsonl", "openbc/blocks.jsonl"} {
		capture := filepath.Join(t.TempDir(), "capture.pcapng")
		require.Zero(t, runDump(t, "", "-pcapng", capture, recordings+name).status)
		kinds := []string{"join", "rename", "leave", "ship", "fire", "damage", "kill", "explode", "collide", "chat", "score", "end", "restart"}
		want := eventLines(runDump(t, "", "-events", recordings+name).stdout, kinds...)
		require.NotEmpty(t, want)
		require.Equal(t, want, eventLines(runDump(t, "", "-events", capture).stdout, kinds...), name)
	}
}

// With -json, an event is an object with what applies to its kind.
func TestEventObjects(t *testing.T) {
	keys := map[string][]string{}
	res := runDump(t, "", "-events", "-json", recordings+"battle.jsonl", recordings+"rejoins.jsonl")
	require.Zero(t, res.status, res.stderr)
	for line := range strings.Lines(res.stdout) {
		var all map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &all), line)
		kind := all["event"].(string)
		for key := range all {
			if !slices.Contains(keys[kind], key) {
				keys[kind] = append(keys[kind], key)
			}
		}
		slices.Sort(keys[kind])
	}
	player := []string{"client", "event", "match", "peer", "player", "slot", "time"}
	with := func(more ...string) []string {
		all := slices.Concat(player, more)
		slices.Sort(all)
		return all
	}
	require.Equal(t, map[string][]string{
		"join": with(), "leave": with("reason", "class", "ship"), "rename": with("text"), "ship": with("class", "ship"),
		"fire": with("class", "ship", "target", "weapon"), "damage": with("class", "ship", "part", "from", "to", "killer", "reason", "weapon"),
		"kill": with("class", "ship", "victim", "killer", "weapon"), "explode": with("class", "ship", "victim", "reason"),
		"collide": with("class", "ship", "target"), "chat": with("class", "ship", "text"), "score": with("class", "ship", "kills", "deaths", "score"),
		"end": {"event", "match", "text", "time"}, "restart": {"event", "match", "time"},
	}, keys)
	require.Contains(t, res.stdout, `{"time":17.625819859,"match":0,"event":"kill","player":"Cid","peer":4,"slot":2,"client":"3","ship":"0x4007ffff","class":"Bird of Prey","victim":"Cid","killer":"Dee","weapon":"collision"}`)
	require.Contains(t, res.stdout, `"from":100,"to":0}`)
}

// Names and chat do nothing to a terminal.
func TestEventsWithHostileTexts(t *testing.T) {
	name, err := transport.NewUTF16Z(strings.ToValidUTF8(terminaltest.Hostile, ""))
	require.NoError(t, err)
	chat, err := opcode.Marshal(&opcode.ChatMessage{SenderID: 2, Text: stream.Text(terminaltest.Hostile)})
	require.NoError(t, err)
	datagram := pack(t, 2, transport.NewMessage(0, &transport.NameChange{PeerID: 2, Name: name}), transport.NewData(0, chat),
		transport.NewMessage(1, &transport.Disconnect{PeerID: 2}))
	cipher.Encrypt(datagram)
	file, err := recording.Append(nil, recording.Datagram{Direction: recording.ToServer, Client: 1, Data: datagram})
	require.NoError(t, err)
	for _, args := range [][]string{{"-events"}, {"-events", "-json"}} {
		res := runDump(t, string(file), append(args, "-")...)
		require.Contains(t, res.stdout, `\u3164`)
		require.Equal(t, 3, strings.Count(res.stdout, "\n"))
		terminaltest.RequirePlain(t, res.stdout)
	}
}

// Malformed lines and datagrams are skipped, and the other events are reported.
func TestEventsOfMalformedRecordings(t *testing.T) {
	text, err := os.ReadFile(recordings + "battle.jsonl")
	require.NoError(t, err)
	lines := strings.SplitAfter(string(text), "\n")
	garbage := []string{"{\"t\":1,\n", "nonsense\n", `{"t":-5,"dir":"s2c","client":1,"hex":"ff"}` + "\n", `{"hex":""}` + "\n", `{"t":1,"hex":"0105ffffffff"}` + "\n"}
	mixed := strings.Join(lines[:50], "") + strings.Join(garbage, "") + strings.Join(lines[50:], "")
	whole, res := runDump(t, string(text), "-events", "-"), runDump(t, mixed, "-events", "-")
	require.Equal(t, exitFailed, res.status)
	require.Equal(t, whole.stdout, res.stdout)

	res = runDump(t, string(text[:len(text)/2]), "-events", "-") // cut in the middle of a line
	require.True(t, strings.HasPrefix(whole.stdout, res.stdout))
	require.NotEmpty(t, res.stdout)
}

// A join that still waits for a name stands at the end.
func TestEventsThatWait(t *testing.T) {
	payload, err := opcode.Marshal(&opcode.NewPlayerInGame{})
	require.NoError(t, err)
	data := pack(t, objectid.PeerID(2), transport.NewData(0, payload))
	file, err := recording.Append(nil, recording.Datagram{Direction: recording.ToServer, Client: 1, Data: data})
	require.NoError(t, err)
	require.Equal(t, "    0.000  join      peer 2 joins\n", runDump(t, string(file), "-plain", "-events", "-").stdout)
	require.Equal(t, exitUsage, runDump(t, "", "-events", "-check").status)
}

// With -v, the last lines count what the host has not passed on. The server refused the chat of the cheater, whom the
// other player hears.
func TestRefusedClaims(t *testing.T) {
	var text []byte
	for _, d := range refusedChat(t) {
		var err error
		text, err = recording.Append(text, d)
		require.NoError(t, err)
	}
	res := runDump(t, string(text), "-events", "-v", "-")
	require.Zero(t, res.status, res.stderr)
	require.True(t, strings.HasSuffix(res.stdout, "\nrefused by the host: 1 claim of Ben\n"), res.stdout)
	require.NotContains(t, runDump(t, string(text), "-events", "-").stdout, "refused")
}

// refusedChat returns the recorded match without one line of chat in the messages of the host.
func refusedChat(t *testing.T) (all []recording.Datagram) {
	for _, d := range testdata.Battle(t) {
		plain := slices.Clone(d.Data)
		cipher.Decrypt(plain)
		var p transport.Packet
		require.NoError(t, p.UnmarshalBinary(plain))
		for i := range p.Messages {
			if m := &p.Messages[i]; d.Direction == recording.ToClient && strings.HasSuffix(string(m.Body), "hi Ann") {
				m.Body = bytes.Replace(m.Body, []byte("hi Ann"), []byte("hi Bob"), 1)
			}
		}
		plain, err := p.AppendBinary(nil)
		require.NoError(t, err)
		cipher.Encrypt(plain)
		d.Data = plain
		all = append(all, d)
	}
	return all
}
