package match_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// enciphered returns a datagram with a message in hex.
func enciphered(t *testing.T, from objectid.PeerID, m opcode.Message) string {
	payload, err := opcode.Marshal(m)
	require.NoError(t, err)
	data, err := (&transport.Packet{PeerID: from, Messages: []transport.Message{transport.NewUnreliable(payload)}}).MarshalBinary()
	require.NoError(t, err)
	cipher.Encrypt(data)
	return hex.EncodeToString(data)
}

// Read continues after malformed lines, derives missing directions, and ends with the events that wait.
func TestReadLines(t *testing.T) {
	chat := &opcode.ChatMessage{SenderID: 2, Text: stream.Text("hello")}
	text := enciphered(t, 2, chat) + "\n" + hex.EncodeToString([]byte(`\status\`)) + "\n{bad\n" +
		`{"t":1,"client":7,"dir":"c2s","hex":"` + enciphered(t, 2, &opcode.NewPlayerInGame{}) + "\"}\n" +
		`{"t":2,"client":7,"hex":"` + enciphered(t, 1, chat) + "\"}\n"
	var lines []string
	m := match.Match{Events: true}
	for step, err := range match.Read(strings.NewReader(text), &m) {
		if err != nil {
			require.Nil(t, step)
			lines = append(lines, "error")
			continue
		}
		for _, e := range step.Events {
			lines = append(lines, e.String())
		}
		lines = append(lines, fmt.Sprintf("%q %v %T %v", step.Client, step.FromHost, step.Game, errors.Is(step.Err, transport.ErrGameSpy)))
	}
	require.Equal(t, []string{
		"peer 2 joins", "peer 2: hello", `"" false *opcode.ChatMessage false`, `"" false <nil> true`, "error",
		`"7" false *opcode.NewPlayerInGame false`, `"7" true *opcode.ChatMessage false`,
	}, lines)
}

// The last step has the events that wait. Its message is empty.
func TestReadFlushes(t *testing.T) {
	text := `{"t":1,"client":7,"dir":"c2s","hex":"` + enciphered(t, 2, &opcode.NewPlayerInGame{}) + `"}`
	var last match.Step
	n := 0
	for step, err := range match.Read(strings.NewReader(text), &match.Match{Events: true}) {
		require.NoError(t, err)
		last = *step
		n++
	}
	require.Equal(t, 2, n)
	require.Equal(t, "peer 2 joins", last.Events[0].String())
	require.Equal(t, transport.Observation{}, *last.Message)
	require.Nil(t, last.Link)
}

// A loop may end early, and a reader may fail. A nil Match is a new one.
func TestReadEnds(t *testing.T) {
	datagrams := testdata.Match(t)
	for i := range datagrams {
		datagrams[i].Client = int64(i)
	}
	text := recorded(t, datagrams)
	steps := 0
	for _, err := range match.Read(bytes.NewReader(text), nil) {
		require.NoError(t, err)
		if steps++; steps == 3 {
			break
		}
	}
	require.Equal(t, 3, steps)
	for step, err := range match.Read(iotest.ErrReader(iotest.ErrTimeout), nil) {
		require.Nil(t, step)
		require.ErrorIs(t, err, iotest.ErrTimeout)
		break
	}
	for _, err := range match.Read(strings.NewReader("zz\nzz"), nil) {
		require.Error(t, err)
		break
	}
	for _, err := range match.Read(bytes.NewReader(text), nil) {
		require.NoError(t, err)
	}
}

// The client of a step is its number, also with more clients than a Match has links.
func TestReadClients(t *testing.T) {
	datagrams := testdata.Match(t)
	for i := range datagrams {
		datagrams[i].Client, datagrams[i].Seconds = int64(i%200), float64(i)
	}
	for step, err := range match.Read(bytes.NewReader(recorded(t, datagrams)), nil) {
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(int(step.Time.Seconds())%200), step.Client)
	}
}

// A recording whose labels of directions are exchanged has the same events.
func TestReadExchangedDirections(t *testing.T) {
	datagrams := testdata.Battle(t)
	want := match.Match{Events: true}
	exchanged := slices.Clone(datagrams)
	for i := range exchanged {
		d := &exchanged[i]
		d.Direction = map[recording.Direction]recording.Direction{recording.ToClient: recording.ToServer, recording.ToServer: recording.ToClient}[d.Direction]
	}
	m := match.Match{Events: true}
	var events []match.Event
	for step, err := range match.Read(bytes.NewReader(recorded(t, exchanged)), &m) {
		require.NoError(t, err)
		events = append(events, step.Events...)
	}
	require.Equal(t, follow(&want, datagrams), events)
}
