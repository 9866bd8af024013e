package main

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/testdata"
)

// asker is a browser. It remembers the replies as they are on the wire.
type asker struct {
	*listener
	w    *world
	addr netip.AddrPort
}

func newAsker(w *world) *asker {
	a := &asker{listener: &listener{}, w: w}
	a.addr = w.add(a.listener)
	return a
}

// ask sends a query and returns the replies.
func (a *asker) ask(query string) (replies []string) {
	a.heard = nil
	a.w.post(a.addr, serverAddr, []byte(query))
	a.w.run(time.Second)
	for _, reply := range a.heard {
		replies = append(replies, string(reply))
	}
	return replies
}

// A server without players answers as the captured one, byte for byte.
func TestStatusAsCaptured(t *testing.T) {
	var captured string
	for _, v := range testdata.Load[struct {
		testdata.Vector
		Hex testdata.Hex
	}](t, "gamespy.json") {
		if v.Name == "status-response" {
			captured = string(v.Hex)
		}
	}
	require.NotEmpty(t, captured)
	a := newAsker(newWorld(t, options{name: "My Game23"}, nil))
	require.Len(t, a.ask(`\status\`), 1) // has the number 1
	require.Equal(t, []string{captured}, a.ask(`\status\`))
}

// The text of other missions is not known: browsers get the name of the script.
func TestMapName(t *testing.T) {
	for mission, want := range map[string]string{
		"Multiplayer.Episode.Mission1.Mission1": "DM",
		"Multiplayer.Episode.Mission2.Mission2": "Mission2",
		"Multiplayer.Episode.Mission5.Mission5": "Mission5",
		"Custom":                                "Custom",
	} {
		w := newWorld(t, options{mission: mission}, nil)
		require.Equal(t, want, w.match.serverInfo().MapName)
	}
}

// Every query is answered, within the limit of its address. Replies are not: two servers
// would answer each other for ever.
func TestEveryQueryIsAnswered(t *testing.T) {
	w := newWorld(t, options{}, nil)
	a := newAsker(w)
	require.Equal(t, []string{`\final\\queryid\1.1`}, a.ask(`\nonsense\x`))
	require.Equal(t, []string{`\final\\queryid\2.1`}, a.ask(`\`))
	require.Equal(t, []string{`\echo\hello\final\\queryid\3.1`}, a.ask(`\echo\hello`))
	require.Empty(t, a.ask(`\status\\final\`))
	answers := 0
	for range 60 {
		w.post(a.addr, serverAddr, []byte(`\nonsense\x`))
	}
	w.run(time.Second)
	answers = len(a.heard)
	require.LessOrEqual(t, answers, 13)
	require.Positive(t, answers)
	require.Equal(t, 60-answers, dropped(w, "query"))
}

// With -stockbeacon a master hears from the server every 30 s until somebody asks, then every
// 300 s, and nothing at the end.
func TestStockHeartbeats(t *testing.T) {
	w := newWorld(t, options{master: "127.0.0.1:27900", stockBeacon: true}, nil)
	master := &listener{}
	addr := netip.MustParseAddrPort("127.0.0.1:27900")
	w.clients[addr], w.order = master, append(w.order, addr)
	w.run(95 * time.Second)
	require.Len(t, master.heard, 1+3)
	newAsker(w).ask(`\nonsense\x`)
	w.run(290 * time.Second)
	require.Len(t, master.heard, 4)
	w.run(20 * time.Second)
	require.Len(t, master.heard, 5)
	w.join("Ann")
	w.run(time.Second)
	require.Len(t, master.heard, 6)
	require.Equal(t, `\heartbeat\22101\gamename\bcommander\statechanged\1`, string(master.heard[5]))
	require.Empty(t, w.match.beacon.Exit())
}
