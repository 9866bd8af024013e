package show

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport/recording"
)

// FuzzOutputs prints two datagrams of a client in every format. The output has no control
// characters, JSON has an object per message, and -x has every byte once.
func FuzzOutputs(f *testing.F) {
	var before []byte
	for _, data := range sampleDatagrams(f) {
		f.Add(before, data)
		before = data
	}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		d := Decoder{Plain: true}
		var packets []*Packet
		messages := 0
		for i, data := range [][]byte{first, second} {
			p := d.Decode(&Datagram{Number: i + 1, Dir: recording.ToServer, Client: "1", Data: bytes.Clone(data)})
			requireAllBytes(t, p)
			messages += len(p.Messages)
			packets = append(packets, p)
		}
		for _, flag := range []string{"", "-v", "-x", "-json"} {
			var b []byte
			out := outputOf([]string{flag})
			for _, p := range packets {
				b = out.Append(b, p)
			}
			if i := bytes.IndexFunc(b, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 {
				t.Fatalf("%s: %q", flag, b)
			}
			if flag == "-json" {
				requireObjects(t, string(b), messages)
			}
		}
	})
}

func requireObjects(t *testing.T, text string, n int) {
	require.Equal(t, n, strings.Count(text, "\n"))
	for line := range strings.Lines(text) {
		require.True(t, json.Valid([]byte(line)), line)
	}
}
