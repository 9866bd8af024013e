package opcode_test

import (
	"errors"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// bob is the sender of these tests, a player of slot 1 with its second ship.
var bob = opcode.Sender{PeerID: 3, Slot: 1, Ship: 0x40040021}

// Every object ID, peer ID and slot of a client's message has a rule in messages.txt, if any message with that field
// is accepted.
func TestEveryFieldHasAuthorizeRule(t *testing.T) {
	seen := map[opcode.Code]map[string]bool{}
	accepted(t, bob, func(op opcode.Code, m opcode.Message) {
		if seen[op] == nil {
			seen[op] = map[string]bool{}
		}
		keepListed(reflect.ValueOf(m).Elem(), "", listedFields(t, m), func(name string, is bool) {
			_, name, _ = strings.Cut(name, ".")
			seen[op][name] = seen[op][name] || is
		})
	})
	stated := map[opcode.Code]map[string]bool{}
	for _, op := range clients {
		stated[op] = map[string]bool{}
		integers(reflect.TypeOf(opcode.New(op)).Elem(), nil, func(name string, isID bool) {
			_, has := parts[op][name]
			stated[op][name] = has
			if seen[op][name] && (isID || strings.HasSuffix(name, "ID") || strings.HasSuffix(name, "Slot")) {
				require.True(t, has, "opcode/messages.txt: the line authorize below the row of %v has no rule for %s", op, name)
			}
		})
	}
	for op, fields := range parts {
		for name := range fields {
			require.True(t, stated[op][name], "%v.%s is not a number", op, name)
			require.True(t, seen[op][name], "%v.%s is in no accepted message", op, name)
		}
	}
}

// integers calls f for each field of a type that is an ID or a number without a name.
func integers(typ reflect.Type, in []reflect.Type, f func(name string, isID bool)) {
	if slices.Contains(in, typ) {
		return // a tree
	}
	for i := range typ.NumField() {
		field := typ.Field(i)
		at, list := field.Type, field.Type.Kind() == reflect.Slice
		if list {
			at = at.Elem()
		}
		switch at {
		case reflect.TypeFor[objectid.PeerID](), reflect.TypeFor[objectid.Slot]():
			f(field.Name, true)
		case reflect.TypeFor[objectid.ID](), reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[int32](),
			reflect.TypeFor[uint16](), reflect.TypeFor[uint32]():
			f(field.Name, at == reflect.TypeFor[objectid.ID]())
		case reflect.TypeFor[uint8]():
			if !list { // bytes without a known meaning
				f(field.Name, false)
			}
		}
		if at.Kind() == reflect.Struct {
			integers(at, append(in, typ), f)
		}
	}
}

// In every form of every message, each field in turn names every other player and objects of every
// other player, of the host and of no slot.
func TestAuthorizeEveryFieldOfEveryMessage(t *testing.T) {
	for _, from := range []opcode.Sender{
		bob, {PeerID: 2, Slot: 0}, {PeerID: 127, Slot: 15, Ship: 0x403FFFFE},
	} {
		n := 0
		accepted(t, from, func(op opcode.Code, m opcode.Message) {
			require.True(t, allowed(m, from), "%v", m)
			listed := listedFields(t, m)
			for name, p := range parts[op] {
				f := field(m, name)
				if listed[name] == nil {
					continue // of another class, or without a target
				}
				own := get(f)
				try := func(v int64, ok bool) {
					if !fits(f, v) || v == own {
						return
					}
					set(f, v)
					if _, err := opcode.Marshal(m); err != nil {
						return // a peer ID that does not fit a byte
					}
					n++
					err := opcode.Authorize(m, from)
					refusedOp, refusedField, refused := opcode.Refused(err)
					switch {
					case ok && err != nil, !ok && !refused, allowed(m, from) != ok:
						t.Fatalf("%v: %v, want %v", m, err, ok)
					case ok:
					case refusedOp != op || refusedField != name || !errors.Is(err, opcode.ErrForged):
						t.Fatalf("%v: %v at %s", m, err, name)
					}
				}
				if f.Type() == reflect.TypeFor[objectid.ID]() {
					for _, v := range foreign(from) {
						try(v, p == anybodys)
					}
					try(int64(objectid.None), p == anybodys || p == maybe)
					base, _ := objectid.Base(from.Slot)
					try(int64(base)+1, p != isShip || from.Ship == objectid.None)
				} else {
					for v := int64(-128); v < 300; v++ {
						try(v, p == anybodys)
					}
					try(own+1<<8, p == anybodys)
					try(own+1<<16, p == anybodys)
				}
				set(f, own)
			}
		})
		require.Greater(t, n, 1000)
	}
}

// Events must have the class and the code of their opcode if the layout is observed or documented.
// Inferred layouts may have any class with known fields, except events of the host.
func TestAuthorizeClassesAndCodes(t *testing.T) {
	events := 0
	var classes []opcode.EventClass // all that have a name, and those around them
	for _, first := range []opcode.EventClass{0, 0x100, 0x800, 0x8000, 0x8100, 0xFFFFFF00} {
		for c := range opcode.EventClass(0x100) {
			classes = append(classes, first+c)
		}
	}
	for _, op := range clients {
		m, isEvent := speaking(opcode.New(op), bob).(opcode.EventMessage)
		if !isEvent {
			continue
		}
		events++
		e := m.Envelope()
		inferred := op.Info().Evidence == opcode.Inferred
		require.Equal(t, inferred, wire[op][0] == 0, op)
		e.Class, e.Code = opcode.EventClass(wire[op][0]), opcode.EventCode(wire[op][1])
		if inferred {
			e.Class = opcode.ClassEvent
		}
		require.NoError(t, opcode.Authorize(m, bob), op)
		class, code := e.Class, e.Code

		for _, c := range classes {
			e.Class = c
			raw := listedFields(t, m)["Raw"] != nil
			known := !raw && c != opcode.ClassPlayerEvent && c != opcode.ClassObjectExplodingEvent
			requireEvent(t, m, "Class", inferred && known || c == class)
		}
		e.Class = class
		for _, c := range []opcode.EventCode{
			opcode.ETNetworkDeletePlayer, opcode.ETNewPlayerInGame, opcode.ETObjectExploding, 0x008000FC,
			eventCode("NETWORK_NEW_PLAYER"), eventCode("OBJECT_DESTROYED"), eventCode("KILL_GAME"), eventCode("EXIT_PROGRAM"),
			eventCode("EXIT_GAME"), eventCode("PLAYER_BOOT_EVENT"), eventCode("INPUT_SELF_DESTRUCT"), eventCode("QUIT"),
			0x60000, 0x6FFFF, 0x800000, 0x80010C, 0x80FFFF,
			opcode.ETTargetWasChanged - 1, 0x80008D, 0x8000D6, 0x8000E6, opcode.ETStartWarpNotify - 1, 0x8000F0, // around the ranges
		} {
			e.Code = c
			requireEvent(t, m, "Code", false)
		}
		for _, c := range []opcode.EventCode{
			opcode.ETTargetWasChanged, opcode.ETSetPhaserLevel, opcode.ETStartWarpNotify, 0x7B, 0, 0x5FFFF, 0x70000, 0x7FFFFF, 0x810000, 0x12345678,
			0x80008C, 0x8000D7, 0x8000E5, 0x8000EF, 0x8000FD, // ends of the ranges
		} {
			e.Code = c
			requireEvent(t, m, "Code", inferred || c == code)
		}
	}
	require.Equal(t, len(wire), events)
}

func requireEvent(t *testing.T, m opcode.EventMessage, name string, ok bool) {
	t.Helper()
	err := opcode.Authorize(m, bob)
	require.Equal(t, ok, allowed(m, bob), "%v", m)
	if ok {
		require.NoError(t, err, "%v", m)
		return
	}
	_, field, refused := opcode.Refused(err)
	require.True(t, refused, "%v", m)
	require.Equal(t, name, field, "%v", m)
	require.ErrorIs(t, err, opcode.ErrForged)
}

// Messages that only the host sends are refused with any content.
func TestAuthorizeDirection(t *testing.T) {
	eachType(t, func(t *testing.T, op opcode.Code, payloads [][]byte) {
		if slices.Contains(clients, op) {
			return
		}
		for _, p := range payloads {
			m, err := opcode.Decode(p)
			require.NoError(t, err)
			for _, from := range []opcode.Sender{bob, {}, {PeerID: objectid.Host}} {
				err = opcode.Authorize(m, from)
				require.ErrorIs(t, err, opcode.ErrDirection)
				require.EqualError(t, err, "opcode: authorize "+op.String()+": not sent by clients: direction "+op.Info().Direction.String()+", not up or both")
			}
		}
	})
}

// modChat is a message of a mod that has all methods of a stock type.
type modChat struct{ *opcode.ChatMessage }

// modShot is a type that pretends to be a stock message of the engine.
type modShot struct{ opcode.TorpedoFire }

func TestAuthorizeUnknown(t *testing.T) {
	chat := &opcode.ChatMessage{SenderID: bob.PeerID}
	shot := opcode.TorpedoFire{TubeID: bob.Ship}
	require.NoError(t, opcode.Authorize(chat, bob))
	require.NoError(t, opcode.Authorize(&shot, bob))
	for _, v := range []struct {
		m    opcode.Message
		want error
		text string
	}{
		{&opcode.Unknown{Op: 0xCD}, opcode.ErrUnknownMessage, "0xCD: unknown message: Unknown, not a message of the game"},
		{&opcode.Unknown{Op: opcode.OpMissionInit}, opcode.ErrUnknownMessage, "MissionInit: unknown message: Unknown, not MissionInit"},
		{new(swap), opcode.ErrUnknownMessage, "MissionInit: unknown message: type opcode_test.swap, not a type with a method Authorize(opcode.Sender) error"},
		{modChat{chat}, opcode.ErrUnknownMessage, "ChatMessage: unknown message: type opcode_test.modChat, not a type with a method Authorize(opcode.Sender) error"},
		{new(raid), opcode.ErrUnknownMessage, "0x60: unknown message: type opcode_test.raid, not a type with a method Authorize(opcode.Sender) error"},
		{&modShot{shot}, opcode.ErrDirection, "TorpedoFire: not sent by clients: type opcode_test.modShot, not TorpedoFire"},
		{&opcode.Unknown{Op: opcode.OpPythonEvent}, opcode.ErrDirection, "PythonEvent: not sent by clients: direction down, not up or both"},
		{&opcode.Unknown{Op: opcode.OpTorpedoFire}, opcode.ErrDirection, "TorpedoFire: not sent by clients: Unknown, not TorpedoFire"},
		{&opcode.Unknown{Op: opcode.OpTorpedoPosition}, opcode.ErrDirection, "TorpedoPosition: not sent by clients: direction none, not up or both"},
		{&opcode.Unknown{Op: opcode.OpBootPlayer}, opcode.ErrDirection, "BootPlayer: not sent by clients: direction none, not up or both"},
	} {
		err := opcode.Authorize(v.m, bob)
		require.ErrorIs(t, err, v.want)
		require.EqualError(t, err, "opcode: authorize "+v.text)
	}
	none, err := opcode.Decode(nil)
	require.Equal(t, err, opcode.Authorize(none, bob))
}

func TestAuthorizeErrors(t *testing.T) {
	level := must(opcode.NewSetPhaserLevel(0x40040001, opcode.PhaserLow))
	level.Code = opcode.ETNetworkDeletePlayer
	event := &opcode.ClientEvent{Event: opcode.Event{Class: opcode.ClassPlayerEvent, Code: opcode.ETNetworkDeletePlayer, PlayerID: 2}}
	for _, v := range []struct {
		want string
		m    opcode.Message
	}{
		{"ChatMessage.SenderID: forged: peer 2, not peer 3", &opcode.ChatMessage{SenderID: 2}},
		{"TeamMessage.PlayerID: forged: peer none, not peer 3", &opcode.TeamMessage{PlayerID: -1}},
		{"TorpedoFire.TubeID: forged: 0x3fffffff of slot 0, not slot 1", &opcode.TorpedoFire{TubeID: 0x3FFFFFFF}},
		{"BeamFire.WeaponID: forged: 0x00000022 of no slot, not slot 1", &opcode.BeamFire{WeaponID: 0x22}},
		{"StateUpdate.ObjectID: forged: 0x4003ffff of slot 1, not 0x40040021 of slot 1", &opcode.StateUpdate{ObjectID: 0x4003FFFF}},
		{"StateUpdate.Flags: forged: position|subsystems, not flags without subsystems", &opcode.StateUpdate{ObjectID: bob.Ship, Flags: 0x21}},
		{"ObjectCreateTeam.OwnerSlot: forged: slot 0, not slot 1", &opcode.ObjectCreateTeam{}},
		{"ObjectCreateTeam.ClassID: forged: Torpedo, not Ship", &opcode.ObjectCreateTeam{
			OwnerSlot: 1, NetPlayerID: 3, Object: opcode.Object{ClassID: opcode.ObjectTorpedo, ObjectID: bob.Ship},
		}},
		{"SetPhaserLevel.Code: forged: NETWORK_DELETE_PLAYER, not SET_PHASER_LEVEL", level},
		{"ClientEvent.Class: forged: PlayerEvent, not a class that clients send", event},
		{"StartCloaking.Code: forged: NETWORK_DELETE_PLAYER, not a code about a ship", &opcode.StartCloaking{
			Event: opcode.Event{Class: opcode.ClassEvent, Code: opcode.ETNetworkDeletePlayer},
		}},
		{"StopFiring.Source: forged: 0x3fffffff of slot 0, not slot 1 or none", &opcode.StopFiring{
			Event: opcode.Event{Class: opcode.ClassEvent, Code: opcode.ETStopFiringNotify, Source: 0x3FFFFFFF},
		}},
		{"StopFiring.Class: forged: BoolEvent, not Event", &opcode.StopFiring{Event: opcode.Event{Class: opcode.ClassBoolEvent}}},
	} {
		require.EqualError(t, opcode.Authorize(v.m, bob), "opcode: authorize "+v.want)
	}
	for _, v := range []struct {
		want string
		m    opcode.Message
		from opcode.Sender
	}{
		{"ChatMessage.SenderID: forged: peer 0, not the sender's peer ID, which is unknown", &opcode.ChatMessage{}, opcode.Sender{}},
		{"ChatMessage.SenderID: forged: peer none, not the sender's peer ID, which is unknown", &opcode.ChatMessage{SenderID: -1}, opcode.Sender{PeerID: -1}},
		{"TorpedoFire.TubeID: forged: 0x40040001 of slot 1, not slot 0", &opcode.TorpedoFire{TubeID: 0x40040001}, opcode.Sender{}},
		{"TorpedoFire.TubeID: forged: 0x40040001 of slot 1, not the sender's slot, which is unknown", &opcode.TorpedoFire{TubeID: 0x40040001}, opcode.Sender{PeerID: 2, Slot: objectid.NoSlot}},
		{"ObjectCreateTeam.OwnerSlot: forged: slot none, not the sender's slot, which is unknown", &opcode.ObjectCreateTeam{OwnerSlot: -1}, opcode.Sender{PeerID: 2, Slot: objectid.NoSlot}},
	} {
		require.EqualError(t, opcode.Authorize(v.m, v.from), "opcode: authorize "+v.want)
	}
}

// Every refusal names what was found and what was needed, for every message and any sender.
func TestAuthorizeErrorsNameFoundAndNeeded(t *testing.T) {
	text := regexp.MustCompile(`^opcode: authorize \S+: (?:forged|not sent by clients|unknown message): (.+), not (.+)$`)
	refused := map[opcode.Code]int{}
	senders := []opcode.Sender{
		bob,
		{},
		{Ship: 0x3FFFFFFF},
		{PeerID: objectid.NoPeer, Slot: objectid.NoSlot},
		{PeerID: 2, Slot: objectid.NoSlot},
		{Slot: 1},
		{PeerID: -100, Slot: 16},
		{PeerID: 127, Slot: 15, Ship: 0x22},
		{PeerID: objectid.Host},
	}
	check := func(m opcode.Message) {
		for _, from := range senders {
			err := opcode.Authorize(m, from)
			if err == nil {
				continue
			}
			refused[m.Opcode()]++
			found := text.FindStringSubmatch(err.Error())
			require.Len(t, found, 3, "%v", err)
			require.NotEqual(t, found[1], found[2], "%v", err)
		}
	}
	for c := range 256 {
		check(&opcode.Unknown{Op: opcode.Code(c)})
	}
	for _, op := range types {
		for _, m := range forms(t, op) {
			check(m)
			for name := range parts[op] {
				for _, v := range append(foreign(bob)[testdata.Either(0, 46):], 0, 1, 2, 3, -1) {
					if f := field(m, name); fits(f, v) {
						set(f, v)
						check(m)
					}
				}
			}
		}
	}
	require.Len(t, refused, 256)
}

// An invalid or incomplete Sender authorizes no peer ID, and no object outside its slot.
func TestAuthorizeSenders(t *testing.T) {
	for _, from := range []opcode.Sender{{}, {PeerID: objectid.NoPeer, Slot: objectid.NoSlot}, {PeerID: -100, Slot: 16}, {Slot: 127, Ship: 0x22}} {
		for v := objectid.PeerID(-128); v < 256; v++ {
			require.Error(t, opcode.Authorize(&opcode.ChatMessage{SenderID: v}, from))
			require.Error(t, opcode.Authorize(&opcode.ObjectCreateTeam{
				OwnerSlot: from.Slot, NetPlayerID: v, Object: opcode.Object{ClassID: opcode.ObjectShip, ObjectID: 0x3FFFFFFF},
			}, from))
		}
		for _, id := range append(foreign(from), int64(from.Ship)) {
			slot, _ := objectid.ID(id).Slot()
			err := opcode.Authorize(&opcode.TorpedoFire{TubeID: objectid.ID(id)}, from)
			require.Equal(t, slot == from.Slot && slot.Valid(), err == nil, "%#x", id)
		}
	}
}

// Accepting a message allocates nothing. Refusing a message allocates one error and its values.
func TestAuthorizeAllocs(t *testing.T) {
	n := 0
	accepted(t, bob, func(op opcode.Code, m opcode.Message) {
		n++
		require.Zero(t, testing.AllocsPerRun(10, func() { _ = opcode.Authorize(m, bob) }), op)
		require.LessOrEqual(t, testing.AllocsPerRun(10, func() { _ = opcode.Authorize(m, opcode.Sender{PeerID: 9, Slot: 9}) }), 3.0, op)
	})
	require.GreaterOrEqual(t, n, len(clients))
}

// All messages of the recorded bots are accepted from their sender. Messages with a field that
// must name the sender are refused from another player.
func TestAuthorizeRecordedMatch(t *testing.T) {
	type client struct {
		from         opcode.Sender
		toHost, down transport.Reassembler
	}
	players := map[int64]*client{}
	count := map[opcode.Code]int{}
	for _, d := range testdata.Match(t) {
		c := players[d.Client]
		if c == nil {
			c = &client{from: opcode.Sender{PeerID: objectid.NoPeer, Slot: objectid.NoSlot}}
			players[d.Client] = c
		}
		pieces := &c.down
		if d.Direction == recording.ToServer {
			pieces = &c.toHost
		}
		cipher.Decrypt(d.Data)
		if d.Direction == recording.ToServer {
			c.from.PeerID = objectid.PeerID(int8(d.Data[0]))
		}
		for m, err := range transport.Messages(d.Data) {
			require.NoError(t, err)
			if m.Type != transport.TypeData {
				continue
			}
			payload, verdict, err := pieces.Add(time.Time{}, m)
			require.NoError(t, err)
			if verdict != transport.VerdictComplete {
				continue
			}
			msg, err := opcode.Decode(payload)
			require.NoError(t, err)
			if settings, ok := msg.(*opcode.Settings); ok {
				c.from.Slot = settings.PlayerSlot
			}
			if d.Direction != recording.ToServer {
				continue
			}
			if create, ok := msg.(*opcode.ObjectCreateTeam); ok {
				c.from.Ship = create.ObjectID
			}
			require.NoError(t, opcode.Authorize(msg, c.from))
			count[msg.Opcode()]++
			for _, other := range players {
				if other != c && other.from.Slot.Valid() && acts(msg.Opcode()) {
					require.ErrorIs(t, opcode.Authorize(msg, other.from), opcode.ErrForged)
				}
			}
		}
	}
	require.Len(t, players, 3)
	for _, op := range []opcode.Code{
		opcode.OpChecksumResponse, opcode.OpNewPlayerInGame, opcode.OpObjectCreateTeam, opcode.OpStateUpdate, opcode.OpTorpedoFire,
	} {
		require.Positive(t, count[op], op)
	}
	t.Log(count)
}

// acts reports whether a message has a field that must be the sender's.
func acts(op opcode.Code) bool {
	for _, p := range parts[op] {
		if p == owns || p == isShip {
			return true
		}
	}
	return false
}

// eventCode returns the event code with the engine's name. Most codes have no constant.
func eventCode(name string) opcode.EventCode {
	for _, first := range []opcode.EventCode{0x60000, 0x800000} {
		for c := range opcode.EventCode(0x200) {
			if (first + c).String() == name {
				return first + c
			}
		}
	}
	panic("no event code " + name)
}
