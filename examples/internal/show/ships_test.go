package show

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// requireSystems compares subsystems with the subsystems of a vector.
func requireSystems(t *testing.T, got map[string]any, want []map[string]any) {
	t.Helper()
	require.Len(t, got, len(want))
	for _, node := range want {
		name := node["name"].(string)
		for _, key := range []string{"index", "name", "kind"} {
			delete(node, key)
		}
		for _, key := range []string{"phaserLevel", "ammoType", "tractorMode"} {
			if v, ok := node[key]; ok {
				delete(node, key)
				node["mode"] = v
			}
		}
		system, ok := got[name].(map[string]any)
		require.True(t, ok, name)
		require.Len(t, system, len(node), name)
		requireFields(t, system, node, name)
	}
}

type payloadVector struct {
	testdata.Vector
	Hex        string
	Species    int
	Subsystems []map[string]any
}

func payloadNamed(t *testing.T, name string) payloadVector {
	t.Helper()
	for _, v := range testdata.Load[payloadVector](t, "payloads.json") {
		if v.Name == name {
			return v
		}
	}
	t.Fatal("no vector " + name)
	return payloadVector{}
}

// lines returns hex text of datagrams with a payload each.
func lines(t *testing.T, payloads ...string) string {
	t.Helper()
	var all []string
	for i, p := range payloads {
		all = append(all, "s2c "+hexLines(pack(t, 1, transport.NewData(uint16(i), testdata.Bytes(p)))))
	}
	return strings.Join(all, "\n")
}

const (
	createAkira = "object-create-team-akira-spawn"
	ownBlock    = "state-update-20-akira-own-start8"
)

func TestBlockOfKnownShip(t *testing.T) {
	create, block := payloadNamed(t, createAkira), payloadNamed(t, ownBlock)
	input := lines(t, create.Hex, block.Hex)
	records := runJSON(t, input, "-plain")
	require.Equal(t, block.Hex, records[1].Hex)
	require.Empty(t, records[1].Note)
	requireSystems(t, records[1].Fields["Subsystems"].(map[string]any), block.Subsystems)

	require.Contains(t, render(t, input, "-v", "-plain").stdout,
		"Shield Generator.Facings 100/100/100/100/100/100%\n")
	require.Contains(t, render(t, input, "-plain").stdout,
		"StartIndex=8 Engineering 100%, Tractors 100%, Bridge 100%, Hull 100%, Shield Generator 100%\n")
	require.Contains(t, render(t, input, "-x", "-plain").stdout,
		"001a  ff ff ff ff ff ff          Shield Generator.Facings 100/100/100/100/100/100%\n")
	require.False(t, render(t, input, "-plain").failed)
}

// Subsystems of an exploding ship are decoded.
func TestBlockOfDyingShip(t *testing.T) {
	create, block := payloadNamed(t, createAkira), payloadNamed(t, ownBlock)
	explosion := payloadNamed(t, "python-event-object-exploding-self-destruct")
	records := runJSON(t, lines(t, create.Hex, explosion.Hex, block.Hex), "-plain")
	require.Empty(t, records[2].Note)
	requireSystems(t, records[2].Fields["Subsystems"].(map[string]any), block.Subsystems)
}

func TestBlocksThatStayRaw(t *testing.T) {
	create, block := payloadNamed(t, createAkira).Hex, payloadNamed(t, ownBlock).Hex
	for _, c := range []struct{ name, input, note string }{
		{"creation not seen", lines(t, block), "subsystems not decoded: the ship's creation is not in the input"},
		{"asteroid", lines(t, strings.Replace(create, "ffffff3f01", "ffffff3f1f", 1), block), "subsystems not decoded: the ship class has no list of subsystems"},
		{"another class", lines(t, strings.Replace(create, "ffffff3f01", "ffffff3f10", 1)), "subsystems do not fit the Cardassian Freighter"},
		{"start index", lines(t, create, strings.Replace(block, "2008", "200b", 1)), "start index out of range"},
		{"cut", lines(t, create, block[:len(block)-2]), "subsystems do not fit the Akira: stateupdate: decode StateUpdate.Subsystems.Shield Generator.Facings at offset 19: unexpected EOF"},
		{"destroyed", lines(t, create, "14ffffff3f", block), "subsystems not decoded: the ship is destroyed"},
		{"restarted", lines(t, create, "39", block), "subsystems not decoded: the ship is destroyed"},
		{"replaced", lines(t, create, strings.Replace(create, "ffffff3f01", "2200004001", 1), block), "subsystems not decoded: the ship is destroyed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			records := runJSON(t, c.input, "-plain")
			last := records[len(records)-1]
			require.Empty(t, last.Error)
			require.Contains(t, last.Note, c.note)
			require.NotContains(t, last.Fields, "Subsystems")
			require.False(t, render(t, c.input, "-plain").failed)
		})
	}
}

// A block of OpenBC is decoded, and has a note.
func TestBlockOfOpenBC(t *testing.T) {
	create, block := payloadNamed(t, createAkira).Hex, payloadNamed(t, ownBlock).Hex
	openBC := block[:20] + "00ffffff20ff80ffffffff20"
	input := lines(t, create, block, openBC)
	records := runJSON(t, input, "-plain")
	require.Equal(t, "dialect: subsystems as OpenBC writes them", records[2].Note)
	systems := records[2].Fields["Subsystems"].(map[string]any)
	require.Len(t, systems, 5)
	require.Len(t, systems["Shield Generator"], 1)
	require.Empty(t, records[1].Note)
	require.Contains(t, render(t, input, "-v", "-plain").stdout, "Warp Core.MainBattery 50%  128, 0x80\n")

	require.False(t, render(t, input, "-plain").failed)
}

func TestBytesAfterTheLastSubsystem(t *testing.T) {
	create := payloadNamed(t, createAkira).Hex
	input := lines(t, create+"abcd")
	records := runJSON(t, input, "-plain")
	require.Contains(t, records[0].Note, "2 bytes abcd after the last subsystem of the Akira")
	require.Len(t, records[0].Fields["Subsystems"], 11)
	require.False(t, render(t, input, "-plain").failed)
}

// The subsystems of a mod's ships are decoded with the classes of the mod.
func TestClassesOfAMod(t *testing.T) {
	mod := &stateupdate.Class{Species: 46, Name: "Runabout", Subsystems: []stateupdate.Subsystem{{Name: "Hull"}, {Name: "Pulse Cannons", Kind: stateupdate.KindPulse}}}
	object, err := stateupdate.NewShip(0x3FFFFFFF, mod).Object()
	require.NoError(t, err)
	payload, err := opcode.Marshal(&opcode.ObjectCreateTeam{Object: object})
	require.NoError(t, err)
	d := Decoder{Plain: true, Match: &match.Match{Classes: stateupdate.Catalogue{mod}}}
	text := NewLines(false, true, 0).Append(nil, d.Decode(&Datagram{Data: pack(t, 1, transport.NewData(0, payload))}))
	require.Contains(t, string(text), "Pulse Cannons.Power  100%  100, 0x64\n")
}

// Object IDs of parts of a known ship have the name of the part.
func TestPartsHaveNames(t *testing.T) {
	object, err := stateupdate.NewShip(0x3FFFFFFF, stateupdate.Stock().Named("akira")).Object()
	require.NoError(t, err)
	creation, err := opcode.Marshal(&opcode.ObjectCreateTeam{NetPlayerID: 2, Object: object})
	require.NoError(t, err)
	ship := "c2s " + hexLines(pack(t, 2, transport.NewData(0, creation)))
	event := opcode.NewStartFiring(0x40000005, 0x40000008)
	payload, err := opcode.Marshal(event)
	require.NoError(t, err)
	shots := "c2s " + hexLines(pack(t, 2, transport.NewData(1, payload)))
	part := func(records []jsonRecord, field string) any {
		return records[len(records)-1].Fields[field].(map[string]any)["part"]
	}
	records := runJSON(t, ship+shots, "-plain")
	require.Equal(t, "Akira Phasers", part(records, "Dest"))
	require.Equal(t, "Akira Impulse Engines / Port Impulse", part(records, "TargetID"))
	require.Nil(t, part(runJSON(t, shots, "-plain"), "Dest"), "the ship is not known")
	require.Nil(t, part(records, "Source"))
}
