package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/internal/terminal/terminaltest"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// The report of the recorded battle has each event once, although all clients receive it.
func TestBattle(t *testing.T) {
	t.Parallel()
	file, err := os.Open("../../testdata/battle.jsonl")
	require.NoError(t, err)
	defer file.Close()
	var out bytes.Buffer
	require.True(t, report(file, &out))
	for _, want := range []string{
		`   9.7 s  "Ann": "hello"`,
		`  17.6 s  "Dee" kills "Cid", last shot Compressors`,
		`  20.2 s  "Cid" kills "Dee", last shot Torpedoes / Fwd Torpedo`,
		`  35.5 s  "Cid" leaves`,
		`  44.0 s  "Dee" explodes`,
		`  52.0 s  "Cid": "re"`,
	} {
		require.Equal(t, 1, strings.Count(out.String(), want+"\n"), "%s in:\n%s", want, &out)
	}
	require.Equal(t, 3, strings.Count(out.String(), " kills ")+strings.Count(out.String(), " explodes"))
}

// openBCMatch records three players on a host of OpenBC, which writes the slot of the sender into
// chat. The client of OpenBC also writes its slot into its name.
func openBCMatch(t *testing.T) *bytes.Buffer {
	var b bytes.Buffer
	seconds := 0.0
	record := func(client int64, from objectid.PeerID, messages ...transport.Message) {
		p := transport.Packet{PeerID: from, Messages: messages}
		data, err := p.MarshalBinary()
		require.NoError(t, err)
		cipher.Encrypt(data)
		dir := recording.ToServer
		if from == objectid.Host {
			dir = recording.ToClient
		}
		seconds += 0.1
		line, err := recording.Append(nil, recording.Datagram{Seconds: seconds, Direction: dir, Client: client, Data: data})
		require.NoError(t, err)
		b.Write(line)
	}
	chat := func(sender objectid.PeerID, text string, more ...byte) transport.Message {
		payload, err := opcode.Marshal(&opcode.ChatMessage{SenderID: sender, Text: stream.Text(text)})
		require.NoError(t, err)
		return transport.NewUnreliable(append(payload, more...))
	}
	for i, name := range []string{"Ann", "Bob", "Cid"} {
		text, err := transport.NewUTF16Z(name)
		require.NoError(t, err)
		peer := objectid.PeerID(i + 2)
		about := peer
		if name == "Cid" {
			about = 2 // his slot
		}
		record(int64(i), peer, transport.NewMessage(0, &transport.NameChange{PeerID: about, Name: text}))
	}
	all := func(m transport.Message) {
		for client := range int64(3) {
			record(client, objectid.Host, m)
		}
	}
	record(1, 3, chat(3, "I am Bob"))
	all(chat(1, "I am Bob"))
	all(chat(2, "Cid here")) // his own datagram is lost
	record(2, 4, chat(2, "Cid again"))
	all(chat(2, "Cid again"))
	all(chat(0, "from Ann"))
	all(chat(0, "trailing", 0))
	return &b
}

// Lines of chat are credited to the players who said them, although OpenBC's host writes slots.
func TestChatOnOpenBC(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.True(t, report(openBCMatch(t), &out))
	var lines []string
	for line := range strings.Lines(out.String()) {
		_, line, _ = strings.Cut(line, " s  ")
		lines = append(lines, strings.TrimSpace(line))
	}
	require.Equal(t, []string{`"Bob": "I am Bob"`, `"Cid": "Cid here"`, `"Cid": "Cid again"`, `"Ann": "from Ann"`}, lines)
}

// Names and chat do nothing to a terminal.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	name, err := transport.NewUTF16Z(strings.ToValidUTF8(terminaltest.Hostile, ""))
	require.NoError(t, err)
	chat, err := opcode.Marshal(&opcode.ChatMessage{SenderID: 2, Text: stream.Text(terminaltest.Hostile)})
	require.NoError(t, err)
	p := transport.Packet{PeerID: objectid.Host, Messages: []transport.Message{
		transport.NewMessage(0, &transport.NameChange{PeerID: 2, Name: name}), transport.NewData(0, chat),
		transport.NewMessage(1, &transport.Disconnect{PeerID: 2}),
	}}
	datagram, err := p.MarshalBinary()
	require.NoError(t, err)
	cipher.Encrypt(datagram)
	var out bytes.Buffer
	line, err := recording.Append(nil, recording.Datagram{Direction: recording.ToClient, Client: 1, Data: datagram})
	require.NoError(t, err)
	require.True(t, report(bytes.NewReader(line), &out))
	require.Contains(t, out.String(), `\u3164`)
	require.Equal(t, 2, strings.Count(out.String(), "\n"))
	terminaltest.RequirePlain(t, out.String())
}

// Malformed lines and datagrams are skipped; the rest is reported.
func TestMalformedRecordings(t *testing.T) {
	t.Parallel()
	battle, err := os.ReadFile("../../testdata/battle.jsonl")
	require.NoError(t, err)
	var whole, out bytes.Buffer
	report(bytes.NewReader(battle), &whole)

	lines := strings.SplitAfter(string(battle), "\n")
	garbage := []string{"{\"t\":1,\n", "nonsense\n", `{"t":-5,"dir":"s2c","client":1,"hex":"ff"}` + "\n", `{"hex":""}` + "\n", `{"t":1,"hex":"0105ffffffff"}` + "\n"}
	mixed := strings.Join(lines[:50], "") + strings.Join(garbage, "") + strings.Join(lines[50:], "")
	require.False(t, report(strings.NewReader(mixed), &out))
	require.Equal(t, whole.String(), out.String())

	out.Reset()
	report(strings.NewReader(string(battle[:len(battle)/2])), &out) // cut in the middle of a line
	require.True(t, strings.HasPrefix(whole.String(), out.String()))
	require.NotEmpty(t, out.String())
}
