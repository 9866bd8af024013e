package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/lab/sim/simulation"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// A stay is one connection of a client.
type stay struct {
	client       int
	peer         objectid.PeerID
	slot         objectid.Slot
	joined, left bool
	replaced     bool // the client or the peer ID has another connection
	chat         []string
	states       map[string]bool // deaths and scores
	dead         map[objectid.ID]bool
	told         map[int]*news // by the client to whom the host tells it
}

// news are what the host tells one client of a stay.
type news struct {
	joined bool
	score  [3]int32
}

// plain is a second reading of a whole recording, without loss. Who joins, and what is said, stands on the client's own
// link. A ship dies once, and a score is announced once, whoever is told.
type plain struct {
	stays     []*stay
	last      map[int]*stay
	observers map[int]*transport.Observer
}

func (x *plain) read(d *recording.Datagram) {
	data := bytes.Clone(d.Data)
	if transport.IsGameSpy(data) {
		return
	}
	cipher.Decrypt(data)
	client, fromHost := int(d.Client), d.Direction == recording.ToClient
	if x.observers[client] == nil {
		x.observers[client] = &transport.Observer{}
	}
	o := x.observers[client]
	for m, err := range o.Receive(time.Unix(1, 0).Add(d.Time()), fromHost, data) {
		if err != nil || m.Verdict == transport.VerdictDuplicate {
			continue
		}
		x.system(client, fromHost, m)
		if game, err := opcode.Decode(m.Payload); err == nil && m.Payload != nil {
			x.game(client, fromHost, game)
		}
	}
}

func (x *plain) openBC(client int) bool {
	return x.observers[client].Host().Program() == transport.ProgramOpenBC
}

func (x *plain) system(client int, fromHost bool, m *transport.Observation) {
	p := x.last[client]
	switch b := m.Decoded.(type) {
	case *transport.ConnectReply:
		if !b.PeerID.Valid() || b.PeerID == objectid.Host {
			return
		}
		p = &stay{client: client, peer: b.PeerID, slot: objectid.NoSlot, told: map[int]*news{}, states: map[string]bool{}, dead: map[objectid.ID]bool{}}
		x.stays, x.last[client] = append(x.stays, p), p
	case *transport.Disconnect:
		if p != nil && (!fromHost || b.PeerID == objectid.Host) {
			p.left = true
		}
	case *transport.Boot:
		if p != nil && fromHost && (b.PeerID == p.peer || !b.PeerID.Valid()) {
			p.left = true
		}
	case nil:
		if p != nil && !fromHost && m.Type == transport.TypeOpenBCDisconnect && m.Short {
			p.left = true
		}
	}
}

func (x *plain) game(client int, fromHost bool, m opcode.Message) {
	p := x.last[client]
	if p == nil {
		return
	}
	if !fromHost {
		if _, ok := m.(*opcode.NewPlayerInGame); ok && p.slot != objectid.NoSlot {
			p.joined = true
		}
		return
	}
	of := func(peer objectid.PeerID) (*stay, *news) { // who is told of now
		for _, q := range slices.Backward(x.stays) {
			if q.peer == peer && q.slot != objectid.NoSlot {
				if q.told[client] == nil {
					q.told[client] = &news{}
				}
				return q, q.told[client]
			}
		}
		return &stay{}, &news{}
	}
	score := func(peer objectid.PeerID, change func(s *[3]int32)) {
		if q, n := of(peer); q.states != nil {
			before := n.score
			if change(&n.score); n.score != before {
				q.states[fmt.Sprint("score ", n.score[0], " ", n.score[1], " ", n.score[2])] = true
			}
		}
	}
	switch g := m.(type) {
	case *opcode.Settings:
		p.slot = g.PlayerSlot
		for _, q := range x.stays {
			q.replaced = q.replaced || q != p && (q.client == p.client || q.peer == p.peer)
		}
	case *opcode.RestartGame:
		for _, q := range x.stays {
			if n := q.told[client]; n != nil {
				n.score = [3]int32{}
			}
		}
	case *opcode.DeletePlayerUI:
		if peer, ok := g.Joined(); ok {
			_, n := of(peer)
			n.joined = true
		} else if peer, ok := g.Left(); ok {
			if q, n := of(peer); n.joined {
				q.left = true
			}
		}
	case *opcode.ChatMessage:
		if opcode.Speaker(g, objectid.Host, x.openBC(client)) == p.peer {
			p.chat = append(p.chat, g.Text.String())
		}
	case *opcode.TeamChatMessage:
		if opcode.Speaker(g, objectid.Host, x.openBC(client)) == p.peer {
			p.chat = append(p.chat, g.Text.String())
		}
	case *opcode.PythonEvent:
		ship, _, peer, ok := g.Killed()
		slot, own := ship.Slot()
		if !ok || !own {
			return
		}
		if by, ok := objectid.ID(g.FiringPlayerID).Slot(); ok && !peer.Valid() { // OpenBC
			peer = by.PeerID()
		}
		for _, q := range slices.Backward(x.stays) {
			if q.slot == slot {
				if peer == q.peer {
					peer = 0
				}
				if !q.dead[ship] {
					q.dead[ship] = true
					q.states[fmt.Sprint("death ", ship, " ", max(peer, 0))] = true
				}
				return
			}
		}
	case *opcode.Score:
		score(g.PlayerID, func(s *[3]int32) { *s = [3]int32{g.Kills, g.Deaths, g.Score} })
	case *opcode.ScoreInit:
		score(g.PlayerID, func(s *[3]int32) { *s = [3]int32{g.Kills, g.Deaths, g.Score} })
	case *opcode.ScoreChange:
		score(g.KillerID, func(s *[3]int32) { s[0], s[2] = g.KillerKills, g.KillerScore })
		score(g.VictimID, func(s *[3]int32) { s[1] = g.VictimDeaths })
		for _, d := range g.Damagers {
			if d.ID != g.KillerID {
				score(d.ID, func(s *[3]int32) { s[2] = d.Score })
			}
		}
	}
}

// lines returns what happens to each peer ID in the game.
func (x *plain) lines() map[objectid.PeerID][]string {
	lines := map[objectid.PeerID][]string{}
	for _, p := range x.stays {
		if !p.joined {
			continue
		}
		lines[p.peer] = append(lines[p.peer], "join")
		if p.left || p.replaced {
			lines[p.peer] = append(lines[p.peer], "leave")
		}
		for _, text := range p.chat {
			lines[p.peer] = append(lines[p.peer], "chat "+text)
		}
		for state := range p.states {
			if !(strings.HasPrefix(state, "score") && slices.Contains(lines[p.peer], state)) { // of an earlier stay
				lines[p.peer] = append(lines[p.peer], state)
			}
		}
	}
	for _, all := range lines {
		slices.Sort(all)
	}
	return lines
}

// followed returns what package match says of the same peer IDs.
func followed(text []byte, x *plain) map[objectid.PeerID][]string {
	lines := map[objectid.PeerID][]string{}
	note := func(e *match.Event, line string) {
		observed := slices.ContainsFunc(x.stays, func(p *stay) bool { return p.peer == e.Peer })
		if observed && !(e.Kind == match.Score && slices.Contains(lines[e.Peer], line)) {
			lines[e.Peer] = append(lines[e.Peer], line)
		}
	}
	m := match.Match{Events: true}
	for step, err := range match.Read(bytes.NewReader(text), &m) {
		if err != nil {
			continue
		}
		for _, e := range step.Events {
			switch e.Kind {
			case match.Join, match.Leave:
				note(&e, string(e.Kind))
			case match.Chat, match.TeamChat:
				note(&e, "chat "+e.Text)
			case match.Explode:
				note(&e, fmt.Sprint("death ", e.Ship, " ", 0))
			case match.Kill:
				note(&e, fmt.Sprint("death ", e.Ship, " ", e.Other))
			case match.Score:
				note(&e, fmt.Sprint("score ", e.Kills, " ", e.Deaths, " ", e.Score))
			}
		}
	}
	for _, all := range lines {
		slices.Sort(all)
	}
	return lines
}

// Package match and the plain reading agree on joins, leaves, deaths, chat and scores in whole recordings.
func TestPlainReading(t *testing.T) {
	texts := map[string][]byte{}
	for _, file := range []string{"match", "battle", "rejoins", "fight", "openbc/blocks"} {
		text, err := os.ReadFile("../../../testdata/" + file + ".jsonl")
		require.NoError(t, err)
		texts[file] = text
	}
	without, err := simulation.ParseFaults("server,disk,late,clock,partition,pause,spoof")
	require.NoError(t, err)
	seeds := []uint64{1004, 1020, 1021} // with floods while players join, chat of strangers, peer IDs that are no slots
	if testdata.Long() {
		seeds = nil
		for seed := range uint64(24) {
			seeds = append(seeds, 1000+seed)
		}
	}
	for _, seed := range seeds {
		var text bytes.Buffer
		require.Nil(t, simulation.Run(simulation.Plan{Seed: seed, Without: without}, &text).Violation)
		texts[strconv.FormatUint(seed, 10)] = text.Bytes()
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			x := plain{last: map[int]*stay{}, observers: map[int]*transport.Observer{}}
			for d, err := range recording.Read(bytes.NewReader(text)) {
				require.NoError(t, err)
				x.read(&d)
			}
			require.Equal(t, x.lines(), followed(text, &x))
		})
	}
}
