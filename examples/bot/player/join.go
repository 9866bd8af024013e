package player

import (
	"fmt"
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// accepted tells the host the name.
func (p *Player) accepted() {
	p.state = Checksums
	p.peers[p.ID()] = &peer{name: p.options.Name, here: true}
	p.event(Accepted{p.ID()})
	p.sendName(p.options.Name)
}

// sendName tells the host the player's name.
func (p *Player) sendName(name string) {
	text, err := transport.NewUTF16Z(name)
	if err == nil {
		err = p.session.SendSystem(transport.NameChange{PeerID: p.session.PeerID(), IP: p.options.LocalIP, Name: text})
	}
	if err != nil { // there is nothing in the queue yet
		p.finish(End{Reason: Broken, Err: err})
	}
}

// check answers the host's questions for files.
func (p *Player) check(m opcode.Message) {
	switch m := m.(type) {
	case *opcode.Settings:
		p.settings(m)
		return
	case *opcode.ChecksumRequest, *opcode.FileTransfer, *opcode.ChecksumComplete,
		*opcode.SystemChecksumFailed, *opcode.VersionMismatch:
	default:
		return // nothing else makes sense before Settings
	}
	reply, file, err := p.exchange.Receive(m)
	if err != nil {
		p.trouble = err
	}
	if file != nil {
		p.event(FileOffered{Path: clip(file.Path), Size: len(file.Data)})
	}
	if reply != nil {
		p.send(reply)
	}
	if f, rejected := p.exchange.Rejection(); rejected {
		end := End{Reason: WrongFile, Name: clip(f.Path)}
		if m.Opcode() == opcode.OpVersionMismatch {
			end.Reason = WrongVersion
		}
		p.finish(end)
	}
}

// settings takes the slot, the time, and a new name if the host gives one: another player
// has the old one. The game's clock goes on from the host's clock.
func (p *Player) settings(m *opcode.Settings) {
	if _, ok := objectid.Base(objectid.SlotFrom(int(m.PlayerSlot))); !ok {
		p.finish(End{Reason: Broken, Err: fmt.Errorf("slot %d: %w", m.PlayerSlot, objectid.ErrSlot)})
		return
	}
	p.state, p.slot, p.loaded = Loading, int(m.PlayerSlot), p.clock.now
	p.ids = objectid.Allocator{Slot: objectid.Slot(p.slot)}
	if t := float64(m.GameTime); t >= 0 && t < maxGameTime {
		p.started = t
	}
	p.script = clip(m.Map.String())
	if name := clip(m.NewName.String()); m.Renamed && !m.Opaque && name != "" {
		p.rename(p.ID(), name)
		p.sendName(name)
	}
}

// maxGameTime is more than a clock in seconds has that still counts tenths.
const maxGameTime = 1 << 20

// gameTime returns the seconds on the game's clock.
func (p *Player) gameTime() float32 {
	return float32(p.started + (p.clock.now - p.loaded).Seconds())
}

// load says that the player is ready, when the host asks for it.
func (p *Player) load(m opcode.Message) {
	if m.Opcode() != opcode.OpGameInit {
		return
	}
	p.state = Joined
	p.event(Entered{Slot: p.slot, Map: p.script})
	p.send(&opcode.NewPlayerInGame{})
	p.pickAt = p.clock.now + missionWait
	if p.options.Ship == nil {
		p.pickAt = never
		p.greet()
	}
}

// missionWait is how long the player waits for MissionInit. There are mods without it.
const missionWait = 5 * time.Second
