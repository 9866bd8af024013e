//go:build browser

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// pageShip is a ship in the state of the page.
type pageShip struct {
	Position *[3]float32 `json:"position"`
	Forward  *[3]float32 `json:"forward"`
	Up       *[3]float32 `json:"up"`
	Speed    float32     `json:"speed"`
	Cloaked  bool        `json:"cloaked"`
	Life     string      `json:"life"`
	State    []struct {
		I         int       `json:"i"`
		Condition float64   `json:"condition"`
		Parts     []float64 `json:"parts"`
		Main      *float64  `json:"main"`
		Backup    *float64  `json:"backup"`
		Facings   []float64 `json:"facings"`
	} `json:"state"`
}

// testWorld compares the world of the page at random times with a tracker, and the events of the
// page with the messages of the link, in their order.
func testWorld(t *testing.T, c *chrome) {
	p := c.open(t, c.serve(t, battle), desktop)
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	for range 10 {
		at := 2 + random.Float64()*77
		p.seek(at)
		var ships map[string]pageShip
		p.eval(`watch.state().ships`, &ships)
		want := track(t, at, nil)
		got := map[string]shipState{}
		for id, s := range ships {
			got[id] = s.state()
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("at %v s (- tracker, + page): %s", at, diff)
		}
		require.Equal(t, at, p.number(`watch.state().time`))
	}

	var want []string
	said := map[string]float64{} // when each line was said; the server returns it to the player
	track(t, 1e9, func(seconds float64, m opcode.Message, change stateupdate.Change) {
		if chat, ok := m.(*opcode.ChatMessage); ok && seconds > said[chat.Text.String()]+1 {
			said[chat.Text.String()] = seconds
			want = append(want, fmt.Sprintf("chat %d %v", chat.SenderID, chat.Text))
		}
		if change.Died {
			want = append(want, fmt.Sprintf("died %d", change.Ship.PeerID))
		}
	})
	var events []struct {
		Kind, Text  string
		Peer, Other *int
	}
	p.eval(`import('./backend/api.js').then(({ get }) => get('events', { link: 1, from: 0, count: 500 })).then((a) => a.events)`, &events)
	require.Equal(t, float64(len(events)), p.number(`watch.state().events`))
	var got []string
	for _, e := range events {
		switch e.Kind {
		case "chat":
			got = append(got, fmt.Sprintf("chat %d %v", *e.Peer, e.Text))
		case "kill":
			got = append(got, fmt.Sprintf("died %d", *e.Other))
		case "death":
			got = append(got, fmt.Sprintf("died %d", *e.Peer))
		}
	}
	require.Equal(t, want, got)
}

// shipState is the part of a ship that the test compares.
type shipState struct {
	Life              string
	Position          [3]float32
	Forward, Up       [3]float32
	Speed             float32
	Cloaked           bool
	Conditions        []int
	Facings           []int
	Parts             [][]int
	Batteries         []int
	HasSystems, Known bool
}

const full = 255

// state converts fractions to levels.
func (s pageShip) state() (out shipState) {
	out.Life, out.Speed, out.Cloaked, out.Known = s.Life, s.Speed, s.Cloaked, s.Position != nil
	if s.Position != nil {
		out.Position, out.Forward, out.Up = *s.Position, *s.Forward, *s.Up
	}
	out.HasSystems = len(s.State) > 0
	for _, state := range s.State {
		out.Conditions = append(out.Conditions, int(state.Condition*full+0.5))
		parts := []int{}
		for _, part := range state.Parts {
			parts = append(parts, int(part*full+0.5))
		}
		out.Parts = append(out.Parts, parts)
		for _, facing := range state.Facings {
			out.Facings = append(out.Facings, int(facing*full+0.5))
		}
		if state.Main != nil {
			out.Batteries = append(out.Batteries, int(*state.Main*full+0.5), int(*state.Backup*full+0.5))
		}
	}
	return out
}

// track applies the messages on the link of the first client up to a time.
func track(t *testing.T, end float64, each func(float64, opcode.Message, stateupdate.Change)) map[string]shipState {
	t.Helper()
	file, err := os.ReadFile(battle)
	require.NoError(t, err)
	var tracker stateupdate.Tracker
	var observer transport.Observer
	for d, err := range recording.Read(bytes.NewReader(file)) {
		require.NoError(t, err)
		if d.Client != 1 || d.Seconds > end {
			continue
		}
		cipher.Decrypt(d.Data)
		for m, err := range observer.Receive(time.Unix(0, 0).Add(d.Time()), d.Direction == recording.ToClient, d.Data) {
			if m.NewConnection {
				tracker.Reset()
			}
			if err != nil || m.Payload == nil {
				continue
			}
			message, err := opcode.Decode(bytes.Clone(m.Payload))
			if err != nil {
				continue
			}
			change, _ := tracker.Apply(message) // an error concerns a part of the message only
			if each != nil {
				each(d.Seconds, message, change)
			}
		}
	}
	all := map[string]shipState{}
	for ship := range tracker.Ships() {
		all[ship.ID.String()] = stateOf(ship)
	}
	return all
}

func stateOf(s *stateupdate.Ship) (out shipState) {
	out.Life, out.Speed, out.Known = s.Life.String(), s.Speed.Float32(), true
	out.Position = s.Position
	out.Forward[0], out.Forward[1], out.Forward[2] = s.Forward.Float32()
	out.Up[0], out.Up[1], out.Up[2] = s.Up.Float32()
	out.Cloaked, out.HasSystems = s.Cloaked, len(s.Subsystems) > 0
	for _, status := range s.Subsystems {
		out.Conditions = append(out.Conditions, int(status.Condition))
		parts := []int{}
		for _, level := range status.Parts {
			if status.Subsystem.Kind == stateupdate.KindShield {
				out.Facings = append(out.Facings, int(level))
			} else {
				parts = append(parts, int(level))
			}
		}
		out.Parts = append(out.Parts, parts)
		if status.Subsystem.Kind == stateupdate.KindReactor {
			out.Batteries = append(out.Batteries, int(status.MainBattery), int(status.BackupBattery))
		}
	}
	return out
}
