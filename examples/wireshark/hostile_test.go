//go:build tshark

package wireshark

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/examples/wireshark/internal/pdml"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// everyClient returns the datagrams of each client of all recordings.
func everyClient(t *testing.T) (all []testCase) {
	for file, clients := range recordings(t) {
		for client, list := range clients {
			all = append(all, testCase{file + " client " + client, list})
		}
	}
	slices.SortFunc(all, func(a, b testCase) int { return strings.Compare(a.name, b.name) })
	return all
}

func TestTruncatedCapture(t *testing.T) {
	t.Parallel()
	const headers, snaplen = 28, 60
	var w wireCase
	for _, c := range everyClient(t) {
		for i, d := range c.datagrams {
			if cut := len(d.data) - (snaplen - headers); cut > 0 {
				c.datagrams[i].data, c.datagrams[i].missing = d.data[:snaplen-headers], cut
			}
		}
		w.add(c)
	}
	w.compare(t, &show.Decoder{})
}

// A message with trailing bytes is shown, but it changes nothing. The MissionInit of a mod has the
// fields of an unknown payload, whole, truncated and in fragments.
func TestMessagesWithErrors(t *testing.T) {
	t.Parallel()
	var w wireCase
	payloads := vectors(t, "payloads.json")
	create, block := payloads["object-create-team-akira-spawn"], payloads["state-update-20-akira-own-start8"]
	require.NotEmpty(t, create)
	require.NotEmpty(t, block)
	for _, change := range []string{"14ffffff3f", "14ffffff3f00", "39", "3900"} {
		w.add(testCase{"block after " + change, []datagram{
			{toClient: true, data: carried(create)}, {toClient: true, data: carried(testdata.Bytes(change))}, {toClient: true, data: carried(block)},
		}})
	}
	mission := testdata.Bytes("350affff0100000002000000")
	whole := carried(mission)
	w.add(testCase{"MissionInit of a mod", []datagram{{toClient: true, data: whole}, {toClient: true, data: carried(mission[:5])}}})
	w.add(testCase{"MissionInit of a mod, truncated", []datagram{{toClient: true, data: whole[:len(whole)-2], missing: 2}}})
	fragments, err := transport.AppendFragments(nil, 7, append(mission, make([]byte, 900)...))
	require.NoError(t, err)
	var list []datagram
	for _, m := range fragments {
		data, err := (&transport.Packet{PeerID: 1, Messages: []transport.Message{m}}).MarshalBinary()
		require.NoError(t, err)
		list = append(list, datagram{toClient: true, data: data})
	}
	w.add(testCase{"MissionInit of a mod, in fragments", list})
	w.compare(t, &show.Decoder{})
}

func TestLossAndReordering(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, *seed))
	const handshake = 6 // datagrams until the client uses its peer ID: dump waits for this, and the dissector does not
	var w wireCase
	for _, c := range everyClient(t) {
		var list []datagram
		for _, d := range c.datagrams {
			n := r.IntN(8)
			if len(list) < handshake {
				n = -1
			}
			switch n {
			case 0: // lost
			case 1:
				list = append(list, d, d)
			default:
				list = append(list, d)
			}
			if n := len(list); n > 4+handshake && r.IntN(4) == 0 {
				i := n - 1 - r.IntN(4)
				list[i], list[n-1] = list[n-1], list[i]
			}
		}
		w.add(testCase{c.name, list})
	}
	w.compare(t, &show.Decoder{})
}

// TestSeveralMatchesOnOnePort has several sessions one after another between the same ports,
// each with a ConnID of its own.
func TestSeveralMatchesOnOnePort(t *testing.T) {
	t.Parallel()
	var list []datagram
	for _, c := range everyClient(t) {
		list = append(list, c.datagrams...)
	}
	var w wireCase
	w.add(testCase{"all on one port", list})
	w.add(testCase{"the same again", list})
	w.compare(t, &show.Decoder{})
}

// TestChangeOfDialect has a peer that sends stock messages and messages of OpenBC in turn.
func TestChangeOfDialect(t *testing.T) {
	t.Parallel()
	named := vectors(t, "transport.json")
	// For dump, a connection begins when the client uses the peer ID of the reply, and the ship of a player who
	// has left gives way to a new one with its ID. So the names of parts of ships may differ in such a mixture.
	maps.DeleteFunc(named, func(name string, data []byte) bool {
		var p transport.Packet
		return strings.Contains(name, "object-create") || strings.Contains(name, "-fire-") || p.UnmarshalBinary(data) == nil && slices.ContainsFunc(p.Messages, func(m transport.Message) bool {
			return m.Type == transport.TypeConnect || m.Type == transport.TypeDisconnect || m.Type == transport.TypeBoot
		})
	})
	var w wireCase
	for _, stock := range everyClient(t) {
		var list []datagram
		for i, name := range slices.Sorted(maps.Keys(named)) {
			list = append(list, datagram{data: named[name]}, stock.datagrams[i%len(stock.datagrams)])
		}
		w.add(testCase{stock.name, list})
	}
	w.compare(t, &show.Decoder{})
}

func TestPlainDatagrams(t *testing.T) {
	t.Parallel()
	var w wireCase
	for _, c := range everyClient(t) {
		w.add(c)
	}
	w.compare(t, &show.Decoder{Plain: true}, "-o", "bcwire.plain:TRUE")
}

func TestGameSpyOnTheGamePort(t *testing.T) {
	t.Parallel()
	var w wireCase
	for i, text := range []string{
		`\status\`, `\gamename\bcommander\hostname\Café "1"\final\\queryid\2.1`, `\`, `\\`, `\\\`, `\key`, "\\a\\\x01\xFF\\", `\a\b\`,
		strings.Repeat(`\k\v`, 600), `\basic\\secure\ABCDEF`, `\a\b\\`, `\a\`, `\\\\v`,
	} {
		w.add(testCase{fmt.Sprint("text ", i), []datagram{{data: []byte(text)}, {toClient: true, data: []byte(text)}}})
	}
	w.compare(t, &show.Decoder{})
}

// modClasses is a file of classes in which the Akira has a shield generator less.
const modClasses = `{"ships": [{"species": 1, "key": "mod", "name": "Mod \u00e9", "subsystems": [
  {"name": "Hull", "kind": "hull"}, {"name": "Sensor", "kind": "sensor"},
  {"name": "Phasers", "kind": "phaser", "children": [{"name": "One"}, {"name": "Two"}]}]}]}`

func TestClassesOfAMod(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "mod.json")
	require.NoError(t, os.WriteFile(name, []byte(modClasses), 0o600))
	classes, err := stateupdate.ParseJSON([]byte(modClasses))
	require.NoError(t, err)
	var w wireCase
	for _, c := range everyClient(t) {
		w.add(c)
	}
	for vector, payload := range vectors(t, "payloads.json") {
		w.add(testCase{vector, []datagram{{toClient: true, data: carried(payload)}}})
	}
	w.compare(t, &show.Decoder{Match: &match.Match{Classes: classes}}, "-o", "bcwire.classes:"+name)
}

func TestStockClassesAsAFile(t *testing.T) {
	t.Parallel()
	var w wireCase
	for _, c := range everyClient(t) {
		w.add(c)
	}
	w.compare(t, &show.Decoder{}, "-o", "bcwire.classes:../../stateupdate/ships.json")
}

// TestBadClasses checks that a file of classes with an error gives an expert info, and that the
// classes of the game stay.
func TestBadClasses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ship := func(subsystems string) string {
		return `{"ships":[{"species":1,"name":"X","subsystems":[` + subsystems + `]}]}`
	}
	for name, text := range map[string]string{
		"nothing":           "",
		"not JSON":          "hello",
		"cut":               modClasses[:len(modClasses)-3],
		"more":              modClasses + "x",
		"an older file":     `{"schema":2,"ships":[]}`,
		"unknown key":       ship(`{"name":"Hull","kind":"hull","childern":[]}`),
		"unknown kind":      ship(`{"name":"Hull","kind":"hulk"}`),
		"no name":           ship(`{"kind":"hull"}`),
		"name twice":        ship(`{"name":"Hull","kind":"hull"},{"name":"hull","kind":"hull"}`),
		"no subsystem":      ship(``),
		"children of none":  ship(`{"name":"Hull","kind":"hull","children":7}`),
		"shield's children": ship(`{"name":"S","kind":"shield","children":[{"name":"x"}]}`),
		"facings":           ship(`{"name":"S","kind":"shield","facings":[1,2]}`),
		"position":          ship(`{"name":"S","kind":"shield","position":[1,2]}`),
		"ID offset":         ship(`{"name":"S","kind":"shield","idOffset":-1}`),
		"not an object":     ship(`5`),
		"species twice":     strings.Replace(ship(`{"name":"Hull","kind":"hull"}`), `]}]}`, `]},{"species":1,"subsystems":[{"name":"H","kind":"hull"}]}]}`, 1),
		"nested":            strings.Repeat("[", 1000),
		"control character": "{\"a\nb\":1}",
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(dir, "classes.json")
			require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
			var w wireCase
			w.add(testCase{name, everyClient(t)[0].datagrams[:3]})
			found := run(t, "-r", w.write(t, false), "-o", "bcwire.classes:"+file, "-Y", "bcwire.expert.classes")
			require.Len(t, found, 3)
		})
	}
}

// run returns the lines that TShark prints.
func run(t *testing.T, args ...string) []string {
	t.Helper()
	out, wait := tshark(t, args...)
	text, err := io.ReadAll(out)
	require.NoError(t, err)
	wait()
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")[:strings.Count(string(text), "\n")]
}

// TestLua54 runs the dissector with a later version of Lua, on a stub of Wireshark's interface.
func TestLua54(t *testing.T) {
	t.Parallel()
	var w wireCase
	for _, c := range everyClient(t) {
		w.add(c)
	}
	for _, file := range []string{"payloads.json", "payloads-constructed.json"} {
		for name, payload := range vectors(t, file) {
			w.add(testCase{name, []datagram{{toClient: true, data: carried(payload)}}})
		}
	}
	var in bytes.Buffer
	for i, d := range w.packets {
		fmt.Fprintf(&in, "%d %v %d %v %d %g %x\n", i+1, d.Src.Addr(), d.Src.Port(), d.Dst.Addr(), d.Dst.Port(), d.Time, onWire(d.Data, false))
	}
	cmd := exec.CommandContext(t.Context(), "lua5.4", "testdata/stub.lua", "bcwire.lua")
	cmd.Stdin = &in
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	require.NoError(t, err, complaints.String())
	w.compareWith(t, &show.Decoder{}, pdml.NewReader(bytes.NewReader(out)))
}

func TestParsesAsLua54(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "luac5.4", "-p", "bcwire.lua").CombinedOutput()
	require.NoError(t, err, string(out))
}
