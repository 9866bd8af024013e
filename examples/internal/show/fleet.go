package show

import (
	"math"
	"sort"

	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stateupdate"
)

// fleet holds the ships of a link whose parts have names. It does not change, so that messages which are
// printed later share it.
type fleet struct {
	ships   []vessel // in the order of their IDs
	objects int      // the most that one of them has
}

type vessel struct {
	id    objectid.ID
	class *stateupdate.Class
}

// maxFleets is the number of links whose fleets are kept.
const maxFleets = 256

// fleets holds the fleet of each link.
type fleets map[*match.Link]*fleet

// follow forgets the fleet of a link if a step has changed it.
func (all fleets) follow(step *match.Step) {
	if step.Message.NewConnection || step.Change.Created || len(step.Change.Removed) > 0 {
		delete(all, step.Link)
	}
}

// of returns the fleet of the link after a step.
func (all *fleets) of(step *match.Step) *fleet {
	if known := (*all)[step.Link]; known != nil {
		return known
	}
	if *all == nil || len(*all) >= maxFleets {
		*all = fleets{}
	}
	f := new(fleet)
	for s := range step.Link.Ships.Ships() {
		if s.Life != stateupdate.Unknown && s.Class != nil {
			f.ships = append(f.ships, vessel{s.ID, s.Class})
			f.objects = max(f.objects, s.Class.Objects())
		}
	}
	(*all)[step.Link] = f
	return f
}

// part returns the class and the part with an object ID, such as "Akira Torpedoes / Forward Torp 1", or "" if
// no ship has such a part. A ship with a larger ID comes first, as in [stateupdate.Tracker.Part].
func (f *fleet) part(id objectid.ID) string {
	if f == nil {
		return ""
	}
	next := sort.Search(len(f.ships), func(i int) bool { return f.ships[i].id > id })
	for i := next - 1; i >= 0; i-- {
		distance := int64(id) - int64(f.ships[i].id)
		if distance == 0 || distance >= int64(min(f.objects, math.MaxInt32)) {
			break
		}
		class := f.ships[i].class
		if part, ok := partAt(class, f.ships[i].id, id); ok {
			return class.Name + " " + part.String()
		}
	}
	return ""
}

// partAt returns the part of a ship with an object ID.
func partAt(class *stateupdate.Class, ship, id objectid.ID) (stateupdate.Part, bool) {
	for i := range class.Subsystems {
		s := &class.Subsystems[i]
		for child := -1; child < len(s.Children); child++ {
			if at, ok := class.PartID(ship, i, child); ok && at == id {
				return stateupdate.Part{Subsystem: s, Index: i, Child: child}, true
			}
		}
	}
	return stateupdate.Part{}, false
}
