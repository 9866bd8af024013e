package game

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// eventOf returns an event about the ship of a guest that is relayed, with a code that the
// engine does not know and contacts of four bytes each.
func eventOf(g *guest, contacts int) *opcode.ClientEvent {
	return &opcode.ClientEvent{Event: opcode.Event{
		Class: opcode.ClassCollisionEvent, Code: 0x12345678, Dest: g.Object(0), Contacts: make([]compress.Contact, contacts),
	}}
}

// Fifteen players who send all that they may do not drive anybody out, even with a round trip
// of 0.5 s: not with short messages, with long ones, or with ships that they create and
// destroy.
func TestLimitsFitTheQueue(t *testing.T) {
	// event sends an event with contacts of four bytes each, unless the own queue is full.
	event := func(eve *guest, contacts int) {
		_ = eve.Send(marshal(t, eventOf(eve, contacts)), transport.Reliable)
	}
	for name, say := range map[string]func(eve *guest, turn int){
		"short messages": func(eve *guest, _ int) {
			for range 7 {
				event(eve, 0)
			}
		},
		"long messages": func(eve *guest, _ int) { event(eve, 95) },
		"half datagrams": func(eve *guest, _ int) {
			event(eve, 58)
			event(eve, 58)
		},
		"ships": func(eve *guest, turn int) {
			eve.Launch("akira", 100*turn)
			eve.Say(&opcode.HostMessage{})
			for range 3 {
				event(eve, 10)
			}
		},
	} {
		for _, delay := range []time.Duration{75 * time.Millisecond, 250 * time.Millisecond} {
			t.Run(fmt.Sprintf("%s, %v", name, delay), func(t *testing.T) {
				t.Parallel()
				w, all := crowd(t, options{allShips: true}, objectid.Slots, false)
				w.Delay = delay
				turns := testdata.Either(1200, 120)
				for turn := range turns {
					for _, eve := range all[1:] {
						say(eve, turn+1)
						eve.Tell(&opcode.StateUpdate{ObjectID: eve.Object(0)})
					}
					w.Run(tick)
					for _, g := range all {
						require.Nil(t, g.Ended, "%s after %d ticks", g.Name, turn)
					}
				}
				require.Greater(t, dropped(w, "rate"), testdata.Either(3*turns, turns))
				require.Greater(t, all[0].Count(opcode.OpClientEvent), 4*turns)
			})
		}
	}
}
