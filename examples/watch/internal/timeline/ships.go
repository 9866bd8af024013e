package timeline

import (
	"cmp"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// shipChanged reports a change of the tracker, which has applied a message with or without an error.
func (w *world) shipChanged(m opcode.Message, c *stateupdate.Change, err error) {
	for _, gone := range c.Removed {
		w.removed(gone)
	}
	ship := c.Ship
	if ship == nil || ship.Life == stateupdate.Destroyed {
		return
	}
	info := w.ships[ship.ID]
	switch {
	case c.Created || info == nil:
		w.created(ship)
		return
	case c.Died:
		w.emit(&Died{w.head("dying"), ship.ID.String(), peerOf(ship.Killer)})
		w.changed(ship)
		return
	}
	update, isUpdate := m.(*opcode.StateUpdate)
	if !isUpdate {
		return
	}
	w.markStale(info, ship, update, err, &c.Subsystems)
	if c.Motion != 0 {
		info.moved = w.header.Time
		w.emit(w.moved(ship, c.Motion))
	}
	if c.Subsystems.Len() > 0 {
		w.stateChanged(ship, &c.Subsystems)
	}
	w.changed(ship)
}

// markStale updates which subsystems may be stale, after an update that the tracker has applied with
// or without an error. It adds those that change to changed. If a block could not be read, all
// subsystems may be stale, each until a later block has it.
func (w *world) markStale(info *shipInfo, ship *stateupdate.Ship, m *opcode.StateUpdate, err error, changed *stateupdate.IndexSet) {
	if m.Flags&opcode.StateSubsystems == 0 || ship.Class == nil || err == nil && info.unread.Len() == 0 && info.bare == ship.OpenBC {
		return
	}
	before := *info
	info.bare = ship.OpenBC
	for s, err := range ship.Class.Block(m) {
		if err == nil {
			remove(&info.unread, int(s.Index))
			continue
		}
		for i := range ship.Subsystems {
			add(&info.unread, i)
		}
	}
	for i := range ship.Subsystems {
		shield := ship.Subsystems[i].Subsystem.Kind == stateupdate.KindShield
		if before.unread.Has(i) != info.unread.Has(i) || shield && before.bare != info.bare {
			add(changed, i)
		}
	}
}

// created reports a ship that was created, or of which the first update arrived.
func (w *world) created(ship *stateupdate.Ship) {
	info := &shipInfo{key: key(ship.ID, w.header.Time), name: text(ship.PlayerName), moved: w.header.Time}
	if p := w.players[ship.PeerID]; p != nil && p.Here {
		info.name, info.team = cmp.Or(p.Name, info.name), p.Team
	}
	for i := range ship.Subsystems {
		if ship.Subsystems[i].Off {
			add(&info.off, i)
		}
	}
	w.ships[ship.ID] = info
	if w.change != nil {
		w.emit(&Created{w.head("create"), w.ship(ship)})
	}
	w.changed(ship)
}

func (w *world) removed(ship *stateupdate.Ship) {
	w.emit(&Removed{w.head("remove"), ship.ID.String()})
	w.changed(ship)
	delete(w.ships, ship.ID)
}

func (w *world) changed(ship *stateupdate.Ship) {
	if w.updated != nil {
		w.updated(ship)
	}
}

// moved returns the changed parts of the motion of a ship.
func (w *world) moved(ship *stateupdate.Ship, flags opcode.StateFlags) *Moved {
	c := &Moved{Header: w.head("motion"), ID: ship.ID.String()}
	if flags&opcode.StatePosition != 0 {
		c.Position = positionOf(ship)
	}
	if flags&opcode.StateForward != 0 {
		c.Forward = direction(ship.Forward)
	}
	if flags&opcode.StateUp != 0 {
		c.Up = direction(ship.Up)
	}
	if flags&opcode.StateSpeed != 0 {
		c.Speed = number(ship.Speed.Float32())
	}
	if flags&opcode.StateCloak != 0 {
		c.Cloaked = new(ship.Cloaked)
	}
	return c
}

func (w *world) stateChanged(ship *stateupdate.Ship, set *stateupdate.IndexSet) {
	if w.change != nil {
		c := &StateChanged{Header: w.head("state"), ID: ship.ID.String(), State: make([]State, 0, set.Len())}
		for i := range ship.Subsystems {
			if set.Has(i) {
				c.State = append(c.State, w.state(ship, i))
			}
		}
		w.emit(c)
	}
}

// switched applies the switch of a subsystem, which a Tracker ignores.
func (w *world) switched(m *opcode.SubsystemStatus) {
	on, isSwitch := switched(m)
	ship, part, ok := w.tracker.Part(m.Dest)
	if !isSwitch || !ok || w.ships[ship.ID] == nil {
		return
	}
	if off := &w.ships[ship.ID].off; off.Has(part.Index) == on {
		toggle(off, part.Index)
		var set stateupdate.IndexSet
		add(&set, part.Index)
		w.stateChanged(ship, &set)
	}
}

// switched reports whether a message switches a subsystem, and whether on.
func switched(m *opcode.SubsystemStatus) (on, ok bool) {
	return m.Value != 0, m.Code == opcode.ETSubsystemStateChangedNotify && m.Class == opcode.ClassBoolEvent
}

func add(s *stateupdate.IndexSet, i int)    { s[i/64] |= 1 << (i % 64) }
func remove(s *stateupdate.IndexSet, i int) { s[i/64] &^= 1 << (i % 64) }
func toggle(s *stateupdate.IndexSet, i int) { s[i/64] ^= 1 << (i % 64) }

// ship returns the state of a ship.
func (w *world) ship(s *stateupdate.Ship) *Ship {
	info := w.ships[s.ID]
	ship := &Ship{
		ID:       s.ID.String(),
		Key:      info.key,
		Name:     info.name,
		Team:     info.team,
		Time:     new(info.moved),
		Species:  uint8(s.Species),
		Peer:     peerOf(s.PeerID),
		Set:      text(s.SetName),
		Life:     s.Life.String(),
		Position: positionOf(s),
		Forward:  direction(s.Forward),
		Up:       direction(s.Up),
		Speed:    number(s.Speed.Float32()),
		Cloaked:  s.Cloaked,
		Systems:  []System{},
		State:    []State{},
	}
	if s.Life != stateupdate.Unknown {
		ship.Slot = slotOf(s.OwnerSlot)
		ship.Class = s.Species.String()
	}
	if s.Life == stateupdate.Dying {
		ship.Killer = peerOf(s.Killer)
	}
	if s.Class != nil {
		ship.Class = s.Class.Name
		ship.Systems = systems(s.Class)
		for i := range s.Subsystems {
			ship.State = append(ship.State, w.state(s, i))
		}
	}
	return ship
}

func systems(c *stateupdate.Class) []System {
	all := make([]System, len(c.Subsystems))
	for i, s := range c.Subsystems {
		all[i] = System{s.Name, s.Kind.String(), make([]string, len(s.Children))}
		for j, child := range s.Children {
			all[i].Parts[j] = child.Name
		}
	}
	return all
}

// state returns the state of a subsystem.
func (w *world) state(ship *stateupdate.Ship, i int) State {
	s, info := &ship.Subsystems[i], w.ships[ship.ID]
	state := State{Index: i, Condition: s.Condition.Fraction(), Parts: []float32{}, On: !info.off.Has(i)}
	if info.unread.Has(i) {
		state.Stale = "an update could not be read"
	}
	parts := make([]float32, len(s.Parts))
	for j := range parts {
		parts[j] = stateupdate.Level(s.Parts[j]).Fraction()
	}
	switch kind := s.Subsystem.Kind; {
	case kind == stateupdate.KindShield && info.bare: // the power and the facings are unknown
		return state
	case kind == stateupdate.KindShield:
		state.Facings = (*[6]float32)(parts)
	case kind == stateupdate.KindReactor:
		state.Parts, state.Main, state.Backup = parts, number(s.MainBattery.Fraction()), number(s.BackupBattery.Fraction())
	default:
		state.Parts = parts
	}
	if s.Subsystem.Kind.Powered() {
		state.Power = new(s.Power.Percent())
	}
	return state
}
