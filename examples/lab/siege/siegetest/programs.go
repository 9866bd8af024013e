package siegetest

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	bot "github.com/bcwire/bcwire/examples/bot/player"
	"github.com/bcwire/bcwire/examples/lab/siege"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// program is what all hostile players of a match do.
type program struct {
	addresses int
	burst     int           // acts when a player has entered
	pause     time.Duration // between two acts
	stay      time.Duration // at most; 0 for ever
	acts      []func(*siege.Guest, *rand.Rand) opcode.Message
	siege.Weather
	near bool // the hostile players have no delay and no loss
}

func (p *program) String() string {
	return fmt.Sprintf("%d addresses, %d at once and each %v, %d kinds, stay %v; near %v, %v, %.1f %%", p.addresses, p.burst, p.pause, len(p.acts), p.stay, p.near, p.Delay, 100*p.Loss)
}

// acts are what a hostile player can do for the other players to hear.
var acts = []func(*siege.Guest, *rand.Rand) opcode.Message{
	func(g *siege.Guest, rng *rand.Rand) opcode.Message {
		return siege.Creation(g.World().T, g, rng.IntN(1000)*40)
	},
	func(*siege.Guest, *rand.Rand) opcode.Message { return &opcode.HostMessage{} }, // the end of its ship
	func(g *siege.Guest, rng *rand.Rand) opcode.Message {
		return &opcode.TorpedoFire{TubeID: g.Object(rng.IntN(40)), PlayerID: g.PeerID()}
	},
	func(g *siege.Guest, rng *rand.Rand) opcode.Message {
		return opcode.NewStartFiring(g.Object(rng.IntN(2000)), objectid.None)
	},
	func(g *siege.Guest, rng *rand.Rand) opcode.Message {
		return opcode.NewStopFiring(g.Object(rng.IntN(2000)))
	},
	func(g *siege.Guest, rng *rand.Rand) opcode.Message {
		return &opcode.ChatMessage{SenderID: g.PeerID(), Text: make(stream.Text, rng.IntN(200))}
	},
	func(g *siege.Guest, rng *rand.Rand) opcode.Message {
		return &opcode.TeamMessage{PlayerID: g.PeerID(), Team: opcode.Team(rng.IntN(2))}
	},
	func(g *siege.Guest, rng *rand.Rand) opcode.Message {
		return &opcode.ClientEvent{Event: opcode.Event{
			Class: opcode.ClassCollisionEvent, Code: opcode.EventCode(rng.Uint32()), Dest: g.Object(0), Contacts: make([]compress.Contact, []int{0, 5, 35, 96}[rng.IntN(4)]),
		}}
	},
	func(g *siege.Guest, rng *rand.Rand) opcode.Message {
		return &opcode.RequestObject{ObjectID: objectid.ID(0x3FFFFFFF + rng.IntN(16)<<18)}
	},
}

func newProgram(seed uint64) (*program, *rand.Rand) {
	rng := rand.New(rand.NewPCG(seed, 44))
	p := &program{
		addresses: 2 + rng.IntN(15), burst: rng.IntN(60), pause: time.Duration(1+rng.IntN(100)) * time.Millisecond, near: rng.IntN(2) == 0,
		Weather: siege.Weather{Loss: 0.03 * rng.Float64(), Delay: time.Duration(rng.IntN(151)) * time.Millisecond},
	}
	if rng.IntN(3) > 0 {
		p.stay = time.Duration(100+rng.IntN(20000)) * time.Millisecond
	}
	for len(p.acts) == 0 {
		for _, act := range acts {
			if rng.IntN(3) == 0 {
				p.acts = append(p.acts, act)
			}
		}
	}
	return p, rng
}

// player is a hostile player who follows a program.
type player struct {
	*siege.Guest
	addr    netip.AddrPort
	entered time.Time
	next    time.Time
	leaves  time.Time
}

// Programs lets players in all free slots send what a random program says, and leave and come again. However much they
// send, none of the honest players is lost.
func Programs(t *testing.T, start siege.Start, slots int) {
	seeds := []uint64{13, 88, 137} // they drove players out when messages had numbers before there was room for them
	if testdata.Long() {
		for seed := range uint64(200) {
			seeds = append(seeds, seed)
		}
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			p, rng := newProgram(seed)
			p.run(t, start, slots, rng)
		})
	}
}

func (p *program) run(t *testing.T, start siege.Start, slots int, rng *rand.Rand) {
	if slots == 0 {
		slots = 8 // by default
	}
	w := siege.NewWorld(t, start, join.HostOptions{Log: slog.New(slog.DiscardHandler), Mission: opcode.MissionInit{PlayerLimit: uint8(slots)}})
	var honest siege.Crew
	for i := range 4 {
		honest = append(honest, siege.NewBot(w.Now, i, bot.Options{Fire: true, Choose: 100 * time.Millisecond}))
		w.Add(honest[i])
	}
	honest.InGame(w, time.Minute)
	w.Weather = p.Weather
	w.Paths = map[netip.AddrPort]siege.Weather{}
	var all []*player
	sessions, said := 0, 0
	for began := w.Now; w.Now.Sub(began) < testdata.Either(10*time.Minute, 20*time.Second); {
		for len(all) < slots-len(honest) {
			addr := netip.AddrPortFrom(netip.AddrFrom4([4]byte{66, 0, 0, byte(sessions % p.addresses)}), uint16(1024+sessions/p.addresses%60000))
			all = append(all, &player{Guest: w.ConnectAt(fmt.Sprint("Eve ", sessions), "", addr), addr: addr})
			if sessions++; p.near {
				w.Paths[addr] = siege.Weather{}
			}
		}
		all = slices.DeleteFunc(all, func(e *player) bool {
			e.Heard, e.Lines, e.Updates, e.IPs = nil, nil, nil, nil
			if e.Ended != nil && e.Flushed() {
				w.Drop(e.Guest)
				delete(w.Paths, e.addr)
				return true
			}
			if e.Ended != nil || !w.InGame(e.addr) {
				return false
			}
			count := 0
			switch {
			case e.entered.IsZero():
				e.entered, e.next, count = w.Now, w.Now, p.burst
				e.leaves = w.Now.Add(time.Hour)
				if p.stay > 0 {
					e.leaves = w.Now.Add(time.Duration(rng.Int64N(int64(p.stay))))
				}
			case w.Now.After(e.leaves):
				e.Close()
				return false
			}
			for ; !w.Now.Before(e.next); e.next = e.next.Add(p.pause) {
				count++
			}
			for range count {
				said++
				_ = e.Send(siege.Marshal(t, p.acts[rng.IntN(len(p.acts))](e.Guest, rng)), transport.Reliable)
			}
			return false
		})
		w.Run(siege.Step)
		for _, h := range honest {
			require.NoError(t, h.Err(), "%v, after %v and %d sessions; %v", h.ID(), w.Now.Sub(began), sessions, p)
		}
	}
	t.Logf("%d sessions, %d messages; %v", sessions, said, p)
}
