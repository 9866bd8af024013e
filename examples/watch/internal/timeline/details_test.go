package timeline

import (
	"encoding/hex"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/testdata"
)

// The details of every message equal the output of dump -json and dump -x.
func TestDetailsEqualDump(t *testing.T) {
	t.Parallel()
	notUnderRace(t)
	for _, name := range []string{battle, sample, "../../../../testdata/match.jsonl"} {
		all := datagrams(t, name)
		s := load(t, Options{Every: 100, MaxCheckpoints: 1000}, all)
		var decoder show.Decoder
		out, number := show.NewJSON(), 0
		for i, d := range all {
			p := decoder.Decode(copyOf(d))
			lines := strings.SplitAfter(string(out.Append(nil, p)), "\n")
			if name != sample && i%testdata.Either(1, 71) != 0 {
				number += len(p.Messages)
				continue
			}
			for j, m := range p.Messages {
				requireDetails(t, s, number, p, m, lines[j])
				number++
			}
		}
		require.Equal(t, s.Info().Messages, number)
	}
}

// elsewhere matches the slot and the ship of the sender, of which another link may have told earlier.
var elsewhere = regexp.MustCompile(`"slot":\d+,|"ship":"[^"]*",`)

func requireDetails(t *testing.T, s *Store, number int, p *show.Packet, m *show.Message, line string) {
	t.Helper()
	d, err := s.Message(number)
	require.NoError(t, err)
	require.Equal(t, elsewhere.ReplaceAllString(line, ""), elsewhere.ReplaceAllString(string(d.JSON)+"\n", ""))
	require.Equal(t, hex.EncodeToString(p.Data), d.Datagram.Hex)
	require.Equal(t, p.Number, d.Row.Packet)
	require.Equal(t, m.Index, d.Row.Index)
	require.Equal(t, m.Title(), d.Row.Name)
	require.Equal(t, m.Type, d.Row.Type)
	require.Equal(t, clip(m.Note()), d.Row.Note)
	require.Equal(t, []string{delivery(m), clip(m.Summary())}, []string{d.Row.Delivery, d.Row.Summary})
	require.Equal(t, m.Err != nil, d.Row.Error != "")
	require.Equal(t, len(m.Raw), d.Row.Size)
	require.Equal(t, m.Frame.Fragment && m.Whole, d.Payload != nil)
	spans := d.Datagram.Spans
	for _, leaf := range p.Leaves() {
		if leaf.Message != -1 && leaf.Message != m.Index {
			continue
		}
		list := &spans
		if leaf.Payload != 0 {
			list = &d.Payload.Spans
		}
		got := (*list)[0]
		*list = (*list)[1:]
		require.Equal(t, []any{leaf.Path, leaf.Text, leaf.Offset, len(leaf.Raw), leaf.Bit}, []any{got.Path, got.Text, got.Offset, got.Size, got.Bit})
	}
	require.Empty(t, spans)
	if d.Payload != nil {
		require.Equal(t, hex.EncodeToString(m.Payload), d.Payload.Hex)
		require.Empty(t, d.Payload.Spans)
	}
}

// The details of every message are found also with the usual distance of checkpoints.
func TestDetailsFarFromCheckpoint(t *testing.T) {
	t.Parallel()
	notUnderRace(t)
	all := datagrams(t, battle)
	near, far := load(t, Options{Every: 20, MaxCheckpoints: 1000}, all), shared(t)
	for n := 0; n < near.Info().Messages; n += testdata.Either(331, 1331) {
		a, err := near.Message(n)
		require.NoError(t, err)
		b, err := far.Message(n)
		require.NoError(t, err)
		require.Equal(t, a, b)
	}
	for _, n := range []int{-1, near.Info().Messages, math.MaxInt32} {
		_, err := near.Message(n)
		require.ErrorIs(t, err, ErrNotFound)
	}
}
