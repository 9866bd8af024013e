package gamespy_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/gamespy"
)

// heartbeats returns the datagrams without a change, after a change, and at the exit.
func heartbeats(port uint16) []string {
	regular := fmt.Sprintf(`\heartbeat\%d\gamename\bcommander`, port)
	return []string{regular, regular + `\statechanged\1`, regular + `\statechanged\2`}
}

// The captured heartbeats are the ones that a Beacon sends.
func TestHeartbeats(t *testing.T) {
	require.Equal(t, text(t, "heartbeat"), heartbeats(22101)[0])
	require.Equal(t, text(t, "heartbeat-state-changed"), heartbeats(0)[1])
}

// beats calls Due ten times a second. It returns the times of the heartbeats in
// milliseconds and their changes.
func beats(t *testing.T, b *gamespy.Beacon, seconds int, info func(second float64) gamespy.ServerInfo) (at []int, changes []int) {
	t.Helper()
	for tick := range 10 * seconds {
		now := start.Add(time.Duration(tick) * 100 * time.Millisecond)
		s := info(float64(tick) / 10)
		datagram := b.Due(now, &s)
		if datagram == nil {
			continue
		}
		change := slices.Index(heartbeats(b.Port), string(datagram))
		require.GreaterOrEqual(t, change, 0)
		at, changes = append(at, 100*tick), append(changes, change)
	}
	return at, changes
}

func TestBeacon(t *testing.T) {
	const none, changed = 0, 1
	playing := func(players int) gamespy.ServerInfo {
		return gamespy.ServerInfo{NumPlayers: players, GameMode: gamespy.ModePlaying}
	}
	for _, c := range []struct {
		name    string
		beacon  gamespy.Beacon
		info    func(second float64) gamespy.ServerInfo
		at      []int
		changes []int
	}{
		{
			"nothing changes",
			gamespy.Beacon{Port: 22101},
			func(float64) gamespy.ServerInfo { return playing(3) },
			[]int{0, 60_000, 120_000, 180_000},
			[]int{none, none, none, none},
		},
		{
			"a player comes and leaves",
			gamespy.Beacon{},
			func(s float64) gamespy.ServerInfo {
				if s >= 10 && s < 30 {
					return playing(1)
				}
				return playing(0)
			},
			[]int{0, 10_000, 30_000, 90_000, 150_000},
			[]int{none, changed, changed, none, none},
		},
		{
			"the mode changes",
			gamespy.Beacon{},
			func(s float64) gamespy.ServerInfo {
				if s < 5 {
					return gamespy.ServerInfo{GameMode: gamespy.ModeSettings}
				}
				return playing(0)
			},
			[]int{0, 5_000, 65_000, 125_000, 185_000},
			[]int{none, changed, none, none, none},
		},
		{
			"a change soon after another waits",
			gamespy.Beacon{},
			func(s float64) gamespy.ServerInfo { return playing(int(min(s, 5))) },
			[]int{0, 2_000, 4_000, 6_000, 66_000, 126_000, 186_000},
			[]int{none, changed, changed, changed, none, none, none},
		},
		{
			"a change that is undone is none",
			gamespy.Beacon{},
			func(s float64) gamespy.ServerInfo {
				if s == 1 {
					return playing(1)
				}
				return playing(0)
			},
			[]int{0, 60_000, 120_000, 180_000},
			[]int{none, none, none, none},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			at, changes := beats(t, &c.beacon, 200, c.info)
			require.Equal(t, c.at, at)
			require.Equal(t, c.changes, changes)
		})
	}
}

// Players who join and leave all the time do not make a server flood its masters.
func TestBeaconLimitsChanges(t *testing.T) {
	var b gamespy.Beacon
	n := 0
	at, _ := beats(t, &b, 60, func(float64) gamespy.ServerInfo { n++; return gamespy.ServerInfo{NumPlayers: n} })
	require.Len(t, at, 30)
}

func TestBeaconExit(t *testing.T) {
	b := gamespy.Beacon{Port: 5}
	require.Nil(t, b.Exit(), "no heartbeat was sent")
	var info gamespy.ServerInfo
	require.NotNil(t, b.Due(start, &info))
	require.Equal(t, `\heartbeat\5\gamename\bcommander\statechanged\2`, string(b.Exit()))
	require.Nil(t, b.Exit(), "second Exit")
	require.Nil(t, b.Due(start.Add(time.Hour), &info), "after Exit")
}

// next returns when a Beacon sends its next heartbeat if nothing changes.
func next(t *testing.T, b *gamespy.Beacon, info *gamespy.ServerInfo, now time.Time) time.Time {
	t.Helper()
	for _, wait := range []time.Duration{30*time.Second + 1, 60 * time.Second, 300*time.Second + 1} {
		require.Nil(t, b.Due(now.Add(wait-1), info))
		if b.Due(now.Add(wait), info) != nil {
			return now.Add(wait)
		}
	}
	t.Fatal("no heartbeat")
	return now
}

// The schedule of the game: one at the start, ten after more than 30 s each, then one after
// more than 300 s. The first query ends the ten.
func TestStockBeacon(t *testing.T) {
	const repeat, interval = 30*time.Second + 1, 300*time.Second + 1
	for queryAfter, repeats := range map[int]int{0: 0, 2: 2, 20: 10} {
		b := gamespy.Beacon{Stock: true}
		var info gamespy.ServerInfo
		now := start
		require.NotNil(t, b.Due(now, &info))
		for i := range repeats + 3 {
			if i == queryAfter {
				b.Queried()
			}
			want := repeat
			if i >= repeats {
				want = interval
			}
			at := next(t, &b, &info, now)
			require.Equal(t, want, at.Sub(now), "heartbeat %d, a query after %d", i, queryAfter)
			now = at
		}
	}
}

// With Stock, a change has the same pause and does not count as one of the ten. Exit sends
// nothing.
func TestStockBeaconChanges(t *testing.T) {
	b := gamespy.Beacon{Port: 5, Stock: true}
	var info gamespy.ServerInfo
	now := start
	require.Equal(t, `\heartbeat\5\gamename\bcommander`, string(b.Due(now, &info)))
	for range 20 {
		info.NumPlayers++
		require.Nil(t, b.Due(now.Add(2*time.Second-1), &info), "during the pause")
		now = now.Add(2 * time.Second)
		require.Equal(t, `\heartbeat\5\gamename\bcommander\statechanged\1`, string(b.Due(now, &info)))
		require.Nil(t, b.Due(now, &info))
	}
	for range 10 {
		require.Nil(t, b.Due(now.Add(30*time.Second), &info))
		now = now.Add(30*time.Second + 1)
		require.Equal(t, `\heartbeat\5\gamename\bcommander`, string(b.Due(now, &info)))
	}
	require.Nil(t, b.Due(now.Add(300*time.Second), &info))
	require.Nil(t, b.Exit())
	require.Nil(t, b.Due(now.Add(time.Hour), &info))

	b = gamespy.Beacon{Stock: true}
	b.Queried() // before the first heartbeat
	require.NotNil(t, b.Due(start, &info))
	require.Equal(t, start.Add(300*time.Second+1), next(t, &b, &info, start))
}

// The default schedule does not depend on queries.
func TestBeaconQueried(t *testing.T) {
	var b gamespy.Beacon
	var info gamespy.ServerInfo
	require.NotNil(t, b.Due(start, &info))
	b.Queried()
	require.Equal(t, start.Add(60*time.Second), next(t, &b, &info, start))
}
