package game

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// wild is a player who sends every message that clients send, with extreme values and random bytes.
type wild struct {
	*guest
	rng *rand.Rand
	n   int
}

func (p *wild) number() float32 {
	return [...]float32{0, 1, -1, 50, 1e-40, 1e38, -1e38, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), p.rng.Float32() * 1000, math.MaxFloat32}[p.rng.IntN(12)]
}

func (p *wild) id() objectid.ID {
	return [...]objectid.ID{objectid.None, 0, -1, math.MaxInt32, math.MinInt32, p.Object(p.n * 1000), p.Object(p.n*1000 + p.rng.IntN(80)), p.Object(0x3FFFF), objectid.ID(p.rng.Uint32()), 0x3FFFFFFF}[p.rng.IntN(10)]
}

func (p *wild) message() opcode.Message {
	own := p.Object(p.n*1000 + p.rng.IntN(80))
	if p.rng.IntN(8) == 0 {
		own = p.id()
	}
	direction := compress.Vector3{X: int8(p.rng.Int()), Y: int8(p.rng.Int()), Z: int8(p.rng.Int())}
	switch p.rng.IntN(15) {
	case 0:
		p.n++
		class := stateupdate.Stock()[p.rng.IntN(len(stateupdate.Stock()))]
		ship := stateupdate.NewShip(p.Object(p.n*1000), class)
		ship.PlayerName, ship.SetName = "Ann", "Multi1"
		if p.rng.IntN(4) == 0 {
			ship.Position = [3]float32{p.number(), p.number(), p.number()}
		}
		object, err := ship.Object()
		if err != nil {
			return &opcode.HostMessage{}
		}
		return &opcode.ObjectCreateTeam{OwnerSlot: p.Slot, NetPlayerID: p.PeerID(), Object: object}
	case 1, 2, 3:
		u := &opcode.StateUpdate{ObjectID: p.Object(p.n * 1000), GameTime: p.number(), Flags: opcode.StateFlags(p.rng.Uint32()) &^ opcode.StateSubsystems}
		u.Position = [3]float32{p.number(), p.number(), p.number()}
		u.Forward, u.Up = direction, direction
		return u
	case 4:
		return &opcode.TorpedoFire{TubeID: own, Direction: direction, TargetID: p.id(), Flags: opcode.TorpedoFlags(p.rng.IntN(8))}
	case 5:
		return &opcode.BeamFire{WeaponID: own, Direction: direction, TargetID: p.id()}
	case 6:
		m := opcode.NewStartFiring(own, p.id())
		return m
	case 7:
		var contacts []compress.Contact
		for range p.rng.IntN(30) {
			contacts = append(contacts, compress.EncodeContact(p.rng.Float32()*2-1, p.rng.Float32()*2-1, p.rng.Float32(), 1))
		}
		m := &opcode.CollisionEffect{}
		if c, err := opcode.NewCollisionEffect(p.Object(p.n*1000), p.id(), contacts, 1); err == nil {
			m = c
		}
		m.Force = p.number()
		return m
	case 8:
		m, err := opcode.NewStartWarp(own, "x", [4]float32{})
		if err == nil {
			m.Params = [4]float32{p.number(), p.number(), p.number(), p.number()}
		}
		return m
	case 9:
		return opcode.NewSubsystemStatus(own, p.rng.IntN(2) == 0)
	case 10:
		m, _ := opcode.NewTorpedoTypeChange(own, uint8(p.rng.IntN(4)))
		return m
	case 11:
		return opcode.NewRepairListPriority(own, p.Object(p.n*1000+p.rng.IntN(80)))
	case 12:
		return &opcode.ChatMessage{SenderID: p.PeerID(), Text: stream.Text{byte(p.rng.Uint32()), byte(p.rng.Uint32())}}
	case 13:
		return &opcode.TeamMessage{PlayerID: p.PeerID(), Team: opcode.Team(p.rng.IntN(3))}
	}
	return &opcode.RequestObject{ObjectID: p.id()}
}

// Players who send anything neither crash the server nor drive out others, who get valid messages only.
func TestWildPlayers(t *testing.T) {
	for _, strict := range []bool{false, true} {
		w := newWorld(t, options{combat: true, collisions: true, strict: strict}, nil)
		ann := w.Join("Ann")
		ann.Launch("galaxy", 0)
		log := logTo(w)
		var all []*wild
		for i, name := range []string{"Eve", "Ivy", "Mal"} {
			all = append(all, &wild{guest: w.Join(name), rng: rand.New(rand.NewPCG(uint64(i), 5))})
		}
		messages, updates := 0, 0
		for range testdata.Either(60_000, 3000) {
			for _, p := range all {
				p.say()
			}
			w.Run(40 * time.Millisecond)
			for _, m := range ann.Heard {
				require.NoError(t, opcode.Validate(m))
			}
			for _, u := range ann.Updates {
				require.NoError(t, opcode.Validate(&u))
			}
			messages, updates = messages+len(ann.Heard), updates+len(ann.Updates)
			ann.Heard, ann.Lines, ann.Updates = nil, nil, nil
			require.NotContains(t, log.String(), "ERROR")
			log.Reset()
		}
		require.Nil(t, ann.Ended)
		require.Positive(t, messages)
		require.Positive(t, updates)
		for _, reason := range []string{"forged", "invalid", "malformed", "rate", improbable} {
			require.Positive(t, dropped(w, reason), reason)
		}
	}
}

// say sends a message, or one with a random byte.
func (p *wild) say() {
	p.Heard, p.Lines, p.Updates = nil, nil, nil
	m := p.message()
	payload, err := opcode.Marshal(m)
	if err != nil {
		return
	}
	if p.rng.IntN(10) == 0 {
		payload[p.rng.IntN(len(payload))] = byte(p.rng.Uint32())
	}
	delivery := transport.Reliable
	if m.Opcode() == opcode.OpStateUpdate {
		delivery = transport.Unreliable
	}
	_ = p.Send(payload, delivery) // the server may have ended the session
}
