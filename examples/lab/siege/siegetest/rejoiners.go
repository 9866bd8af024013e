package siegetest

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	bot "github.com/bcwire/bcwire/examples/bot/player"
	"github.com/bcwire/bcwire/examples/lab/siege"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// rejoiner is a client that says all that it may at once when it is in the game, leaves, and comes again.
type rejoiner struct {
	*siege.Guest
	addr netip.AddrPort
	said time.Time
}

// rejoiners hold a number of slots from a number of addresses, which they use in turn.
type rejoiners struct {
	*siege.World
	ips, slots int
	count      int // messages of a session
	contacts   int // of a message; see opcode.Event
	all        []*rejoiner
	n          int // sessions so far
}

// act continues the attack. It is called every [siege.Step].
func (r *rejoiners) act() {
	for len(r.all) < r.slots {
		addr := netip.AddrPortFrom(netip.AddrFrom4([4]byte{66, 0, byte(r.n % r.ips >> 8), byte(r.n % r.ips)}), uint16(1024+r.n/r.ips%60000))
		r.all = append(r.all, &rejoiner{Guest: r.ConnectAt(fmt.Sprint("Eve ", r.n), "", addr), addr: addr})
		r.n++
	}
	left := r.all[:0]
	for _, e := range r.all {
		switch {
		case e.said.IsZero() && r.InGame(e.addr):
			e.said = r.Now
			event := siege.Marshal(r.T, &opcode.ClientEvent{Event: opcode.Event{
				Class: opcode.ClassCollisionEvent, Code: 0x12345678, Dest: e.Object(0), Contacts: make([]compress.Contact, r.contacts),
			}})
			for range r.count {
				_ = e.Send(event, transport.Reliable)
			}
		case !e.said.IsZero() && r.Now.Sub(e.said) > 250*time.Millisecond:
			e.Close()
		}
		e.Heard, e.Lines, e.Updates = nil, nil, nil
		if e.Ended != nil && e.Flushed() {
			r.Drop(e.Guest)
			continue
		}
		left = append(left, e)
	}
	r.all = left
}

// Rejoiners lets players who send as much as they may at once leave and come again, over and over. They gain nothing by
// it: the honest players stay, and hear no more than from players who stay.
func Rejoiners(t *testing.T, start siege.Start) {
	const longest = (transport.MaxUnfragmentedPayload - 22) / 4 // a message fills a datagram
	for _, c := range []struct {
		ips, slots, max int
		delay           time.Duration
		loss            float64
		count, contacts int // messages of a session, and contacts of each
	}{
		{2, 8, 16, 75 * time.Millisecond, 0, 45, 35},
		{2, 8, 16, 75 * time.Millisecond, 0, 16, longest},
		{1, 4, 8, 150 * time.Millisecond, 0.02, 45, 35},
		{16, 12, 16, 50 * time.Millisecond, 0, 45, 35},
		{200, 12, 16, 75 * time.Millisecond, 0, 45, 35}, // each has the budget of a newcomer
		{200, 12, 16, 150 * time.Millisecond, 0.02, 16, longest},
	} {
		t.Run(fmt.Sprintf("%d addresses, %d of %d slots, %v, %d messages of %d contacts", c.ips, c.slots, c.max, c.delay, c.count, c.contacts), func(t *testing.T) {
			t.Parallel()
			w := siege.NewWorld(t, start, join.HostOptions{Mission: opcode.MissionInit{PlayerLimit: uint8(c.max)}})
			w.Weather = siege.Weather{Delay: c.delay, Loss: c.loss}
			var players siege.Crew
			for i := range 4 {
				players = append(players, siege.NewBot(w.Now, i, bot.Options{Fire: true, Choose: 100 * time.Millisecond}))
				w.Add(players[i])
			}
			players.InGame(w, time.Minute)
			r := &rejoiners{World: w, ips: c.ips, slots: c.slots, count: c.count, contacts: c.contacts}
			for began := w.Now; w.Now.Sub(began) < testdata.Either(10*time.Minute, 20*time.Second); {
				r.act()
				w.Run(siege.Step)
				for _, p := range players {
					require.NoError(t, p.Err(), "%v, after %v and %d sessions", p.ID(), w.Now.Sub(began), r.n)
				}
			}
			t.Logf("%d sessions", r.n)
			require.Greater(t, r.n, c.slots)
		})
	}
}
