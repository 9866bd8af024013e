package show

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// requireCovered requires that the spans of a datagram have every byte once.
func requireCovered(t *testing.T, data []byte) {
	t.Helper()
	d := Decoder{Plain: true}
	p := d.Decode(&Datagram{Number: 1, Data: data})
	requireAllBytes(t, p)
	for _, out := range []Output{NewBytes(true), NewLines(true, true, 0), NewJSON()} {
		out.Append(nil, p)
	}
}

// requireAllBytes requires that the leaves of a datagram have every byte once.
func requireAllBytes(t *testing.T, p *Packet) {
	t.Helper()
	end := 0
	for _, x := range p.Leaves() {
		if len(x.Raw) == 0 || x.Payload > 0 {
			continue // a packed bool, an error at the end, or a reassembled payload
		}
		require.Equal(t, end, x.Offset, "%x: %v", p.Data, x)
		require.True(t, bytes.Equal(p.Data[end:end+len(x.Raw)], x.Raw), "%x: %v", p.Data, x)
		end += len(x.Raw)
	}
	require.Equal(t, len(p.Data), end, "%x", p.Data)
}

// specimens are datagrams of all kinds, deciphered.
func specimens(t *testing.T) [][]byte {
	all := sampleDatagrams(t)
	type vector struct {
		testdata.Vector
		Level, Hex string
	}
	for _, v := range testdata.Load[vector](t, "transport.json") {
		text := v.Hex
		if v.Level == "message" {
			text = "0101" + text
		}
		all = append(all, testdata.Bytes(text))
	}
	for _, v := range testdata.Load[vector](t, "payloads.json") {
		all = append(all, pack(t, 2, transport.NewData(0, testdata.Bytes(v.Hex))))
	}
	for _, c := range dialects {
		all = append(all, testdata.Bytes(c.hex))
	}
	_, datagrams := fragments(t, 0, 1)
	return append(all, datagrams...)
}

func TestEveryByteOnce(t *testing.T) {
	for _, data := range specimens(t) {
		requireCovered(t, data)
	}
}

// TestEveryByteOnceMalformed truncates and changes datagrams at random.
func TestEveryByteOnceMalformed(t *testing.T) {
	all := specimens(t)
	r := rand.New(rand.NewPCG(1, 2))
	for range testdata.Either(5000, 2000) {
		data := bytes.Clone(all[r.IntN(len(all))])
		data = data[:r.IntN(len(data)+1)]
		for range r.IntN(3) {
			if len(data) > 0 {
				data[r.IntN(len(data))] = byte(r.Uint32())
			}
		}
		requireCovered(t, data)
	}
}

func TestMalformedFieldsAreMarked(t *testing.T) {
	res := render(t, "0201320b8002002c0200000005", "-plain", "-x")
	require.Regexp(t, `(?m)^  000c  05 +!! Text +opcode: decode ChatMessage.Text at offset 5: unexpected EOF$`, res.stdout)
	res = render(t, "020132", "-plain", "-x")
	require.Contains(t, res.stdout, "!!")
	require.False(t, strings.Contains(res.stdout, "\x1b["), "no colour in a pipe")
}

// The bytes of the last fragment are printed, and then the payload that it completes.
func TestBytesOfTheLastFragment(t *testing.T) {
	_, datagrams := fragments(t, 5, 0xAB)
	res := render(t, hexLines(datagrams...), "-plain", "-x")
	require.Regexp(t, `(?m)^  0007  02 +FragIndex +2\n  0008  ab ab ab ab ab ab ab ab +Fragment +190 bytes$`, res.stdout)
	require.Equal(t, 1, strings.Count(res.stdout, "Unknown 0xCD\n"))
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte{2, 1, 0x32, 7, 0x80, 5, 0, 0x2A, 0x20})
	f.Add([]byte(`\status\`))
	f.Fuzz(func(t *testing.T, data []byte) { requireCovered(t, data) })
}

// The output of -x describes what an Ack acknowledges.
func TestAckedMessage(t *testing.T) {
	line := func(at float64, dir string, m transport.Message) string {
		peer := objectid.PeerID(2)
		if dir == "s2c" {
			peer = objectid.Host
		}
		return fmt.Sprintf(`{"t":%g,"dir":%q,"hex":"%x"}`+"\n", at, dir, pack(t, peer, m))
	}
	data, ack := transport.NewData(0, chat("hi")), transport.NewMessage(0, &transport.Ack{})
	out := func(lines ...string) string { return render(t, strings.Join(lines, ""), "-plain", "-x").stdout }
	once := out(line(1, "c2s", data), line(1.25, "s2c", ack))
	require.Contains(t, once, " [0] Ack  round trip 250ms, least 250ms\n")
	require.Contains(t, out(line(1, "c2s", data), line(1.25, "s2c", ack), line(1.5, "s2c", ack)), " [0] Ack  repeated: Ack 2 of a message sent 1 time\n")
	require.Contains(t, out(line(1, "c2s", data), line(2, "c2s", data), line(2.5, "s2c", ack)), " [0] Ack  of a message sent 2 times\n")
	require.Contains(t, out(line(2.5, "s2c", ack)), " [0] Ack\n")
}

// A program reads the messages of a packet, and their JSON is the line of -json.
func TestMessages(t *testing.T) {
	var d Decoder
	var printer JSON
	for _, data := range sampleDatagrams(t) {
		p := d.Decode(&Datagram{Number: 7, Data: data})
		want := NewJSON().Append(nil, p)
		var got []byte
		for i, m := range p.Messages {
			require.Equal(t, i, m.Index)
			got = append(append(got, new(JSON).AppendMessage(nil, p, m)...), '\n')
			require.Contains(t, string(got), `"fields":`+string(printer.AppendFields(nil, m))+`,"hex":`)
			code, ok := m.Opcode()
			require.Equal(t, ok, len(m.Payload) > 0)
			require.True(t, !ok || byte(code) == m.Payload[0])
			require.LessOrEqual(t, utf8.RuneCountInString(m.Summary()), summaryWidth)
		}
		require.Equal(t, string(want), string(got))
	}
}
