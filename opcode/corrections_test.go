package opcode_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// The tests in this file are about statements of older documents; see CORRECTIONS.md.

// The numbers of messages up and down in captures of two and three players are published. They show
// the direction of a message, and that the host sends a forwarded message to each other client.
func TestPublishedCounts(t *testing.T) {
	for _, v := range []struct {
		op               opcode.Code
		players          int
		up, down         int
		direction, relay fmt.Stringer
	}{
		{opcode.OpPythonEvent, 3, 0, 3825, opcode.DirDown, opcode.RelayAll},
		{opcode.OpPythonEvent, 2, 0, 529, opcode.DirDown, opcode.RelayAll},
		{opcode.OpStartFiring, 3, 978, 1940, opcode.DirBoth, opcode.RelayForward},
		{opcode.OpStartFiring, 2, 174, 172, opcode.DirBoth, opcode.RelayForward},
		{opcode.OpStopFiring, 3, 477, 971, opcode.DirBoth, opcode.RelayForward},
		{opcode.OpSubsystemStatus, 3, 21, 42, opcode.DirBoth, opcode.RelayForward},
		{opcode.OpSubsystemStatus, 2, 60, 71, opcode.DirBoth, opcode.RelayForward},
		{opcode.OpPythonEvent2, 3, 75, 0, opcode.DirUp, opcode.RelayHost},
		{opcode.OpPythonEvent2, 2, 31, 0, opcode.DirUp, opcode.RelayHost},
		{opcode.OpRepairListPriority, 3, 3, 6, opcode.DirBoth, opcode.RelayForward},
		{opcode.OpRepairListPriority, 2, 4, 4, opcode.DirBoth, opcode.RelayForward},
		{opcode.OpSetPhaserLevel, 3, 13, 23, opcode.DirBoth, opcode.RelayForward},
		{opcode.OpSetPhaserLevel, 2, 5, 5, opcode.DirBoth, opcode.RelayForward},
		{opcode.OpHostMessage, 3, 4, 0, opcode.DirUp, opcode.RelayHost},
		{opcode.OpHostMessage, 2, 3, 0, opcode.DirUp, opcode.RelayHost},
		{opcode.OpCollisionEffect, 3, 317, 0, opcode.DirUp, opcode.RelayHost},
		{opcode.OpTorpedoFire, 3, 363, 726, opcode.DirBoth, opcode.RelayForward},
		{opcode.OpTorpedoFire, 2, 110, 110, opcode.DirBoth, opcode.RelayForward},
		{opcode.OpBeamFire, 3, 52, 104, opcode.DirBoth, opcode.RelayForward},
		{opcode.OpTorpedoTypeChange, 3, 4, 8, opcode.DirBoth, opcode.RelayForward},
		{opcode.OpObjectNotFound, 3, 0, 36, opcode.DirDown, opcode.RelayJoinAll},
		{opcode.OpEnterSet, 3, 0, 4, opcode.DirDown, opcode.RelayAll},
		{opcode.OpNewPlayerInGame, 3, 3, 0, opcode.DirUp, opcode.RelayHost},
	} {
		info := v.op.Info()
		require.Equal(t, v.direction, info.Direction, v.op)
		require.Equal(t, v.relay, info.Relay, v.op)
		require.Equal(t, v.direction != opcode.DirDown, v.up > 0, v.op)
		require.Equal(t, v.direction != opcode.DirUp, v.down > 0, v.op)
		if info.Relay == opcode.RelayForward {
			others := v.players - 1
			require.InDelta(t, v.up*others, v.down, 2+float64(v.up*others)/6, v.op) // the host also sends its own
		}
	}
	// StateUpdate has a rule of its own: the host encodes it again for each receiver.
	require.Equal(t, opcode.RelayRebuild, opcode.OpStateUpdate.Info().Relay)
	require.Equal(t, opcode.RelayAll, opcode.OpChatMessage.Info().Relay)
	require.Equal(t, opcode.RelayTeam, opcode.OpTeamChatMessage.Info().Relay)
}

// A relay to a group is a message of the host.
func TestOnlyHostsSendToGroups(t *testing.T) {
	for op := range 256 {
		if r := opcode.Code(op).Info().Relay; r == opcode.RelayForward || r == opcode.RelayAll || r == opcode.RelayJoinAll {
			require.True(t, opcode.Code(op).Info().Direction != opcode.DirUp)
		}
	}
}

// The answer to the NewPlayerInGame of a second player was captured completely. The host sends the
// limits, a score of zeros for the first player, the ship of the first player, and one
// DeletePlayerUI about the joiner. It sends no settings, no events and no EnterSet.
func TestSecondPlayerJoin(t *testing.T) {
	var got []opcode.Message
	for m, err := range transport.Messages(transportVector(t, "second-player-join")) {
		require.NoError(t, err)
		if m.Type == transport.TypeData {
			msg, err := opcode.Decode(m.Body)
			require.NoError(t, err)
			got = append(got, msg)
		}
	}
	require.Len(t, got, 4)
	require.Equal(t, &opcode.MissionInit{PlayerLimit: 8, System: opcode.SystemMulti1, TimeLimit: opcode.NoLimit, FragLimit: opcode.NoLimit}, got[0])
	require.Equal(t, &opcode.Score{PlayerID: 2}, got[1])
	ship := got[2].(*opcode.ObjectCreateTeam)
	require.Equal(t, []any{objectid.PeerID(2), objectid.Slot(0), objectid.ID(0x3FFFFFFF)}, []any{ship.NetPlayerID, ship.OwnerSlot, ship.ObjectID})
	joiner, ok := got[3].(*opcode.DeletePlayerUI).Joined()
	require.True(t, ok)
	require.Equal(t, objectid.PeerID(3), joiner)
	require.Equal(t, objectid.ID(0x791), got[3].(*opcode.DeletePlayerUI).Dest, "no ship")
	for _, op := range []opcode.Code{opcode.OpUICollisionSetting, opcode.OpEnterSet} {
		require.Equal(t, opcode.RelayAll, op.Info().Relay, "%v is not for a joining client", op)
	}
}

// transportVector returns the datagram of a vector.
func transportVector(t *testing.T, name string) []byte {
	t.Helper()
	for _, v := range testdata.Load[struct {
		testdata.Vector
		Hex testdata.Hex
	}](t, "transport.json") {
		if v.Name == name {
			return v.Hex
		}
	}
	t.Fatalf("no vector %q", name)
	return nil
}

// Numbers that older documents give other names have the names of the engine. None of these
// events is in a payload.
func TestEventCodesOfOlderDocuments(t *testing.T) {
	local := map[opcode.EventCode]string{
		0x800053: "CLOAKED_COLLISION",        // not START
		0x8000D3: "START",                    //
		0x80004A: "CHARACTER_ANIMATION_DONE", // not CREATE_SERVER
		0x8000CA: "CREATE_SERVER",            //
		0x8000E6: "CHECKSUM_COMPLETE",        //
		0x8000E8: "SYSTEM_CHECKSUM_COMPLETE", // not CHECKSUM_COMPLETE
		0x8000F6: "PLAYER_BOOT_EVENT",        // not BOOT_PLAYER
	}
	for code, name := range local {
		require.Equal(t, name, code.String())
	}
	for _, v := range vectors(t) {
		if m, err := opcode.Decode(v.Hex); err == nil {
			if event, ok := m.(opcode.EventMessage); ok {
				require.NotContains(t, local, event.Envelope().Code, v.Name)
			}
		}
	}
}

// Launches with the flags 0x05 and 0x07 were published as shots at a target, without their bytes.
// The flag TorpedoNoTarget is set in both, so no target follows.
func TestTorpedoFlagsOfPublishedLaunches(t *testing.T) {
	for _, flags := range []opcode.TorpedoFlags{0x05, 0x07} {
		require.NotZero(t, flags&opcode.TorpedoNoTarget)
		m := &opcode.TorpedoFire{TubeID: 0x4000000D, PlayerID: 2, Flags: flags, Direction: compress.Vector3{Y: 127}, TargetID: 0x4003FFFF}
		payload, err := opcode.Marshal(m)
		require.NoError(t, err)
		require.Len(t, payload, 10)
		require.ErrorIs(t, opcode.Unmarshal(append(payload, "\xFF\xFF\x03\x40\x00\x88\xD8\x5C"...), new(opcode.TorpedoFire)), stream.ErrTrailing)
		_, target, _ := m.Fired()
		require.Equal(t, objectid.None, target)
	}
}

// OpenBC's server relays messages that a stock host does not accept from clients, or keeps. It
// sends only payloads that a stock game can send.
func TestRulesOfOpenBCServer(t *testing.T) {
	event := opcode.NewDamaged(bob.Ship+1, bob.Ship+2)
	require.ErrorIs(t, opcode.Authorize(event, bob), opcode.ErrDirection, "it relays this message of a client")
	for _, op := range []opcode.Code{opcode.OpCollisionEffect, opcode.OpNewPlayerInGame} {
		require.Equal(t, opcode.RelayHost, op.Info().Relay, "it relays %v", op)
	}
	require.Equal(t, opcode.RelayTeam, opcode.OpTeamChatMessage.Info().Relay, "it relays this message to all")
	block := &opcode.StateUpdate{ObjectID: bob.Ship, Flags: opcode.StateSubsystems, Data: []byte{255}}
	require.ErrorIs(t, opcode.Authorize(block, bob), opcode.ErrForged, "it drops this update of a client")
	require.NoError(t, opcode.Validate(&opcode.MissionInit{PlayerLimit: 8, TimeLimit: opcode.NoLimit, FragLimit: opcode.NoLimit}))
	header := transport.NewData(0, nil)
	require.Equal(t, 250, 255-header.Len(), "its longest reliable payload")
	require.Less(t, 250, opcode.MaxChat+7, "a chat of the stock game can be longer")
}
