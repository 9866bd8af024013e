package game

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/lab/siege"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// asker is a browser. It remembers the replies as they are on the wire.
type asker struct {
	*listener
	w    *world
	addr netip.AddrPort
}

func newAsker(w *world) *asker {
	a := &asker{listener: &listener{}, w: w}
	a.addr = w.Add(a.listener)
	return a
}

// ask sends a query and returns the replies.
func (a *asker) ask(query string) (replies []string) {
	a.heard = nil
	a.w.Post(a.addr, siege.ServerAddr, []byte(query))
	a.w.Run(time.Second)
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
		w.Post(a.addr, siege.ServerAddr, []byte(`\nonsense\x`))
	}
	w.Run(time.Second)
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
	w.Clients[addr], w.Order = master, append(w.Order, addr)
	w.Run(95 * time.Second)
	require.Len(t, master.heard, 1+3)
	newAsker(w).ask(`\nonsense\x`)
	w.Run(290 * time.Second)
	require.Len(t, master.heard, 4)
	w.Run(20 * time.Second)
	require.Len(t, master.heard, 5)
	w.Join("Ann")
	w.Run(time.Second)
	require.Len(t, master.heard, 6)
	require.Equal(t, `\heartbeat\22101\gamename\bcommander\statechanged\1`, string(master.heard[5]))
	require.Empty(t, w.match.beacon.Exit())
}

// TestForgedQueries floods the server with queries whose addresses are forged. A browser always gets
// an answer, and the answers are not worth forging for.
func TestForgedQueries(t *testing.T) {
	for _, rate := range []float64{50, 400, 2000} {
		w := newWorld(t, options{}, nil)
		w.Join("Ann")
		honest := netip.MustParseAddrPort("127.0.3.1:5000")
		got, asked, out, in := 0, 0, 0, 0
		transmit := w.Transmit
		w.Transmit = func(d []byte, to netip.AddrPort) (int, error) {
			switch {
			case to == honest:
				got++
			case transport.IsGameSpy(d):
				out += len(d)
			}
			return transmit(d, to)
		}
		query, due, n := []byte(`\status\`), 0.0, 0
		for i := range 3000 { // 30 s
			for due += rate * step.Seconds(); due >= 1; due-- {
				n++
				in += len(query)
				from := netip.AddrFrom4([4]byte{198, byte(18 + n>>16&1), byte(n >> 8), byte(n)})
				w.Post(netip.AddrPortFrom(from, 5000), siege.ServerAddr, query)
			}
			if i%100 == 37 {
				asked++
				w.Post(honest, siege.ServerAddr, query)
			}
			w.Run(step)
		}
		t.Logf("%.0f queries/s: %d answers to %d queries of a browser, %d B/s out, %.1f times what came in", rate, got, asked, out/30, float64(out)/float64(in))
		require.GreaterOrEqual(t, got, asked-1)
		require.LessOrEqual(t, out/30, 34<<10+in/30)
	}
}

// A master hears of the server, of who comes, and of the end.
func TestHeartbeats(t *testing.T) {
	w := newWorld(t, options{master: "127.0.0.1:27900"}, nil)
	master := &listener{}
	w.Clients[netip.MustParseAddrPort("127.0.0.1:27900")] = master
	w.Order = append(w.Order, netip.MustParseAddrPort("127.0.0.1:27900"))
	w.Run(time.Second)
	w.Join("Ann")
	w.Run(2*time.Minute + time.Second)
	require.Len(t, master.heard, 4)
	const heartbeat = `\heartbeat\22101\gamename\bcommander`
	for i, want := range []string{heartbeat, heartbeat + `\statechanged\1`, heartbeat, heartbeat} {
		require.Equal(t, want, string(master.heard[i]), i)
	}
	require.Equal(t, heartbeat+`\statechanged\2`, string(w.match.beacon.Exit()))
}

// listener remembers datagrams as they are on the wire.
type listener struct{ heard [][]byte }

func (l *listener) Receive(_ time.Time, datagram []byte) {
	l.heard = append(l.heard, datagram)
}

func (l *listener) AppendDatagram(dst []byte, _ time.Time) []byte { return dst }
