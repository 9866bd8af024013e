package gamespy_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/gamespy"
)

// beats calls Due ten times a second. It returns the times of the heartbeats in
// milliseconds and their changes.
func beats(t *testing.T, b *gamespy.Beacon, seconds int, info func(second float64) gamespy.ServerInfo) (at []int, changes []gamespy.Change) {
	t.Helper()
	for tick := range 10 * seconds {
		now := start.Add(time.Duration(tick) * 100 * time.Millisecond)
		s := info(float64(tick) / 10)
		datagram := b.Due(now, &s)
		require.True(t, datagram == nil || b.Next().After(now))
		if datagram == nil {
			continue
		}
		h, err := gamespy.ParseHeartbeat(datagram)
		require.NoError(t, err)
		require.Equal(t, gamespy.NewHeartbeat(b.Port, h.Change), h)
		at, changes = append(at, 100*tick), append(changes, h.Change)
	}
	return at, changes
}

func TestBeacon(t *testing.T) {
	const none, changed = gamespy.NoChange, gamespy.Changed
	playing := func(players int) gamespy.ServerInfo {
		return gamespy.ServerInfo{NumPlayers: players, GameMode: gamespy.ModePlaying}
	}
	for _, c := range []struct {
		name    string
		beacon  gamespy.Beacon
		info    func(second float64) gamespy.ServerInfo
		at      []int
		changes []gamespy.Change
	}{
		{
			"nothing changes",
			gamespy.Beacon{Port: 22101},
			func(float64) gamespy.ServerInfo { return playing(3) },
			[]int{0, 60_000, 120_000, 180_000},
			[]gamespy.Change{none, none, none, none},
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
			[]gamespy.Change{none, changed, changed, none, none},
		},
		{
			"the mode changes",
			gamespy.Beacon{Interval: time.Hour},
			func(s float64) gamespy.ServerInfo {
				if s < 5 {
					return gamespy.ServerInfo{GameMode: gamespy.ModeSettings}
				}
				return playing(0)
			},
			[]int{0, 5_000},
			[]gamespy.Change{none, changed},
		},
		{
			"a change soon after another waits",
			gamespy.Beacon{Interval: time.Hour, Pause: 4 * time.Second},
			func(s float64) gamespy.ServerInfo { return playing(int(min(s, 5))) },
			[]int{0, 4_000, 8_000},
			[]gamespy.Change{none, changed, changed},
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
			[]gamespy.Change{none, none, none, none},
		},
		{
			"the interval is shorter than the pause",
			gamespy.Beacon{Interval: 100 * time.Second, Pause: time.Hour},
			func(s float64) gamespy.ServerInfo { return playing(int(s)) },
			[]int{0, 100_000},
			[]gamespy.Change{none, changed},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Zero(t, c.beacon.Next())
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

// stockBeats returns the times of the heartbeats with Stock, with a query at the given
// time.
func stockBeats(t *testing.T, query, until time.Duration) (at []time.Duration) {
	t.Helper()
	b := gamespy.Beacon{Stock: true}
	var info gamespy.ServerInfo
	for now := time.Duration(0); now < until; {
		if b.Due(start.Add(now), &info) != nil {
			at = append(at, now)
		}
		next := b.Next().Sub(start)
		if now < query && next >= query {
			next = query
			b.Queried()
			require.Nil(t, b.Due(start.Add(query), &info))
			next = b.Next().Sub(start)
		}
		require.Greater(t, next, now)
		require.Nil(t, b.Due(start.Add(next-1), &info), "exactly at the interval")
		now = next
	}
	return at
}

// The schedule of the game: one at the start, ten after more than 30 s each, then one after
// more than 300 s. The first query ends the ten.
func TestStockBeacon(t *testing.T) {
	const repeat, interval = 30*time.Second + 1, 300*time.Second + 1
	want := []time.Duration{0}
	add := func(n int, step time.Duration) []time.Duration {
		for range n {
			want = append(want, want[len(want)-1]+step)
		}
		return want
	}
	add(10, repeat)
	require.Equal(t, add(3, interval), stockBeats(t, time.Hour, 1201*time.Second))
	want = []time.Duration{0}
	add(2, repeat)
	require.Equal(t, add(2, interval), stockBeats(t, 75*time.Second, 700*time.Second), "a query after 75 s")
}

// With Stock, a change is sent at once and does not count as one of the ten. Exit sends
// nothing.
func TestStockBeaconChanges(t *testing.T) {
	b := gamespy.Beacon{Port: 5, Stock: true}
	var info gamespy.ServerInfo
	now := start
	require.Equal(t, `\heartbeat\5\gamename\bcommander`, string(b.Due(now, &info)))
	for range 20 {
		info.NumPlayers++
		require.Equal(t, `\heartbeat\5\gamename\bcommander\statechanged\1`, string(b.Due(now, &info)))
		require.Nil(t, b.Due(now, &info))
	}
	for range 10 {
		require.Equal(t, now.Add(30*time.Second+1), b.Next())
		now = b.Next()
		require.Equal(t, `\heartbeat\5\gamename\bcommander`, string(b.Due(now, &info)))
	}
	require.Equal(t, now.Add(300*time.Second+1), b.Next())
	require.Nil(t, b.Exit())
	require.Nil(t, b.Due(now.Add(time.Hour), &info))

	b = gamespy.Beacon{Stock: true, Pause: time.Second}
	require.NotNil(t, b.Due(start, &info))
	info.NumPlayers++
	require.Nil(t, b.Due(start.Add(time.Second-1), &info), "during the pause")
	require.NotNil(t, b.Due(start.Add(time.Second), &info))
	b = gamespy.Beacon{Stock: true}
	b.Queried() // before the first heartbeat
	require.Zero(t, b.Next())
	require.NotNil(t, b.Due(start, &info))
	require.Equal(t, start.Add(300*time.Second+1), b.Next())
}

// The default schedule does not depend on queries.
func TestBeaconQueried(t *testing.T) {
	var b gamespy.Beacon
	var info gamespy.ServerInfo
	require.NotNil(t, b.Due(start, &info))
	b.Queried()
	require.Equal(t, start.Add(60*time.Second), b.Next())
}

func TestHeartbeats(t *testing.T) {
	for _, c := range []struct {
		text string
		h    gamespy.Heartbeat
	}{
		{text(t, "heartbeat"), gamespy.NewHeartbeat(22101, gamespy.NoChange)},
		{text(t, "heartbeat-state-changed"), gamespy.NewHeartbeat(0, gamespy.Changed)},
		{`\heartbeat\65535\gamename\bcommander\statechanged\2`, gamespy.NewHeartbeat(65535, gamespy.Exiting)},
		{`\heartbeat\22101\gamename\bcommander\final\`, gamespy.Heartbeat{Port: 22101, GameName: "bcommander", Final: true}},
		{`\heartbeat\1\gamename\\statechanged\-7`, gamespy.Heartbeat{Port: 1, Change: -7}},
	} {
		h, err := gamespy.ParseHeartbeat([]byte(c.text))
		require.NoError(t, err)
		require.Equal(t, c.h, h)
		wire, err := h.MarshalBinary()
		require.NoError(t, err)
		require.Equal(t, c.text, string(wire))
	}
	h, err := gamespy.ParseHeartbeat([]byte(`\heartbeat\22101\gamename\bcommander\`))
	require.NoError(t, err)
	require.Equal(t, gamespy.NewHeartbeat(22101, gamespy.NoChange), h)
	h, err = gamespy.ParseHeartbeat([]byte(`\heartbeat\5`))
	require.NoError(t, err)
	require.Equal(t, gamespy.Heartbeat{Port: 5}, h)
}

func TestHeartbeatRefuses(t *testing.T) {
	_, err := gamespy.ParseHeartbeat([]byte(`\heartbeat\65536`))
	require.EqualError(t, err, `gamespy: heartbeat at offset 11: missing or invalid number: "65536"`)
	wire, err := gamespy.Heartbeat{GameName: `a\b`}.AppendBinary([]byte("before"))
	require.ErrorIs(t, err, gamespy.ErrBackslash)
	require.Equal(t, "before", string(wire))
}
