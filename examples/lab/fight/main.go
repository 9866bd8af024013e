// Fight writes the match in testdata/fight.jsonl: eight bots fight on the example server for 80 s. The
// file has the datagrams of one of them. The match runs in virtual time, so every run writes the same file.
//
//	go run ./examples/lab/fight
package main

import (
	"bytes"
	"flag"
	"log"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"os"
	"slices"
	"time"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/bot/player"
	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/lab/simulated"
	"github.com/bcwire/bcwire/examples/server/game"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

func main() {
	out := flag.String("o", "testdata/fight.jsonl", "the `FILE` to write")
	seed := flag.Uint64("seed", matchSeed, "seed of the bots")
	verbose := flag.Bool("v", false, "print the log of the server")
	flag.Parse()
	handler := slog.DiscardHandler
	if *verbose {
		handler = slog.NewTextHandler(os.Stderr, nil)
	}
	text, err := record(*seed, slog.New(handler))
	if err == nil {
		err = os.WriteFile(*out, text, 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
}

const (
	matchSeed = 3
	length    = 80 * time.Second
	step      = 10 * time.Millisecond
	latency   = 30 * time.Millisecond // of a datagram
	tick      = 100 * time.Millisecond
)

// roles are the players. The recording is that of the first one.
var roles = []struct{ name, class, say string }{
	{"Ann", "sovereign", "shields up"},
	{"Ben", "warbird", ""},
	{"Cid", "birdofprey", "today is a good day to die"},
	{"Dee", "galor", ""},
	{"Eva", "vorcha", "Qapla'!"},
	{"Fay", "keldon", ""},
	{"Gus", "kessokheavy", ""},
	{"Hal", "akira", "good luck to all"},
}

// client is a bot and its address.
type client struct {
	*player.Player
	*simulated.Client
	addr netip.AddrPort
}

// datagram is on its way.
type datagram struct {
	arrives time.Time
	client  *client
	up      bool // to the server
	data    []byte
}

// fight is the match.
type fight struct {
	now      time.Time
	match    *game.Match
	clients  []*client
	way      []datagram // in the order of their arrival
	recorder *capture.Recorder
}

// record returns the recording of the match of a seed.
func record(seed uint64, log *slog.Logger) ([]byte, error) {
	start := time.Date(2002, 2, 26, 12, 0, 0, 0, time.UTC)
	var out bytes.Buffer
	f := &fight{now: start, recorder: capture.NewLines(&out, start)}
	f.match = game.New(start, game.Options{
		Host: join.HostOptions{
			Hub: transport.HubOptions{Rand: rand.NewChaCha8([32]byte{byte(seed)})}, Log: log,
			Settings: opcode.Settings{CollisionDamage: true},
		},
		Name: "bcwire fight", Combat: true, Strict: true,
	})
	for i, role := range roles {
		session, err := transport.NewClient(start, transport.ConnectRequest{ConnID: uint32(i + 1)}, transport.Options{})
		if err != nil {
			return nil, err
		}
		p := player.New(start, player.Options{
			Name: role.name, Ship: stateupdate.Stock().Named(role.class), Say: role.say, Files: checksum.Vanilla(),
			Fire: true, Skill: 3, Seed: seed<<8 + uint64(i), Choose: time.Duration(1+i) * 300 * time.Millisecond,
		})
		addr := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(1 + i)}), 22102)
		f.clients = append(f.clients, &client{p, simulated.New(p, session), addr})
	}
	for ; f.now.Sub(start) < length; f.now = f.now.Add(step) {
		if f.now.Add(2*time.Second).Sub(start) == length {
			f.clients[0].Leave()
		}
		f.step(f.now.Sub(start)%tick == 0)
	}
	err := f.recorder.Close()
	return out.Bytes(), err
}

// step brings the datagrams that arrive, and lets everybody send.
func (f *fight) step(tick bool) {
	for len(f.way) > 0 && !f.way[0].arrives.After(f.now) {
		f.deliver(f.way[0])
		f.way = f.way[1:]
	}
	f.events()
	if tick {
		f.match.Tick(f.now)
	}
	for addr, data := range f.match.Hub().Datagrams(f.now) {
		i := slices.IndexFunc(f.clients, func(c *client) bool { return c.addr == addr })
		f.send(datagram{client: f.clients[i], data: data})
	}
	for _, c := range f.clients {
		for data := c.AppendDatagram(nil, f.now); len(data) > 0; data = c.AppendDatagram(nil, f.now) {
			f.send(datagram{client: c, up: true, data: data})
		}
	}
}

// send gives a datagram to the network, which brings all of them in their order.
func (f *fight) send(d datagram) {
	d.data, d.arrives = slices.Clone(d.data), f.now.Add(latency)
	if !d.up {
		f.record(d, recording.ToClient)
	}
	f.way = append(f.way, d)
}

func (f *fight) deliver(d datagram) {
	if !d.up {
		d.client.Receive(f.now, d.data)
		return
	}
	f.record(d, recording.ToServer)
	f.match.Hub().Receive(f.now, d.client.addr, d.data)
	f.events()
}

// record records a datagram of the first client at the server.
func (f *fight) record(d datagram, direction recording.Direction) {
	if d.client == f.clients[0] {
		wire := slices.Clone(d.data)
		cipher.Encrypt(wire)
		f.recorder.WriteAddrPort(f.now, direction, d.client.addr, wire)
	}
}

func (f *fight) events() {
	for e := range f.match.Hub().Events() {
		f.match.Handle(f.now, e)
	}
}
