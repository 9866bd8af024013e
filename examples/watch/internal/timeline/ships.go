package timeline

import (
	"cmp"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// shipChanged reports a change of the tracker, which has applied a message.
func (w *world) shipChanged(m opcode.Message, c *stateupdate.Change) {
	for _, gone := range c.Removed {
		w.removed(gone)
	}
	ship := c.Ship
	if ship == nil || ship.Life == stateupdate.Destroyed {
		return
	}
	info := w.shown[ship.ID]
	switch {
	case c.Created || info == nil:
		w.created(ship)
		return
	case c.Died:
		w.emit("dying", Change{ID: new(ship.ID.String())})
		w.sample(ship)
		return
	}
	if c.Motion != 0 {
		info.moved = w.now.Time
		if w.change != nil {
			w.emit("motion", Change{ID: new(ship.ID.String()), Motion: new(motionOf(ship, c.Motion))})
		}
	}
	w.stateChanged(ship, info, c.Subsystems)
	if _, ok := m.(*opcode.StateUpdate); ok {
		w.sample(ship)
	}
}

// created reports a ship that was created, or of which the first update arrived.
func (w *world) created(ship *stateupdate.Ship) {
	at := w.now.Time
	info := &shipInfo{key: key(ship.ID, at), name: text(ship.PlayerName), moved: at, openBC: ship.OpenBC, stale: ship.Stale}
	if p := w.players[ship.PeerID]; p != nil && p.Here {
		info.name, info.team = cmp.Or(p.Name, info.name), p.Team
	}
	w.shown[ship.ID] = info
	if w.change != nil {
		w.emit("create", Change{Ship: w.ship(ship)})
	}
	w.sample(ship)
}

func (w *world) removed(ship *stateupdate.Ship) {
	w.emit("remove", Change{ID: new(ship.ID.String())})
	w.sample(ship)
	delete(w.shown, ship.ID)
}

// motionOf returns parts of the motion of a ship.
func motionOf(ship *stateupdate.Ship, flags opcode.StateFlags) (c Motion) {
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

// stateChanged reports the subsystems that have changed, become stale, or are no longer known.
func (w *world) stateChanged(ship *stateupdate.Ship, info *shipInfo, changed stateupdate.IndexSet) {
	for i := range changed {
		changed[i] |= info.stale[i] ^ ship.Stale[i]
	}
	bare := ship.OpenBC && !info.openBC
	info.openBC, info.stale = ship.OpenBC, ship.Stale
	if w.change == nil || changed.Len() == 0 && !bare {
		return
	}
	var states []State
	for i := range ship.Subsystems {
		if changed.Has(i) || bare && ship.Subsystems[i].Subsystem.Kind == stateupdate.KindShield {
			states = append(states, stateOf(ship, i))
		}
	}
	if len(states) > 0 {
		w.emit("state", Change{ID: new(ship.ID.String()), State: states})
	}
}

// ship returns the state of a ship.
func (w *world) ship(s *stateupdate.Ship) *Ship {
	info := w.shown[s.ID]
	ship := &Ship{
		ID:      s.ID.String(),
		Key:     info.key,
		Name:    info.name,
		Team:    info.team,
		Time:    info.moved,
		Peer:    valid(s.PeerID),
		Set:     text(s.SetName),
		Life:    s.Life.String(),
		Motion:  motionOf(s, opcode.StatePosition|opcode.StateForward|opcode.StateUp|opcode.StateSpeed|opcode.StateCloak),
		Systems: []System{},
		State:   []State{},
	}
	if s.Life != stateupdate.Unknown {
		ship.Slot = valid(s.OwnerSlot)
		ship.Class = s.Species.String()
	}
	if s.Class != nil {
		ship.Class = s.Class.Name
		ship.Systems = systems(s.Class)
		for i := range s.Subsystems {
			ship.State = append(ship.State, stateOf(s, i))
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

// stateOf returns the state of a subsystem.
func stateOf(ship *stateupdate.Ship, i int) State {
	s := &ship.Subsystems[i]
	state := State{Index: i, Condition: s.Condition.Fraction(), Parts: []float32{}, On: !s.Off}
	if ship.Stale.Has(i) {
		state.Stale = "an update could not be read"
	}
	parts := make([]float32, len(s.Parts))
	for j := range parts {
		parts[j] = stateupdate.Level(s.Parts[j]).Fraction()
	}
	switch kind := s.Subsystem.Kind; {
	case kind == stateupdate.KindShield && ship.OpenBC: // the power and the facings are unknown
		return state
	case kind == stateupdate.KindShield:
		state.Facings = (*[6]float32)(parts)
	case kind == stateupdate.KindReactor:
		state.Parts = parts
		state.Main, state.Backup = number(s.MainBattery.Fraction()), number(s.BackupBattery.Fraction())
	default:
		state.Parts = parts
	}
	if s.Subsystem.Kind.Powered() {
		state.Power = new(s.Power.Percent())
	}
	return state
}
