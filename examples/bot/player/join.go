package player

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// joining is the state of a player who has not joined.
type joining struct {
	exchange checksum.Client
	stalled  error // reason of the end if joining exceeds JoinTimeout
	ip       [4]byte
	script   string
}

// fault keeps the first error as the likely reason why the player cannot join.
func (j *joining) fault(err error) {
	if j.stalled == errStalled {
		j.stalled = fmt.Errorf("%w: %w", errStalled, err)
	}
}

// Join begins to join over a link with a host that has accepted the player. A host receives the
// name of the player with its local IPv4 address.
func (p *Player) Join(now time.Time, link Link, local netip.Addr) {
	p.clock.set(now)
	if p.state != Connecting {
		return
	}
	p.link, p.id, p.state = link, link.PeerID(), Checksums
	if local.Is4() {
		p.joining.ip = local.As4()
	}
	p.peers[p.id] = &peer{name: p.options.Name, here: true}
	p.report("accepted as player %d", p.id)
	p.sendName(p.options.Name)
}

func (p *Player) sendName(name string) {
	text, err := transport.NewUTF16Z(name)
	if err == nil {
		err = p.link.SendSystem(&transport.NameChange{PeerID: p.id, IP: p.joining.ip, Name: text})
	}
	if err != nil {
		p.Close(err)
	}
}

// check handles a message of the exchange of checksums.
func (p *Player) check(m opcode.Message) {
	if settings, ok := m.(*opcode.Settings); ok {
		p.settings(settings)
		return
	}
	j := &p.joining
	reply, file, err := j.exchange.Receive(m)
	if err != nil {
		j.fault(err)
	}
	if file != nil {
		p.report("the host offers the file %q, %d bytes", file.Path, len(file.Data))
	}
	if reply != nil {
		_ = p.Send(reply) // the counters include an error
	}
	if f, rejected := j.exchange.Rejection(); rejected {
		what := "file"
		if f.Kind == checksum.KindWrongVersion {
			what = "version of the game"
		}
		p.end(fmt.Errorf("refused: the host has a different %s: %.80q", what, f.Path))
	}
}

// settings handles Settings: the slot, the time, and a new name if another player has the old
// one.
func (p *Player) settings(m *opcode.Settings) {
	slot := m.PlayerSlot
	if !slot.Valid() {
		p.Close(fmt.Errorf("%w: the host has assigned slot %d, must be 0 to %d", objectid.ErrSlot, slot, objectid.Slots-1))
		return
	}
	p.state, p.ids = Loading, objectid.Allocator{Slot: slot}
	p.match.slot, p.match.loadedAt = slot, p.clock.now
	if t := float64(m.GameTime); t >= 0 && t < maxGameTime {
		p.match.started = t
	}
	p.joining.script = m.Map.String()
	if name := m.NewName.String(); m.Renamed && !m.Opaque && name != "" {
		p.rename(p.id, name)
		p.sendName(name)
	}
}

// load replies to GameInit that the player is ready.
func (p *Player) load(m opcode.Message) {
	if m.Opcode() != opcode.OpGameInit {
		return
	}
	p.choose(missionWait)
	p.report("joined in slot %d of %s", p.match.slot, p.joining.script)
	_ = p.Send(&opcode.NewPlayerInGame{}) // the counters include an error
	if p.options.Ship == nil {
		p.greet()
	}
}

// missionWait is the time for which the player waits for MissionInit. Some mods do not send it.
const missionWait = 5 * time.Second
