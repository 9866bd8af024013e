package game

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// The join of the first player is the captured one, message for message.
func TestJoinOfTheFirst(t *testing.T) {
	w := newWorld(t, options{}, nil)
	g := w.Join("Ann")
	require.Equal(t, []string{
		"ConnectReply 2", "ChecksumRequest", "NameChange 2 Ann",
		"ChecksumRequest", "ChecksumRequest", "ChecksumRequest", "ChecksumRequest",
		"ChecksumComplete", "Settings", "GameInit", "MissionInit", "DeletePlayerUI",
	}, g.Lines)
	settings := last[*opcode.Settings](g)
	require.Equal(t, "Multiplayer.Episode.Mission1.Mission1", settings.Map.String())
	require.Zero(t, settings.PlayerSlot)
	player, joined := last[*opcode.DeletePlayerUI](g).Joined()
	require.True(t, joined)
	require.Equal(t, g.PeerID(), player)
	require.Equal(t, []byte{0x35, 8, 1, 255, 255}, marshal(t, last[*opcode.MissionInit](g)))
}

// The second player learns of the first, with its score and ship, and the first of the
// second.
func TestJoinOfTheSecond(t *testing.T) {
	w := newWorld(t, options{}, nil)
	ann := w.Join("Ann")
	ann.Launch("akira", 0)
	w.Run(time.Second)
	before := len(ann.Lines)
	bob := w.Join("Bob")
	require.Equal(t, []string{
		"ConnectReply 3", "ChecksumRequest", "NameChange 3 Bob",
		"ChecksumRequest", "ChecksumRequest", "ChecksumRequest", "ChecksumRequest",
		"ChecksumComplete", "Settings", "GameInit", "NameChange 2 Ann", "MissionInit", "Score", "ObjectCreateTeam", "DeletePlayerUI",
	}, bob.Lines)
	require.EqualValues(t, 1, bob.Slot)
	require.Equal(t, &opcode.Score{PlayerID: 2}, last[*opcode.Score](bob))
	create := last[*opcode.ObjectCreateTeam](bob)
	require.Equal(t, ann.Object(0), create.ObjectID)
	require.Equal(t, "Ann", create.PlayerName.String())
	require.EqualValues(t, 2, create.NetPlayerID)
	w.Run(time.Second)
	require.Equal(t, []string{"NameChange 3 Bob", "DeletePlayerUI", "Score"}, ann.Lines[before:])
	player, joined := last[*opcode.DeletePlayerUI](ann).Joined()
	require.True(t, joined)
	require.Equal(t, bob.PeerID(), player)
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name, password string
		prepare        func(*world)
		reason         transport.BootReason
	}{
		{"password", "wrong", func(*world) {}, transport.BootPassword},
		{"no password", "", func(*world) {}, transport.BootPassword},
		{"full", "secret", func(w *world) {
			g := w.Connect("Ann", "secret", nil)
			w.Until(5*time.Second, func() bool { return g.Count(opcode.OpDeletePlayerUI) > 0 })
		}, transport.BootTooManyPlayers},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, options{password: "secret", maxPlayers: 1}, nil)
			c.prepare(w)
			g := w.Connect("Bob", c.password, nil)
			w.Until(5*time.Second, func() bool { return g.Ended != nil })
			require.Equal(t, transport.EndBooted, g.Ended.End)
			require.Equal(t, c.reason, g.Ended.Body.(*transport.Boot).Reason)
			require.LessOrEqual(t, w.match.Hub().Len(), 1)
		})
	}
}

// A client with other files learns which, and is dismissed if it does not leave.
func TestFilesDiffer(t *testing.T) {
	w := newWorld(t, options{}, &checksum.Server{Policy: checksum.Strict, Manifest: oneFile(0x1234)})
	g := w.Connect("Ann", "", oneFile(0x9999))
	w.Until(20*time.Second, func() bool { return g.Ended != nil })
	require.Equal(t, "scripts/App.pyc", last[*opcode.SystemChecksumFailed](g).Name.String())
	require.Equal(t, &transport.Boot{Reason: transport.BootRemoved, PeerID: 2}, g.Ended.Body)
	require.Zero(t, w.match.Hub().Len())
	require.Nil(t, w.seat(0))
}

// The first player who enters the game teaches which files the others must have. A client without files who only
// answers teaches nothing, and does not enter after a player with files.
func TestLearnFirst(t *testing.T) {
	w := newWorld(t, options{}, &checksum.Server{Policy: checksum.LearnFirst})
	idle, slow := w.ConnectFrom("Eve", netip.AddrPort{}, time.Hour), w.ConnectFrom("Eve", netip.AddrPort{}, 5*time.Second)
	w.Run(2 * time.Second)
	require.Equal(t, []int{1, 1}, []int{idle.Count(opcode.OpSettings), slow.Count(opcode.OpSettings)}, "both load the game")
	w.Connect("Ann", "", oneFile(0x1234)).WaitForGame()
	w.Connect("Ben", "", oneFile(0x1234)).WaitForGame()
	cat := w.Connect("Cat", "", oneFile(0x9999))
	w.Until(20*time.Second, func() bool { return cat.Ended != nil && slow.Ended != nil })
	require.Equal(t, "scripts/0x373eb677", last[*opcode.SystemChecksumFailed](cat).Name.String(), "the name of App.pyc is not learned")
	require.Equal(t, &transport.Boot{Reason: transport.BootRemoved, PeerID: slow.PeerID()}, slow.Ended.Body)
	require.Len(t, w.match.Members(), 2)
}

func TestOtherVersion(t *testing.T) {
	manifest := oneFile(0x1234)
	manifest.GameVersion = "61"
	w := newWorld(t, options{}, &checksum.Server{Policy: checksum.Strict, Manifest: oneFile(0x1234)})
	g := w.Connect("Ann", "", manifest)
	w.Until(20*time.Second, func() bool { return g.Ended != nil })
	require.Equal(t, "60", last[*opcode.VersionMismatch](g).Name.String())
}

// oneFile returns a manifest with App.pyc alone.
func oneFile(hash opcode.Hash) *checksum.Manifest {
	rounds := checksum.Rounds()[:1]
	rounds[0].Tree = &checksum.Tree{Files: []checksum.File{{
		Name: "App.pyc", NameHash: opcode.Hash(checksum.StringHash("App.pyc")), Content: []opcode.Hash{hash},
	}}}
	return &checksum.Manifest{Name: "test", Rounds: rounds}
}

// Who is silent during the join is dismissed, and makes room.
func TestLateClients(t *testing.T) {
	w := newWorld(t, options{maxPlayers: 1}, nil)
	log := logTo(w)
	g := w.Connect("Ann", "", nil)
	g.Mute = true
	w.Until(2*time.Second, func() bool { return w.match.Hub().Len() == 1 })
	w.Until(32*time.Second, func() bool { return g.Ended != nil })
	require.Equal(t, &transport.Boot{Reason: transport.BootRemoved, PeerID: 2}, g.Ended.Body)
	require.Equal(t, 1, strings.Count(log.String(), "too late"))
	require.Contains(t, log.String(), "the game does not answer if it has no scripts/App.pyc")
	w.Join("Bob")
}

// The policy of the game takes clients that lack files, and those that have others not.
func TestStockPolicy(t *testing.T) {
	host := func() *checksum.Server { return &checksum.Server{Policy: checksum.Stock, Manifest: oneFile(0x1234)} }
	same := oneFile(0x1234)
	other := oneFile(0x1234)
	other.Rounds[0].Tree.Files[0].NameHash++ // another file, and not this one
	for _, files := range []*checksum.Manifest{same, other} {
		w := newWorld(t, options{}, host())
		w.Connect("Ann", "", files).WaitForGame()
	}
	w := newWorld(t, options{}, host())
	g := w.Connect("Ann", "", oneFile(0x9999))
	w.Until(20*time.Second, func() bool { return g.Ended != nil })
	require.Equal(t, "scripts/App.pyc", last[*opcode.SystemChecksumFailed](g).Name.String())
	require.Equal(t, &transport.Boot{Reason: transport.BootRemoved, PeerID: 2}, g.Ended.Body)
}

// A client that predicts the requests may answer them before they arrive.
func TestResponsesBeforeRequests(t *testing.T) {
	w := newWorld(t, options{}, nil)
	g := w.Connect("Eve", "", nil)
	g.Mute = true
	w.Until(2*time.Second, func() bool { return g.Count(opcode.OpChecksumRequest) == 1 })
	for round := range uint8(2) {
		g.Say(&opcode.ChecksumResponse{Index: round, NoFiles: true})
	}
	w.Run(time.Second)
	require.Equal(t, 3, g.Count(opcode.OpChecksumRequest))
}

// Payloads that arrive before the Acks of the messages that they answer are not lost.
func TestResponsesBeforeAcks(t *testing.T) {
	w := newWorld(t, options{}, nil)
	w.Weather = weather{Delay: 30 * time.Millisecond, Jitter: 60 * time.Millisecond, Loss: 0.2}
	for i := range 4 {
		g := w.Connect(fmt.Sprint("Ann ", i), "", nil)
		w.Until(time.Minute, func() bool { return g.Count(opcode.OpDeletePlayerUI) > 0 })
	}
}
