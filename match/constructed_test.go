package match_test

import (
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

var update = flag.Bool("update", false, "write the constructed recordings in testdata")

// The constructed recordings in testdata are those that this test makes. With -update it writes them.
func TestConstructedRecordings(t *testing.T) {
	for name, play := range map[string]func(g *game){"rejoins": playRejoins, "cheater": playCheater} {
		g := newGame(t)
		play(g)
		file := "../testdata/" + name + ".jsonl"
		if *update {
			require.NoError(t, os.WriteFile(file, g.record, 0o644))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, string(want), string(g.record), "%s: run go test ./match -run Constructed -update", name)
	}
}

// playRejoins plays a match on a server like OpenBC's: names that are used twice, renames by the host and by
// a player, a peer ID and a slot that another player gets, a kick, a rejoin, two deaths, and a restart.
func playRejoins(g *game) {
	g.joinOpenBC("1", 0, "Ann")
	g.joinOpenBC("2", 1, "Obi")
	g.joinOpenBC("3", 2, "Cid")
	g.flyOpenBC("1", "Akira")
	g.flyOpenBC("2", "Galaxy")
	g.sayOpenBC("2", "hello there")
	g.sayOpenBC("3", "hello there")
	g.Wait(5 * time.Second)
	g.Leave("2")
	g.Wait(time.Second)
	g.joinOpenBC("4", 1, "Cady2")
	g.flyOpenBC("4", "Galaxy")
	g.sayOpenBC("4", "I am not Obi")
	g.torpedo("1")
	g.Die(base(1, 0), base(0, 0), 2)
	g.All(opcode.NewScoreChange(3, 1, 2, 1, 1000))
	g.Host("3", &transport.Boot{Reason: transport.BootRemoved, PeerID: 4})
	g.Gone("3")
	g.Wait(time.Second)

	g.Connect("5", 4)
	g.Name("5", "Ann")
	renamed := settings(2)
	renamed.Renamed, renamed.NewName = true, stream.UTF16("A\x00n\x00n\x002\x00")
	g.Host("5", renamed, &opcode.GameInit{})
	g.Name("5", "Ann2")
	g.Enter("5")
	g.Name("5", "Bob")
	g.Wait(time.Second)
	g.All(&opcode.EndGame{Reason: opcode.EndTimeUp})
	g.All(&opcode.RestartGame{})
	g.flyOpenBC("1", "Akira")
	g.Die(base(0, 0), 0, 0)
	g.Wait(30 * time.Second)
	g.Client("1", &transport.DoNothing{})
	g.Gone("4") // it was silent
	g.Wait(time.Second)
	g.joinOpenBC("2", 1, "Obi")
	g.sayOpenBC("2", "back again")
}

// playCheater plays a match in which Eve fires a destroyed torpedo tube, moves the ship of Ann and speaks in
// her name. The host does not relay this.
func playCheater(g *game) {
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Eve")
	g.Fly("1", "Akira", 0, base(0, 0))
	g.Fly("2", "Galaxy", 1, base(1, 0))
	g.torpedo("1")
	ship := stateupdate.NewShip(base(1, 0), stateupdate.Stock().Named("Galaxy"))
	tubes := ship.FirstOf(stateupdate.KindTorpedo)
	tube := g.part("Galaxy", base(1, 0), "Torpedoes / Aft Torpedo 1")
	for k := range tubes.Parts {
		if id, _ := ship.Class.PartID(ship.ID, int(tubes.Index), k); id == tube {
			tubes.Parts[k] = 0
		}
	}
	g.All(g.update(ship, int(tubes.Index), 1))
	g.Client("2", opcode.NewTorpedoFire(tube, 3, compress.Vector3{Y: 127}, base(0, 0), compress.Contact{}))
	g.Client("2", &opcode.StateUpdate{ObjectID: base(0, 0), GameTime: 2, Flags: opcode.StatePosition, Position: [3]float32{1, 2, 3}})
	g.Client("2", &opcode.ChatMessage{SenderID: 2, Text: stream.Text("I give up")})
}

// The names of a player have the times of the datagrams that show them.
func TestNamesOverTime(t *testing.T) {
	var m match.Match
	follow(&m, testdata.Rejoins(t))
	names := map[string]string{}
	for p := range m.Players() {
		names[p.Name] = fmt.Sprint(p.Names, p.Since)
	}
	require.Equal(t, "[Ann Ann2 Bob] [7.091s 7.095s 7.107s]", names["Bob"])
}

// The constructed recordings have the events that were played.
func TestConstructedEvents(t *testing.T) {
	lines := func(datagrams []recording.Datagram) (lines []string) {
		m := match.Match{Events: true}
		for _, e := range follow(&m, datagrams) {
			lines = append(lines, e.String())
		}
		return lines
	}
	require.Equal(t, []string{
		"Ann joins", "Obi joins", "Cid joins", "Ann flies Akira", "Obi flies Galaxy", "Obi: hello there", "Cid: hello there",
		"Obi leaves (left)", "Cady2 joins", "Cady2 flies Galaxy", "Cady2: I am not Obi",
		"Ann fires Torpedoes / Forward Torp 2 at Cady2", "Ann destroys Cady2 (Torpedoes / Forward Torp 2)",
		"Ann has 1 kills, 0 deaths, 1000 points", "Cady2 has 0 kills, 1 deaths, 0 points", "Cid leaves (kicked)",
		"Ann2 joins", "Ann2 is now Bob", "the match ends: " + opcode.EndTimeUp.String(), "the match restarts",
		"Ann flies Akira", "Ann explodes", "Cady2 leaves (timed out)", "Obi joins", "Obi: back again",
	}, lines(testdata.Rejoins(t)))
	require.Equal(t, []string{
		"Ann joins", "Eve joins", "Ann flies Akira", "Eve flies Galaxy", "Ann fires Torpedoes / Forward Torp 2 at Eve",
		"Eve Torpedoes / Aft Torpedo 1: 100% to 0%", "Eve fires Torpedoes / Aft Torpedo 1 at Ann", "Eve: I give up",
	}, lines(testdata.Cheater(t)))
}
