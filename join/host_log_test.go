package join_test

import (
	"log/slog"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// logged returns options with a log, and a function that returns its lines since the last call, without times and
// addresses of players.
func logged(o join.HostOptions) (join.HostOptions, func() []string) {
	var b strings.Builder
	o.Log = slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{
		Level: slog.LevelDebug,
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || len(groups) > 0 && a.Key == "addr" {
				return slog.Attr{}
			}
			return a
		},
	}))
	return o, func() []string {
		defer b.Reset()
		return strings.Split(strings.TrimSpace(strings.ReplaceAll(b.String(), "level=", "")), "\n")
	}
}

// The log has who joins and leaves, the rounds, and why somebody is kicked. What has no effect has the level Debug.
func TestLog(t *testing.T) {
	o, lines := logged(join.HostOptions{Password: "engage", Idle: time.Minute, LoadTimeout: 20 * time.Second})
	w := newWorld(t, o)
	ann := w.connect(join.Options{Name: "Ann", Password: "engage"})
	w.run(2 * time.Second)
	ann.say(&opcode.MissionInit{})
	w.run(time.Second)
	w.host.End(opcode.EndTimeUp)
	w.host.Restart()
	w.host.NextMission(opcode.Settings{Map: stream.Text("Two")}, opcode.MissionInit{})
	require.Equal(t, []string{
		`INFO msg=connected player.peer=2 player.name=""`,
		`INFO msg=named player.peer=2 player.name=Ann`,
		`INFO msg=joined player.peer=2 player.name=Ann`,
		`DEBUG msg=dropped player.peer=2 player.name=Ann reason=direction error="opcode: authorize MissionInit: not sent by clients: direction down, not up or both"`,
		`INFO msg=end reason="time up"`,
		`INFO msg=restart`,
		`INFO msg="next mission" map="Two" system=Multi1`,
		`INFO msg=left player.peer=2 player.name=Ann how=closed`,
	}, lines())

	w.connect(join.Options{Password: "warp"})
	w.run(2 * time.Second)
	require.Equal(t, []string{
		`INFO msg=connected player.peer=3 player.name=""`,
		`INFO msg="wrong password" addr=10.0.0.2:22102`,
		`DEBUG msg=dropped player.peer=3 player.name="" reason=early error=<nil>`,
		`INFO msg=left player.peer=3 player.name="" how=booted`,
	}, lines())

	bob := w.connect(join.Options{Name: "Bob", Password: "engage"})
	bob.load = time.Hour
	w.run(22 * time.Second)
	require.Equal(t, []string{
		`INFO msg=connected player.peer=4 player.name=""`,
		`INFO msg="too late" player.peer=4 player.name=Bob error=<nil>`,
		`INFO msg=left player.peer=4 player.name=Bob how=booted`,
	}, lines())

	w.connect(join.Options{Name: "Cat", Password: "engage"})
	w.run(62 * time.Second)
	w.host.End(opcode.EndTimeUp)
	w.connect(join.Options{Name: "Dan", Password: "engage"})
	w.run(42 * time.Second)
	require.Equal(t, []string{
		`INFO msg=connected player.peer=5 player.name=""`,
		`INFO msg=named player.peer=5 player.name=Cat`,
		`INFO msg=joined player.peer=5 player.name=Cat`,
		`INFO msg=idle player.peer=5 player.name=Cat`,
		`INFO msg=left player.peer=5 player.name=Cat how=booted`,
		`INFO msg=end reason="time up"`,
		`DEBUG msg=refused addr=10.0.0.5:22102 reason="timed out"`,
	}, lines())
}

// The log has at most 20 lines at once about clients that are not in the game. The next line has the number of the
// others.
func TestLogIsLimited(t *testing.T) {
	o, lines := logged(join.HostOptions{})
	w := newWorld(t, o)
	for _, n := range []int{30, 30, 1} {
		for range n {
			w.connectSilent()
		}
		w.run(2 * time.Second)
	}
	all, missing := lines(), 0
	for _, l := range all {
		if _, n, ok := strings.Cut(l, " unlogged="); ok {
			more, err := strconv.Atoi(n)
			require.NoError(t, err)
			missing += more
		}
	}
	require.Less(t, len(all), 30)
	require.Equal(t, 61, len(all)+missing)
}

// A client that leaves with the datagram that validates its address has sent no wrong password.
func TestLogOfClientThatLeavesAtOnce(t *testing.T) {
	o, lines := logged(join.HostOptions{})
	w := newWorld(t, o)
	var acks []transport.Message
	w.hear = func(_ netip.AddrPort, datagram []byte) { acks = append(acks, acksOfProbes(datagram)...) }
	w.forge(addr(1, 1), objectid.NoPeer, connectRequest(1))
	w.run(step)
	w.forge(addr(1, 1), 2, append(acks, transport.NewMessage(1, &transport.Disconnect{PeerID: 2}))...)
	require.Equal(t, []string{`INFO msg=connected player.peer=2 player.name=""`, `INFO msg=left player.peer=2 player.name="" how=left`}, lines())
}

// Clients who come and go as fast as they can do not fill the log, and everybody else who has played is in it.
func TestLogOfComersAndGoers(t *testing.T) {
	o, lines := logged(join.HostOptions{Mission: opcode.MissionInit{PlayerLimit: objectid.Slots}})
	w := newWorld(t, o)
	attack := &comers{world: w, networks: 200}
	w.hear = attack.hearReply
	ann := w.join("Ann")
	for end := w.now.Add(testdata.Either(10*time.Minute, time.Minute)); w.now.Before(end); w.run(100 * time.Millisecond) {
		attack.come(1, 0)
	}
	bob := w.join("Bob")
	bob.leave()
	ann.leave()
	w.run(time.Second)
	logged := strings.Join(slices.DeleteFunc(lines(), func(line string) bool { return strings.HasPrefix(line, "DEBUG") }), "\n")
	require.Less(t, strings.Count(logged, "\n"), 9000)
	require.Regexp(t, `unlogged=\d\d\d`, logged)
	for _, name := range []string{"Ann", "Bob"} {
		require.Regexp(t, `INFO msg=joined player.peer=\d+ player.name=`+name, logged)
		require.Regexp(t, `INFO msg=left player.peer=\d+ player.name=`+name, logged)
	}
}

// A player who has come and gone too often is in the log after a minute in the game.
func TestLogOfWhoComesAndGoesAndStays(t *testing.T) {
	o, lines := logged(join.HostOptions{})
	w := newWorld(t, o)
	for port := range 20 {
		g := w.connect(join.Options{Name: "Ann"}, house(1+port))
		w.until(10*time.Second, func() bool { return g.stage() == join.StageInGame })
		if port == 19 {
			w.run(time.Minute)
		}
		g.leave()
		w.run(300 * time.Millisecond)
	}
	all := lines()
	require.Less(t, len(all), 80)
	require.Regexp(t, `INFO msg=left player.peer=\d+ player.name=Ann how=left`, all[len(all)-1])
}
