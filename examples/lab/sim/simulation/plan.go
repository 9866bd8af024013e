package simulation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/bcwire/bcwire/objectid"
)

// Fault is something that a match may have: a fault of the network, of a process or of a disk, or a
// behaviour of somebody. Each seed draws its own faults and their strengths.
type Fault uint8

// The faults.
const (
	Loss      Fault = iota // datagrams are lost
	Duplicate              // datagrams arrive twice
	Delay                  // the network is slow
	Reorder                // the delay varies
	Late                   // datagrams arrive half a minute late
	Damage                 // datagrams have other bytes
	Partition              // nothing passes between a player and the server for a while
	Pause                  // a process of a player stops for a while
	Crash                  // a process of a player ends without a word, and another one starts
	Reuse                  // the other process has the same port
	Leave                  // a player leaves, and comes again
	Rebind                 // a player has another address
	Clock                  // the clock of a process jumps
	Disk                   // the disk with the recording is full
	Server                 // the server stops for a while, or crashes and starts again
	Attack                 // strangers attack the server
	Spoof                  // they also forge the addresses of players
	Stock                  // some players have the timing of the game
	OpenBC                 // some players count modulo 256
	Browsers               // somebody queries the server
	Chat                   // players talk
	Fight                  // players fire, collide and destroy themselves
	Teams                  // players have teams
	Rounds                 // rounds end and begin
	Kick                   // the console kicks players
	Files                  // the server compares files
	Password               // the match has a password
	Modem                  // the server says that it is on a modem
	Combat                 // the server computes combat
	Lies                   // some players lie about themselves and others
	Lag                    // a link is late by up to 45 s
	Drills                 // guests do something of which a referee knows what must come
	faults
)

var faultNames = [faults]string{
	"loss", "duplicate", "delay", "reorder", "late", "damage", "partition", "pause", "crash", "reuse", "leave", "rebind", "clock", "disk", "server",
	"attack", "spoof", "stock", "openbc", "browsers", "chat", "fight", "teams", "rounds", "kick", "files", "password", "modem", "combat",
	"lies", "lag", "drills",
}

// chances are the chances that a seed draws a fault.
var chances = [faults]float64{
	Loss: 0.6, Duplicate: 0.4, Delay: 0.5, Reorder: 0.4, Late: 0.1, Damage: 0.1, Partition: 0.4, Pause: 0.3, Crash: 0.4, Reuse: 0.3, Leave: 0.5,
	Rebind: 0.25, Clock: 0.25, Disk: 0.1, Server: 0.2, Attack: 0.15, Spoof: 0.4, Stock: 0.4, OpenBC: 0.3, Browsers: 0.4, Chat: 0.8, Fight: 0.8,
	Teams: 0.3, Rounds: 0.3, Kick: 0.15, Files: 0.3, Password: 0.2, Modem: 0.15, Combat: 0.5, Lies: 0.34, Lag: 0.15, Drills: 1,
}

// String returns the name of the fault.
func (f Fault) String() string { return faultNames[f] }

// Faults is a set of faults.
type Faults uint32

// Has reports whether a fault is in the set.
func (s Faults) Has(f Fault) bool { return s>>f&1 != 0 }

// With returns the set with a fault.
func (s Faults) With(f Fault) Faults { return s | 1<<f }

// String returns the names of the faults, separated by commas.
func (s Faults) String() string {
	var names []string
	for f := range faults {
		if s.Has(f) {
			names = append(names, f.String())
		}
	}
	return strings.Join(names, ",")
}

// ParseFaults is the inverse of [Faults.String].
func ParseFaults(list string) (s Faults, err error) {
	for name := range strings.SplitSeq(list, ",") {
		i := slices.Index(faultNames[:], name)
		switch {
		case name == "":
		case i < 0:
			return 0, fmt.Errorf("%q: no such fault; the faults are %s", name, strings.Join(faultNames[:], ", "))
		default:
			s = s.With(Fault(i))
		}
	}
	return s, nil
}

// Plan determines a match to the byte.
type Plan struct {
	Seed    uint64
	Players int           // 1 to 16; 0: the seed draws the number
	Length  time.Duration // of the match with faults, without the calm at its end; 0: the seed draws it
	Without Faults        // that the match does not have, although the seed draws them
}

// Limits of a Plan.
const (
	MaxPlayers = objectid.Slots
	MaxLength  = 24 * time.Hour
)

// complete draws what the plan leaves open. No draw depends on another one, so that a match without a
// fault has the other faults as before.
func (p Plan) complete() Plan {
	rng := p.rand(0)
	players, minutes := 1+rng.IntN(8), 1+float64(8*rng.Float64()*rng.Float64()) // rounded on every machine
	if rng.IntN(4) == 0 {
		players = 1 + rng.IntN(MaxPlayers)
	}
	if p.Players == 0 {
		p.Players = players
	}
	if p.Length == 0 {
		p.Length = time.Duration(minutes * float64(time.Minute)).Truncate(100 * time.Millisecond)
	}
	return p
}

// rand returns a source of random numbers for a purpose.
func (p Plan) rand(purpose uint64) *rand.Rand { return rand.New(rand.NewPCG(p.Seed, purpose)) }

// drawn is a fault as a seed has drawn it.
type drawn struct {
	on       bool
	strength float64 // 0 to 1
	*rand.Rand
}

// The purposes of sources that are no faults.
const (
	forPlan = iota
	forNetwork
	forPlayers
	forPeerIDs
	forFaults
	forDrills = 1000
	forLoss   = 2000
	forMiddle = 2001
)

// draw draws the faults.
func (p Plan) draw() (all [faults]drawn) {
	for f := range faults {
		rng := p.rand(forFaults + uint64(f))
		all[f] = drawn{on: rng.Float64() < chances[f] && !p.Without.Has(f), strength: rng.Float64(), Rand: rng}
	}
	return all
}

// Faults returns the faults that the plan has.
func (p Plan) Faults() (s Faults) {
	for f, d := range p.draw() {
		if d.on {
			s = s.With(Fault(f))
		}
	}
	return s
}
