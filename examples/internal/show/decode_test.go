package show

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// line returns a JSON line with a deciphered datagram of a client.
func line(client int, dir string, datagram []byte) string {
	return fmt.Sprintf(`{"t":1.5,"dir":"%s","client":%d,"hex":"%x"}`+"\n", dir, client, datagram)
}

// fragments returns a payload, and its three fragments in a datagram each.
func fragments(t *testing.T, seq uint16, fill byte) (payload []byte, datagrams [][]byte) {
	payload = append([]byte{0xCD}, bytes.Repeat([]byte{fill}, 1000)...)
	messages, err := transport.AppendFragments(nil, seq, payload)
	require.NoError(t, err)
	require.Len(t, messages, 3)
	for _, m := range messages {
		datagrams = append(datagrams, pack(t, 2, m))
	}
	return payload, datagrams
}

func TestFragmentsReordered(t *testing.T) {
	payload, d := fragments(t, 5, 0xAB)
	input := line(1, "c2s", d[2]) + line(1, "c2s", d[0]) + line(1, "c2s", d[0]) + line(1, "c2s", d[1]) + line(1, "c2s", d[2])
	records := runJSON(t, input, "-plain")
	require.Len(t, records, 5)
	for i, note := range []string{
		"fragment 3",
		"fragment 1 of 3",
		"fragment 1 of 3; duplicate",
		"fragment 2 of 3, completes the payload; unknown opcode",
		"fragment 3; duplicate",
	} {
		require.Equal(t, note, records[i].Note)
		require.NotNil(t, records[i].Fragment)
		require.Equal(t, "Data", records[i].Type)
		if i != 3 {
			require.Equal(t, "Data", records[i].Name)
			require.Empty(t, records[i].Opcode)
			require.Empty(t, records[i].Fields)
		}
	}
	require.Equal(t, fmt.Sprintf("%x", d[0][2:]), records[1].Hex, "the fragment, with its header")
	require.Equal(t, 3, records[1].Fragment.Total)
	require.Equal(t, 1, records[3].Fragment.Index)
	require.Equal(t, fmt.Sprintf("%x", payload), records[3].Hex)
	require.Equal(t, "0xCD", records[3].Opcode)
	require.Equal(t, "Unknown", records[3].Name)
	require.Equal(t, fmt.Sprintf("%x", payload[1:]), records[3].Fields["Data"])

	res := render(t, input, "-plain", "-x")
	require.Contains(t, res.stdout, "reassembled payload of 1001 bytes\n  0000  cd ")
}

func TestTwoClientsInterleaved(t *testing.T) {
	one, a := fragments(t, 5, 1)
	two, b := fragments(t, 5, 2)
	var input string
	for i := range a {
		input += line(1, "c2s", a[i]) + line(2, "c2s", b[i])
	}
	records := runJSON(t, input, "-plain")
	require.Len(t, records, 6)
	require.Equal(t, fmt.Sprintf("%x", one), records[4].Hex)
	require.Equal(t, fmt.Sprintf("%x", two), records[5].Hex)

	// The same sequence numbers in the other direction are not duplicates.
	records = runJSON(t, line(1, "c2s", pack(t, 2, transport.NewData(0, chat("a"))))+
		line(1, "s2c", pack(t, 1, transport.NewData(0, chat("b"))))+
		line(2, "c2s", pack(t, 2, transport.NewData(0, chat("c"))))+
		line(1, "c2s", pack(t, 2, transport.NewData(0, chat("a")))), "-plain")
	require.Equal(t, []string{"", "", "", "duplicate"}, []string{records[0].Note, records[1].Note, records[2].Note, records[3].Note})
	require.Equal(t, "a", records[3].Fields["Text"])

	// In hex text, the peer IDs identify the senders.
	records = runJSON(t, hexLines(pack(t, 2, transport.NewData(0, chat("a"))), pack(t, 3, transport.NewData(0, chat("b")))), "-plain")
	require.Equal(t, "dialect: said by peer 3", records[1].Note, "the text of chat has the peer ID 2")
}

func TestNewConnectionResetsSequenceNumbers(t *testing.T) {
	connect := func(id uint32) string {
		return line(1, "c2s", pack(t, objectid.NoPeer, transport.NewMessage(0, &transport.ConnectRequest{ConnID: id, Password: systemText(t, "")})))
	}
	data := line(1, "c2s", pack(t, 2, transport.NewData(0, chat("x"))))
	records := runJSON(t, connect(1)+data+connect(1)+data+connect(2)+data+connect(1)+data, "-plain")
	var notes []string
	for _, r := range records {
		notes = append(notes, r.Note)
	}
	require.Equal(t, []string{"", "", "duplicate", "duplicate", "", "", "duplicate", "duplicate"}, notes, "the last Connect is a late duplicate")
}

// OpenBC has sequence numbers of one byte. Message 256 has the number of the first.
func TestOpenBCSequenceNumbers(t *testing.T) {
	input := line(1, "c2s", testdata.Bytes("0201 01000080"))
	for i := range 600 {
		input += line(1, "c2s", pack(t, 2, transport.NewData(uint16(uint8(i)), chat("x"))))
	}
	for _, r := range runJSON(t, input, "-plain")[1:] {
		require.Empty(t, r.Note)
	}
}

func TestIncompletePayload(t *testing.T) {
	_, d := fragments(t, 5, 1)
	require.False(t, render(t, hexLines(d[:2]...), "-plain").failed)
	decoder := Decoder{Plain: true}
	for _, data := range d[:2] {
		decoder.Decode(&Datagram{Data: data})
	}
	payloads, bytes := decoder.Pending()
	require.Equal(t, []int{1, len(d[0]) + len(d[1]) - 2*8 - 1}, []int{payloads, bytes})
}

// A sender of first fragments alone does not fill the memory.
func TestPartialPayloadLimit(t *testing.T) {
	var first [][]byte
	for seq := range uint16(1000) {
		_, d := fragments(t, seq, 1)
		first = append(first, d[0])
	}
	records := runJSON(t, hexLines(first...), "-plain")
	require.Equal(t, "fragment 1 of 3", records[0].Note)
	last := records[len(records)-1]
	require.Contains(t, last.Note, "not reassembled: ")
	require.Empty(t, last.Error)
}

// dialects are forms of messages that the stock game does not send, with their notes.
var dialects = []struct{ name, hex, typ, opcode, note string }{
	{"connect of OpenBC", "ff01 0308010000007f00", "Connect", "", "dialect: length of one byte"},
	{"name of OpenBC", "0201 0014800000 00 00000000 43006100640079000000", "NameChange", "", "dialect: not high priority; names another peer than the sender"},
	{"ack of OpenBC", "0201 01050080", "Ack", "", "dialect: flags 0x80"},
	{"disconnect of OpenBC", "0201 0602", "0x06", "", "dialect: length of one byte, a Disconnect"},
	{"keepalive of OpenBC", "0201 0002", "NameChange", "", "dialect: length of one byte, a keepalive"},
	{"torpedo of OpenBC", "0201 32188005 00 19ffffff3f02020d7be6ffff03406e37e55e46", "Data", "0x19", "dialect: offset of five bytes"},
	{"boot of OpenBC", "0201 32078005 00 0402", "Data", "0x04", "dialect: the stock game does not send it"},
	{"boot with two reasons", "0201 32088005 00 040203", "Data", "0x04", "payload without a layout"},
	{"bare 0x2A", "0201 320680000 02a", "Data", "0x2A", "dialect: only the opcode"},
	{"disconnect that is not reliable", "0201 050a40 020a0a0aef0000", "Disconnect", "", "dialect: not reliable"},
	{"keepalive", "0201 02", "DoNothing", "", ""},
	{"keepalive with a length", "0201 020300", "DoNothing", "", ""},
	{"high priority", "0201 3207c005002a20", "Data", "0x2A", "high priority"},
}

func TestDialects(t *testing.T) {
	for _, c := range dialects {
		t.Run(c.name, func(t *testing.T) {
			text := strings.ReplaceAll(c.hex, " ", "")
			records := runJSON(t, text, "-plain")
			require.Len(t, records, 1)
			require.Equal(t, c.typ, records[0].Type)
			require.Equal(t, c.opcode, records[0].Opcode)
			require.Equal(t, c.note, records[0].Note)
			require.Empty(t, records[0].Error)
			require.False(t, render(t, text, "-plain").failed)
		})
	}
}

func TestBadDatagramAmongGood(t *testing.T) {
	good := pack(t, 2, transport.NewData(0, chat("good")))
	fine := pack(t, 2, transport.NewData(1, chat("fine")))
	for name, c := range map[string]struct{ hex, typ, name, err, note string }{
		"empty message":   {"0201 32038000", "Data", "Data", "bad length", ""},
		"unknown type":    {"0202 99010203", "0x99", "0x99", "unknown message type", ""},
		"count too large": {"0202 01000000", "", "", "transport: message 1 at offset 6: unexpected EOF", ""},
		"one byte":        {"02", "", "", "unexpected EOF", ""},
		"message cut":     {"0201 321b80000020000800", "Data", "ChecksumRequest", "unexpected EOF", ""},
		"header cut":      {"0201 321b8000", "Data", "Data", "unexpected EOF", ""},
		"payload cut":     {"0201 320a8002002c02000000", "Data", "ChatMessage", "opcode: decode ChatMessage.Text at offset 5: unexpected EOF", ""},
		"no payload":      {"0201 32058002 00", "Data", "Data", "unexpected EOF", ""},
		"wrong body":      {"0201 0407c0020004", "Boot", "Boot", "unexpected EOF", ""},
		"stray fragment":  {"0201 3206 2000 2a20", "Data", "Data", "bad fragment", ""},
	} {
		t.Run(name, func(t *testing.T) {
			text := fmt.Sprintf("%x\n%s\n%x\n", good, c.hex, fine)
			records := runJSON(t, text, "-plain")
			bad := records[len(records)-2]
			require.Equal(t, "good", records[0].Fields["Text"])
			require.Equal(t, "fine", records[len(records)-1].Fields["Text"])
			require.Equal(t, c.typ, bad.Type)
			require.Equal(t, c.name, bad.Name)
			require.Contains(t, bad.Error, c.err)

			shown := render(t, text, "-plain")
			require.Contains(t, shown.stdout, "!! ")
			require.True(t, render(t, text, "-plain").failed)
		})
	}
}

func TestTrailingBytes(t *testing.T) {
	text := "0201 320880050 02a20ff ffee"
	text = strings.ReplaceAll(text, " ", "")
	records := runJSON(t, text, "-plain")
	require.Len(t, records, 1)
	require.Equal(t, "1 byte ff after the last field; 2 bytes ffee after the last message", records[0].Note)
	require.Empty(t, records[0].Error)
	res := render(t, text, "-plain")
	require.False(t, res.failed)
	require.Equal(t, 2, res.notes["trailing bytes"])
}

// A message with trailing bytes is shown, but it changes neither ships nor players.
func TestTrailingBytesChangeNothing(t *testing.T) {
	create, block := payloadNamed(t, createAkira).Hex, payloadNamed(t, ownBlock).Hex
	for _, payload := range []string{"14ffffff3f", "39"} { // destroys the ship, restarts the game
		records := runJSON(t, lines(t, create, payload+"00", block), "-plain")
		require.Equal(t, "1 byte 00 after the last field", records[1].Note)
		require.NotEmpty(t, records[2].Fields["Subsystems"], payload)
		records = runJSON(t, lines(t, create, payload, block), "-plain")
		require.Empty(t, records[2].Fields["Subsystems"], payload)
	}
	slot := func(settings string) objectid.Slot {
		slot := objectid.NoSlot
		d := Decoder{Plain: true, Step: func(step *match.Step, _ *Message) {
			if p := step.Link.Player; p != nil {
				slot = p.Slot
			}
		}}
		reply := pack(t, 1, transport.NewMessage(0, &transport.ConnectReply{PeerID: 3}))
		d.Decode(&Datagram{Dir: recording.ToClient, Client: "1", Data: reply})
		data := pack(t, 1, transport.NewUnreliable(testdata.Bytes(settings)))
		d.Decode(&Datagram{Dir: recording.ToClient, Client: "1", Data: data})
		return slot
	}
	require.Equal(t, objectid.Slot(1), slot("00000000006101 0000"))
	require.Equal(t, objectid.NoSlot, slot("00000000006101 0000 21"))
}

// The MissionInit of Kobayashi Maru has another layout, so its stock fields are not shown.
func TestMissionInitOfAMod(t *testing.T) {
	text := lines(t, "350affff0100000002000000")
	records := runJSON(t, text, "-plain")
	require.Equal(t, "MissionInit", records[0].Name)
	require.Equal(t, map[string]any{"Data": "0affff0100000002000000"}, records[0].Fields)
	require.Equal(t, "opcode: decode MissionInit at offset 5: bytes after the last field", records[0].Error)
	require.Empty(t, records[0].Note)
	require.Contains(t, render(t, text, "-plain").stdout, "!! opcode: decode MissionInit at offset 5: bytes after the last field")
	require.NotContains(t, render(t, text, "-plain", "-x").stdout, "FragLimit")
	require.True(t, render(t, text, "-plain").failed)
}

func TestNoMessages(t *testing.T) {
	records := runJSON(t, "0200ff", "-plain")
	require.Len(t, records, 1)
	require.Equal(t, "no messages; 1 byte ff after the last message", records[0].Note)
	require.Empty(t, records[0].Type)
}

func TestAdviceOnPlain(t *testing.T) {
	d := pack(t, 2, transport.NewData(0, chat("x")))
	records := runJSON(t, hexLines(d))
	require.Contains(t, records[len(records)-1].Note, "use -plain")
	records = runJSON(t, hexLines(encrypted(d)), "-plain")
	require.Contains(t, records[len(records)-1].Note, "leave out -plain")
}

func TestGameSpy(t *testing.T) {
	records := runJSON(t, hexLines([]byte(`\status\`), []byte(`\gamename\bcommander\hostname\Caf`+"\xE9"+`\final\\queryid\1.1`)))
	require.Equal(t, "GameSpy", records[0].Type)
	require.Equal(t, `\status\`, records[0].Fields["Text"])
	require.Equal(t, "c2s", records[0].Dir)
	require.Nil(t, records[0].Peer)
	require.Equal(t, "s2c", records[1].Dir)
	require.Contains(t, records[1].Fields["Text"].(map[string]any)["text"], `\Café\`)
	require.Contains(t, render(t, hexLines([]byte("\\a\x1b[31m"))).stdout, `"\\a\x1b[31m"`, "control characters are escaped")
}

// jsonKeys is the contract: the keys of the JSON output in their order. Those of optionalKeys are missing if
// they are unknown.
var jsonKeys = strings.Split("packet time dir peer client player slot ship index type reliable seq fragment opcode name fields hex note error", " ")

var optionalKeys = []string{"client", "player", "slot", "ship"}

func TestJSONKeys(t *testing.T) {
	_, datagrams := fragments(t, 0, 1)
	extra := hexLines(datagrams...) + hexLines(testdata.Bytes("0202 32"), testdata.Bytes("02"))
	outputs := render(t, sample(t), "-json").stdout + render(t, extra, "-json", "-plain").stdout
	for line := range strings.Lines(outputs) {
		dec := json.NewDecoder(strings.NewReader(line))
		var keys []string
		_, err := dec.Token() // the brace
		require.NoError(t, err)
		for dec.More() {
			key, err := dec.Token()
			require.NoError(t, err)
			keys = append(keys, key.(string))
			var value json.RawMessage
			require.NoError(t, dec.Decode(&value))
		}
		require.Equal(t, slices.DeleteFunc(slices.Clone(jsonKeys), func(key string) bool {
			return slices.Contains(optionalKeys, key) && !slices.Contains(keys, key)
		}), keys)
		require.Contains(t, line, `"fields":{`)
	}
}

// TestTransportVectors compares the types and sequence numbers of messages with the vectors.
func TestTransportVectors(t *testing.T) {
	type vector struct {
		testdata.Vector
		Dir, Level, Hex, Error string
		Messages               []struct {
			Type     string
			Reliable bool
			Seq      int
			Fragment *struct{ Index, Total int }
			Payload  string
		}
	}
	for _, v := range testdata.Load[vector](t, "transport.json") {
		t.Run(v.Name, func(t *testing.T) {
			text := v.Hex
			if v.Level == "message" {
				text = "0101" + text
			}
			records := runJSON(t, v.Dir+" "+text, "-plain")
			require.GreaterOrEqual(t, len(records), len(v.Messages))
			failed := false
			for i, r := range records {
				failed = failed || r.Error != ""
				if i >= len(v.Messages) {
					continue
				}
				m := v.Messages[i]
				require.Equal(t, m.Type, r.Type)
				require.Equal(t, m.Seq, r.Seq)
				require.Equal(t, m.Reliable, r.Reliable)
				require.Equal(t, m.Fragment, r.Fragment)
				if r.Error == "" && m.Type == "Data" {
					require.Equal(t, m.Payload, r.Hex)
				}
			}
			require.Equal(t, v.Error != "", failed)
		})
	}
}
