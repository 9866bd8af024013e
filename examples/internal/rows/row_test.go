package rows

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/transport/recording"
)

// battle returns the rows of the recorded battle. Their bytes are overwritten.
func battle(t *testing.T) (all []Row) {
	t.Helper()
	text, err := os.ReadFile("../../../testdata/battle.jsonl")
	require.NoError(t, err)
	var d show.Decoder
	for dg, err := range recording.Read(bytes.NewReader(text)) {
		require.NoError(t, err)
		p := d.Decode(show.Recorded(len(all), dg))
		for _, m := range p.Messages {
			r, err := Of("battle", p, m)
			require.NoError(t, err)
			all = append(all, r)
		}
	}
	return all
}

// Objects, parts and targets are as in the fields, and a ship has its class and player.
func TestObjectsOfRows(t *testing.T) {
	type object struct{ ID, Part string }
	classes := map[string]bool{}
	shots := 0
	for _, r := range battle(t) {
		if r.Class != "" {
			classes[r.Owner+" "+r.Class] = true
			require.True(t, r.Part == "" || strings.HasPrefix(r.Part, r.Class+" "), r.Part)
		}
		if r.Name != "TorpedoFire" {
			continue
		}
		var fields struct{ TubeID, TargetID object }
		require.NoError(t, json.Unmarshal(r.Fields, &fields))
		require.Equal(t, fields.TubeID, object{r.Object, r.Part})
		require.Equal(t, fields.TargetID.ID, r.Target)
		shots++
	}
	require.Equal(t, 138, shots)
	require.Equal(t, map[string]bool{"Ann Sovereign": true, "Ben Warbird": true, "Cid Bird of Prey": true, "Cid Vor'cha": true, "Dee Galor": true}, classes)
}

// A row has the columns of its header. An Ack has the channel, the number and the time of the
// message that it acknowledges.
func TestHeadersOfRows(t *testing.T) {
	type key struct {
		client, direction, channel string
		seq, fragment              int32
	}
	opposite := map[string]string{"c2s": "s2c", "s2c": "c2s"}
	sent := map[key]float64{}
	times := 0
	for _, r := range battle(t) {
		k := key{r.Client, r.Direction, r.Channel, 0, -1}
		if r.Fragment != nil {
			k.fragment = *r.Fragment
		}
		require.Equal(t, r.Reliable, r.Seq != nil)
		require.Equal(t, r.Type == "Ack", r.AckSeq != nil)
		if r.Type != "Ack" {
			require.Equal(t, r.Type == "Data", r.Channel == "game")
			require.Equal(t, r.Type != "Data", r.Channel == "system")
		}
		if r.Reliable {
			k.seq = *r.Seq
			sent[k] = r.Time
		}
		if r.RoundTrip != nil {
			k.direction, k.seq = opposite[r.Direction], *r.AckSeq
			require.InDelta(t, (r.Time-sent[k])*1000, *r.RoundTrip, 0.001)
			require.EqualValues(t, 1, *r.Sends)
			require.EqualValues(t, 1, *r.Acks)
			times++
		}
	}
	require.Greater(t, times, 700)
}
