package simulation

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/examples/lab/siege"
	"github.com/bcwire/bcwire/examples/server/game"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// drill is a short match of guests who do one thing, with a referee who computes again what must come of it. The
// referee knows what was sent and received, the written laws and limits, and the data of the ships.
type drill struct {
	*siege.World
	s         *simulation
	name      string
	rng       *rand.Rand
	game      *game.Match
	dropped   []string // reasons
	beats     [][]byte // heartbeats
	at        time.Time
	got       map[netip.AddrPort][][]byte // reliable payloads of the game that the server receives
	all       *match.Match                // the observer of all links
	single    map[netip.AddrPort]*match.Match
	pair      *match.Match            // begins in the middle, and sees one link, and those of later clients
	earlier   map[netip.AddrPort]bool // links that it does not see
	fragments []transport.Message     // of clients, their numbers
	events    map[*match.Match][]match.Event
}

// drills are the drills of a match.
var drills = []struct {
	name string
	run  func(*drill)
}{
	{"authority", (*drill).authority},
	{"cadence", (*drill).cadence},
	{"collision", (*drill).collision},
	{"console", (*drill).console},
	{"fire", (*drill).fire},
	{"late", (*drill).late},
	{"limits", (*drill).limits},
	{"return", (*drill).comeBack},
	{"reuse", (*drill).reuse},
	{"score", (*drill).score},
	{"stream", (*drill).stream},
	{"torpedo", (*drill).torpedo},
}

// drill lets guests do what they do before a match.
func (s *simulation) drill() {
	for i, x := range drills {
		d := &drill{s: s, name: x.name, rng: rand.New(rand.NewPCG(s.plan.Seed, forDrills+uint64(i)))}
		x.run(d)
		d.finish()
	}
}

// start starts the server of a drill.
func (d *drill) start(change func(*game.Options)) {
	o := game.Options{Name: "drill", Pause: 5 * time.Second, Dropped: func(reason string) { d.dropped = append(d.dropped, reason) }}
	o.Heartbeat = func(b []byte) { d.beats = append(d.beats, b) }
	o.Host.Mission = opcode.MissionInit{PlayerLimit: objectid.Slots}
	o.Host.Settings = opcode.Settings{CollisionDamage: true}
	if change != nil {
		change(&o)
	}
	d.got, d.single, d.events = map[netip.AddrPort][][]byte{}, map[netip.AddrPort]*match.Match{}, map[*match.Match][]match.Event{}
	d.all = &match.Match{Events: true}
	d.World = siege.NewWorld(d, func(now time.Time, host join.HostOptions) siege.Server {
		o.Host = host
		d.game = game.New(now, o)
		return siege.Server{Host: d.game.Host, Handler: udp.Handler{Event: d.event, Tick: d.game.Tick, Query: d.game.Query, Close: d.game.Close}}
	}, o.Host)
	d.Transmit = func(datagram []byte, to netip.AddrPort) (int, error) {
		d.observe(to, true, datagram)
		d.Post(siege.ServerAddr, to, datagram)
		return len(datagram), nil
	}
}

// Fatalf implements [siege.T].
func (d *drill) Fatalf(format string, args ...any) {
	d.s.fail("in the drill "+d.name+": "+format, args...)
}

// Helper implements [siege.T].
func (d *drill) Helper() {}

// fail reports a violation.
func (d *drill) fail(format string, args ...any) { d.Fatalf(format, args...) }

// event notes what the server receives.
func (d *drill) event(now time.Time, e transport.Event) {
	if e.Kind == transport.EventPayload && e.Delivery&transport.Reliable != 0 {
		d.at = d.Now
		d.got[e.Session.Addr()] = append(d.got[e.Session.Addr()], slices.Clone(e.Payload))
	}
	d.game.Handle(now, e)
}

func (d *drill) observe(client netip.AddrPort, fromHost bool, datagram []byte) {
	if transport.IsGameSpy(datagram) {
		return
	}
	data := slices.Clone(datagram)
	cipher.Decrypt(data)
	if d.single[client] == nil {
		d.single[client] = &match.Match{Events: true}
	}
	for m, err := range transport.Messages(data) {
		if err == nil && m.Fragment && !fromHost {
			d.fragments = append(d.fragments, transport.Message{Seq: m.Seq, FragIndex: m.FragIndex})
		}
	}
	observers := []*match.Match{d.all, d.single[client]}
	if d.pair != nil && !d.earlier[client] {
		observers = append(observers, d.pair)
	}
	for _, m := range observers {
		for step := range m.Receive(match.Datagram{Time: d.Now.Sub(siege.Epoch), Client: client.String(), FromHost: fromHost, Data: data}) {
			d.events[m] = append(d.events[m], step.Events...)
			if m == d.all {
				d.s.meaning.step(step)
			}
		}
	}
}

// run lets time pass.
func (d *drill) run(t time.Duration) {
	for end := d.Now.Add(t); d.Now.Before(end); d.Now = d.Now.Add(siege.Step) {
		d.Arrivals(func(from netip.AddrPort, datagram []byte) {
			d.observe(from, false, datagram)
			d.Receive(from, datagram)
			d.Events()
		})
		d.Poll()
		for _, addr := range slices.Clone(d.Order) {
			d.Speak(addr)
		}
	}
}

// join lets a guest join, and reports whether it is in the game.
func (d *drill) join(name string, modem bool) (*siege.Guest, bool) {
	g := d.Connect(name, "", nil)
	g.Modem = modem
	for range 100 {
		if d.run(50 * time.Millisecond); g.Count(opcode.OpDeletePlayerUI) > 0 || g.Ended != nil {
			break
		}
	}
	return g, g.Count(opcode.OpDeletePlayerUI) > 0
}

// crew lets guests join who have ships, and are told all names. They stay where they are, far from each other.
func (d *drill) crew(classes ...string) (all []*siege.Guest) {
	for i, class := range classes {
		g, ok := d.join("Guest "+string(rune('A'+i)), false)
		if !ok {
			d.fail("%s does not enter the game", g.Name)
		}
		g.Launch(class, 0)
		all = append(all, g)
	}
	d.run(300 * time.Millisecond)
	for i, g := range all {
		d.place(g, [3]float32{float32(2000 * i), 0, 0}, 1)
	}
	d.run(500 * time.Millisecond)
	for _, g := range all {
		for _, other := range all {
			if !slices.Contains(g.Lines, fmt.Sprintf("NameChange %d %s", other.PeerID(), other.Name)) {
				d.fail("%s is not told the name of %s", g.Name, other.Name)
			}
		}
		g.Heard, g.Updates, g.Lines = nil, nil, nil
	}
	d.dropped = nil
	return all
}

// place reports the place of a ship at rest, which looks along the axis Y or against it.
func (d *drill) place(g *siege.Guest, at [3]float32, nose float32) {
	g.Tell(&opcode.StateUpdate{
		ObjectID: g.Object(0), GameTime: float32(d.game.GameTime().Seconds()), Flags: opcode.StatePosition | opcode.StateForward | opcode.StateUp | opcode.StateSpeed,
		Position: at, Forward: compress.EncodeVector3(0, nose, 0), Up: compress.EncodeVector3(0, 0, 1),
	})
}

// part returns the object ID of the first subsystem of a kind of the ship of a guest, or of a child of it.
func (d *drill) part(g *siege.Guest, class string, kind stateupdate.Kind, child int) objectid.ID {
	c := stateupdate.Stock().Named(class)
	for i := range c.Subsystems {
		if c.Subsystems[i].Kind == kind {
			id, _ := c.PartID(g.Object(0), i, child)
			return id
		}
	}
	d.fail("a %s has no such part", class)
	return objectid.None
}

// seen returns the first ship of a guest as another one has seen it in the updates so far.
func (d *drill) seen(by, of *siege.Guest, class string) *stateupdate.Ship {
	t := &stateupdate.Tracker{}
	ship := stateupdate.NewShip(of.Object(0), stateupdate.Stock().Named(class))
	ship.SetName = "Multi1"
	object, _ := ship.Object()
	_, _ = t.Apply(&opcode.ObjectCreateTeam{OwnerSlot: of.Slot, NetPlayerID: of.PeerID(), Object: object})
	for i := range by.Updates {
		_, _ = t.Apply(&by.Updates[i])
	}
	return t.Ship(of.Object(0))
}

// hears returns the messages of an opcode that a guest has heard, and forgets all.
func hears(g *siege.Guest, code opcode.Code) (all []opcode.Message) {
	for _, m := range g.Heard {
		if m.Opcode() == code {
			all = append(all, m)
		}
	}
	g.Heard = nil
	return all
}

// killed returns the deaths that a guest has heard of.
func (d *drill) killed(g *siege.Guest) (deaths []*opcode.PythonEvent) {
	for _, m := range g.Heard {
		if e, ok := m.(*opcode.PythonEvent); ok {
			if _, _, _, ok := e.Killed(); ok {
				deaths = append(deaths, e)
			}
		}
	}
	return deaths
}

// kinds returns the events of an observer that are of some kinds.
func (d *drill) eventsOf(m *match.Match, kinds ...match.EventKind) (found []match.Event) {
	for _, e := range d.events[m] {
		if slices.Contains(kinds, e.Kind) {
			found = append(found, e)
		}
	}
	return found
}

// finish checks what holds after every drill: no observer has seen the end of a round that did not end, or a player
// whom nobody has.
func (d *drill) finish() {
	ended := d.name == "console" || d.name == "return"
	for _, m := range d.events {
		for _, e := range m {
			if e.Kind == match.End && !ended {
				d.fail("an observer has the event %q", e.String())
			}
			if e.Player != "" && !strings.HasPrefix(e.Player, "Guest") && !strings.HasPrefix(e.Player, "peer ") && d.name != "limits" && d.name != "console" {
				d.fail("an observer has a player %q", e.Player)
			}
		}
	}
}

// authority checks that a player acts for itself only, in a message of the right length: what one sends about the ship of
// another one, what only hosts send, and what is a byte too long or too short goes to nobody, and is no event.
func (d *drill) authority() {
	d.start(nil)
	crew := d.crew("birdofprey", "birdofprey", "birdofprey")
	liar, victim, witness := crew[0], crew[1], crew[2]
	own, others, hosts := actsOf(liar, victim.Object(0)), actsOf(victim, liar.Object(0)), reserved(victim)
	begun := len(d.events[d.all])
	for n, host := range hosts {
		i := n % len(own)
		payload := siege.Marshal(d, own[i])
		op, long := own[i].Opcode(), append(slices.Clone(payload), 0)
		size, want := op.Info().MaxSize, "trailing"
		if size > 0 && len(long) > size {
			want = "oversize"
		}
		if size == 0 || size == len(payload) { // a longer form is none of a mod
			d.refused(liar, witness, long, want)
		}
		d.refused(liar, witness, payload[:len(payload)-1-d.rng.IntN(2)], "malformed")
		theirs := others[i]
		d.refused(liar, witness, siege.Marshal(d, theirs), "forged")
		d.refused(liar, witness, siege.Marshal(d, host), "direction")
		if events := d.events[d.all][begun:]; len(events) > 0 {
			d.fail("an observer has the event %q of refused messages", events[0].String())
		}
	}
	d.run(time.Second)
	for _, m := range own {
		witness.Heard, d.events[d.all] = nil, nil
		liar.Say(m)
		d.run(2 * time.Second)
		if heard := hears(witness, m.Opcode()); len(heard) != 1 || !bytes.Equal(siege.Marshal(d, heard[0]), siege.Marshal(d, m)) {
			d.fail("%v of the sender's own ship arrives %d times", m.Opcode(), len(heard))
		}
		if shot, ok := m.(opcode.Shot); ok {
			_, target, _ := shot.Fired()
			fired := d.eventsOf(d.all, match.Fire)
			if len(fired) != 1 || fired[0].Player != liar.Name || (target == objectid.None) != (fired[0].Target == "") || target != objectid.None && fired[0].Target != victim.Name {
				d.fail("%v is the events %v", m, fired)
			}
		}
	}
	for _, text := range []int{opcode.MaxChat, opcode.MaxChat + 1} {
		line := &opcode.ChatMessage{SenderID: victim.PeerID(), Text: bytes.Repeat([]byte("x"), text)}
		if text > opcode.MaxChat {
			payload := siege.Marshal(d, &opcode.ChatMessage{SenderID: line.SenderID, Text: line.Text[:opcode.MaxChat]})
			payload[5]++ // the low byte of the length
			if payload[5] == 0 {
				payload[6]++
			}
			d.refused(liar, witness, append(payload, 'x'), "oversize")
			continue
		}
		liar.Say(line)
		d.run(time.Second)
		if heard := hears(witness, opcode.OpChatMessage); len(heard) != 1 || heard[0].(*opcode.ChatMessage).SenderID != liar.PeerID() {
			d.fail("a line of %d bytes under another name arrives as %v", text, heard)
		}
	}
}

// refused sends a payload that must go to nobody.
func (d *drill) refused(from, witness *siege.Guest, payload []byte, reason string) {
	d.dropped, witness.Heard = nil, nil
	if err := from.Send(payload, transport.Reliable); err != nil {
		d.fail("a payload is not sent: %v", err)
	}
	d.run(250 * time.Millisecond)
	d.s.meaning.note("refused " + reason)
	if len(d.dropped) != 1 || d.dropped[0] != reason {
		d.fail("%v %x is dropped for %q, not as %s", opcode.Code(payload[0]), payload, d.dropped, reason)
	}
	if len(witness.Heard) > 0 {
		d.fail("%v %x makes others receive %v", opcode.Code(payload[0]), payload, witness.Lines)
	}
}
