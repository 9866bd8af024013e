//go:build tshark

package wireshark

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// TestPlayers compares the players of datagrams and the ships of messages with those of dump.
func TestPlayers(t *testing.T) {
	t.Parallel()
	var w wireCase
	for client, list := range sorted(recordings(t)["battle.jsonl"]) {
		w.add(testCase{client, list})
	}
	file := w.write(t, false)
	var decoded []*playersOf
	var now *playersOf
	decoder := show.Decoder{Step: func(step *match.Step, _ *show.Message) { now.add(step) }}
	for _, d := range w.packets {
		d.Data = onWire(d.Data, false)
		now = &playersOf{updates: true}
		decoded = append(decoded, now)
		now.peer = decoder.Decode(d).Peer
	}
	for _, passes := range []string{"-n", "-2"} {
		lines := run(t, passes, "-r", file, "-T", "fields", "-e", "bcwire.player", "-e", "bcwire.ship")
		require.Len(t, lines, len(decoded))
		players, ships := 0, 0
		for i, p := range decoded {
			got := strings.Split(lines[i], "\t")
			if p.peer > objectid.Host && got[0] != "" {
				require.Equal(t, p.link, got[0], "packet %d", i+1)
				players++
			}
			if p.peer == objectid.Host && p.updates && len(p.owners) > 0 {
				require.Equal(t, []string{strings.Join(p.owners, ","), strings.Join(p.ids, ",")}, got, "packet %d", i+1)
				ships++
			}
		}
		require.Greater(t, players, 1000)
		require.Greater(t, ships, 1000)
	}
	own := len(run(t, "-r", file, "-Y", `bcwire.player == "Ann" && bcwire.peer != 1`))
	require.Positive(t, own)
	require.Greater(t, len(run(t, "-r", file, "-Y", `bcwire.player == "Ann"`)), own, "the host's datagrams about Ann")
}

// playersOf has the players of a datagram.
type playersOf struct {
	peer        objectid.PeerID
	link        string   // name of the player of the link
	updates     bool     // all messages are updates of ships with an owner
	owners, ids []string // of the ships
}

func (p *playersOf) add(step *match.Step) {
	if step.Link.Player != nil {
		p.link = step.Link.Player.Name
	}
	update, ok := step.Game.(*opcode.StateUpdate)
	if !ok || step.Ship == nil || step.Ship.PlayerName == "" {
		p.updates = false
		return
	}
	p.owners = append(p.owners, step.Ship.PlayerName)
	p.ids = append(p.ids, fmt.Sprintf("0x%08x", uint32(update.ObjectID)))
}

// TestRoundTrip checks the time from the first transmission of a message to its Ack.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	c, name := newCapture(t)
	ack := transport.Packet{PeerID: objectid.Host, Messages: []transport.Message{{Type: transport.TypeAck, Seq: 7, Body: []byte{0}}}}
	answer, err := ack.MarshalBinary()
	require.NoError(t, err)
	cipher.Encrypt(answer)
	message := enciphered(t, 2, 7, "01")
	c.write(t, capture.Datagram{Time: 1, Src: one, Dst: server, Data: message})
	c.write(t, capture.Datagram{Time: 1.125, Src: one, Dst: server, Data: message})
	c.write(t, capture.Datagram{Time: 1.25, Src: server, Dst: one, Data: answer})
	c.close(t)
	for _, passes := range []string{"-n", "-2"} {
		require.Equal(t, []string{"3\t0.250000000"}, run(t, passes, "-r", name, "-Y", "bcwire.rtt > 0.2", "-T", "fields", "-e", "frame.number", "-e", "bcwire.rtt"))
		require.Empty(t, run(t, passes, "-r", name, "-Y", "bcwire.rtt > 0.26"))
	}
}

// TestStatistics compares the table of messages and players with the messages of dump.
func TestStatistics(t *testing.T) {
	t.Parallel()
	_, file, decoded := allClients(t)
	text := strings.Join(run(t, "-X", "lua_script1:statistics", "-q", "-r", file), "\n")
	updates, all := 0, 0
	for _, p := range decoded {
		for _, r := range p.Messages {
			all++
			if r.Name == "StateUpdate" {
				updates++
			}
		}
	}
	require.Regexp(t, `^Message +all +- +Ann`, text)
	for _, name := range []string{"Ann", "Ben", "Cid"} {
		require.Len(t, regexp.MustCompile(`(?m)^Message .* `+name+`( |$)`).FindAllString(text, -1), 1, "a player has one column")
	}
	for line := range strings.Lines(text) {
		require.LessOrEqual(t, len(strings.TrimSuffix(line, "\n")), 80, "a window of Wireshark would break it")
	}
	require.Regexp(t, fmt.Sprintf(`(?m)^StateUpdate +%d `, updates), text)
	require.Regexp(t, fmt.Sprintf(`(?m)^all +%d `, all), text)
}

// TestColouringRules checks that Wireshark takes all rules, and what they colour.
func TestColouringRules(t *testing.T) {
	t.Parallel()
	_, file, _ := allClients(t)
	rules, err := os.ReadFile("colorfilters")
	require.NoError(t, err)
	cmd := command(t, "-X", "lua_script:bcwire.lua", "--color", "-r", file, "-T", "fields", "-e", "frame.coloring_rule.name")
	for _, variable := range cmd.Env {
		if dir, ok := strings.CutPrefix(variable, "WIRESHARK_CONFIG_DIR="); ok {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "colorfilters"), rules, 0o600))
		}
	}
	out, err := cmd.Output()
	require.NoError(t, err)
	counts := map[string]int{}
	for line := range strings.Lines(string(out)) {
		counts[strings.TrimSpace(line)]++
	}
	names := regexp.MustCompile(`(?m)^@(.*?)@`).FindAllStringSubmatch(string(rules), -1)
	require.Len(t, names, 10)
	for _, name := range names[1:] {
		require.Positive(t, counts[name[1]], name[1])
	}
	require.Zero(t, counts[""], "a datagram without a colour")
	require.Len(t, run(t, "-r", file, "-Y", "bcwire.chatmessage || bcwire.teamchatmessage || bcwire.hostmessage"), counts["BC: chat"])
}

// TestHintAtThePreference checks that traffic that is read in the wrong way names the preference.
func TestHintAtThePreference(t *testing.T) {
	t.Parallel()
	var w wireCase
	for client, list := range recordings(t)["match.jsonl"] {
		w.add(testCase{client, list})
	}
	for _, plain := range []bool{false, true} {
		file, args := w.write(t, plain), []string{"-o", fmt.Sprintf("bcwire.plain:%v", !plain)}
		hint := "The datagram is enciphered: clear the preference bcwire.plain"
		if plain {
			hint = "The datagram is not enciphered: select the preference bcwire.plain"
		}
		lines := run(t, append(args, "-r", file, "-Y", "bcwire.expert.cipher", "-T", "fields", "-e", "_ws.expert.message")...)
		require.Greater(t, len(lines), len(w.packets)*9/10)
		for _, line := range lines {
			require.Contains(t, line, hint)
		}
		require.Empty(t, run(t, "-o", fmt.Sprintf("bcwire.plain:%v", plain), "-r", file, "-Y", "bcwire.expert.cipher"))
	}
}
