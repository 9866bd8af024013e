package stateupdate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// The tests in this file are about statements of older documents; see opcode/CORRECTIONS.md.

// A host never sends power settings or a hash, and a client never sends subsystems. The host sends
// the ship of its own player like the ships of others. Only "host" decides, not "multiplayer".
func TestRoleDecidesPowerAndSubsystems(t *testing.T) {
	for role, want := range map[role]opcode.StateFlags{
		fromOwner: opcode.StatePower,
		toOwner:   opcode.StateSubsystems,
		toOther:   opcode.StateSubsystems,
	} {
		for _, class := range stateupdate.Stock() {
			ship := newShip(slotID(0), class)
			e := role.encoder()
			for tenth := range 30 {
				ship.Position[0] += 5
				payload, err := e.Append(nil, seconds(float32(tenth)/10), ship)
				require.NoError(t, err)
				var m opcode.StateUpdate
				require.NoError(t, opcode.Unmarshal(payload, &m))
				require.Equal(t, want, m.Flags&(opcode.StatePower|opcode.StateSubsystems), "%v %s", role, class.Key)
				require.False(t, m.HasHash)
			}
		}
	}
	var playing stateupdate.Broadcaster
	require.NoError(t, playing.AddShip(piloted(2, "akira", "")))
	hosts := piloted(3, "galaxy", "")
	hosts.PeerID = objectid.Host
	require.NoError(t, playing.AddShip(hosts))
	playing.AddReceiver(2)
	var flags []opcode.StateFlags
	for _, u := range advance(t, &playing, 1) {
		flags = append(flags, opcode.StateFlags(u.Payload[9]))
	}
	require.Equal(t, []opcode.StateFlags{opcode.StateSubsystems, 0x3D}, flags, "the ship of the host's player has motion and subsystems")
}

// All vectors and the recorded match follow the same rule.
func TestPowerSettingsGoUp(t *testing.T) {
	n := map[bool]int{}
	check := func(name string, fromHost bool, payload []byte) {
		if len(payload) == 0 || payload[0] != byte(opcode.OpStateUpdate) {
			return
		}
		m, err := opcode.Decode(payload)
		require.NoError(t, err, name)
		u := m.(*opcode.StateUpdate)
		require.False(t, fromHost && (u.Flags&opcode.StatePower != 0 || u.HasHash), name)
		require.False(t, !fromHost && u.Flags&opcode.StateSubsystems != 0, name)
		n[fromHost]++
	}
	for _, v := range testdata.Load[struct {
		testdata.Vector
		Dir string
		Hex testdata.Hex
	}](t, "payloads.json") {
		check(v.Name, v.Dir == "s2c", v.Hex)
	}
	for _, d := range testdata.Match(t) {
		cipher.Decrypt(d.Data)
		for m, err := range transport.Messages(d.Data) {
			require.NoError(t, err)
			if m.Type == transport.TypeData && !m.Fragment {
				check("match.jsonl", d.Direction == recording.ToClient, m.Body)
			}
		}
	}
	require.Greater(t, n[true], 500)
	require.Greater(t, n[false], 200)
}

// Ships have 3 to 34 subsystems and parts. The Sovereign has the 33 that older documents give all
// ships.
func TestNumberOfParts(t *testing.T) {
	least, most := 99, 0
	for _, class := range stateupdate.Stock() {
		n := class.Objects() - 1
		least, most = min(least, n), max(most, n)
	}
	require.Equal(t, []int{3, 34}, []int{least, most})
	require.Equal(t, 33, stateupdate.Stock().Named("sovereign").Objects()-1)
	require.Equal(t, 31, stateupdate.Stock().Named("akira").Objects()-1)
}
