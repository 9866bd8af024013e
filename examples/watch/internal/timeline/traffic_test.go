package timeline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport"
)

// The traffic counts all datagrams, whatever the length of its steps.
func TestTraffic(t *testing.T) {
	t.Parallel()
	notUnderRace(t)
	all := datagrams(t, battle)
	for _, stretch := range []float64{1, 1e6} {
		s := open(t, Options{})
		for _, d := range all {
			own := copyOf(d)
			own.Time *= stretch
			require.NoError(t, s.Add(own))
		}
		x := s.Traffic()
		datagrams, bytes := 0.0, 0.0
		for _, l := range x.Links {
			for _, step := range l.Steps {
				datagrams, bytes = datagrams+step[0], bytes+step[1]
			}
			require.LessOrEqual(t, len(l.Steps), maxSteps)
			require.Len(t, x.Links[0].Steps, len(l.Steps))
		}
		require.EqualValues(t, len(all), datagrams)
		require.EqualValues(t, 405492, bytes)
		require.Len(t, x.Names, maxNames+1)
		require.Equal(t, "StateUpdate", x.Names[0].Name)
		require.Equal(t, "other", x.Names[maxNames].Name)
	}
}

// The pings of the traffic are those of the report: to the client and back, plus to the server and back.
func TestPing(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	for _, d := range datagrams(t, battle) {
		require.NoError(t, s.Add(copyOf(d)))
	}
	sums := map[string]Counted{}
	for _, l := range s.Traffic().Links {
		sum := sums[l.Player]
		for _, step := range l.Steps {
			for i, n := range step {
				sum[i] += n
			}
		}
		sums[l.Player] = sum
	}
	r, err := s.Report(0)
	require.NoError(t, err)
	require.Len(t, r.Scores, 4)
	for _, p := range r.Scores {
		sum := sums[p.Name]
		require.InDelta(t, p.Ping, sum[4]/sum[5]+sum[6]/sum[7], 15, "%s: the report has means of smoothed times, without the time before the game", p.Name)
	}
}

// Missing numbers count as lost once, also if a later message brings them.
func TestLost(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	send := func(seqs ...uint16) {
		var all []transport.Message
		for _, seq := range seqs {
			all = append(all, transport.NewData(seq, []byte{0x39}))
		}
		s.send(2, all...)
	}
	for _, seqs := range [][]uint16{{5}, {7, 6}, {10}, {8}, {8}, {10}, {11, 500}, {501}} {
		send(seqs...)
	}
	lost, repeated := 0.0, 0.0
	for _, l := range s.store.Traffic().Links {
		for _, step := range l.Steps {
			lost, repeated = lost+max(0, step[2]), repeated+step[3]
		}
	}
	require.Equal(t, []float64{2, 2}, []float64{lost, repeated}, "8 and 9 are missing; 8 and 10 are repeated; 500 is too far away")
}
